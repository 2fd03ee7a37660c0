mod kinematics;
mod postures;
mod shapes;
mod touch;

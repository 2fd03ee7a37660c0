//! Joint trajectories of ROS (`trajectory_msgs/JointTrajectory`), as YAML.
//!
//! Between two points, controllers of ROS go straight if only positions are given, on a cubic if there are velocities, and on a quintic if
//! there are accelerations, too. Where all velocities and accelerations are zero, all of that is straight in the space of the joints: with
//! one polynomial s of time, every joint is at q₀ + s (q₁ − q₀).

use super::yaml::{self, Is, Node, Wrong};
use crate::fault::{Fault, Faults};
use crate::robot_program::fault_at;
use crate::units::Units;
use crate::waypoints;
use kansho_cell::{Cell, JointMotion};
use serde_json::{Map, Value};

/// A joint trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct JointTrajectory {
    /// Names of the joints, in the order of all numbers.
    pub names: Vec<String>,
    /// At least two.
    pub points: Vec<TrajectoryPoint>,
}

/// One point of a trajectory.
#[derive(Clone, Debug, PartialEq)]
pub struct TrajectoryPoint {
    /// The line in which it begins.
    pub line: u32,
    /// One number for each joint, in radians and metres.
    pub positions: Vec<f64>,
    /// One number for each joint, or none.
    pub velocities: Vec<f64>,
    /// One number for each joint, or none.
    pub accelerations: Vec<f64>,
    /// When it is reached, in seconds.
    pub seconds: f64,
}

/// What lies between the points of a trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Between {
    /// Straight in the space of the joints.
    Lines,
    /// Cubics by positions and velocities.
    Cubics,
}

/// Reads one from memory.
///
/// # Errors
/// What is none, with its line.
pub fn parse(bytes: &[u8]) -> Result<JointTrajectory, Vec<Fault>> {
    let read = yaml::parse(bytes).and_then(|node| of_node(&node));
    read.map_err(|(line, what)| vec![fault_at(bytes, line, what)])
}

fn of_node(node: &Node) -> Result<JointTrajectory, Wrong> {
    // It may be a part of a larger message.
    let inner = ["trajectory", "joint_trajectory"].iter().find_map(|key| node.get(key));
    if let Some(inner) = inner
        && node.get("joint_names").is_none()
    {
        return of_node(inner);
    }
    let missing = |key: &str| (node.line, format!("there is no '{key}' here: this is no joint trajectory"));
    let names = node.get("joint_names").ok_or_else(|| missing("joint_names"))?;
    let name = |node: &Node| match &node.is {
        Is::Plain(name) => Ok(name.clone()),
        _ => Err((node.line, "a name of a joint is missing here".to_owned())),
    };
    let names: Vec<String> = names.list()?.iter().map(name).collect::<Result<_, _>>()?;
    let mut points: Vec<TrajectoryPoint> = Vec::new();
    for point in node.get("points").ok_or_else(|| missing("points"))?.list()? {
        let found = one(point, names.len())?;
        if let Some(last) = points.last()
            && !(found.seconds > last.seconds)
        {
            let what =
                format!("this point is at {} s, and the one before at {} s", found.seconds, last.seconds);
            return Err((point.line, what));
        }
        points.push(found);
    }
    if points.len() < 2 {
        return Err((node.line, "a trajectory has two points at least".into()));
    }
    Ok(JointTrajectory { names, points })
}

fn one(point: &Node, joints: usize) -> Result<TrajectoryPoint, Wrong> {
    let numbers = |key: &str, may_miss: bool| -> Result<Vec<f64>, Wrong> {
        let Some(node) = point.get(key) else {
            return if may_miss { Ok(Vec::new()) } else { Err((point.line, format!("'{key}' is missing"))) };
        };
        let all: Vec<f64> = node.list()?.iter().map(Node::number).collect::<Result<_, _>>()?;
        if all.len() == joints || (may_miss && all.is_empty()) {
            Ok(all)
        } else {
            Err((node.line, format!("{} numbers in '{key}', but there are {joints} joints", all.len())))
        }
    };
    let time = point
        .get("time_from_start")
        .ok_or_else(|| (point.line, "'time_from_start' is missing".to_owned()))?;
    let part = |names: [&str; 2]| match names.iter().find_map(|name| time.get(name)) {
        Some(node) => node.number(),
        None => Err((time.line, format!("'{}' is missing", names[0]))),
    };
    let seconds = match &time.is {
        Is::Plain(_) => time.number()?,
        _ => part(["sec", "secs"])? + part(["nanosec", "nsecs"])? * 1e-9,
    };
    Ok(TrajectoryPoint {
        line: point.line,
        positions: numbers("positions", false)?,
        velocities: numbers("velocities", true)?,
        accelerations: numbers("accelerations", true)?,
        seconds,
    })
}

impl JointTrajectory {
    /// What lies between its points.
    ///
    /// # Errors
    /// Quintics, and points of which some have velocities and some have none, with a line.
    pub fn between(&self) -> Result<Between, (u32, String)> {
        let is_zero = |all: &[f64]| all.iter().all(|number| *number == 0.0);
        let rests = |point: &TrajectoryPoint| is_zero(&point.velocities) && is_zero(&point.accelerations);
        if self.points.iter().all(rests) {
            return Ok(Between::Lines);
        }
        for point in &self.points {
            if !point.accelerations.is_empty() {
                let what =
                    "with accelerations, joints go on curves of the fifth degree: these are not understood";
                return Err((point.line, what.into()));
            }
            if point.velocities.is_empty() {
                return Err((point.line, "some points have velocities, and this one has none".into()));
            }
        }
        Ok(Between::Cubics)
    }

    /// The motion of a cell, with what leaves the limits of joints, and the seconds of each piece.
    ///
    /// # Errors
    /// Joints that the cell does not have, or of which nothing is said; curves that are not understood. `text` is quoted.
    pub fn motion(&self, cell: &Cell, text: &[u8]) -> Result<(JointMotion, Vec<Fault>), Vec<Fault>> {
        let between = self.between().map_err(|(line, what)| vec![fault_at(text, line, what)])?;
        let mut faults = Faults::default();
        let mut outside = Vec::new();
        let mut rows: Vec<(Vec<f64>, Vec<f64>)> = Vec::new();
        for point in &self.points {
            let named = |numbers: &[f64]| {
                let of = |(name, number): (&String, &f64)| Some((name.clone(), Value::from(*number)));
                let map: Map<String, Value> = self.names.iter().zip(numbers).filter_map(of).collect();
                waypoints::posture(&Value::Object(map), cell, &Units::default())
            };
            let zeros = vec![0.0; self.names.len()];
            let velocities = if point.velocities.is_empty() { &zeros } else { &point.velocities };
            match named(&point.positions).and_then(|posture| Ok((posture, named(velocities)?))) {
                Ok(row) => {
                    outside.extend(waypoints::outside(cell, &row.0, &format!("line {}", point.line)));
                    rows.push(row);
                }
                Err(what) => {
                    faults.push(fault_at(text, point.line, what));
                    break;
                }
            }
        }
        faults.into_result()?;
        let motion = match between {
            Between::Lines => {
                let postures: Vec<Vec<f64>> = rows.into_iter().map(|(posture, _)| posture).collect();
                JointMotion::lines(&postures).map_err(|fault| vec![Fault::of_file(fault.to_string())])?
            }
            Between::Cubics => {
                let piece = |k: usize| {
                    let third = (self.points[k + 1].seconds - self.points[k].seconds) / 3.0;
                    let ((a, v), (b, w)) = (&rows[k], &rows[k + 1]);
                    (0..a.len()).map(|j| [a[j], a[j] + v[j] * third, b[j] - w[j] * third, b[j]]).collect()
                };
                JointMotion::of_controls((0..rows.len() - 1).map(piece).collect())
                    .ok_or_else(|| vec![Fault::of_file("the cubics of this trajectory are not finite")])?
            }
        };
        outside.extend(waypoints::outside_between(cell, &motion));
        Ok((motion, outside))
    }
}

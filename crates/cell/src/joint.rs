use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DVec3};

/// A link of a [`crate::Robot`] or a [`crate::Cell`], by index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LinkId(pub u32);

/// A joint of a [`crate::Robot`], by index in the order of its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub u32);

/// A joint between two links.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// The link that it hangs on.
    pub parent: LinkId,
    /// The link that it moves.
    pub child: LinkId,
    /// Where it is, at rest, in the parent.
    pub parent_from_joint: Pose,
    /// Range of its coordinate, if it has one.
    pub limits: Option<Limits>,
    /// Largest speed, in radians or metres per second, if given.
    pub max_speed: Option<f64>,
    /// Whose value it follows, if it does not move by itself.
    pub mimic: Option<Mimic>,
}

/// How a joint moves. Axes are unit vectors in the joint's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// Not at all.
    Fixed,
    /// It turns about an axis, within limits.
    Revolute {
        /// Axis.
        axis: DVec3,
    },
    /// It turns about an axis without end.
    Continuous {
        /// Axis.
        axis: DVec3,
    },
    /// It slides along an axis, within limits.
    Prismatic {
        /// Axis.
        axis: DVec3,
    },
    /// It slides in a plane and turns about its normal: coordinates x, y, and the angle. x and y are those of the frame
    /// that is turned the shortest way from z to the normal.
    Planar {
        /// Normal.
        normal: DVec3,
    },
    /// It moves freely: coordinates x, y, z, roll, pitch, yaw as in [`Pose::from_rpy`].
    Floating,
}

/// The range of a coordinate: `lower <= upper`, both finite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Least value.
    pub lower: f64,
    /// Largest value.
    pub upper: f64,
}

impl Limits {
    /// Whether a value lies within, ends included.
    #[must_use]
    pub fn contain(&self, value: f64) -> bool {
        self.lower <= value && value <= self.upper
    }
}

/// A joint that follows another: `value = multiplier · value of the other + offset`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mimic {
    /// The other joint.
    pub joint: JointId,
    /// Multiplier.
    pub multiplier: f64,
    /// Offset.
    pub offset: f64,
}

impl JointKind {
    /// Names of its coordinates: none for a fixed joint, an empty one where there is only one.
    #[must_use]
    pub fn coordinates(&self) -> &'static [&'static str] {
        match self {
            Self::Fixed => &[],
            Self::Revolute { .. } | Self::Continuous { .. } | Self::Prismatic { .. } => &[""],
            Self::Planar { .. } => &["x", "y", "angle"],
            Self::Floating => &["x", "y", "z", "roll", "pitch", "yaw"],
        }
    }

    /// The pose of the child in the joint's frame for some values of the coordinates, as many as there are.
    #[must_use]
    pub fn joint_from_child(&self, values: &[f64]) -> Pose {
        match (self, values) {
            (Self::Fixed, []) => Pose::IDENTITY,
            (Self::Revolute { axis } | Self::Continuous { axis }, &[angle]) => Pose::turn(*axis, angle),
            (Self::Prismatic { axis }, &[shift]) => Pose::from_translation(*axis * shift),
            (Self::Planar { normal }, &[x, y, angle]) => {
                let frame = shortest_turn_from_z(*normal);
                Pose::from_translation(frame * DVec3::new(x, y, 0.0)) * Pose::turn(*normal, angle)
            }
            (Self::Floating, &[x, y, z, roll, pitch, yaw]) => {
                Pose::from_rpy(DVec3::new(x, y, z), DVec3::new(roll, pitch, yaw))
            }
            _ => panic!("a joint takes as many values as it has coordinates"),
        }
    }
}

/// The rotation that takes z to a unit vector the shortest way; half a turn about x for −z.
pub(crate) fn shortest_turn_from_z(to: DVec3) -> DMat3 {
    if to.z < -1.0 + 1e-12 {
        return DMat3::from_rotation_x(std::f64::consts::PI);
    }
    let across = DVec3::Z.cross(to);
    // Rodrigues' formula with sin and 1 − cos from the vectors themselves.
    let skew = DMat3::from_cols(
        DVec3::new(0.0, across.z, -across.y),
        DVec3::new(-across.z, 0.0, across.x),
        DVec3::new(across.y, -across.x, 0.0),
    );
    DMat3::IDENTITY + skew + skew * skew * (1.0 / (1.0 + to.z))
}

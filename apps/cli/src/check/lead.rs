//! How a tool is led.

use clap::{Args, ValueEnum};
use kansho::cell::ik::Branch;
use kansho::io::motion_file::{self, Laws, LeadOptions};
use kansho::io::move_list;

/// How a tool is led.
#[derive(Args, Clone)]
pub(crate) struct LeadArguments {
    /// How the tool turns on lines and arcs of the tool: about one axis (slerp), its axis swivels while it twists about it (swivel-twist), or
    /// both are proven; slerp by default, for robot programs what their profile says
    #[arg(long, value_name = "LAW")]
    law: Option<LawName>,

    /// What the controller does where corners are rounded: anything inside the triangle that is cut off (inside), the parabola that touches
    /// both lines (parabola), or something within --blend-margin of that (unknown)
    #[arg(long, value_name = "HOW", default_value = "inside")]
    blend: BlendName,

    /// With --blend unknown: how far the tip may be from the parabola in a rounded corner, in metres
    #[arg(long, value_name = "METRES", value_parser = crate::units::length)]
    blend_margin: Option<f64>,

    /// Corners between lines of the tool are rounded within this distance, where the file does not say, in metres
    #[arg(long, value_name = "METRES", default_value = "0", value_parser = crate::units::length)]
    zone: f64,

    /// What is led: the tool of a robot, by its name, or a link as robot/link; by default the only tool there is
    #[arg(long, value_name = "NAME")]
    tip: Option<String>,

    /// The branch on which a motion that begins with a pose begins: three signs for shoulder, elbow and wrist, as in --branch=++-
    #[arg(long, value_name = "SIGNS", value_parser = move_list::branch, allow_hyphen_values = true)]
    branch: Option<Branch>,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum LawName {
    Slerp,
    SwivelTwist,
    Both,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum BlendName {
    Inside,
    Parabola,
    Unknown,
}

impl LeadArguments {
    pub(super) fn options(&self) -> LeadOptions {
        LeadOptions {
            law: self.law.map(|law| match law {
                LawName::Slerp => Laws::Slerp,
                LawName::SwivelTwist => Laws::SwivelTwist,
                LawName::Both => Laws::Both,
            }),
            blend: match self.blend {
                BlendName::Inside => motion_file::BlendName::Inside,
                BlendName::Parabola => motion_file::BlendName::Parabola,
                BlendName::Unknown => motion_file::BlendName::Unknown,
            },
            blend_margin: self.blend_margin,
            zone: self.zone,
            tip: self.tip.clone(),
            branch: self.branch,
        }
    }
}

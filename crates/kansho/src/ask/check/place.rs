//! Where in a motion something happens, as people find it: between which waypoints, in which move, on which line of a program.

use kansho_cell::JointMotion;
use kansho_cell::route::{CurveKind, Leg, MoveNumber, Route, RouteMotion};
use kansho_io::motion_file::ProgramText;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt;

/// A place in a motion.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MotionPlace {
    /// The move, by the number of the waypoint, row or move that it leads to, from 1: the start is 1, so the first move is 2.
    #[serde(rename = "move")]
    pub number: usize,
    /// How far along that move.
    pub fraction: f64,
    /// What kind of move a Cartesian path has there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<MoveWord>,
    /// Between which waypoints a motion of all joints is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub segment: Option<SegmentPlace>,
    /// Where that stands in a robot program.
    #[serde(flatten)]
    pub program: Option<ProgramPlace>,
}

/// Between two waypoints.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SegmentPlace {
    /// The waypoint before, from 1.
    pub from: usize,
    /// The waypoint behind.
    pub to: usize,
    /// How far between them.
    pub fraction: f64,
}

/// A kind of move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MoveWord {
    /// All joints move evenly.
    Ptp,
    /// The TCP on a line.
    Lin,
    /// The TCP on an arc.
    Circ,
    /// The TCP on a spline.
    Spline,
    /// A rounded corner behind a move.
    Corner,
}

/// A place in a robot program.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct ProgramPlace {
    /// The line of the move, from 1.
    pub line: u32,
    /// Seconds from the first target on, at the programmed speeds; null where a speed is unknown.
    pub seconds: Option<f64>,
}

impl MoveWord {
    /// As it is written in a list of moves.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ptp => "ptp",
            Self::Lin => "lin",
            Self::Circ => "circ",
            Self::Spline => "spline",
            Self::Corner => "corner",
        }
    }

    fn of(leg: &Leg) -> Self {
        match &leg.way {
            RouteMotion::Joints(_) => Self::Ptp,
            RouteMotion::Tool { curve, .. } => match curve.kind() {
                CurveKind::Line => Self::Lin,
                CurveKind::Arc => Self::Circ,
                CurveKind::Spline => Self::Spline,
                CurveKind::Corner => Self::Corner,
            },
        }
    }
}

/// Finds places in one motion.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub(super) course: Course<'a>,
    pub(super) program: Option<&'a ProgramText>,
}

/// What has places.
#[derive(Clone, Copy)]
pub(super) enum Course<'a> {
    Joints(&'a JointMotion),
    Tool(&'a Route),
}

impl Places<'_> {
    /// The place in a piece of the motion, at a fraction of that piece.
    pub(super) fn in_piece(&self, piece: usize, u: f64) -> MotionPlace {
        let (number, fraction, kind, segment) = match self.course {
            Course::Joints(_) => {
                let number = MoveNumber::of_piece(piece);
                let segment = SegmentPlace { from: number.get() - 1, to: number.get(), fraction: u };
                (number, u, None, Some(segment))
            }
            Course::Tool(route) => {
                let leg = &route.legs()[piece];
                let number = MoveNumber::of_move(leg.of_move);
                (number, route.fraction(piece, u), Some(MoveWord::of(leg)), None)
            }
        };
        let number = number.get();
        let program = self.program.map(|program| ProgramPlace {
            line: program.line(number),
            seconds: program.seconds_at(number, fraction),
        });
        MotionPlace { number, fraction, kind, segment, program }
    }

    /// The place at a fraction of the whole motion, whose pieces take the same time each.
    pub(super) fn at(&self, t: f64) -> MotionPlace {
        let count = match self.course {
            Course::Joints(motion) => motion.pieces().len(),
            Course::Tool(route) => route.legs().len(),
        };
        let place = t * count as f64;
        let piece = (place as usize).min(count - 1);
        self.in_piece(piece, place - piece as f64)
    }
}

impl fmt::Display for MotionPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(ProgramPlace { line, seconds }) = self.program {
            write!(f, "line {line}")?;
            if let Some(seconds) = seconds {
                write!(f, " after {seconds:.3} s")?;
            }
            f.write_str(": ")?;
        }
        let fraction = self.fraction;
        match (self.segment, self.kind) {
            (Some(SegmentPlace { from, to, .. }), _) => {
                write!(f, "between waypoints {from} and {to}, {fraction:.6} of the way")
            }
            (None, Some(MoveWord::Corner)) => write!(f, "in the corner after move {}", self.number),
            (None, kind) => {
                let kind = kind.map_or("", MoveWord::word);
                write!(f, "move {}, {kind}, {fraction:.6} of the way", self.number)
            }
        }
    }
}

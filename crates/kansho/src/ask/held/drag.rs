//! A part that is dragged by a point.

use super::{number_of, others};
use kansho_contact::Part;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_plan::drag::{self as engine, Dragged, Wish};
use kansho_plan::parts::StandingPart;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// How long a step may take: that of a mouse.
const PATIENCE: Duration = Duration::from_millis(150);

/// The largest coordinate that is looked at, in metres.
const LARGEST: f64 = 1e6;

/// A part that is dragged.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DraggedPart {
    /// Its name.
    pub moving: String,
    /// Where it is, as a motion from where the cell has it.
    pub moved: [f64; 12],
    /// The point that it is dragged by, where the cell has it.
    pub point: [f64; 3],
    /// Where that point shall be.
    pub target: [f64; 3],
    /// The axis about which it is to turn, rather than move.
    pub turn: Option<[f64; 3]>,
}

/// Where a part comes to that is dragged.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum DragAnswer {
    /// It overlaps something, so it is held already.
    Held {
        /// True.
        held: bool,
    },
    /// It moves.
    Moves {
        /// False.
        held: bool,
        /// Where it is then, as a motion from where the cell has it.
        moved: [f64; 12],
        /// Where the point is then.
        point: [f64; 3],
        /// Whether that is where it should be.
        arrived: bool,
        /// What blocks it: where, and which way it would have to give way.
        blocked: Vec<[[f64; 3]; 2]>,
    },
}

/// Where a part comes to that is dragged, as far as contacts allow.
///
/// # Errors
/// No object that stands still has that name, or numbers make no sense.
pub fn drag(parts: &[StandingPart], asked: &DraggedPart) -> Result<DragAnswer, String> {
    let own = number_of(parts, &asked.moving)?;
    let numbers = asked.moved.iter().chain(&asked.point).chain(&asked.target);
    if let Some(bad) = numbers.into_iter().find(|number| !(number.abs() <= LARGEST)) {
        return Err(format!("{bad} is no coordinate"));
    }
    let moved = Pose::from_rows(&asked.moved).map_err(|fault| fault.to_string())?;
    let fixed: Vec<&Part> = others(parts, own).map(|part| &part.part).collect();
    let axis = asked.turn.map(|axis| DVec3::from(axis).try_normalize().ok_or("an axis has a direction"));
    let wish = axis.transpose()?.map_or(Wish::Move, Wish::Turn);
    let deadline = Instant::now().checked_add(PATIENCE);
    let (part, point, target) = (&parts[own].part, asked.point.into(), asked.target.into());
    Ok(match engine::drag(part, &fixed, moved, point, target, wish, deadline) {
        None => DragAnswer::Held { held: true },
        Some(Dragged { moved, point, arrived, blocked }) => DragAnswer::Moves {
            held: false,
            moved: moved.to_rows(),
            point: point.to_array(),
            arrived,
            blocked: blocked.iter().map(|arrow| arrow.map(|vector| vector.to_array())).collect(),
        },
    })
}

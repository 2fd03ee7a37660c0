//! Motions that lead a tool.

use super::{LoadedMotion, Moved};
use crate::fault::{Fault, ReadError};
use crate::move_list::{self, ProgramOptions};
use crate::units::Units;
use kansho_cell::ik::{Branch, Tip};
pub use kansho_cell::route::Laws;
use kansho_cell::route::{Blend, Law, Move, MoveKind, Route, RouteFault};
use kansho_cell::{Cell, nearest_name};
use std::path::Path;

/// How a tool is led.
#[derive(Clone, Debug, Default)]
pub struct LeadOptions {
    /// How the tool turns on lines and arcs of the tool; slerp if nothing is said, for robot programs what their profile says.
    pub law: Option<Laws>,
    /// What the controller does where corners are rounded.
    pub blend: BlendName,
    /// With [`BlendName::Unknown`]: how far the tip may be from the parabola in a rounded corner, in metres.
    pub blend_margin: Option<f64>,
    /// Corners between lines of the tool are rounded within this distance, where the file does not say, in metres.
    pub zone: f64,
    /// What is led: the tool of a robot, by its name, or a link as robot/link; if nothing is said, the only tool there is.
    pub tip: Option<String>,
    /// The branch on which a motion that begins with a pose begins.
    pub branch: Option<Branch>,
}

/// What a controller does in a rounded corner.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BlendName {
    /// Anything inside the triangle that is cut off.
    #[default]
    Inside,
    /// The parabola that touches both lines.
    Parabola,
    /// Something within a margin of that.
    Unknown,
}

/// The tip that a name stands for.
///
/// # Errors
/// There is none of that name; or, without a name, none or several.
pub fn tip(cell: &Cell, name: Option<&str>) -> Result<Tip, String> {
    if let Some(name) = name {
        let robots = cell.robots().iter().map(|robot| robot.name.as_str());
        let near = || {
            let links = cell.link_names().iter().map(String::as_str);
            nearest_name(name, robots.clone().chain(links))
                .map_or(String::new(), |near| format!("; did you mean {near}?"))
        };
        let found = Tip::tool(cell, name).or_else(|| Tip::link(cell, name));
        return found.ok_or_else(|| {
            if robots.clone().any(|robot| robot == name) {
                format!("{name} has no tool: name the link that is led, as in ⟦tip={name}/flange⟧")
            } else {
                format!("'{name}' is no robot with a tool, and no link{}", near())
            }
        });
    }
    let mut tools = cell.robots().iter().filter_map(|robot| Tip::tool(cell, &robot.name));
    match (tools.next(), tools.next()) {
        (Some(tip), None) => Ok(tip),
        (None, _) => {
            Err("there is no tool in this cell: name the link that is led, as in ⟦tip=robot/link⟧".into())
        }
        (Some(_), Some(_)) => Err("there are several tools in this cell: name one, as in ⟦tip=robot⟧".into()),
    }
}

impl LeadOptions {
    /// The first of these that was given and is about tools only, as a setting.
    #[must_use]
    pub fn given(&self) -> Option<&'static str> {
        let all = [
            (self.zone > 0.0, "⟦zone⟧"),
            (self.law.is_some_and(|law| law != Laws::Slerp), "⟦law⟧"),
            (self.blend != BlendName::Inside, "⟦blend⟧"),
            (self.blend_margin.is_some(), "⟦blend-margin⟧"),
            (self.tip.is_some(), "⟦tip⟧"),
            (self.branch.is_some(), "⟦branch⟧"),
        ];
        all.iter().find(|(is_given, _)| *is_given).map(|(_, name)| *name)
    }

    /// What was given and is no matter of robot programs, which say it themselves.
    pub(super) fn not_of_programs(&self) -> Option<&'static str> {
        let all = [(self.zone > 0.0, "⟦zone⟧"), (self.tip.is_some(), "⟦tip⟧")];
        all.iter().find(|(is_given, _)| *is_given).map(|(_, name)| *name)
    }

    /// Reads a motion that leads a tool. With `fine`, corners that are not between two straight lines are taken as stops.
    pub(super) fn parse(
        &self,
        bytes: &[u8],
        path: &Path,
        cell: &Cell,
        units: &Units,
        fine: bool,
    ) -> Result<LoadedMotion, ReadError> {
        let refuse = |faults: Vec<Fault>| ReadError { path: path.to_owned(), faults };
        let tip = tip(cell, self.tip.as_deref()).map_err(|what| refuse(vec![Fault::of_file(what)]))?;
        let options = ProgramOptions { tip, branch: self.branch, zone: self.zone, units: *units };
        let mut program = move_list::parse(bytes, cell, &options).map_err(refuse)?;
        let mut notes = Vec::new();
        let is_line = |one: &Move| matches!(one.kind, MoveKind::Line(_));
        for k in 0..program.moves.len().saturating_sub(1) {
            let is_known = is_line(&program.moves[k]) && is_line(&program.moves[k + 1]);
            let zone = &mut program.moves[k].zone;
            if *zone == 0.0 || is_known {
                continue;
            }
            if !fine {
                let what = "only corners between two straight lines of the tool can be rounded, and the one at the end of this move is not";
                let help = "set the zone to 0, or let ⟦fine⟧ take such corners as stops";
                return Err(refuse(vec![Fault::of_part(format!("move {}", k + 2), what).with_help(help)]));
            }
            *zone = 0.0;
            let what = "the corner at the end of this move is taken as if the robot stopped there (⟦fine⟧): how it is rounded is not proven";
            notes.push(Fault::of_part(format!("move {}", k + 2), what));
        }
        let led = Led { tip, start: &program.start, moves: &program.moves, law: Laws::Slerp };
        let motion =
            self.routes(path, cell, led, |number| Fault::of_part(format!("move {number}"), String::new()))?;
        Ok(LoadedMotion {
            motion,
            outside: program.outside_limits,
            notes,
            program: None,
            joint_corners: Vec::new(),
        })
    }

    /// One route for each law. `place` makes a fault of a move, by its number from 1.
    pub(super) fn routes(
        &self,
        path: &Path,
        cell: &Cell,
        led: Led<'_>,
        place: impl Fn(usize) -> Fault,
    ) -> Result<Moved, ReadError> {
        let fail = |fault: Fault| ReadError { path: path.to_owned(), faults: vec![fault] };
        let blend = match (self.blend, self.blend_margin) {
            (BlendName::Inside, _) => Blend::Inside,
            (BlendName::Parabola, _) => Blend::Parabola,
            (BlendName::Unknown, Some(margin)) => Blend::Within(margin),
            (BlendName::Unknown, None) => {
                let what = "corners that are rounded in an unknown way need ⟦blend-margin=METRES⟧: how far the tip may be from the parabola";
                return Err(fail(Fault::of_file(what)));
            }
        };
        let mut routes: Vec<(Law, Route)> = Vec::new();
        for &law in self.law.unwrap_or(led.law).each() {
            let route = Route::new(cell, led.tip, led.start.to_vec(), led.moves, law, blend);
            let route = route.map_err(|RouteFault { number, fault }| {
                fail(Fault { what: fault.to_string(), ..place(number + 1) })
            })?;
            routes.push((law, route));
        }
        Ok(Moved::Tool(routes))
    }
}

/// What is led how.
#[derive(Clone, Copy)]
pub(super) struct Led<'a> {
    pub(super) tip: Tip,
    pub(super) start: &'a [f64],
    pub(super) moves: &'a [Move],
    /// Unless something else is said.
    pub(super) law: Laws,
}

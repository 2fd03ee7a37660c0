//! Motions of trajectories of ROS.

use super::lead::{Laws, LeadOptions, Led};
use super::program::{ProgramText, RobotProgramOptions};
use super::{LoadedMotion, Moved};
use crate::fault::{Fault, ReadError};
use crate::robot_program::fault_at;
use crate::trajectory::{self, Trajectory};
use crate::waypoints;
use kansho_cell::route::{Move, MoveKind};
use kansho_cell::{Cell, JointMotion};
use std::path::Path;

impl RobotProgramOptions {
    /// Reads the motion of a trajectory.
    pub(super) fn trajectory(
        &self,
        path: &Path,
        cell: &Cell,
        lead: &LeadOptions,
    ) -> Result<LoadedMotion, ReadError> {
        let fail = |faults: Vec<Fault>| ReadError { path: path.to_owned(), faults };
        let (found, text) = trajectory::read(path, self.entry.as_deref())?;
        let sequences = match found {
            Trajectory::Joints(joints) => {
                if let Some(name) = lead.given() {
                    let what = format!("no tool is led in this trajectory, which {name} is about");
                    return Err(fail(vec![Fault::of_file(what)]));
                }
                let (motion, mut outside) = joints.motion(cell, &text).map_err(fail)?;
                let beside = joints.look_beside(cell);
                let beside = beside.map_err(|(line, what)| fail(vec![fault_at(&text, line, what)]))?;
                let notes = beside.into_iter().map(|(line, what)| fault_at(&text, line, what)).collect();
                let help = "positions of such a trajectory are in radians and metres";
                outside.iter_mut().for_each(|fault| fault.help = Some(help.into()));
                let times: Vec<f64> = joints.points.iter().map(|point| point.seconds).collect();
                let seconds = times.windows(2).map(|pair| Some(pair[1] - pair[0])).collect();
                let lines = joints.points.iter().map(|point| point.line).collect();
                let told = ProgramText { text, lines, seconds, notes, unreached: Vec::new() };
                return Ok(LoadedMotion {
                    motion: Moved::Joints(motion),
                    outside,
                    notes: Vec::new(),
                    program: Some(told),
                    joint_corners: Vec::new(),
                });
            }
            Trajectory::Sequences(sequences) => sequences,
        };
        if let Some(option) = lead.not_of_programs() {
            return Err(fail(vec![Fault::of_file(format!(
                "{option} is no matter of sequences: they say it themselves"
            ))]));
        }
        let made = sequences.motion(cell, self.robot.as_deref(), self.entry.as_deref());
        let mut made = made.map_err(|faults| {
            fail(faults.into_iter().map(|(line, what)| fault_at(&text, line, what)).collect())
        })?;
        let gripper = |(line, name): &(u32, String)| {
            let what = format!(
                "the arm stands still while the gripper command '{name}' runs; what the fingers do is not part of the motion: kansho checks them as the cell holds them"
            );
            fault_at(&text, *line, what)
        };
        let mut notes: Vec<Fault> = made.grippers.iter().map(gripper).collect();
        self.corners(&mut made.moves, &made.lines, &text, &mut notes).map_err(fail)?;
        let leads = made.moves.iter().any(|one| !matches!(one.kind, MoveKind::Joints(_)));
        let seconds = vec![None; made.moves.len()];
        let told = ProgramText { text, lines: made.lines, seconds, notes, unreached: Vec::new() };
        let motion = if leads {
            let led = Led { tip: made.tip, start: &made.start, moves: &made.moves, law: Laws::Slerp };
            lead.routes(path, cell, led, |number| told.fault(number, String::new()))?
        } else {
            let postures =
                [made.start.clone()].into_iter().chain(made.moves.iter().filter_map(|one| match &one.kind {
                    MoveKind::Joints(to) => Some(to.clone()),
                    _ => None,
                }));
            let motion = JointMotion::lines(&postures.collect::<Vec<_>>());
            Moved::Joints(motion.map_err(|fault| fail(vec![Fault::of_file(fault.to_string())]))?)
        };
        // Where a tool is led, limits are kept on the way; joint moves go where they are told to.
        let mut outside = waypoints::outside(cell, &made.start, &format!("line {}", told.lines[0]));
        for (one, line) in made.moves.iter().zip(&told.lines[1..]) {
            if let MoveKind::Joints(to) = &one.kind {
                outside.extend(waypoints::outside(cell, to, &format!("line {line}")));
            }
        }
        Ok(LoadedMotion {
            motion,
            outside,
            notes: Vec::new(),
            program: Some(told),
            joint_corners: Vec::new(),
        })
    }

    /// Corners that are rounded beside joint moves and arcs are refused, or taken as stops.
    fn corners(
        &self,
        moves: &mut [Move],
        lines: &[u32],
        text: &[u8],
        notes: &mut Vec<Fault>,
    ) -> Result<(), Vec<Fault>> {
        let is_line: Vec<bool> = moves.iter().map(|one| matches!(one.kind, MoveKind::Line(_))).collect();
        for k in 0..moves.len().saturating_sub(1) {
            if moves[k].zone == 0.0 || (is_line[k] && is_line[k + 1]) {
                continue;
            }
            let line = lines[k + 1];
            if !self.fine {
                let what = "the corner at the end of this move is rounded, and not between two straight lines: how, is not known; ⟦fine⟧ takes it as a stop";
                return Err(vec![fault_at(text, line, what)]);
            }
            moves[k].zone = 0.0;
            let what = "the corner at the end of this move is taken as if the robot stopped there (⟦fine⟧): how it is rounded is not proven";
            notes.push(fault_at(text, line, what));
        }
        Ok(())
    }
}

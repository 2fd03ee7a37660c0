//! The parts of a program whose motion is known, where something in it is not understood.
//!
//! A part begins at a target that tells by itself in which posture the robot arrives; how it gets there is nobody's claim. It ends where the next move
//! is not understood, is not reachable, or may come from somewhere else. Whatever is left out is named with its line. A corner belongs to the two
//! moves beside it: it counts as proven only where both are.

use super::{CornerOfJoints, Done, NOT_FROM_HERE, ResolveOptions, Resolved, Resolver, TWO_TOOLS, follow};
use crate::robot_program::arm::ControlArm;
use crate::robot_program::{Note, RobotProgram};
use kansho_geom::Pose;
use std::collections::HashSet;

/// What of a program can be proven.
#[derive(Clone, Debug)]
pub struct ResolvedParts {
    /// Its parts, in their order. Each has at least one move behind its first target.
    pub parts: Vec<Resolved>,
    /// What is not proven, with the reason.
    pub open: Vec<Note>,
}

/// Works out which parts of a program are motions of a cell.
#[must_use]
pub fn resolve_parts(
    program: &RobotProgram,
    arm: &ControlArm<'_>,
    options: &ResolveOptions,
) -> ResolvedParts {
    let mut open = Open::default();
    program.notes.iter().filter(|note| note.moves).chain(&program.unreached).for_each(|note| open.push(note));
    let Some(doubtful) = &program.doubtful else {
        return ResolvedParts { parts: Vec::new(), open: open.told() };
    };
    for line in doubtful {
        open.add(*line, "this move is never reached, or may also be made in ways that are not followed");
    }
    // Postures at the ends of its rounds cannot be compared where parts are left out.
    for closing in &program.closing {
        let why = "whether all rounds of this endless loop are alike is not known";
        open.add(closing.line, why);
        let [last, end] = closing.ends;
        program.moves[last.min(end)..=end].iter().for_each(|one| open.add(one.line, why));
    }
    let options = ResolveOptions { postures: true, ..*options };
    let mut maker = Maker {
        resolver: Resolver {
            arm,
            options: &options,
            notes: Vec::new(),
            tip: None,
            tools: Vec::new(),
            joint_corner: None,
            branch: options.branch,
        },
        here: arm.cell().zero_posture(),
        known: false,
        flange: arm.world_from_flange(&arm.cell().zero_posture()),
        part: None,
        parts: Vec::new(),
    };
    for (k, one) in program.moves.iter().enumerate() {
        // The joint solution that is named is that of the first target of the program.
        if k > 0 {
            maker.resolver.branch = None;
        }
        let next = program.moves.get(k + 1).filter(|next| !next.after_gap);
        if one.after_gap {
            maker.end();
            if k > 0 && !one.is_again {
                open.add(one.line, NOT_FROM_HERE);
            }
        }
        loop {
            let is_first = maker.part.is_none();
            let (here, known) =
                if is_first { (arm.cell().zero_posture(), false) } else { (maker.here.clone(), maker.known) };
            match maker.resolver.one(one, &here, known, &maker.flange.clone(), is_first, next) {
                Ok(done) => {
                    maker.push(done, one.line, is_first);
                    break;
                }
                Err(what) if is_first => {
                    if !one.is_again {
                        open.add(one.line, &what);
                    }
                    break;
                }
                // The other tool is led from the last target on.
                Err(what) if what.starts_with(TWO_TOOLS) && maker.known && maker.has_moves() => {
                    if let Some(line) = maker.begin_here() {
                        open.add(
                            line,
                            "the corner at this target is rounded, and another tool is led behind it",
                        );
                    }
                }
                Err(what) => {
                    open.add(one.line, &what);
                    maker.end();
                }
            }
        }
    }
    maker.end();
    ResolvedParts { parts: maker.parts, open: open.told() }
}

/// What is not proven, each line with its first reasons.
#[derive(Default)]
struct Open {
    notes: Vec<Note>,
    known: HashSet<(u32, String)>,
}

impl Open {
    fn push(&mut self, note: &Note) {
        self.add(note.line, &note.what);
    }

    fn add(&mut self, line: u32, what: &str) {
        if self.known.insert((line, what.to_owned())) {
            self.notes.push(Note { line, what: what.to_owned(), moves: true });
        }
    }

    fn told(mut self) -> Vec<Note> {
        self.notes.sort_by_key(|note| note.line);
        self.notes
    }
}

struct Maker<'a> {
    resolver: Resolver<'a>,
    here: Vec<f64>,
    known: bool,
    /// Where the flange is.
    flange: Pose,
    part: Option<Resolved>,
    parts: Vec<Resolved>,
}

impl Maker<'_> {
    fn has_moves(&self) -> bool {
        self.part.as_ref().is_some_and(|part| !part.moves.is_empty())
    }

    fn begin(&mut self, line: u32) {
        self.resolver.tip = None;
        self.part = Some(Resolved {
            tip: self.resolver.arm.tip(&Pose::IDENTITY),
            start: self.here.clone(),
            moves: Vec::new(),
            lines: vec![line],
            seconds: Vec::new(),
            notes: Vec::new(),
            postures: vec![self.known.then(|| self.here.clone())],
            tells: vec![true],
            joint_corners: Vec::new(),
        });
    }

    /// Ends a part, and begins the next one at its last target. The line of that target, if its corner is rounded.
    fn begin_here(&mut self) -> Option<u32> {
        let line = self.part.as_ref().and_then(|part| part.lines.last().copied()).unwrap_or(1);
        let is_rounded =
            self.part.as_ref().and_then(|part| part.moves.last()).is_some_and(|last| last.zone > 0.0);
        let tells = self.part.as_ref().is_some_and(|part| part.tells.last() == Some(&true));
        self.end();
        self.begin(line);
        // What comes before it has to be proven to its end.
        self.part.iter_mut().for_each(|part| part.tells = vec![tells]);
        is_rounded.then_some(line)
    }

    fn push(&mut self, done: Done, line: u32, is_first: bool) {
        let arm = self.resolver.arm;
        match &done.posture {
            Some(posture) => {
                self.here.clone_from(posture);
                self.known = true;
            }
            None => self.known &= follow(arm, &self.flange, &done, &mut self.here),
        }
        self.flange = done.world_from_flange;
        if is_first {
            self.begin(line);
            return;
        }
        let posture = self.known.then(|| self.here.clone());
        let corner = self.resolver.joint_corner.take();
        if let Some(part) = &mut self.part {
            if let Some((radius, tip)) = corner {
                let most = super::most_of(arm);
                part.joint_corners.push(CornerOfJoints { target: part.moves.len() + 1, radius, most, tip });
            }
            part.lines.push(line);
            part.seconds.push(done.seconds);
            part.moves.push(done.made);
            part.postures.push(posture);
            part.tells.push(done.tells);
        }
    }

    /// Ends a part. Its last corner is that of a move that is not proven.
    fn end(&mut self) {
        let Some(mut part) = self.part.take() else { return };
        part.notes = std::mem::take(&mut self.resolver.notes);
        if let Some((tip, _)) = self.resolver.tip.take() {
            part.tip = tip;
        } else if let Some(tool) = self.resolver.arm.flange_from_tool() {
            part.tip = self.resolver.arm.tip(&tool);
        }
        if let Some(last) = part.moves.last_mut() {
            last.zone = 0.0;
        }
        if !part.moves.is_empty() {
            self.parts.push(part);
        }
    }
}

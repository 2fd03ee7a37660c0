//! G-code in modes in which X, Y and Z are the tip of the tool.
//!
//! Every word of a block has a use here, or the block is refused: [`words`] sorts them, [`codes`] knows which codes change nothing.

mod arcs;
pub(super) mod codes;
mod tool;
mod words;

use super::{Builder, Lengths, ONE_TOOL, Toolpath, ToolpathOptions, Wrong};
use crate::text;
use kansho_geom::glam::{DQuat, DVec3};
use words::Block;

/// What X, Y and Z are.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// Axes of a machine.
    Machine,
    /// The tip, and rotary axes turn the tool (G43.4, M128, TCPM, TRAORI with angles).
    Angles,
    /// The tip, and I, J, K point from it to the spindle (G43.5).
    Vector,
}

const AXES: [&str; 6] = ["X", "Y", "Z", "A", "B", "C"];
const VECTOR: [&str; 3] = ["A3", "B3", "C3"];
const CENTRE: [&str; 3] = ["I", "J", "K"];

struct State<'a> {
    options: &'a ToolpathOptions,
    builder: Builder,
    mode: Mode,
    lengths: Lengths<'a>,
    metres: f64,
    absolute: bool,
    /// 0 rapid, 1 line, 2 and 3 arcs.
    motion: Option<u32>,
    plane: u32,
    feed: Option<f64>,
    per_minute: bool,
    place: DVec3,
    angles: [f64; 3],
    up: DVec3,
    /// Whether A, B and C are angles in space and not positions of axes (`AXIS SPAT`).
    spatial: bool,
    /// Axes that the program has named, from its beginning.
    said: [bool; 6],
    /// Axes that increments have moved (G91).
    stepped: [bool; 3],
    tool: tool::Lengths,
    /// The line whose move home each axis was in, if nothing has set the axis since.
    lost: [Option<u32>; 6],
    /// The line of a move home, if no rapid move has gone to a known place since.
    home: Option<u32>,
    /// The work offset that was chosen: its code in tenths, and P of G54.1.
    offset: Option<(u32, f64)>,
    /// The line in which the program ends.
    ended: Option<u32>,
    has_number: bool,
}

pub(super) fn read(bytes: &[u8], options: &ToolpathOptions) -> Result<Toolpath, Wrong> {
    if options.rotary.is_empty() || !options.rotary.bytes().all(|c| b"ABC".contains(&c)) {
        return Err(vec![(
            1,
            format!(
                "'{}' does not say how rotary axes turn the tool: letters A, B and C in their order",
                options.rotary
            ),
        )]);
    }
    let lengths = Lengths::new(options.unit.as_ref());
    let mut state = State {
        options,
        builder: Builder::of(bytes.len()),
        mode: if options.three_axis { Mode::Angles } else { Mode::Machine },
        metres: lengths.metres().unwrap_or(1e-3),
        lengths,
        absolute: true,
        motion: None,
        plane: 17,
        feed: None,
        per_minute: true,
        place: DVec3::ZERO,
        angles: [0.0; 3],
        up: DVec3::Z,
        spatial: false,
        said: [false; 6],
        stepped: [false; 3],
        tool: tool::Lengths::default(),
        lost: [None; 6],
        home: None,
        offset: None,
        ended: None,
        has_number: false,
    };
    let mut wrong: Wrong = Vec::new();
    for line in text::lines(bytes) {
        if line.text.trim_ascii_start().starts_with(b"%") {
            // The first one begins the program, the next one ends it.
            if state.builder.path.statements > 0 && state.ended.is_none() {
                state.ended = Some(line.number);
            }
            continue;
        }
        let mut block = match Block::of(line.text) {
            Ok(Some(block)) => block,
            Ok(None) => continue,
            Err(what) if state.ended.is_none() => {
                wrong.push((line.number, what));
                continue;
            }
            Err(_) => Block::default(),
        };
        if let Some(end) = state.ended {
            let what = format!("the program ends in line {end} (M2, M30 or %): what follows is not read");
            state.builder.path.notes.push((line.number, what));
            break;
        }
        state.builder.path.statements += 1;
        if let Err(what) = state.block(&mut block, line.number) {
            wrong.push((line.number, what));
        }
    }
    state.builder.done(wrong)
}

impl State<'_> {
    fn block(&mut self, block: &mut Block, line: u32) -> Result<(), String> {
        if block.take("O").is_some() && std::mem::replace(&mut self.has_number, true) {
            return Err("a second program begins here (O): keep the one that is meant".into());
        }
        if let Some(number) = block.value("L") {
            return Err(format!(
                "L{number} calls a subprogram, which is not followed: write its moves into this file"
            ));
        }
        self.modes(block, line)?;
        self.functions(block, line)?;
        if block.has_g(40) {
            return dwell(block);
        }
        let feed = block.take("F");
        if let Some(feed) = feed {
            self.feed = self.per_minute.then_some(feed * self.metres / 60.0);
        }
        self.offsets(block)?;
        smoothing(block)?;
        if [280, 300, 530].iter().any(|code| block.has_g(*code)) {
            self.go_home(block, line)?;
        } else {
            self.moves(block, line)?;
        }
        block.all_used()
    }

    /// What stays on from block to block.
    fn modes(&mut self, block: &Block, line: u32) -> Result<(), String> {
        for &code in &block.g {
            match code {
                0 | 10 | 20 | 30 => self.motion = Some(code / 10),
                170 | 180 | 190 => self.plane = code / 10,
                200 | 700 => self.unit(0.0254, code, line)?,
                210 | 710 => self.unit(1e-3, code, line)?,
                // Of one group with the tool-tip modes, which end where the length of the tool is only added to an axis.
                430 | 440 | 490 if !self.options.three_axis => self.mode = Mode::Machine,
                434 | 1510 => self.mode = Mode::Angles,
                435 => self.mode = Mode::Vector,
                900 => self.absolute = true,
                910 => self.absolute = false,
                930 => self.per_minute = false,
                940 => self.per_minute = true,
                // These are looked at with the letters that they take: dwell, splines or a fast mode, homes, work offsets.
                40 | 50 | 51 | 280 | 300 | 530 | 430 | 440 | 490 | 540..=599 => {}
                500 if block.has(&AXES) || block.has(&CENTRE) => {
                    return Err(
                        "G50 with axes sets coordinates: from there on, where X, Y and Z are is not known"
                            .into(),
                    );
                }
                code if codes::is_harmless_g(code) => {}
                _ => return Err(codes::why_not_g(code)),
            }
        }
        match (block.has_name("SPAT"), block.has_name("POS")) {
            (true, true) => {
                return Err("AXIS POS and AXIS SPAT in one block: what A, B and C are is not clear".into());
            }
            (true, false) => self.spatial = true,
            (false, true) => self.spatial = false,
            (false, false) => {}
        }
        match (block.has_name("TRAORI"), block.has_name("TCPM"), block.has_name("RESET")) {
            (_, true, true) => self.mode = Mode::Machine,
            (true, ..) | (_, true, _) => self.mode = Mode::Angles,
            _ if block.has_name("TRAFOOF") => self.mode = Mode::Machine,
            _ => {}
        }
        Ok(())
    }

    fn unit(&mut self, metres: f64, code: u32, line: u32) -> Result<(), String> {
        let (metres, note) = self.lengths.named(metres, &format!("G{}", code / 10))?;
        self.metres = metres;
        self.builder.path.notes.extend(note.map(|what| (line, what)));
        Ok(())
    }

    /// M codes, and numbers of tools and spindles.
    fn functions(&mut self, block: &mut Block, line: u32) -> Result<(), String> {
        for &code in &block.m {
            match code {
                128.0 => (self.mode, self.spatial) = (Mode::Angles, false),
                129.0 => self.mode = Mode::Machine,
                2.0 | 30.0 => self.ended = Some(line),
                _ if codes::is_harmless_m(code) => {}
                _ => return Err(codes::why_not_m(code)),
            }
            if code == 6.0 {
                self.tool.changes();
                if !self.builder.path.points.is_empty() {
                    let what = format!("the tool changes here (M6): {ONE_TOOL}");
                    self.builder.path.notes.push((line, what));
                }
            }
        }
        // P is of signals and stops that are named by M here (M62, M19), and of nothing that moves.
        if block.g.is_empty() && block.m.iter().any(|code| [19.0, 62.0, 63.0, 64.0, 65.0].contains(code)) {
            block.take("P");
        }
        self.tool_length(block, line)?;
        for letter in ["S", "T"] {
            block.take(letter);
        }
        Ok(())
    }

    /// One work offset for all of the path is its frame; another one in the middle moves it.
    fn offsets(&mut self, block: &mut Block) -> Result<(), String> {
        let Some(code) = block.g.iter().copied().find(|code| (540..=599).contains(code)) else {
            return Ok(());
        };
        let number = match code {
            541 => Some(block.take("P").ok_or("G54.1 needs P, the number of the work offset")?),
            _ => None,
        };
        let shown = |(code, number): (u32, f64)| match code {
            541 => format!("G54.1 P{number}"),
            _ => format!("G{}", f64::from(code) / 10.0),
        };
        let chosen = (code, number.unwrap_or_default());
        let has_begun = self.builder.here.is_some() || !self.builder.path.points.is_empty();
        match self.offset.replace(chosen) {
            // G54 counts where a program names none.
            None if has_begun && chosen != (540, 0.0) => Err(format!(
                "{} is the first work offset that is named, and the path has begun before it: where its first points are is not known. Name it before the first move",
                shown(chosen)
            )),
            Some(before) if before != chosen => Err(format!(
                "the work offset changes from {} to {}: where they are is not known",
                shown(before),
                shown(chosen)
            )),
            _ => Ok(()),
        }
    }

    /// A move to a place of the machine: where the axes that it names are is not known after it.
    fn go_home(&mut self, block: &mut Block, line: u32) -> Result<(), String> {
        if block.g.iter().any(|code| [10, 20, 30].contains(code)) {
            return Err("a move home (G28, G30) or in the axes of the machine (G53) is a rapid one, and has no G1, G2 or G3 beside it".into());
        }
        let named = AXES.map(|name| block.take(name).is_some());
        let is_all = named.iter().all(|is| !is);
        if is_all && block.has_g(530) {
            return Ok(());
        }
        for (k, is_named) in named.into_iter().enumerate() {
            // Of rotary axes, those that the program uses: which ones the machine has, nothing says.
            if is_named || is_all && (k < 3 || self.said[k]) {
                self.lost[k] = Some(line);
            }
        }
        self.home = Some(line);
        self.builder.leave();
        let what = "a move to a place of the machine (G28, G30, G53) is passed over: the next pass begins after a rapid move (G0) that names these axes again";
        self.builder.path.notes.push((line, what.into()));
        Ok(())
    }

    fn moves(&mut self, block: &mut Block, line: u32) -> Result<(), String> {
        let is_vector = self.mode == Mode::Vector;
        let is_arc = self.motion.is_some_and(|motion| motion >= 2);
        let is_move = block.has(&AXES)
            || block.has(&VECTOR)
            || (is_arc && (block.has(&CENTRE) || block.has(&["R"])))
            || (is_vector && block.has(&CENTRE));
        if !is_move {
            return Ok(());
        }
        if self.mode == Mode::Machine {
            return Err("X, Y and Z are axes of a machine here, whose kinematics are not known: no mode is on in which they are the tip of the tool (G43.4, G43.5, TRAORI, M128, TCPM, G151). If the tool only ever points down, as on a machine of three axes, say so: three_axis = true in [path] of the job, or ⟦three-axis⟧".into());
        }
        let motion = self.motion.ok_or("nothing says how to move: G0, G1, G2 or G3 is missing")?;
        self.tell_unit(line);
        let mut place = self.place;
        for (k, name) in AXES[..3].iter().enumerate() {
            let Some(number) = block.take(name) else { continue };
            place[k] = number * self.metres + if self.absolute { 0.0 } else { place[k] };
            if self.absolute {
                (self.lost[k], self.said[k]) = (None, true);
            } else {
                self.stepped[k] = true;
            }
        }
        self.turn(block, is_arc)?;
        let from = std::mem::replace(&mut self.place, place);
        if self.moves_without_length(motion, line)? {
            return Ok(());
        }
        let is_known = !self.lost.iter().enumerate().any(|(k, lost)| lost.is_some() && self.matters(k));
        if motion == 0 {
            if is_known {
                self.home = None;
                self.builder.rapid(place, -self.up, line);
            }
            return Ok(());
        }
        self.must_be_known(motion)?;
        self.tell_beginning(line);
        match motion {
            1 => self.builder.feed(place, -self.up, self.feed, line),
            _ => self.arc(from, place, motion == 2, block, line)?,
        }
        Ok(())
    }

    /// Says which unit is taken where the program names none.
    fn tell_unit(&mut self, line: u32) {
        if self.lengths.metres().is_none() {
            let what = "neither G20 nor G21 names the unit before the first move: millimetres are taken";
            self.builder.path.notes.push((line, what.into()));
            self.lengths.named = Some(self.metres);
        }
    }

    /// Says of axes that no block has named where they begin.
    fn tell_beginning(&mut self, line: u32) {
        let names = |stepped: bool| -> Vec<&str> {
            (0..3).filter(|k| !self.said[*k] && self.stepped[*k] == stepped).map(|k| AXES[k]).collect()
        };
        let were =
            |names: &[&str]| format!("{} {}", names.join(", "), if names.len() == 1 { "is" } else { "are" });
        let (unnamed, stepped) = (names(false), names(true));
        if !unnamed.is_empty() {
            let what = format!("{} not named before this first pass: 0 is taken", were(&unnamed));
            self.builder.path.notes.push((line, what));
        }
        if !stepped.is_empty() {
            let what = format!(
                "{} moved by increments (G91) before any block names a place: kansho counts them from 0",
                were(&stepped)
            );
            self.builder.path.notes.push((line, what));
        }
        self.said[..3].fill(true);
    }

    /// Whether an axis says anything about where the tip is or points.
    fn matters(&self, axis: usize) -> bool {
        match self.mode {
            _ if axis < 3 => true,
            _ if self.options.three_axis => false,
            Mode::Angles => self.rotary().contains(AXES[axis]),
            _ => true,
        }
    }

    /// How A, B and C turn the tool. Angles in space are about fixed axes, x first, whatever axes the machine has.
    fn rotary(&self) -> &str {
        if self.spatial { "ABC" } else { &self.options.rotary }
    }

    /// Refuses a pass that begins or ends where a move home has left the axes.
    fn must_be_known(&mut self, motion: u32) -> Result<(), String> {
        let lost = (0..6).filter(|k| self.matters(*k)).find_map(|k| Some((AXES[k], self.lost[k]?)));
        if let Some((name, line)) = lost {
            return Err(format!(
                "{name} is not known here: line {line} moved it to a place of the machine. Name it in a rapid move first (G90 G0 {name}..)"
            ));
        }
        match self.home {
            Some(line) if motion > 1 || !self.builder.path.points.is_empty() => Err(format!(
                "this pass begins where line {line} left the machine, which is not known: go to its beginning by a rapid move first (G0)"
            )),
            _ => {
                self.home = None;
                Ok(())
            }
        }
    }

    /// Which way the tool points at the end of the move.
    fn turn(&mut self, block: &mut Block, is_arc: bool) -> Result<(), String> {
        for (k, name) in AXES[3..].iter().enumerate() {
            let Some(number) = block.value(name) else { continue };
            if self.options.three_axis {
                return Err(format!("{name} turns the tool, and this was said to be a path of three axes"));
            }
            if self.mode == Mode::Vector {
                return Err(format!(
                    "{name} turns the tool, and its axis is said by I, J and K here (G43.5)"
                ));
            }
            if !self.rotary().contains(name) {
                return Err(format!(
                    "{name} turns the tool, and rotary = \"{}\" does not name it",
                    self.options.rotary
                ));
            }
            self.angles[k] = number + if self.absolute { 0.0 } else { self.angles[k] };
            self.said[3 + k] = true;
            if self.absolute {
                self.lost[3 + k] = None;
            }
        }
        let is_vector = self.mode == Mode::Vector && !is_arc && block.has(&CENTRE);
        let by_angles = block.has(&AXES[3..]);
        AXES[3..].iter().for_each(|name| {
            block.take(name);
        });
        if usize::from(by_angles) + usize::from(is_vector) + usize::from(block.has(&VECTOR)) > 1 {
            return Err("the axis of the tool is said in two ways here".into());
        }
        if is_vector || block.has(&VECTOR) {
            if self.options.three_axis {
                return Err("this turns the tool, and it was said to be a path of three axes".into());
            }
            let names = if is_vector { CENTRE } else { VECTOR };
            let parts = names.map(|name| block.take(name).unwrap_or(0.0));
            self.up = DVec3::from_array(parts).try_normalize().ok_or("the axis of the tool has no length")?;
            self.lost[3..].fill(None);
        } else if by_angles {
            self.up = self.rotary().bytes().fold(DVec3::Z, |up, letter| {
                let k = usize::from(letter - b'A');
                DQuat::from_axis_angle([DVec3::X, DVec3::Y, DVec3::Z][k], self.angles[k].to_radians()) * up
            });
        }
        Ok(())
    }
}

/// A dwell: X, U, P, F or S says how long, and nothing moves.
fn dwell(block: &mut Block) -> Result<(), String> {
    if block.g.iter().any(|code| ![40, 900, 910, 940, 170, 180, 190, 210, 200].contains(code)) {
        return Err("a dwell (G4) stands in a block of its own".into());
    }
    for letter in ["X", "U", "P", "F"] {
        if block.take(letter).is_some() {
            break;
        }
    }
    block.all_used().map_err(|what| format!("{what}: a dwell (G4) stands in a block of its own"))
}

/// Letters of smoothing and of fast modes (G61, G64, G5 P, G5.1 Q).
fn smoothing(block: &mut Block) -> Result<(), String> {
    if block.has_g(50) || block.has_g(51) {
        if block.has(&AXES) || block.has(&CENTRE) || !block.has(&["P", "Q"]) {
            return Err("splines (G5) are not understood".into());
        }
        ["P", "Q", "R"].iter().for_each(|letter| {
            block.take(letter);
        });
    }
    if block.g.iter().any(|code| (610..=649).contains(code)) {
        ["P", "Q"].iter().for_each(|letter| {
            block.take(letter);
        });
    }
    Ok(())
}

//! An interpreter that goes from step to step.

use super::super::{Corner, Dice, Ends, Frame, Goes, Made};
use super::{Job, PULSES, Step, Test, Value, Variable, controller};
use std::collections::BTreeMap;

pub(super) struct Machine<'a> {
    job: &'a Job,
    world: Dice,
    variables: BTreeMap<(char, u32), f64>,
    elements: BTreeMap<(u32, u32), f64>,
    tools: BTreeMap<u32, Frame>,
    circle: Vec<Made>,
    made: Vec<Made>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(job: &'a Job, world: Dice) -> Self {
        let (variables, elements, tools) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Self { job, world, variables, elements, tools, circle: Vec::new(), made: Vec::new() }
    }

    /// Where a variable is. An index that is none leads anywhere.
    fn place(&mut self, of: Variable) -> (char, u32) {
        match of {
            Variable::Plain(kind, number) | Variable::Element(kind, number) => (kind, number),
            Variable::Local(kind, number) => (kind.to_ascii_lowercase(), number),
            Variable::Indirect(kind, number) => (kind, self.at(('B', number)) as u32),
        }
    }

    fn at(&mut self, place: (char, u32)) -> f64 {
        let drawn = self.world.from_to(0, 9) as f64;
        *self.variables.entry(place).or_insert(drawn)
    }

    fn value(&mut self, value: Value) -> f64 {
        match value {
            Value::Number(number) => number,
            Value::Of(of) => {
                let place = self.place(of);
                self.at(place)
            }
        }
    }

    /// Keeps what fits. Nothing is said of the rest.
    fn put(&mut self, place: (char, u32), value: f64) {
        let kind = place.0.to_ascii_uppercase();
        let (low, high) = match kind {
            'B' => (0.0, 255.0),
            'I' => (-32_768.0, 32_767.0),
            'D' => (-2_147_483_648.0, 2_147_483_647.0),
            _ => (f64::MIN, f64::MAX),
        };
        let fits = (low..=high).contains(&value) && (kind == 'R' || value.fract() == 0.0);
        let kept = if fits { value } else { self.world.from_to(0, 9) as f64 };
        self.variables.insert(place, if kind == 'R' { f64::from(kept as f32) } else { kept });
    }

    fn holds(&mut self, test: Test) -> bool {
        let Test::Compare(a, sign, b) = test else { return self.world.percent(50) };
        let (a, b) = (self.value(Value::Of(a)), self.value(b));
        match sign {
            "=" => a == b,
            "<>" => a != b,
            "<" => a < b,
            ">" => a > b,
            "<=" => a <= b,
            _ => a >= b,
        }
    }

    fn element(&mut self, p: u32, part: u32) -> f64 {
        let drawn = self.world.from_to(-90_000, 90_000) as f64;
        *self.elements.entry((p, part)).or_insert(drawn)
    }

    /// The tip goes straight to the first of three points, unless it is there, and then on the circle to the
    /// second and the third.
    fn make(&mut self, one: Made, on_circle: bool) {
        if !on_circle {
            self.keep(one);
            return;
        }
        self.circle.push(one);
        if self.circle.len() < 3 {
            return;
        }
        let mut points = std::mem::take(&mut self.circle);
        let [a, b, c] = [0, 1, 2].map(|k| match &points[k].ends {
            Ends::Pose(frame) => frame.at,
            Ends::Axes(_) => [0.0; 3],
        });
        let vias = [middle(a, b, c), middle(b, c, a)];
        for (point, via) in points[1..].iter_mut().zip(vias) {
            point.goes = Goes::Circular(via);
        }
        for point in points {
            self.keep(point);
        }
    }

    /// A line to where the tip is moves nothing.
    fn keep(&mut self, one: Made) {
        let is_there = |last: &Made| last.ends == one.ends && last.tool == one.tool && last.work == one.work;
        if one.goes != Goes::Linear || !self.made.last().is_some_and(is_there) {
            self.made.push(one);
        }
    }

    fn motion(&mut self, word: &str, to: usize, speed: f64, level: Option<u32>) {
        let one = &self.job.positions[to];
        let ends = match one.work {
            None => Ends::Axes(one.six.iter().zip(PULSES).map(|(pulses, per)| pulses / per).collect()),
            Some(_) => {
                let [x, y, z, w, p, r] = one.six;
                Ends::Pose(Frame::fixed([x, y, z], [w, p, r]))
            }
        };
        let work = match one.work {
            None | Some(0) => Some(Frame::ZERO),
            Some(1) => Some(Frame::fixed([500.0, 100.0, 0.0], [0.0, 0.0, 30.0])),
            Some(_) => None,
        };
        // Without a level, nobody says how near the tip comes.
        let corner = match level {
            Some(0) => Corner::Stop,
            level => Corner::Smooth(level.map_or(1.0, |level| f64::from(level) / 8.0)),
        };
        let tool = self.tools.get(&one.tool).copied().or_else(|| controller(one.tool));
        let goes = if word == "MOVJ" { Goes::Joint } else { Goes::Linear };
        let speed = (word != "MOVJ").then_some(speed);
        self.make(Made { goes, ends, corner, tool, work, speed }, word == "MOVC");
    }

    /// A motion that no reader may have.
    fn nobody_knows(&mut self) {
        let (ends, corner) = (Ends::Axes(Vec::new()), Corner::Radius(-1.0));
        self.made.push(Made { goes: Goes::Joint, ends, corner, tool: None, work: None, speed: None });
    }

    fn label(&self, number: u32) -> usize {
        let found = |step: &Step| matches!(step, Step::Label(label) if *label == number);
        self.job.steps.iter().position(found).expect("every jump has its label")
    }

    /// What comes after a branch that is not taken.
    fn after(&self, at: usize) -> usize {
        let mut depth = 0;
        for (k, step) in self.job.steps.iter().enumerate().skip(at + 1) {
            match step {
                Step::Then(_) => depth += 1,
                Step::EndIf if depth == 0 => return k + 1,
                Step::EndIf => depth -= 1,
                Step::Else if depth == 0 => return k + 1,
                _ => {}
            }
        }
        self.job.steps.len()
    }

    fn step(&mut self, at: usize, step: &Step) -> usize {
        match step {
            Step::Move { word, to, speed, level, odd } => {
                self.motion(word, *to, *speed, *level);
                if !odd.is_empty() {
                    self.nobody_knows();
                }
            }
            Step::Reckon(word, a, b) => {
                let (place, b) = (self.place(*a), self.value(*b));
                let now = self.at(place);
                let value = match *word {
                    "SET" => b,
                    "ADD" => now + b,
                    "SUB" => now - b,
                    "MUL" => now * b,
                    _ if b == 0.0 => 0.5,
                    _ => now / b,
                };
                self.put(place, value);
            }
            Step::Count(word, a) => {
                let place = self.place(*a);
                let now = self.at(place);
                self.put(place, if *word == "INC" { now + 1.0 } else { now - 1.0 });
            }
            Step::Clear(a, count) => {
                let (kind, number) = self.place(*a);
                for k in 0..*count {
                    self.put((kind, number + k), 0.0);
                }
            }
            Step::Read(a) => {
                let (place, drawn) = (self.place(*a), self.world.below(2) as f64);
                self.put(place, drawn);
            }
            Step::Element(p, part, from) => {
                let value = self.value(*from);
                self.elements.insert((*p, *part), value);
            }
            Step::Copy(p, from) => {
                for part in 1..=6 {
                    let value = self.element(*from, part);
                    self.elements.insert((*p, part), value);
                }
            }
            Step::Get(p) => self.elements.retain(|(number, _), _| number != p),
            Step::Tool(number, p) => {
                // Micrometres, and ten-thousandths of degrees.
                let [x, y, z] = [1, 2, 3].map(|part| self.element(*p, part) / 1000.0);
                let turns = [4, 5, 6].map(|part| self.element(*p, part) / 10_000.0);
                self.tools.insert(*number, Frame::fixed([x, y, z], turns));
            }
            Step::Jump(label, when) => {
                if when.is_none_or(|when| self.holds(when)) {
                    return self.label(*label);
                }
            }
            Step::Then(when) => {
                if !self.holds(*when) {
                    return self.after(at);
                }
            }
            Step::Else => return self.after(at),
            Step::Call => {
                self.variables.clear();
                self.elements.clear();
            }
            Step::Odd(_) => self.nobody_knows(),
            Step::Label(_) | Step::EndIf | Step::Quiet(_) => {}
        }
        at + 1
    }

    pub(super) fn run(mut self, rounds: usize) -> Vec<Made> {
        let job = self.job;
        let mut steps = 0;
        for _ in 0..rounds {
            self.variables.retain(|(kind, _), _| kind.is_ascii_uppercase());
            let mut at = 0;
            while let Some(step) = job.steps.get(at) {
                at = self.step(at, step);
                steps += 1;
                if steps > 20_000 || job.endless && self.made.len() > 100 {
                    return self.made;
                }
            }
        }
        self.made
    }
}

/// Half-way on the arc from one point to another that does not lead through a third one of the circle.
fn middle(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> [f64; 3] {
    let sub = |a: [f64; 3], b: [f64; 3]| [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    // The centre has weights at the corners that depend on their angles: sides squared times those of the
    // other two less its own.
    let [aa, bb, cc] = [sub(b, c), sub(c, a), sub(a, b)].map(|side| dot(side, side));
    let weights = [aa * (bb + cc - aa), bb * (cc + aa - bb), cc * (aa + bb - cc)];
    let whole: f64 = weights.iter().sum();
    let centre: [f64; 3] =
        std::array::from_fn(|k| (weights[0] * a[k] + weights[1] * b[k] + weights[2] * c[k]) / whole);
    let radius = dot(sub(a, centre), sub(a, centre)).sqrt();
    // Both middles of arcs lie across the chord; the one wanted is on the other side than the third point.
    let half: [f64; 3] = std::array::from_fn(|k| 0.5 * (a[k] + b[k]));
    let chord = sub(b, a);
    let along = dot(sub(c, half), chord) / dot(chord, chord);
    let across: [f64; 3] = std::array::from_fn(|k| half[k] - c[k] + along * chord[k]);
    let length = dot(across, across).sqrt();
    std::array::from_fn(|k| centre[k] + radius * across[k] / length)
}

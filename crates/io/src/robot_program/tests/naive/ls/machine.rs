//! An interpreter that goes from step to step.

use super::super::{Corner, Dice, Ends, Frame, Goes, Made};
use super::{Op, Position, Program, Source, Step, Tree, Value, controller};
use std::collections::BTreeMap;

/// What a register holds.
#[derive(Clone, Copy, Debug)]
struct Number {
    value: f64,
    /// Whether it is a real number, rather than a whole one of 32 bits.
    real: bool,
}

pub(super) struct Machine<'a> {
    program: &'a Program,
    world: Dice,
    /// Whether real numbers are kept in single precision.
    single: bool,
    /// Whether the last value of a FOR is asked for once.
    once: bool,
    registers: BTreeMap<u32, Number>,
    elements: BTreeMap<(u32, u32), f64>,
    frames: BTreeMap<(bool, u32), Frame>,
    chosen: [Option<u32>; 2],
    lasts: BTreeMap<usize, f64>,
    made: Vec<Made>,
}

/// What stops the controller: it makes no further motion.
type Stopped<T> = Option<T>;

impl<'a> Machine<'a> {
    pub(super) fn new(program: &'a Program, mut world: Dice) -> Self {
        let (single, once) = (world.percent(50), world.percent(50));
        let (registers, elements, frames) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (chosen, lasts, made) = ([None; 2], BTreeMap::new(), Vec::new());
        Self { program, world, single, once, registers, elements, frames, chosen, lasts, made }
    }

    fn kept(&mut self, value: f64, real: bool) -> Number {
        if !real && value.abs() >= 2f64.powi(31) {
            // Nothing is said of whole numbers that are too large.
            return Number { value: self.world.from_to(-9, 9) as f64, real: false };
        }
        Number { value: if real && self.single { f64::from(value as f32) } else { value }, real }
    }

    fn any(&mut self) -> Number {
        Number { value: self.world.from_to(-9, 9) as f64, real: false }
    }

    fn register(&mut self, number: u32) -> Number {
        if let Some(known) = self.registers.get(&number) {
            return *known;
        }
        let drawn = self.any();
        self.registers.insert(number, drawn);
        drawn
    }

    fn element(&mut self, pr: u32, part: u32) -> f64 {
        let drawn = self.world.from_to(-90, 90) as f64;
        *self.elements.entry((pr, part)).or_insert(drawn)
    }

    /// The register that another one names. Where that is none, the controller stops; a reader that goes on
    /// makes too much of it.
    fn index(&mut self, register: u32) -> u32 {
        self.register(register).value.clamp(1.0, 200.0) as u32
    }

    fn value(&mut self, value: Value) -> Number {
        match value {
            Value::Number(number) => self.kept(number, number.fract() != 0.0),
            Value::Register(number) => self.register(number),
            Value::Indirect(number) => {
                let index = self.index(number);
                self.register(index)
            }
            Value::Element(pr, part) => {
                let value = self.element(pr, part);
                self.kept(value, true)
            }
            Value::Input(..) => self.any(),
        }
    }

    fn two(&mut self, a: Number, op: Op, b: Number) -> Number {
        let real = a.real || b.real;
        if b.value == 0.0 && matches!(op, Op::Over | Op::Div | Op::Mod) {
            return self.any();
        }
        let value = match op {
            Op::Add => a.value + b.value,
            Op::Sub => a.value - b.value,
            Op::Mul => a.value * b.value,
            Op::Over => a.value / b.value,
            Op::Div => (a.value / b.value).trunc(),
            Op::Mod => a.value % b.value,
        };
        self.kept(value, real || value.fract() != 0.0)
    }

    /// Truth is one, and falsehood nothing.
    fn tree(&mut self, tree: &Tree) -> Number {
        let truth = |holds: bool| Number { value: f64::from(u8::from(holds)), real: false };
        match tree {
            Tree::One(value) => self.value(*value),
            Tree::Is(_) => truth(self.world.percent(50)),
            Tree::Two(a, op, b) => {
                let (a, b) = (self.tree(a), self.tree(b));
                self.two(a, *op, b)
            }
            Tree::Compare(a, sign, b) => {
                let (a, b) = (self.tree(a).value, self.tree(b).value);
                truth(match *sign {
                    "=" => a == b,
                    "<>" => a != b,
                    "<" => a < b,
                    ">" => a > b,
                    "<=" => a <= b,
                    _ => a >= b,
                })
            }
            Tree::And(a, b) => truth(self.tree(a).value != 0.0 && self.tree(b).value != 0.0),
            Tree::Or(a, b) => truth(self.tree(a).value != 0.0 || self.tree(b).value != 0.0),
            Tree::Not(a) => truth(self.tree(a).value == 0.0),
        }
    }

    fn put(&mut self, place: Value, value: Number) {
        let number = match place {
            Value::Indirect(number) => self.index(number),
            Value::Register(number) => number,
            _ => return,
        };
        self.registers.insert(number, value);
    }

    fn frame(&self, is_tool: bool, number: u32) -> Option<Frame> {
        self.frames.get(&(is_tool, number)).copied().or_else(|| controller(is_tool, number))
    }

    /// The label, or the partner of a FOR, an IF or an ELSE.
    fn label(&self, number: u32) -> Stopped<usize> {
        self.program.steps.iter().position(|step| matches!(step, Step::Label(found) if *found == number))
    }

    fn partner(&self, at: usize) -> Stopped<usize> {
        let (steps, mut depth) = (&self.program.steps, 0);
        let depths = |step: &Step| match step {
            Step::For(..) | Step::Then(_) => 1,
            Step::EndFor | Step::EndIf => -1,
            _ => 0,
        };
        if matches!(steps[at], Step::EndFor) {
            return (0..=at).rev().find(|&k| {
                depth += depths(&steps[k]);
                depth == 0
            });
        }
        depth = i32::from(matches!(steps[at], Step::Else));
        (at..steps.len()).find(|&k| {
            depth += depths(&steps[k]);
            depth == 0 || (depth == 1 && k > at && matches!(steps[k], Step::Else))
        })
    }

    fn motion(&mut self, step: &Step) -> Stopped<()> {
        let Step::Move { goes, via, to, speed, corner, odd } = step else { return Some(()) };
        let (via, to) = (&self.program.positions[*via], &self.program.positions[*to]);
        for (chosen, of) in self.chosen.iter().zip([[to.tool, via.tool], [to.work, via.work]]) {
            // The controller stops where a position is of another tool or frame than what is chosen, whatever
            // that is.
            if of[0] != of[1] || chosen.is_some_and(|chosen| chosen != of[0]) {
                return None;
            }
        }
        let place = |one: &Position| {
            let [x, y, z, w, p, r] = one.six;
            Frame::fixed([x, y, z], [w, p, r])
        };
        let ends = if to.joints { Ends::Axes(to.six.to_vec()) } else { Ends::Pose(place(to)) };
        let goes = match goes {
            'J' => Goes::Joint,
            'L' => Goes::Linear,
            _ => Goes::Circular(place(via).at),
        };
        let (tool, work) = (self.frame(true, to.tool), self.frame(false, to.work));
        let speed = speed.strip_suffix("mm/sec").and_then(|number| number.parse().ok());
        self.made.push(Made { goes, ends, corner: *corner, tool, work, speed });
        if !odd.is_empty() {
            self.nobody_knows();
        }
        Some(())
    }

    /// A motion that no reader may have.
    fn nobody_knows(&mut self) {
        let (ends, corner) = (Ends::Axes(Vec::new()), Corner::Radius(-1.0));
        self.made.push(Made { goes: Goes::Joint, ends, corner, tool: None, work: None, speed: None });
    }

    /// What comes next; none if the controller stops with an alarm.
    fn step(&mut self, at: usize, step: &Step) -> Stopped<usize> {
        match step {
            Step::Move { .. } => self.motion(step)?,
            Step::Plain(place, first, more) => {
                let mut value = self.value(*first);
                for (op, next) in more {
                    let next = self.value(*next);
                    value = self.two(value, *op, next);
                }
                self.put(*place, value);
            }
            Step::Mixed(place, tree) => {
                let value = self.tree(tree);
                self.put(*place, value);
            }
            Step::Element(pr, part, first, more) => {
                let mut value = self.value(*first);
                if let Some((op, next)) = more {
                    let next = self.value(*next);
                    value = self.two(value, *op, next);
                }
                self.elements.insert((*pr, *part), value.value);
            }
            Step::Position(pr, from, more) => {
                for part in 1..=6 {
                    let mut value = match from {
                        Source::P(at) => self.program.positions[*at].six[part as usize - 1],
                        Source::Pr(number) => self.element(*number, part),
                        Source::Here => self.world.from_to(-90, 90) as f64,
                    };
                    if let Some((_, other)) = more {
                        value -= self.element(*other, part);
                    }
                    self.elements.insert((*pr, part), value);
                }
            }
            Step::Define(is_tool, number, pr) => {
                let [x, y, z, w, p, r] = [1, 2, 3, 4, 5, 6].map(|part| self.element(*pr, part));
                self.frames.insert((*is_tool, *number), Frame::fixed([x, y, z], [w, p, r]));
            }
            Step::Choose(is_tool, value) => {
                self.chosen[usize::from(!is_tool)] = Some(self.value(*value).value as u32);
            }
            Step::Jump(label) => return self.label(*label),
            Step::If(test, _, then) => {
                if self.tree(test).value != 0.0 {
                    return self.step(at, then);
                }
            }
            Step::Then(test) => {
                if self.tree(test).value == 0.0 {
                    return self.partner(at).map(|to| to + 1);
                }
            }
            Step::Else => return self.partner(at),
            Step::Select(value, cases, last) => {
                let chosen = self.value(*value).value;
                for (case, label) in cases {
                    if self.value(*case).value == chosen {
                        return self.label(*label);
                    }
                }
                if let Some(label) = last {
                    return self.label(*label);
                }
            }
            Step::For(counter, from, to, down) => {
                let (from, to) = (self.value(*from), self.value(*to).value);
                self.registers.insert(*counter, from);
                self.lasts.insert(at, to);
                if if *down { from.value < to } else { from.value > to } {
                    return self.partner(at).map(|to| to + 1);
                }
            }
            Step::EndFor => return self.end_for(at),
            Step::Call => {
                self.registers.clear();
                self.elements.clear();
            }
            Step::Odd(_) => self.nobody_knows(),
            Step::End(_) => return Some(self.program.steps.len()),
            Step::Label(_) | Step::EndIf | Step::Quiet(_) => {}
        }
        Some(at + 1)
    }

    /// The loop is run again as long as the counter is not at its last value; only then it is counted.
    fn end_for(&mut self, at: usize) -> Stopped<usize> {
        let begin = self.partner(at)?;
        let Step::For(counter, _, to, down) = self.program.steps[begin] else { return None };
        let last = if self.once { *self.lasts.get(&begin)? } else { self.value(to).value };
        let now = self.register(counter);
        if if down { now.value > last } else { now.value < last } {
            let step = Number { value: if down { -1.0 } else { 1.0 }, real: false };
            let next = self.two(now, Op::Add, step);
            self.registers.insert(counter, next);
            return Some(begin + 1);
        }
        Some(at + 1)
    }

    pub(super) fn run(mut self, rounds: usize) -> Vec<Made> {
        let program = self.program;
        let mut steps = 0;
        for _ in 0..rounds {
            let mut at = 0;
            while let Some(step) = program.steps.get(at) {
                steps += 1;
                let Some(next) = self.step(at, step) else { return self.made };
                at = next;
                if steps > 20_000 || program.endless && self.made.len() > 100 {
                    return self.made;
                }
            }
        }
        self.made
    }
}

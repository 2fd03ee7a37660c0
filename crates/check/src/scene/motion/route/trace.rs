//! Cubics that lead a tool along a route, each with what joints may be off by.

use kansho_cell::ik::{BranchEnd, Followed, Ik, IkOptions, ON_LIMIT, Solutions};
use kansho_cell::route::{Loose, PoseCurve, Route, RouteMotion};
use kansho_cell::{Cell, JointPiece};
use kansho_geom::Pose;
use kansho_geom::glam::{DQuat, DVec3};
use kansho_geom::pose_motion::Span;
use kansho_verify::route::{
    ARRIVED, Arm, JOINTS, JointError, Margins, RoutePiece, at, at_start, inverse, is_same, joint_error,
};

/// Where a route cannot be followed, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct Stopped {
    /// Which leg, from 0.
    pub leg: usize,
    /// Which move of the program, from 0.
    pub of_move: usize,
    /// How far along the curve: a fraction of it.
    pub fraction: f64,
    /// The same in metres of the tip's way.
    pub length: f64,
    /// Where the tip is there.
    pub pose: Box<Pose>,
    /// The posture there.
    pub posture: Vec<f64>,
    /// Why it does not go on.
    pub why: Stop,
}

/// Why a route does not go on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Stop {
    /// The branch ends: out of reach, at a limit, in a singularity.
    Branch(BranchEnd),
    /// It ends in another posture than was wanted.
    Elsewhere {
        /// Which number of the posture differs most.
        coordinate: usize,
        /// By how much.
        by: f64,
    },
    /// A slide is outside its limits, so that no bounds hold.
    Unbounded,
    /// Poses off the curve that are to be covered, too, are too far from it for a bound on joints.
    Loose,
}

/// The part of a move that is not divided any further.
const SHORTEST: f64 = 1e-6;

/// Pieces of a leg, at most: beyond it, joints are said to turn faster than can be followed.
const MOST_PIECES: usize = 2000;

/// Off the limits by this, with the error of joints, is still within them, in radians or metres.
const NEARLY: f64 = 1e-8;

/// A step of a joint that Newton's method may take from one node to the next, in radians or metres.
const STRIDE: f64 = 0.6;

/// A step of Newton's method after which nothing is left but rounding, in radians or metres.
const SURE: f64 = 1e-8;

/// What is aimed at, as a part of what is allowed.
const AIM: f64 = 0.5;

/// Leads a tip along curves.
#[derive(Debug)]
pub(super) struct Tracer<'a> {
    pub(super) cell: &'a Cell,
    pub(super) arm: &'a Arm,
    pub(super) route: &'a Route,
}

/// The last nodes of a curve, for guessing the next.
#[derive(Clone, Copy, Debug, Default)]
struct Nodes {
    all: [(f64, [f64; JOINTS]); 4],
    count: usize,
}

impl Nodes {
    fn push(&mut self, u: f64, values: [f64; JOINTS]) {
        if self.count == 4 {
            self.all.rotate_left(1);
            self.count = 3;
        }
        self.all[self.count] = (u, values);
        self.count += 1;
    }

    /// The polynomial through them, farther on.
    fn guess(&self, u: f64) -> [f64; JOINTS] {
        let known = &self.all[..self.count];
        let mut guess = [0.0; JOINTS];
        for (k, (at, values)) in known.iter().enumerate() {
            let others = known.iter().enumerate().filter(|(i, _)| *i != k);
            let weight: f64 = others.map(|(_, (other, _))| (u - other) / (at - other)).product();
            guess.iter_mut().zip(values).for_each(|(guess, value)| *guess += weight * value);
        }
        guess
    }
}

/// What is traced of a curve.
#[derive(Clone, Copy)]
pub(super) struct Course<'a> {
    pub(super) leg: usize,
    pub(super) curve: &'a PoseCurve,
    pub(super) loose: Loose,
}

impl Tracer<'_> {
    /// Pieces for all legs, with margins of no more than `target`, or what is loose by itself.
    pub(super) fn all(&self, target: f64) -> Result<Vec<RoutePiece>, Stopped> {
        let mut pieces = Vec::new();
        let mut here = self.route.start().to_vec();
        let mut before: Option<JointError> = None;
        for (number, leg) in self.route.legs().iter().enumerate() {
            match &leg.way {
                RouteMotion::Joints(to) => {
                    let piece = JointPiece::line(&here, to);
                    // Twice, for pieces before it that are made again have a bound of their own there.
                    let margins = Margins::same(2.0 * at_start(Some(self.arm), before.as_ref()));
                    pieces.push(RoutePiece { leg: number, part: Span::WHOLE, piece, margins });
                    here.clone_from(to);
                    before = None;
                }
                RouteMotion::Tool { curve, part, loose, arrives } => {
                    let course = Course { leg: number, curve, loose: *loose };
                    before = self.along(course, *part, &here, target, &mut pieces)?;
                    if let Some(last) = pieces.last().filter(|last| last.leg == number) {
                        here = last.piece.controls().iter().map(|c| c[3]).collect();
                    }
                    let arrives = arrives.as_deref().unwrap_or(&here);
                    let off = here.iter().zip(arrives).map(|(a, b)| (a - b).abs()).enumerate();
                    let (coordinate, by) = off.max_by(|x, y| x.1.total_cmp(&y.1)).unwrap_or((0, 0.0));
                    if !(by <= ARRIVED) {
                        let why = Stop::Elsewhere { coordinate, by };
                        return Err(self.stopped(course, part.end, &here, why));
                    }
                }
            }
        }
        Ok(pieces)
    }

    /// Pieces for a part of a curve, from a posture on; with what joints may be off in the last.
    pub(super) fn along(
        &self,
        course: Course<'_>,
        part: Span,
        here: &[f64],
        target: f64,
        into: &mut Vec<RoutePiece>,
    ) -> Result<Option<JointError>, Stopped> {
        if !self.arm.bounds(here.iter().copied()) {
            return Err(self.stopped(course, part.start, here, Stop::Unbounded));
        }
        let mut posture = here.to_vec();
        let mut values = self.arm.values(&posture);
        let mut nodes = Nodes::default();
        nodes.push(part.start, values);
        let mut u = part.start;
        let mut step = self.first_step(course, part, &values, target);
        let mut before: Option<JointError> = None;
        // How long the last piece was that had too large a margin, and that.
        let mut tried: Option<(f64, f64)> = None;
        let mut target = target;
        let most = into.len() + MOST_PIECES;
        while u < part.end {
            let mut end = u + step;
            // What is left is not made shorter than needs be.
            if !(end < part.end - 0.1 * step) {
                end = part.end;
            }
            let span = Span::new(u, end);
            let fitted = self.fit(course, span, nodes);
            let found = fitted.filter(|_| into.len() < most).and_then(|(controls, more)| {
                let error = joint_error(self.arm, course.curve, span, course.loose, &controls)?;
                if before.as_ref().is_some_and(|before| !is_same(before, &error)) {
                    return None;
                }
                Some((controls, more, error))
            });
            let Some((controls, more, error)) = found else {
                if end - u <= SHORTEST || into.len() >= most {
                    let is_loose = course.loose != Loose::default();
                    let tight = fitted.filter(|_| is_loose).and_then(|(controls, _)| {
                        joint_error(self.arm, course.curve, span, Loose::default(), &controls)
                    });
                    let why = match tight {
                        Some(_) => Stop::Loose,
                        None => Stop::Branch(self.why(course, u, &values)),
                    };
                    return Err(self.stopped(course, u, &posture, why));
                }
                step = 0.35 * (end - u);
                continue;
            };
            let margins = self.arm.margins(&error);
            // What is loose by itself does not shrink.
            let own = match course.loose {
                Loose { place: 0.0, turn: 0.0 } => margins.of_joints,
                _ => joint_error(self.arm, course.curve, span, Loose::default(), &controls)
                    .map_or(margins.of_joints, |error| self.arm.margin(&error.most)),
            };
            // Margins fall with the fourth power of the length, until rounding is all that is left of them.
            let is_floor = tried.is_some_and(|(long, most)| end - u <= 0.75 * long && own > 0.5 * most);
            if !(own <= target) && end - u > SHORTEST && !is_floor {
                tried = Some((end - u, own));
                step = (end - u) * (0.9 * (AIM * target / own).sqrt().sqrt()).clamp(0.1, 0.7);
                continue;
            }
            match self.limits(&controls, &error) {
                Limits::Within => {}
                Limits::Nearly if end - u > SHORTEST => {
                    step = 0.35 * (end - u);
                    continue;
                }
                Limits::Nearly => {}
                Limits::Outside { joint, at: v, beyond } => {
                    let (at_limit, coordinate) = (at(&controls, v), self.arm.coordinates()[joint]);
                    self.arm.coordinates().iter().zip(at_limit).for_each(|(k, value)| posture[*k] = value);
                    let why = Stop::Branch(BranchEnd::Limit { coordinate, beyond });
                    return Err(self.stopped(course, span.at(v), &posture, why));
                }
            }
            let mut all: Vec<[f64; 4]> = posture.iter().map(|value| [*value; 4]).collect();
            self.arm.coordinates().iter().zip(&controls).for_each(|(k, c)| all[*k] = *c);
            posture.iter_mut().zip(&all).for_each(|(value, c)| *value = c[3]);
            values = self.arm.values(&posture);
            let piece = JointPiece::of_controls(all).expect("what has a bound is finite");
            into.push(RoutePiece { leg: course.leg, part: span, piece, margins });
            before = Some(error);
            nodes = more;
            u = end;
            tried = None;
            if is_floor {
                target = target.max(2.0 * own);
            }
            step = span.length() * (0.9 * (AIM * target / own.max(1e-30)).sqrt().sqrt()).clamp(0.3, 4.0);
        }
        Ok(before)
    }

    /// How long the first piece may be, roughly.
    fn first_step(&self, course: Course<'_>, part: Span, values: &[f64; JOINTS], target: f64) -> f64 {
        let whole = part.length();
        let posed = self.arm.posed(values);
        let Some(rows) = inverse(&posed.columns) else { return whole };
        let little = 1e-3 * whole;
        let way = way(&course.curve.at(part.start), &course.curve.at(part.start + little));
        let rates: [f64; JOINTS] =
            rows.map(|row| row.iter().zip(way).map(|(a, b)| a * b).sum::<f64>().abs() / 1e-3);
        // If all went on at these rates: the fourth derivative of the tip, and what of it gets to bodies.
        let turns: f64 = rates.iter().sum();
        let reach: f64 = rates.iter().zip(&posed.axes).map(|(rate, (_, speed))| rate * speed.length()).sum();
        let off = [reach * turns.powi(3), turns.powi(4)].map(|off| off / 1944.0);
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let boxed = rows.map(|row| norm(&row[..3]) * off[0] + norm(&row[3..]) * off[1]);
        let margin = self.arm.margin(&boxed);
        let most = rates.iter().copied().fold(0.0, f64::max);
        let by_margin = (AIM * target / margin.max(1e-30)).sqrt().sqrt();
        whole * by_margin.min(STRIDE / most.max(1e-30)).clamp(1e-6, 1.0)
    }

    /// The cubics through the postures of four poses of a span, the first of which is known; and the nodes for guessing what follows.
    fn fit(&self, course: Course<'_>, span: Span, nodes: Nodes) -> Option<([[f64; 4]; JOINTS], Nodes)> {
        let mut nodes = nodes;
        let mut four = [nodes.all[nodes.count - 1].1; 4];
        for k in 1..4 {
            let u = if k == 3 { span.end } else { span.at(k as f64 / 3.0) };
            let mut values = nodes.guess(u);
            let last = four[k - 1];
            if !values.iter().zip(&last).all(|(a, b)| (a - b).abs() <= STRIDE) {
                values = last;
            }
            if !self.reach(&course.curve.at(u), &mut values) {
                return None;
            }
            if !values.iter().zip(&last).all(|(a, b)| (a - b).abs() <= STRIDE) {
                return None;
            }
            nodes.push(u, values);
            four[k] = values;
        }
        let [a, b, c, d] = four;
        let controls = std::array::from_fn(|k| {
            [
                a[k],
                (-5.0 * a[k] + 18.0 * b[k] - 9.0 * c[k] + 2.0 * d[k]) / 6.0,
                (2.0 * a[k] - 9.0 * b[k] + 18.0 * c[k] - 5.0 * d[k]) / 6.0,
                d[k],
            ]
        });
        Some((controls, nodes))
    }

    /// Newton's steps to a pose; whether it is reached.
    pub(super) fn reach(&self, wanted: &Pose, values: &mut [f64; JOINTS]) -> bool {
        let enough = 2e-15 * (1.0 + self.arm.size());
        let mut last = f64::INFINITY;
        for _ in 0..20 {
            let posed = self.arm.posed(values);
            let way = way(&posed.tip, wanted);
            let missed = way.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            // As good as rounding allows, or not getting better any more though good.
            if missed <= enough || (missed <= 64.0 * enough && missed >= 0.5 * last) {
                return true;
            }
            last = missed;
            let Some(step) = solve(&posed.columns, way) else { return false };
            if !step.iter().all(|step| step.abs() <= STRIDE) {
                return false;
            }
            values.iter_mut().zip(step).for_each(|(value, step)| *value += step);
            // What is left is about the square of the step; the bound on joints looks at it anyway.
            if step.iter().all(|step| step.abs() <= SURE) {
                return true;
            }
        }
        false
    }

    fn limits(&self, controls: &[[f64; 4]; JOINTS], error: &JointError) -> Limits {
        let mut all = Limits::Within;
        for (joint, limits) in self.arm.limits().iter().enumerate() {
            let Some(limits) = limits else { continue };
            let c = &controls[joint];
            let hull = c
                .iter()
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], v| [low.min(*v), high.max(*v)]);
            let off = error.most[joint];
            let is_in =
                |low: f64, high: f64| low >= limits.lower - ON_LIMIT && high <= limits.upper + ON_LIMIT;
            if is_in(hull[0] - off, hull[1] + off) {
                continue;
            }
            let piece = JointPiece::of_controls(vec![*c]).expect("what has a bound is finite");
            let [low, high] = piece.range(0);
            if !is_in(low, high) {
                let outside = |v: f64| {
                    let value = at(controls, v)[joint];
                    (limits.lower - value).max(value - limits.upper)
                };
                // The first instant beyond, between the last of some that is within and the next.
                let first =
                    (0..=256).map(|k| f64::from(k) / 256.0).find(|v| outside(*v) > ON_LIMIT).unwrap_or(1.0);
                let (mut inside, mut beyond) = ((first - 1.0 / 256.0).max(0.0), first);
                for _ in 0..50 {
                    let middle = 0.5 * (inside + beyond);
                    *if outside(middle) > ON_LIMIT { &mut beyond } else { &mut inside } = middle;
                }
                let most = (limits.lower - low).max(high - limits.upper);
                return Limits::Outside { joint, at: inside, beyond: most };
            }
            if !is_in(low - off + NEARLY, high + off - NEARLY) {
                all = Limits::Nearly;
            }
        }
        all
    }

    fn stopped(&self, course: Course<'_>, u: f64, posture: &[f64], why: Stop) -> Stopped {
        Stopped {
            leg: course.leg,
            of_move: self.route.legs()[course.leg].of_move,
            fraction: u,
            length: course.curve.length(Span::new(0.0, u)),
            pose: Box::new(course.curve.at(u)),
            posture: posture.to_vec(),
            why,
        }
    }

    /// Why the branch of a posture does not go on, as inverse kinematics tell it.
    fn why(&self, course: Course<'_>, u: f64, values: &[f64; JOINTS]) -> BranchEnd {
        let Ok(ik) = Ik::new(self.cell, &self.route.tip(), &IkOptions::default()) else {
            return BranchEnd::Lost { misfit: f64::INFINITY };
        };
        let mut posture = self.cell.zero_posture();
        self.arm.coordinates().iter().zip(values).for_each(|(k, value)| posture[*k] = *value);
        let of_chain = ik.values_in(&posture);
        let mut scratch = Solutions::default();
        for ahead in [1e-6, 1e-5, 1e-4, 1e-3, 1e-2] {
            let there = course.curve.at((u + ahead).min(1.0));
            if let Followed::Ends(end) = ik.follow(&there, &of_chain, &mut scratch) {
                return end;
            }
        }
        // Joints turn faster than can be followed.
        BranchEnd::StartSingular(ik.branch(&of_chain).1)
    }
}

enum Limits {
    Within,
    /// Within, but for the error of joints.
    Nearly,
    Outside {
        joint: usize,
        at: f64,
        beyond: f64,
    },
}

/// The shift and the turn (axis times angle) that take one pose to another, in common axes.
fn way(found: &Pose, wanted: &Pose) -> [f64; 6] {
    let shift = wanted.translation() - found.translation();
    let between = wanted.rotation() * found.rotation().transpose();
    let (x, y, z) = (between.x_axis, between.y_axis, between.z_axis);
    let skew = 0.5 * DVec3::new(y.z - z.y, z.x - x.z, x.y - y.x);
    let turn = if skew.length_squared() < 1e-4 && x.x + y.y + z.z > 2.0 {
        // The sine of the angle: asin x = x (1 + x²/6 + 3x⁴/40 + …).
        let s = skew.length_squared();
        skew * (1.0 + s / 6.0 + 3.0 * s * s / 40.0 + 15.0 * s * s * s / 336.0)
    } else {
        let quat = DQuat::from_mat3(&between);
        let quat = if quat.w < 0.0 { -quat } else { quat };
        let sin = quat.xyz().length();
        quat.xyz() * if sin > 1e-9 { 2.0 * sin.atan2(quat.w) / sin } else { 2.0 }
    };
    [shift.x, shift.y, shift.z, turn.x, turn.y, turn.z]
}

/// Gauss's elimination, largest pivots first; none if there is none.
fn solve(columns: &[[f64; 6]; JOINTS], mut x: [f64; 6]) -> Option<[f64; 6]> {
    let mut rows: [[f64; 6]; 6] = std::array::from_fn(|i| std::array::from_fn(|k| columns[k][i]));
    for k in 0..6 {
        let mut pivot = k;
        for i in k + 1..6 {
            if rows[i][k].abs() > rows[pivot][k].abs() {
                pivot = i;
            }
        }
        rows.swap(pivot, k);
        x.swap(pivot, k);
        let scale = 1.0 / rows[k][k];
        if !scale.is_finite() {
            return None;
        }
        for i in k + 1..6 {
            let factor = rows[i][k] * scale;
            let upper = rows[k];
            rows[i].iter_mut().zip(upper).skip(k + 1).for_each(|(entry, above)| *entry -= factor * above);
            x[i] -= factor * x[k];
        }
    }
    for k in (0..6).rev() {
        for j in k + 1..6 {
            x[k] -= rows[k][j] * x[j];
        }
        x[k] /= rows[k][k];
    }
    x.iter().all(|x| x.is_finite()).then_some(x)
}

//! Six turning axes in closed form: shoulder, elbow and wrist one after the other.

mod accept;

use super::angles::Angles;
use super::chain::Chain;
use super::frame::Frame;
use super::lines::{Kind, Lines};
use super::newton::Steps;
use super::solutions::{ArmPart, Branch, BranchSign, LeftOut, Nearness, Solutions};
use super::turn::Turn;
use super::wrist::{ALIGNED, Free, Turns, Wrist};
use accept::Set;
use kansho_geom::Pose;
use kansho_geom::glam::{DMat3, DVec2, DVec3};

/// An arm whose axes 2 and 3 are parallel, with a spherical wrist or with axis 4 parallel too.
///
/// Its own frame has its origin and z on axis 1 and is turned so that axis 2 has no x: `h2 = (0, k, κ)`. The *plane* is the one across
/// axis 2, with `e1 = x` and `e2 = h2 × x`; turns about axes 2 and 3 (and 4) are turns in it.
#[derive(Clone, Debug)]
pub(super) struct Closed {
    pub(super) kind: Kind,
    /// The turn about z.
    own_from_root: Turn,
    k: f64,
    kappa: f64,
    /// How far along axis 2 the wrist is from axis 1; turns about axes 2 and 3 do not change it.
    side: f64,
    /// Axis 2 in the plane.
    shoulder: DVec2,
    upper: f64,
    fore: f64,
    /// The direction of the upper arm in the plane, and from the forearm's to it.
    upper_along: Turn,
    fore_to_upper: Turn,
    /// From axis 4 to the wrist in the plane, if axis 4 is parallel.
    hand: DVec2,
    /// Whether axes 3 and 4 point as axis 2 does: 1 or −1.
    third: f64,
    fourth: f64,
    wrist: Wrist,
    wrist_in_tip: DVec3,
    /// `basis` of the wrist, in the tip.
    tip_from_basis: DMat3,
    /// How far out of reach is still tried, because the axes are not quite where they should be.
    slack: f64,
    mismatch: f64,
    angles: Angles,
    /// What a turn is multiplied with to give a value, and what is taken off first.
    per_multiplier: [f64; 6],
    offsets: [f64; 6],
    /// What stands before each axis, and the tip after the last.
    before: [Frame; 6],
    after: Frame,
}

/// A pose that is wanted, and how.
pub(super) struct Wanted<'a> {
    pub(super) chain: &'a Chain,
    pub(super) root_from_tip: Pose,
    pub(super) seed: Option<&'a [f64]>,
    pub(super) size: f64,
}

/// What is worked out up to the wrist, and from there.
struct Bent {
    second: Turn,
    third: Turn,
    sin: f64,
    /// It is out of reach, by no more than what is allowed for; or the second turn is free.
    beyond: bool,
}

impl Closed {
    pub(super) fn new(chain: &Chain, lines: &Lines) -> Self {
        let h2 = lines.along[1];
        let k = h2.x.hypot(h2.y);
        let own_from_root = Turn { cos: h2.y / k, sin: h2.x / k };
        let h2 = own_from_root.about_z(h2);
        let (k, kappa) = (h2.y, h2.z);
        let own = |v: DVec3| own_from_root.about_z(v);
        let in_plane = |v: DVec3| {
            let v = own(v);
            DVec3::new(v.x, kappa * v.y - k * v.z, k * v.y + kappa * v.z)
        };
        let end = match lines.kind {
            Kind::SphericalWrist => lines.wrist,
            Kind::ThreeParallel => lines.at[3],
        };
        let flat = |v: DVec3| in_plane(v).truncate();
        let (upper, fore) = (flat(lines.at[2] - lines.at[1]), flat(end - lines.at[2]));
        let unit = |v: DVec2| Turn::along(v.x, v.y).unwrap_or(Turn::NONE);
        let first = match lines.kind {
            Kind::SphericalWrist => lines.along[3],
            Kind::ThreeParallel => lines.along[1],
        };
        let wrist = Wrist::new(in_plane(first), in_plane(lines.along[4]), in_plane(lines.along[5]));
        // basis in the plane -> own -> root -> tip, all in the posture without turns.
        let from_plane = |v: DVec3| {
            let own = DVec3::new(v.x, kappa * v.y + k * v.z, kappa * v.z - k * v.y);
            own_from_root.back().about_z(own)
        };
        let tip_from_root = lines.root_from_tip.inverse();
        let basis = wrist.basis();
        let column = |v: DVec3| tip_from_root.rotate(from_plane(v));
        let tip_from_basis =
            DMat3::from_cols(column(basis.x_axis), column(basis.y_axis), column(basis.z_axis));
        let sign = |axis: usize| if lines.along[axis].dot(lines.along[1]) < 0.0 { -1.0 } else { 1.0 };
        Self {
            kind: lines.kind,
            own_from_root,
            k,
            kappa,
            side: in_plane(lines.wrist).z,
            shoulder: flat(lines.at[1]),
            upper: upper.length(),
            fore: fore.length(),
            upper_along: unit(upper),
            fore_to_upper: unit(upper).and(unit(fore).back()),
            hand: flat(lines.wrist - end),
            third: sign(2),
            fourth: sign(3),
            wrist,
            wrist_in_tip: tip_from_root * lines.wrist,
            tip_from_basis,
            slack: ALIGNED.max(8.0 * lines.mismatch),
            mismatch: lines.mismatch,
            angles: Angles::new(),
            per_multiplier: std::array::from_fn(|k| 1.0 / chain.axes[k].multiplier),
            offsets: std::array::from_fn(|k| chain.axes[k].offset),
            before: std::array::from_fn(|k| Frame::new(&chain.axes[k].before)),
            after: Frame::new(&chain.after),
        }
    }

    /// All solutions; the reasons of the ways that are none.
    pub(super) fn solve(&self, wanted: &Wanted<'_>, steps: &mut Steps, into: &mut Solutions) {
        let rotation = wanted.root_from_tip.rotation();
        let wrist_in_root = rotation * self.wrist_in_tip + wanted.root_from_tip.translation();
        let wrist = self.own_from_root.about_z(wrist_in_root);
        let rotated = rotation * self.tip_from_basis;
        let turn = |v: DVec3| self.own_from_root.about_z(v);
        let rotated = DMat3::from_cols(turn(rotated.x_axis), turn(rotated.y_axis), turn(rotated.z_axis));

        // Turned back about axis 1, the wrist has y such that k y + κ z = side; and keeps its distance from the axis.
        let distance = (wrist.x * wrist.x + wrist.y * wrist.y).sqrt();
        let y = (self.side - self.kappa * wrist.z) / self.k;
        let by = y.abs() - distance;
        if by > self.slack {
            into.left_out.push(LeftOut::OutOfReach { part: ArmPart::Shoulder, by });
            return;
        }
        // If the formulas say that two ways meet here and the arm is only almost as they take it, they may not.
        into.complete &= !(by > ALIGNED);
        let x = ((distance - y.abs()) * (distance + y.abs())).max(0.0).sqrt();
        let on_axis = distance < ALIGNED;
        for shoulder in BranchSign::BOTH {
            let back = DVec2::new(x * shoulder.sign(), y);
            let turned = Turn::along(wrist.x, wrist.y).zip(Turn::along(back.x, back.y));
            let first = match turned {
                Some((there, back)) if !on_axis => there.and(back.back()),
                _ => self.seed_turn(wanted, 0),
            };
            // What is left of the pose, in the plane.
            let in_plane = |v: DVec3| {
                let v = first.back().about_z(v);
                DVec3::new(v.x, self.kappa * v.y - self.k * v.z, self.k * v.y + self.kappa * v.z)
            };
            let there = in_plane(wrist).truncate() - self.shoulder;
            let left = DMat3::from_cols(
                in_plane(rotated.x_axis),
                in_plane(rotated.y_axis),
                in_plane(rotated.z_axis),
            );
            let first = self.set(wanted, 0, first);
            let at = Shoulder {
                way: shoulder,
                first,
                nearness: x * self.k / (self.upper + self.fore),
                frame: self.before[0].turned(first.turn).then(&self.before[1]),
                there,
                left,
            };
            match self.kind {
                Kind::SphericalWrist => self.spherical(wanted, &at, steps, into),
                Kind::ThreeParallel => self.parallel(wanted, &at, steps, into),
            }
            // With the first turn as in the seed nothing is found: with another it may be.
            into.complete &= !(on_axis && into.is_empty());
            if on_axis || x <= 0.0 {
                break;
            }
        }
    }

    /// Elbow, then wrist.
    fn spherical(&self, wanted: &Wanted<'_>, at: &Shoulder, steps: &mut Steps, into: &mut Solutions) {
        let free = Free::First(self.seed_turn(wanted, 3));
        for elbow in BranchSign::BOTH {
            let bent = match self.bend(wanted, at.there, elbow) {
                Ok(bent) => bent,
                Err(by) => {
                    into.left_out.push(LeftOut::OutOfReach { part: ArmPart::Elbow, by });
                    return;
                }
            };
            into.complete &= !bent.beyond;
            let back = bent.second.and(bent.third).back();
            let DMat3 { x_axis, y_axis, z_axis } = at.left;
            let left = DMat3::from_cols(back.about_z(x_axis), back.about_z(y_axis), back.about_z(z_axis));
            let second = self.set(wanted, 1, bent.second);
            let third = self.set(wanted, 2, bent.third.signed(self.third));
            let arm =
                at.frame.turned(second.turn).then(&self.before[2]).turned(third.turn).then(&self.before[3]);
            let offer = |found: &Turns, wrist: BranchSign, steps: &mut Steps, into: &mut Solutions| {
                let [fourth, fifth, sixth] = found.turns;
                let branch = Branch { shoulder: at.way, elbow, wrist };
                let nearness =
                    Nearness::Kinds { shoulder: at.nearness, elbow: bent.sin, wrist: found.nearness };
                let sets = [
                    at.first,
                    second,
                    third,
                    self.set(wanted, 3, fourth),
                    self.set(wanted, 4, fifth),
                    self.set(wanted, 5, sixth),
                ];
                let tip = || {
                    let hand = arm.turned(fourth).then(&self.before[4]).turned(fifth).then(&self.before[5]);
                    hand.turned(sixth).then(&self.after)
                };
                self.offer(wanted, &sets, tip, branch, nearness, steps, into);
            };
            let mut one = None;
            for wrist in BranchSign::BOTH {
                let other = one.as_ref().and_then(|one| self.wrist.other(one));
                let solved = other.map_or_else(|| self.wrist.solve(&left, wrist, free, self.slack), Ok);
                let found = match solved {
                    Ok(found) => found,
                    Err(by) => {
                        into.left_out.push(LeftOut::OutOfReach { part: ArmPart::Wrist, by });
                        break;
                    }
                };
                one = Some(found);
                into.complete &= !found.beyond;
                let before = (into.len(), into.left_out.len());
                offer(&found, wrist, steps, into);
                if found.aligned && into.len() == before.0 {
                    // Of the family between the limits of joints 4 and 6, if there is any, an end is on one of these.
                    for free in self.limits(wanted, 3, Free::First).chain(self.limits(wanted, 5, Free::Last))
                    {
                        if let Ok(found) = self.wrist.solve(&left, wrist, free, self.slack) {
                            offer(&found, wrist, steps, into);
                        }
                        if into.len() > before.0 {
                            into.left_out.truncate(before.1);
                            break;
                        }
                    }
                }
                if found.only {
                    break;
                }
            }
            if bent.sin <= 0.0 {
                break;
            }
        }
    }

    /// The turn of axes 2, 3 and 4 together, 5 and 6; then the elbow.
    fn parallel(&self, wanted: &Wanted<'_>, at: &Shoulder, steps: &mut Steps, into: &mut Solutions) {
        let mut one = None;
        for wrist in BranchSign::BOTH {
            let mut only = false;
            // Where axes 4 and 6 are aligned, one turn is free: the last as in the seed, or else what the arm reaches best.
            for attempt in 0..3 {
                let before = into.len();
                let free = match attempt {
                    0 => Some(Free::Last(self.seed_turn(wanted, 5))),
                    1 => self.reaching(at.there, BranchSign::Plus).map(Free::First),
                    _ => self.reaching(at.there, BranchSign::Minus).map(Free::First),
                };
                let Some(free) = free else { break };
                let other = one.as_ref().and_then(|one| self.wrist.other(one));
                let solved = other.map_or_else(|| self.wrist.solve(&at.left, wrist, free, self.slack), Ok);
                let found = match solved {
                    Ok(found) => found,
                    Err(by) => {
                        into.left_out.push(LeftOut::OutOfReach { part: ArmPart::Wrist, by });
                        return;
                    }
                };
                one = Some(found).filter(|found| !found.aligned);
                only = found.only;
                into.complete &= !found.beyond;
                let [together, fifth, sixth] = found.turns;
                let (fifth, sixth) = (self.set(wanted, 4, fifth), self.set(wanted, 5, sixth));
                let hand = self.before[4].turned(fifth.turn).then(&self.before[5]).turned(sixth.turn);
                let hand = hand.then(&self.after);
                for elbow in BranchSign::BOTH {
                    let bent = match self.bend(wanted, at.there - together.apply(self.hand), elbow) {
                        Ok(bent) => bent,
                        Err(by) => {
                            into.left_out.push(LeftOut::OutOfReach { part: ArmPart::Elbow, by });
                            break;
                        }
                    };
                    into.complete &= !bent.beyond;
                    let third = bent.third.signed(self.third);
                    let fourth = together.and(bent.second.and(bent.third).back()).signed(self.fourth);
                    let branch = Branch { shoulder: at.way, elbow, wrist };
                    let nearness =
                        Nearness::Kinds { shoulder: at.nearness, elbow: bent.sin, wrist: found.nearness };
                    let sets = [
                        at.first,
                        self.set(wanted, 1, bent.second),
                        self.set(wanted, 2, third),
                        self.set(wanted, 3, fourth),
                        fifth,
                        sixth,
                    ];
                    let tip = || {
                        let arm = at.frame.turned(bent.second).then(&self.before[2]).turned(third);
                        arm.then(&self.before[3]).turned(fourth).then(&hand)
                    };
                    self.offer(wanted, &sets, tip, branch, nearness, steps, into);
                    if bent.sin <= 0.0 {
                        break;
                    }
                }
                if !found.aligned || into.len() > before {
                    break;
                }
                // Others of the family may be within limits.
                into.complete &= attempt < 2;
            }
            if only {
                break;
            }
        }
    }

    /// A turn of the hand that leaves the arm a distance in the middle of what it reaches, if there is one.
    fn reaching(&self, there: DVec2, way: BranchSign) -> Option<Turn> {
        let (far, hand) = (there.length(), self.hand.length());
        let low = (far - hand).abs().max((self.upper - self.fore).abs());
        let high = (far + hand).min(self.upper + self.fore);
        if !(low <= high) {
            return None;
        }
        // r² = far² + hand² − 2 far hand cos.
        let r = 0.5 * (low + high);
        let cos = ((far * far + hand * hand - r * r) / (2.0 * far * hand)).clamp(-1.0, 1.0);
        let between = Turn { cos, sin: way.sign() * (1.0 - cos * cos).sqrt() };
        Some(Turn::along(there.x, there.y)?.and(between).and(Turn::along(self.hand.x, self.hand.y)?.back()))
    }

    /// Turns about axes 2 and 3 that take the end of the forearm to a point of the plane, from axis 2. Otherwise how far it is out of
    /// reach.
    ///
    /// With ψ the angle from the upper arm to the forearm, `4 ab sin²(ψ/2) = (a+b)² − r²` and `4 ab cos²(ψ/2) = r² − (a−b)²`:
    /// products of sums, so that nothing cancels where the arm is nearly straight or folded.
    #[inline]
    fn bend(&self, wanted: &Wanted<'_>, there: DVec2, elbow: BranchSign) -> Result<Bent, f64> {
        let (a, b, r) = (self.upper, self.fore, there.length());
        let (beyond, within) = (r - (a + b), (a - b).abs() - r);
        if beyond > self.slack || within > self.slack {
            return Err(beyond.max(within));
        }
        let sin_sq = -beyond.min(0.0) * (a + b + r);
        let cos_sq = -within.min(0.0) * (r + (a - b).abs());
        let scale = 1.0 / (sin_sq + cos_sq);
        let sin = 2.0 * (sin_sq * cos_sq).sqrt() * scale;
        let bend = Turn { cos: (cos_sq - sin_sq) * scale, sin: sin * elbow.sign() };
        let third = bend.and(self.fore_to_upper);
        // Where the end is before the second turn.
        let end = self.upper_along.apply(DVec2::new(a + b * bend.cos, b * bend.sin));
        // There and back as complex numbers. On axis 2 itself the second turn is free.
        let second = Turn::along(there.x * end.x + there.y * end.y, there.y * end.x - there.x * end.y)
            .filter(|_| r > ALIGNED)
            .unwrap_or_else(|| self.seed_turn(wanted, 1));
        Ok(Bent { second, third, sin, beyond: beyond.max(within) > ALIGNED || r <= ALIGNED })
    }

    /// A joint at its limits.
    fn limits(
        &self,
        wanted: &Wanted<'_>,
        k: usize,
        free: impl Fn(Turn) -> Free,
    ) -> impl Iterator<Item = Free> {
        let axis = &wanted.chain.axes[k];
        let ends = wanted.chain.joints[k].limits.map(|limits| [limits.lower, limits.upper]);
        ends.into_iter().flatten().map(move |value| free(Turn::by(axis.multiplier * value + axis.offset)))
    }

    /// How an axis has turned in the seed; in the posture of zeros without one.
    fn seed_turn(&self, wanted: &Wanted<'_>, index: usize) -> Turn {
        let axis = &wanted.chain.axes[index];
        Turn::by(wanted.seed.map_or(0.0, |seed| axis.multiplier * seed[index]) + axis.offset)
    }

    /// The branch of a posture, and how near it is to the singularities between them.
    pub(super) fn branch(&self, chain: &Chain, values: &[f64]) -> (Branch, Nearness) {
        let turn = |k: usize| Turn::by(chain.axes[k].multiplier * values[k] + chain.axes[k].offset);
        let (second, third) = (turn(1), turn(2).signed(self.third));
        let bend = third.and(self.fore_to_upper.back());
        let end = self.upper_along.apply(DVec2::new(self.upper + self.fore * bend.cos, self.fore * bend.sin));
        let together = second.and(third).and(turn(3).signed(self.fourth));
        let hand = match self.kind {
            Kind::SphericalWrist => DVec2::ZERO,
            Kind::ThreeParallel => together.apply(self.hand),
        };
        let x = (self.shoulder + second.apply(end) + hand).x * self.k / (self.upper + self.fore);
        let wrist = self.wrist.bend(turn(4));
        let branch = Branch {
            shoulder: BranchSign::of(x),
            elbow: BranchSign::of(bend.sin),
            wrist: BranchSign::of(wrist),
        };
        (branch, Nearness::Kinds { shoulder: x.abs(), elbow: bend.sin.abs(), wrist: wrist.abs() })
    }
}

/// What is known after the first turn.
struct Shoulder {
    way: BranchSign,
    first: Set,
    nearness: f64,
    /// The frame before axis 2 turns.
    frame: Frame,
    /// The wrist, from axis 2, in the plane.
    there: DVec2,
    /// The rotation that is left, from the wrist's basis to the plane.
    left: DMat3,
}

//! How long a contact that is kept lasts on a way.

use super::body::{Member, nearest_on_segment};
use super::region::{self, common};
use super::touch::{Equation, Event, PARALLEL, Relation, Touch, World, events, faces_oppose, on};
use kansho_check::sliding_contact::SlidingMotion;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use kansho_geom::pose_motion::Span;
use std::borrow::Cow;

/// Most parts of a turn that are looked at.
pub(super) const MOST_PARTS: u32 = 20_000;

/// Parts of a turn are not halved below this fraction of it.
const SHORTEST: f64 = 1e-8;

/// What becomes of a contact that is to last.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lasting {
    /// It lasts up to this fraction of the way.
    UpTo {
        /// All of it if it is 1.
        t: f64,
        /// How far it is from what its equations say, at most, in metres.
        off: f64,
    },
    /// It is open where the way begins.
    Open,
    /// On this way its equations change by so many metres.
    Leaves(f64),
    /// Whether it lasts beyond this fraction is not known.
    Undecided {
        /// The fraction.
        t: f64,
        /// Whether too many parts of the turn were looked at; otherwise the contact neither lasts nor ends in the shortest part.
        many: bool,
    },
}

/// One way for two features to touch: as a whole, or in one elementary contact.
pub(super) struct Hold<'a> {
    pub(super) moved: Cow<'a, Member>,
    pub(super) fixed: Cow<'a, Member>,
    pub(super) equations: Vec<Equation>,
}

impl World<'_> {
    /// How long a contact lasts that is closed where a way begins, if its equations may change by `drift`, and features are in
    /// contact up to `room`, both in metres.
    ///
    /// Equations along straight ways and turns are analytic: one that holds on a part of the way holds on all of it. So whatever the contact
    /// goes over to on the way, to another member or to another corner, has equations that hold from the start, and what is left to ask is where features
    /// end. Contacts of several members and corners last as long as some of them does at every instant.
    pub(super) fn lasting(&self, touch: &Touch, way: &SlidingMotion, drift: f64, room: f64) -> Lasting {
        let from = way.from();
        let (mut is_closed, mut holds_from_start, mut least) = (false, false, f64::INFINITY);
        let mut holding: Vec<(Hold<'_>, f64)> = Vec::new();
        for hold in self.holds(touch) {
            if !faces_oppose(&hold.moved, &hold.fixed, from) {
                continue;
            }
            let (mut off, mut change, mut at_start): (f64, f64, f64) = (0.0, 0.0, 0.0);
            for wave in hold.equations.iter().map(|equation| equation.wave(way)) {
                let start = wave.at(0.0);
                let [low, high] = wave.range(Span::WHOLE);
                at_start = at_start.max(start.abs());
                off = off.max(high).max(-low);
                change = change.max(high - start).max(start - low);
            }
            let closed = at_start <= self.tolerance
                && !common(&hold.moved, &hold.fixed, from, self.tolerance).is_empty();
            // How far lines that cross are apart is what their equation says over the sine of their angle.
            let sine = if way.turned() == 0.0 { hold.sine(from) } else { 1.0 };
            let holds = off <= (self.tolerance + drift) * sine && change <= drift * sine && sine > PARALLEL;
            if closed {
                is_closed = true;
                least = least.min(change);
                holds_from_start |= holds;
            }
            if holds {
                holding.push((hold, off));
            }
        }
        match (is_closed, holds_from_start) {
            (false, _) => Lasting::Open,
            (true, false) => Lasting::Leaves(least),
            (true, true) => match *way {
                SlidingMotion::Straight { from, by } => straight(&holding, from, by, room),
                SlidingMotion::Turn { .. } => turning(&holding, way, room),
            },
        }
    }

    /// All ways in which the features of a contact may touch.
    fn holds<'s>(&'s self, touch: &Touch) -> Vec<Hold<'s>> {
        let mut all = Vec::new();
        for (_, m, f) in self.pairs(touch) {
            all.push(Hold { moved: Cow::Borrowed(m), fixed: Cow::Borrowed(f), equations: on(m, f) });
            if touch.relation == Relation::Touches {
                all.extend(events(m, f).iter().map(Event::hold));
            }
        }
        all
    }
}

fn straight(holding: &[(Hold<'_>, f64)], from: Pose, by: DVec3, room: f64) -> Lasting {
    let mut intervals: Vec<([f64; 2], f64)> = Vec::new();
    for (hold, off) in holding {
        let found = region::intervals(&hold.moved, &hold.fixed, from, by, room);
        intervals.extend(found.into_iter().map(|interval| (interval, *off)));
    }
    intervals.sort_by(|a, b| a.0[0].total_cmp(&b.0[0]));
    let (mut t, mut off): (f64, f64) = (0.0, 0.0);
    for ([start, end], of_this) in intervals {
        if start <= t && end > t {
            t = end;
            off = off.max(of_this);
        }
    }
    Lasting::UpTo { t: t.min(1.0), off }
}

/// The way is halved until in every part of it a common point lasts, earliest first.
fn turning(holding: &[(Hold<'_>, f64)], way: &SlidingMotion, room: f64) -> Lasting {
    let mut open = vec![Span::WHOLE];
    let (mut looked, mut off): (u32, f64) = (0, 0.0);
    while let Some(span) = open.pop() {
        looked += 1;
        if let Some((_, of_this)) = holding.iter().find(|(hold, _)| hold.lasts_in(span, way, room)) {
            off = off.max(*of_this);
            continue;
        }
        if span.length() < SHORTEST || looked > MOST_PARTS {
            let pose = way.at(span.end);
            let is_lost = |hold: &Hold<'_>| common(&hold.moved, &hold.fixed, pose, room).is_empty();
            let lost = span.length() < SHORTEST && holding.iter().all(|(hold, _)| is_lost(hold));
            let many = span.length() >= SHORTEST;
            let open = Lasting::Undecided { t: span.start, many };
            return if lost { Lasting::UpTo { t: span.start, off } } else { open };
        }
        let [early, late] = span.halves();
        open.extend([late, early]);
    }
    Lasting::UpTo { t: 1.0, off }
}

impl Hold<'_> {
    /// The sine of the angle between lines that cross; 1 where there are none.
    fn sine(&self, pose: Pose) -> f64 {
        match self.equations[..] {
            [Equation::Lines { moved: [_, e], fixed: [_, f] }] => pose.rotate(e).cross(f).length(),
            _ => 1.0,
        }
    }

    /// Whether a point that both have in the middle of a span proves that they touch in all of it: one of the world that the moved feature
    /// cannot turn away from, one of the body that stays on the fixed feature, or a crossing that does not come to an end of either.
    fn lasts_in(&self, span: Span, way: &SlidingMotion, room: f64) -> bool {
        if let (Member::Axis { .. }, _) | (_, Member::Axis { .. }) = (&*self.moved, &*self.fixed) {
            return true;
        }
        let half = 0.5 * span.length();
        let pose = way.at(span.middle());
        let mut points = common(&self.moved, &self.fixed, pose, room);
        if points.is_empty() {
            return false;
        }
        points.push(points.iter().copied().sum::<DVec3>() / points.len() as f64);
        points.iter().any(|&x| {
            let own = pose.inverse() * x;
            let travel = way.speed(own) * half;
            travel <= room
                || travel <= depth_in(&self.moved, own)
                || travel <= depth_in(&self.fixed, x)
                || self.crosses_on(x, pose, way.turned() * half, travel)
        })
    }

    /// Whether two edges that cross at a point go on crossing while points there move by `travel` and directions turn by `turn`: their lines
    /// meet, so the crossing is as far from where it was as the moved line has gone, over the sine of their angle.
    fn crosses_on(&self, x: DVec3, pose: Pose, turn: f64, travel: f64) -> bool {
        let (Member::Edge(m), Member::Edge(f)) = (&*self.moved, &*self.fixed) else { return false };
        let own = m.ends.map(|p| pose * p);
        let (e, along) = ((own[1] - own[0]).normalize_or_zero(), (f.ends[1] - f.ends[0]).normalize_or_zero());
        let angle = e.cross(along).length().min(1.0).asin() - turn;
        let room = |ends: [DVec3; 2]| ends.iter().map(|end| end.distance(x)).fold(f64::INFINITY, f64::min);
        let near = room(own).min(room(f.ends));
        // Within that distance of the crossing, points of the body are not faster than by the turn of it.
        let farthest = (travel + turn * near) / angle.max(0.0).sin();
        farthest + travel + turn * near < near
    }
}

/// How far a point of a face is from its outline, or one of an edge from its ends, at least; zero outside.
fn depth_in(member: &Member, p: DVec3) -> f64 {
    match member {
        Member::Face(facet) => {
            let near = |t: &[DVec3; 3]| super::body::from_triangle(p, t) <= 1e-12 + 1e-9 * p.length();
            if !facet.triangles.iter().any(near) {
                return 0.0;
            }
            let sides = super::touch::edges_of(member);
            sides.iter().map(|side| p.distance(nearest_on_segment(p, *side))).fold(f64::INFINITY, f64::min)
        }
        _ => 0.0,
    }
}

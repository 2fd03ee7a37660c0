//! Two features that are to touch: the equations of that, when they begin to hold, and where.

use super::body::{Body, Corner, Line, Member, nearest_on_segment};
use super::lasting::Hold;
use super::region;
use kansho_check::sliding_contact::{MayTouch, Patch, SlidingMotion, Wave};
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::borrow::Cow;

/// How two features are to meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Relation {
    /// In one plane or on one line, faces against each other.
    On,
    /// In any contact.
    Touches,
}

/// A feature of the moved body that meets one of a fixed body.
#[derive(Clone, Debug, PartialEq)]
pub struct Touch {
    /// Feature of the moved body.
    pub moved: usize,
    /// Which fixed body.
    pub body: usize,
    /// Feature of that.
    pub fixed: usize,
    /// How.
    pub relation: Relation,
    /// As it stands in the script.
    pub text: String,
}

/// Something that is zero while a contact lasts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Equation {
    /// A point of the moved body in a plane of the world.
    Point {
        /// In the moved body's frame.
        p: DVec3,
        /// Toward the moved body.
        n: DVec3,
        /// Of the plane.
        offset: f64,
    },
    /// A point of the world in a plane of the moved body.
    Plane {
        /// In the world.
        x: DVec3,
        /// In the moved body's frame, out of it.
        n: DVec3,
        /// Of the plane.
        offset: f64,
    },
    /// Two lines that cross: one of the moved body, one of the world.
    Lines {
        /// A point and a unit vector in the moved body's frame.
        moved: [DVec3; 2],
        /// A point and a unit vector in the world.
        fixed: [DVec3; 2],
    },
}

impl Equation {
    /// What must be zero, along a way.
    #[must_use]
    pub fn wave(&self, way: &SlidingMotion) -> Wave {
        let lowered =
            |wave: Wave, by: f64| Wave { fixed: wave.fixed - by, scale: wave.scale + by.abs(), ..wave };
        match *self {
            Self::Point { p, n, offset } => lowered(way.height(p, n), offset),
            Self::Plane { x, n, offset } => lowered(way.height_in_body(x, n), offset),
            Self::Lines { moved: [p, e], fixed: [q, f] } => way.height_across(p, e, q, f),
        }
    }

    /// Point and normal of the constraint in a pose: motions that keep the contact have no speed along the normal there.
    #[must_use]
    pub fn row(&self, pose: Pose) -> [DVec3; 2] {
        match *self {
            Self::Point { p, n, .. } => [pose * p, n],
            Self::Plane { x, n, .. } => [x, -pose.rotate(n)],
            Self::Lines { moved: [p, e], fixed: [q, f] } => {
                let (p, e) = (pose * p, pose.rotate(e));
                let n = e.cross(f);
                // The point of the fixed line that is nearest to the other.
                let along = (p - q).dot(f - e * e.dot(f)) / n.length_squared();
                [q + f * along, n.normalize_or_zero()]
            }
        }
    }
}

/// A contact as it is in a pose.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    /// What stays zero while it lasts.
    pub equations: Vec<Equation>,
    /// Points of the region that touches, its corners at least.
    pub points: Vec<DVec3>,
    /// Members of the two features.
    pub members: [usize; 2],
}

/// Lines that cross at a smaller sine are along each other.
pub(super) const PARALLEL: f64 = 1e-6;

/// What is known of all bodies.
#[derive(Clone, Copy)]
pub(super) struct World<'a> {
    pub(super) moved: &'a Body,
    pub(super) fixed: &'a [Body],
    /// Contacts may be off by this, in metres.
    pub(super) tolerance: f64,
}

impl World<'_> {
    fn members(&self, touch: &Touch) -> (&[Member], &[Member]) {
        (&self.moved.features[touch.moved].members, &self.fixed[touch.body].features[touch.fixed].members)
    }

    /// All pairs of members of a contact, with their numbers.
    pub(super) fn pairs<'s>(
        &'s self,
        touch: &Touch,
    ) -> impl Iterator<Item = ([usize; 2], &'s Member, &'s Member)> {
        let (moved, fixed) = self.members(touch);
        let (moved, fixed): (Vec<_>, Vec<_>) = (moved.iter().collect(), fixed.iter().collect());
        let count = fixed.len();
        (0..moved.len() * count).map(move |k| ([k / count, k % count], moved[k / count], fixed[k % count]))
    }

    pub(super) fn member(&self, touch: &Touch, [m, f]: [usize; 2]) -> (&Member, &Member) {
        let (moved, fixed) = self.members(touch);
        (&moved[m], &fixed[f])
    }

    /// The contact in a pose, if it is closed.
    pub(super) fn closed(&self, touch: &Touch, pose: Pose) -> Option<Closed> {
        self.all_closed(touch, pose).next()
    }

    /// The contact in a pose between all members of its features that touch.
    pub(super) fn all_closed(&self, touch: &Touch, pose: Pose) -> impl Iterator<Item = Closed> {
        let relation = touch.relation;
        let still = SlidingMotion::Straight { from: pose, by: DVec3::ZERO };
        self.pairs(touch).filter_map(move |(members, m, f)| {
            let equations = on(m, f);
            let holds = |eq: &Equation| eq.wave(&still).at(0.0).abs() <= self.tolerance;
            if equations.iter().all(holds) && faces_oppose(m, f, pose) {
                let points = region::common(m, f, pose, self.tolerance);
                if !points.is_empty() {
                    return Some(Closed { equations, points, members });
                }
            }
            if relation == Relation::On {
                return None;
            }
            let (mut equations, mut points) = (Vec::new(), Vec::new());
            for event in events(m, f) {
                if holds(&event.equation)
                    && let Some(point) = event.place(pose, self.tolerance)
                {
                    equations.push(event.equation);
                    points.push(point);
                }
            }
            (!points.is_empty()).then_some(Closed { equations, points, members })
        })
    }

    /// When a contact first closes on a way of unit rate (a metre, or a radian, per 1), not later than `most`.
    pub(super) fn closing(&self, touch: &Touch, way: &SlidingMotion, most: f64) -> Option<f64> {
        let mut best: Option<f64> = None;
        let mut offer = |t: f64| {
            if best.is_none_or(|known| t < known) {
                best = Some(t);
            }
        };
        for (_, m, f) in self.pairs(touch) {
            let equations = on(m, f);
            let waves: Vec<Wave> = equations.iter().map(|eq| eq.wave(way)).collect();
            // The steepest says when; all must hold then.
            let rate = |wave: &Wave| wave.slope.abs() + wave.cosine.hypot(wave.sine);
            if let Some(steepest) = waves.iter().max_by(|a, b| rate(a).total_cmp(&rate(b))) {
                for t in self.zeros(steepest, most) {
                    let pose = way.at(t);
                    let hold = waves.iter().all(|wave| wave.at(t).abs() <= self.tolerance);
                    if hold
                        && faces_oppose(m, f, pose)
                        && !region::common(m, f, pose, self.tolerance).is_empty()
                    {
                        offer(t);
                        break;
                    }
                }
            }
            if touch.relation == Relation::On {
                continue;
            }
            for event in events(m, f) {
                let wave = event.equation.wave(way);
                if let Some(t) = self
                    .zeros(&wave, most)
                    .into_iter()
                    .find(|&t| event.place(way.at(t), self.tolerance).is_some())
                {
                    offer(t);
                }
            }
        }
        best
    }

    /// Zeros from the start on; one that is passed at the start by less than the tolerance counts as there.
    fn zeros(&self, wave: &Wave, most: f64) -> Vec<f64> {
        let speed = wave.slope.abs() + wave.cosine.hypot(wave.sine) * wave.angle.abs();
        let early = if speed > 0.0 { -self.tolerance / speed } else { 0.0 };
        let zeros = wave.zeros().into_iter().filter(|&t| t >= early && t <= most);
        zeros.map(|t| t.max(0.0)).collect()
    }

    /// What the prover needs to know of a contact that may be.
    pub(super) fn may_touch(&self, touch: &Touch) -> Vec<MayTouch> {
        let patch = |member: &Member| -> Option<Patch> {
            match member {
                Member::Face(facet) => Some(facet.patch.clone()),
                Member::Edge(line) => Some(line.patch.clone()),
                Member::Vertex(corner) => Some(corner.patch.clone()),
                Member::Axis { .. } => None,
            }
        };
        self.pairs(touch)
            .filter_map(|(_, m, f)| Some(MayTouch { moving: patch(m)?, fixed: patch(f)? }))
            .collect()
    }
}

/// Whether faces look against each other, if both are faces.
pub(super) fn faces_oppose(m: &Member, f: &Member, pose: Pose) -> bool {
    match (m, f) {
        (Member::Face(m), Member::Face(f)) => pose.rotate(m.normal).dot(f.normal) < 0.0,
        _ => true,
    }
}

/// What is zero while two features lie in one plane or on one line.
pub(super) fn on(m: &Member, f: &Member) -> Vec<Equation> {
    let across = |line: &[DVec3; 2]| -> [DVec3; 2] {
        let (u, v) = (line[1] - line[0]).normalize_or(DVec3::Z).any_orthonormal_pair();
        [u, v]
    };
    let points = |member: &Member| -> Vec<DVec3> {
        match member {
            Member::Face(facet) => spread(&facet.loops[0]),
            Member::Edge(line) => line.ends.to_vec(),
            Member::Vertex(corner) => vec![corner.point],
            Member::Axis { ends } => ends.to_vec(),
        }
    };
    let at_plane = |p: DVec3, n: DVec3, offset: f64| Equation::Point { p, n, offset };
    match (m, f) {
        (m, Member::Face(facet)) => {
            points(m).into_iter().map(|p| at_plane(p, facet.normal, facet.offset)).collect()
        }
        (Member::Face(facet), f) => points(f)
            .into_iter()
            .map(|x| Equation::Plane { x, n: facet.normal, offset: facet.offset })
            .collect(),
        (m, Member::Edge(Line { ends, .. }) | Member::Axis { ends }) => {
            points(m).into_iter().flat_map(|p| across(ends).map(|n| at_plane(p, n, n.dot(ends[0])))).collect()
        }
        (Member::Edge(Line { ends, .. }) | Member::Axis { ends }, Member::Vertex(corner)) => {
            across(ends).map(|n| Equation::Plane { x: corner.point, n, offset: n.dot(ends[0]) }).to_vec()
        }
        (Member::Vertex(own), Member::Vertex(other)) => {
            DVec3::AXES.map(|n| at_plane(own.point, n, n.dot(other.point))).to_vec()
        }
    }
}

/// Three corners that span a face as widely as may be: what is true of them is true of all in their plane.
fn spread(ring: &[DVec3]) -> Vec<DVec3> {
    let first = ring[0];
    let far = |from: &dyn Fn(DVec3) -> f64| {
        ring.iter().copied().max_by(|p, q| from(*p).total_cmp(&from(*q))).expect("an outline has corners")
    };
    let second = far(&|p| p.distance(first));
    let along = (second - first).normalize_or_zero();
    let third = far(&|p| (p - first).cross(along).length());
    vec![first, second, third]
}

/// An elementary contact: a corner meets a face, or an edge an edge.
pub(super) struct Event<'a> {
    pub(super) equation: Equation,
    kind: Kind<'a>,
}

enum Kind<'a> {
    /// A corner of the moved body on a face of the world.
    InFace(DVec3, &'a Member),
    /// A corner of the world on a face of the moved body.
    InOwnFace(DVec3, &'a Member),
    Crossing([DVec3; 2], [DVec3; 2]),
}

impl<'a> Event<'a> {
    /// Where it is in a pose, if the point or the crossing lies within both features.
    fn place(&self, pose: Pose, tolerance: f64) -> Option<DVec3> {
        let is_on = |p: DVec3, face: &Member| {
            let Member::Face(facet) = face else { return false };
            facet.triangles.iter().any(|t| super::body::from_triangle(p, t) <= tolerance)
        };
        match &self.kind {
            Kind::InFace(p, face) => is_on(pose * *p, face).then_some(pose * *p),
            Kind::InOwnFace(x, face) => is_on(pose.inverse() * *x, face).then_some(*x),
            Kind::Crossing(m, f) => {
                let m = m.map(|p| pose * p);
                let [p, q] = nearest_of_segments(m, *f);
                (p.distance(q) <= tolerance).then_some((p + q) * 0.5)
            }
        }
    }

    /// The same as two features and what is zero while they touch.
    pub(super) fn hold(&self) -> Hold<'a> {
        let corner = |point: DVec3| Cow::Owned(Member::Vertex(Corner { point, patch: Patch::default() }));
        let edge = |ends: [DVec3; 2]| Cow::Owned(Member::Edge(Line { ends, patch: Patch::default() }));
        let (moved, fixed) = match self.kind {
            Kind::InFace(p, face) => (corner(p), Cow::Borrowed(face)),
            Kind::InOwnFace(x, face) => (Cow::Borrowed(face), corner(x)),
            Kind::Crossing(m, f) => (edge(m), edge(f)),
        };
        Hold { moved, fixed, equations: vec![self.equation] }
    }
}

/// All elementary contacts of two features.
pub(super) fn events<'a>(m: &'a Member, f: &'a Member) -> Vec<Event<'a>> {
    let mut found = Vec::new();
    if let Member::Face(facet) = f {
        for p in corners_of(m) {
            found.push(Event {
                equation: Equation::Point { p, n: facet.normal, offset: facet.offset },
                kind: Kind::InFace(p, f),
            });
        }
    }
    if let Member::Face(facet) = m {
        for x in corners_of(f) {
            found.push(Event {
                equation: Equation::Plane { x, n: facet.normal, offset: facet.offset },
                kind: Kind::InOwnFace(x, m),
            });
        }
    }
    for own in edges_of(m) {
        for other in edges_of(f) {
            let line = |[a, b]: [DVec3; 2]| [a, (b - a).normalize_or_zero()];
            found.push(Event {
                equation: Equation::Lines { moved: line(own), fixed: line(other) },
                kind: Kind::Crossing(own, other),
            });
        }
    }
    found
}

pub(super) fn corners_of(member: &Member) -> Vec<DVec3> {
    match member {
        Member::Face(facet) => facet.loops.iter().flatten().copied().collect(),
        Member::Edge(line) => line.ends.to_vec(),
        Member::Vertex(corner) => vec![corner.point],
        Member::Axis { .. } => Vec::new(),
    }
}

pub(super) fn edges_of(member: &Member) -> Vec<[DVec3; 2]> {
    match member {
        Member::Face(facet) => facet
            .loops
            .iter()
            .flat_map(|ring| (0..ring.len()).map(|k| [ring[k], ring[(k + 1) % ring.len()]]))
            .collect(),
        Member::Edge(line) => vec![line.ends],
        Member::Vertex(_) | Member::Axis { .. } => Vec::new(),
    }
}

/// The nearest points of two segments.
pub(super) fn nearest_of_segments(a: [DVec3; 2], b: [DVec3; 2]) -> [DVec3; 2] {
    let (u, v, w) = (a[1] - a[0], b[1] - b[0], a[0] - b[0]);
    let (uu, uv, vv) = (u.length_squared(), u.dot(v), v.length_squared());
    let denominator = uu * vv - uv * uv;
    let mut best = [a[0], nearest_on_segment(a[0], b)];
    let mut offer = |pair: [DVec3; 2]| {
        if pair[0].distance(pair[1]) < best[0].distance(best[1]) {
            best = pair;
        }
    };
    if denominator > 1e-12 * uu * vv {
        let s = ((uv * v.dot(w) - vv * u.dot(w)) / denominator).clamp(0.0, 1.0);
        let p = a[0] + u * s;
        let q = nearest_on_segment(p, b);
        offer([nearest_on_segment(q, a), q]);
    }
    offer([a[1], nearest_on_segment(a[1], b)]);
    for end in b {
        offer([nearest_on_segment(end, a), end]);
    }
    best
}

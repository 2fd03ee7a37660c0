//! The constraints of all contacts of a body, and what they say about a small motion.

use crate::hull::Turns;
use crate::local::Feature;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;

/// A small motion: the point `p` moves by `v + w × p`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// Translation of the point at the origin.
    pub v: DVec3,
    /// Rotation vector.
    pub w: DVec3,
}

impl Twist {
    /// How a point moves.
    #[must_use]
    pub fn at(&self, point: DVec3) -> DVec3 {
        self.v + self.w.cross(point)
    }

    /// Six numbers: v, then w.
    #[must_use]
    pub fn to_array(&self) -> [f64; 6] {
        [self.v.x, self.v.y, self.v.z, self.w.x, self.w.y, self.w.z]
    }

    /// From six numbers.
    #[must_use]
    pub fn from_array([a, b, c, d, e, f]: [f64; 6]) -> Self {
        Self { v: DVec3::new(a, b, c), w: DVec3::new(d, e, f) }
    }

    /// The same motion, seen from another frame.
    #[must_use]
    pub fn seen_from(&self, frame_from_world: Pose) -> Self {
        let w = frame_from_world.rotate(self.w);
        let origin_in_world = frame_from_world.inverse().translation();
        Self { v: frame_from_world.rotate(self.at(origin_in_world)), w }
    }
}

/// One half-space of motions: `normal · (v + w × point) ≥ 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Unit vector into the moving body's side.
    pub normal: DVec3,
    /// Where they touch.
    pub point: DVec3,
    /// With what the normal turns.
    pub turns: Turns,
}

impl Row {
    /// The speed at which the gap opens there.
    #[must_use]
    pub fn along(&self, motion: &Twist) -> f64 {
        self.normal.dot(motion.at(self.point))
    }

    /// `(n, p × n)`: the row of the constraint, and the wrench of a unit force along the normal.
    #[must_use]
    pub fn numbers(&self) -> [f64; 6] {
        let m = self.point.cross(self.normal);
        [self.normal.x, self.normal.y, self.normal.z, m.x, m.y, m.z]
    }

    /// The same row in another frame.
    #[must_use]
    pub fn seen_from(&self, frame_from_world: Pose) -> Self {
        let turns = match self.turns {
            Turns::Edges(edges) => Turns::Edges(edges.map(|e| frame_from_world.rotate(e))),
            Turns::Bulges { radii, axis } => {
                Turns::Bulges { radii, axis: axis.map(|a| frame_from_world.rotate(a)) }
            }
            other => other,
        };
        Self { normal: frame_from_world.rotate(self.normal), point: frame_from_world * self.point, turns }
    }
}

/// A contact point, and the AND of ORs of rows there.
#[derive(Clone, Debug, PartialEq)]
pub struct Contact {
    /// Which of the fixed parts.
    pub fixed: usize,
    /// Where.
    pub point: DVec3,
    /// What of the moving part and of the fixed one touches.
    pub on: [Feature; 2],
    /// Into how many convex pieces the moving and the fixed part fall here.
    pub pieces: [usize; 2],
    /// Of each of these, one row at least must hold.
    pub conditions: Vec<Vec<Row>>,
}

/// A convex edge along a convex edge: at every point of the segment one of the two normals must hold.
///
/// The end points do not decide it: a motion may keep the first normal at one end, the second at the other, and collide in
/// between.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// Which of the fixed parts.
    pub fixed: usize,
    /// Its ends.
    pub ends: [DVec3; 2],
    /// The two normals.
    pub normals: [DVec3; 2],
}

impl Segment {
    /// The least, over the segment, of the larger of the two speeds at which the gap opens.
    ///
    /// Both are affine along the segment, so the larger is least at an end or where they are equal.
    #[must_use]
    pub fn along(&self, motion: &Twist) -> f64 {
        let [a, b] = self.normals.map(|n| self.ends.map(|p| n.dot(motion.at(p))));
        let mut least = a[0].max(b[0]).min(a[1].max(b[1]));
        let (start, end) = (a[0] - b[0], a[1] - b[1]);
        if (start > 0.0) != (end > 0.0) && start != end {
            let t = start / (start - end);
            least = least.min(a[0] + t * (a[1] - a[0]));
        }
        least
    }

    /// The four rows at the two ends, first both of the first normal.
    #[must_use]
    pub fn rows(&self) -> [[Row; 2]; 2] {
        self.normals.map(|normal| self.ends.map(|point| Row { normal, point, turns: Turns::Either }))
    }
}

/// Bodies that touch all the way round a circle, as a cone in its countersink: in every direction around an axis a normal must hold.
///
/// The normals `axis · sin + e · cos`, for every unit vector `e` across the axis, go through one point of it, the pole. So with the velocity `u` of the pole all of
/// them hold if and only if `sin (axis · u) ≥ cos |u across the axis|`: a round cone of velocities, which no number of half-spaces is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ring {
    /// Which of the fixed parts.
    pub fixed: usize,
    /// Where the normals meet.
    pub pole: DVec3,
    /// The axis, a unit vector that all normals push along.
    pub axis: DVec3,
    /// The sine of the angle between the normals and a plane across the axis.
    pub sine: f64,
    /// From the pole along a normal to where it touches; negative if that is against the normal.
    pub reach: f64,
    /// What of the moving part and of the fixed one touches.
    pub on: [Feature; 2],
    /// Points of the circle that stand for it among the contacts: the first of them, and how many.
    pub contacts: [usize; 2],
}

/// How many normals stand for all of a ring where half-spaces are wanted.
pub(crate) const RING_SIDES: usize = 16;

impl Ring {
    /// The least speed, over the circle, at which the gap opens.
    #[must_use]
    pub fn along(&self, motion: &Twist) -> f64 {
        let u = motion.at(self.pole);
        self.sine * self.axis.dot(u) - self.cosine() * u.reject_from_normalized(self.axis).length()
    }

    fn cosine(&self) -> f64 {
        (1.0 - self.sine * self.sine).max(0.0).sqrt()
    }

    fn around(&self, wider: f64) -> impl Iterator<Item = DVec3> + use<> {
        let (u, v) = self.axis.any_orthonormal_pair();
        let (along, across) = (self.axis * self.sine, self.cosine() * wider);
        (0..RING_SIDES).map(move |k| {
            let (sin, cos) = (std::f64::consts::TAU * k as f64 / RING_SIDES as f64).sin_cos();
            (along + (u * cos + v * sin) * across).normalize_or_zero()
        })
    }

    /// Points of the circle, each with its row.
    pub(crate) fn contacts(&self) -> Vec<Contact> {
        let contact = |row: Row| Contact {
            fixed: self.fixed,
            point: row.point,
            on: self.on,
            pieces: [1, 1],
            conditions: vec![vec![row]],
        };
        self.rows_outside().into_iter().map(contact).collect()
    }

    /// Some of its rows. Each must hold, but together they allow more than the ring does.
    #[must_use]
    pub fn rows_outside(&self) -> Vec<Row> {
        let row =
            |normal: DVec3| Row { normal, point: self.pole + normal * self.reach, turns: Turns::Unknown };
        self.around(1.0).map(row).collect()
    }

    /// Rows that, if all hold, make all of the ring hold: those of a pyramid of normals around the round cone of them.
    #[must_use]
    pub fn rows_inside(&self) -> Vec<Row> {
        let wider = 1.0 / (std::f64::consts::PI / RING_SIDES as f64).cos();
        self.around(wider).map(|normal| Row { normal, point: self.pole, turns: Turns::Unknown }).collect()
    }
}

/// All that constrains a body.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactSet {
    /// Points.
    pub contacts: Vec<Contact>,
    /// Edges along edges.
    pub segments: Vec<Segment>,
    /// Circles along which round faces touch.
    pub rings: Vec<Ring>,
    /// A point in the middle of the moving body: moments are taken about it where sizes are compared.
    pub centre: DVec3,
    /// Size of the moving body: a rotation by `x` weighs as much as a translation by `x` times this.
    pub size: f64,
    /// How uncertain rows are, as a fraction.
    pub uncertainty: f64,
}

/// What the first order says about a small motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All gaps open.
    Safe,
    /// Some gap neither opens nor closes, and none closes.
    Border,
    /// Some gap closes: the bodies would overlap.
    Blocked,
}

/// Which condition it hangs on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A contact, and which of its conditions.
    Point(usize, usize),
    /// A segment.
    Segment(usize),
    /// A ring.
    Ring(usize),
}

/// What a small motion does.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The answer.
    pub verdict: Verdict,
    /// The speed, as a fraction of that of the motion, at which the tightest condition opens; negative if it closes.
    pub margin: f64,
    /// What blocks it, or what it is on the border of; the tightest first.
    pub by: Vec<(Condition, f64)>,
}

/// Least band around zero in which a motion counts as on the border, as a fraction of its speed: roundings.
pub const BORDER: f64 = 1e-9;

impl ContactSet {
    /// All conditions in turn.
    pub fn conditions(&self) -> impl Iterator<Item = (Condition, &[Row])> {
        self.contacts.iter().enumerate().flat_map(|(i, contact)| {
            contact
                .conditions
                .iter()
                .enumerate()
                .map(move |(j, rows)| (Condition::Point(i, j), rows.as_slice()))
        })
    }

    /// How many conditions there are at points: each OR counts once.
    #[must_use]
    pub fn count(&self) -> usize {
        self.contacts.iter().map(|c| c.conditions.len()).sum()
    }

    /// Whether a small motion is safe, blocked, or on the border, and by what.
    #[must_use]
    pub fn judge(&self, motion: &Twist) -> Judgement {
        let speed = self.speed(motion);
        let at = |speed_there: f64| if speed > 0.0 { speed_there / speed } else { 0.0 };
        let points = self.conditions().map(|(condition, rows)| {
            (condition, at(rows.iter().map(|row| row.along(motion)).fold(f64::NEG_INFINITY, f64::max)))
        });
        let segments =
            self.segments.iter().enumerate().map(|(i, s)| (Condition::Segment(i), at(s.along(motion))));
        let rings = self.rings.iter().enumerate().map(|(i, r)| (Condition::Ring(i), at(r.along(motion))));
        let mut by: Vec<(Condition, f64)> = points.chain(segments).chain(rings).collect();
        by.sort_by(|a, b| a.1.total_cmp(&b.1));
        let margin = by.first().map_or(f64::INFINITY, |least| least.1);
        let band = self.uncertainty.max(BORDER);
        // A number that is not finite is no proof of safety.
        let verdict = match margin {
            m if m > band => Verdict::Safe,
            m if m >= -band => Verdict::Border,
            _ => Verdict::Blocked,
        };
        let until = if verdict == Verdict::Blocked { -band } else { band };
        by.retain(|&(_, m)| !(m > until));
        Judgement { verdict, margin, by }
    }

    /// The largest speed of a point in the middle or at the size from it.
    #[must_use]
    pub fn speed(&self, motion: &Twist) -> f64 {
        motion.at(self.centre).length().hypot(motion.w.length() * self.size)
    }

    /// A row about the centre with moments in units of the size, of unit length.
    pub(crate) fn scaled(&self, row: &Row) -> [f64; 6] {
        let m = (row.point - self.centre).cross(row.normal) / self.size;
        let numbers = [row.normal.x, row.normal.y, row.normal.z, m.x, m.y, m.z];
        let length = crate::linear::norm(&numbers);
        numbers.map(|x| x / length)
    }

    /// A twist from its scaled numbers about the centre.
    pub(crate) fn twist(&self, scaled: &[f64; 6]) -> Twist {
        let [a, b, c, d, e, f] = *scaled;
        let w = DVec3::new(d, e, f) / self.size;
        Twist { v: DVec3::new(a, b, c) - w.cross(self.centre), w }
    }

    /// The inverse of [`ContactSet::twist`].
    pub(crate) fn scaled_twist(&self, motion: &Twist) -> [f64; 6] {
        let (v, w) = (motion.at(self.centre), motion.w * self.size);
        [v.x, v.y, v.z, w.x, w.y, w.z]
    }
}

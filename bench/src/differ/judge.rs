//! Who is right where two engines differ? Decided by exact arithmetic where all is triangles, and by searches within searches elsewhere.

use super::bodies::Item;
use super::exact::{self, Truth};
use super::nested;
use kansho::geom::glam::DVec3;
use kansho::geom::primitive::Shape;
use kansho::geom::solid::{self, Meeting};
use kansho::geom::tree::Scratch;
use kansho::geom::{Pose, tolerance};
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// A question about two shapes, the second placed in the frame of the first.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) a: &'a Item,
    pub(crate) b: &'a Item,
    pub(crate) a_from_b: Pose,
}

/// What an engine says; it may not know one or the other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Said {
    pub(crate) hit: Option<bool>,
    pub(crate) distance: Option<f64>,
}

/// What a difference is due to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// One body is inside the other; the engine's meshes are surfaces only.
    Inside,
    /// The bodies touch, or are apart, by no more than rounding: 1e-12 of the coordinates.
    Rounding,
    /// By no more than 1e-6 of the coordinates, the tolerance of iterative searches.
    Tolerance,
    /// The engine is wrong by more than that: exact arithmetic agrees with us.
    Theirs,
    /// We are wrong.
    Ours,
}

impl Cause {
    pub(crate) const ALL: [Self; 5] =
        [Self::Inside, Self::Rounding, Self::Tolerance, Self::Theirs, Self::Ours];

    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Inside => "inside",
            Self::Rounding => "rounding",
            Self::Tolerance => "their tolerance",
            Self::Theirs => "their fault",
            Self::Ours => "OUR FAULT",
        }
    }
}

/// Rounding of an engine in double precision, as a fraction of the coordinates.
const ROUNDING: f64 = 1e-12;
/// What iterative searches (GJK) stop at, as a fraction of the coordinates.
const ITERATIVE: f64 = 1e-6;
/// How far our distances, and those that searches within searches find, may be off, as a fraction of the coordinates.
const OURS: f64 = 4e-13;

/// What we say.
pub(crate) fn ours(row: &Row<'_>, wants_distance: bool, scratch: &mut Scratch) -> (Meeting, Option<f64>) {
    let meeting = solid::meet(&row.a.solid, &row.b.solid, row.a_from_b, scratch);
    let gap = wants_distance
        .then(|| solid::distance(&row.a.solid, &row.b.solid, row.a_from_b, f64::INFINITY, scratch))
        .flatten();
    (meeting, gap.map(|gap| gap.gap))
}

/// Size of the coordinates that take part.
pub(crate) fn size(row: &Row<'_>) -> f64 {
    let reach = |item: &Item| item.middle.length() + item.radius;
    reach(row.a) + reach(row.b) + row.a_from_b.translation().length()
}

/// What is the case, and the distance where round shapes take part; negative where they overlap.
fn truth(row: &Row<'_>) -> (Truth, Option<f64>) {
    let Row { a, b, a_from_b } = row;
    let back = a_from_b.inverse();
    let meets = |d: f64| if d <= 0.0 { Truth::Touch } else { Truth::Apart };
    match (a.round(), b.round()) {
        (None, None) => (exact::truth(&a.surface(Pose::IDENTITY), &b.surface(*a_from_b)), None),
        (Some(round), None) => with_triangles(&round, a_from_b.inverse() * DVec3::ZERO, b, *a_from_b),
        (None, Some(round)) => with_triangles(&round, a_from_b.translation(), a, back),
        (Some(first), Some(second)) => {
            let d = if matches!(second, Shape::HalfSpace { .. }) {
                nested::of_two(&second, &first, &|p| back * p)
            } else {
                nested::of_two(&first, &second, &|p| *a_from_b * p)
            };
            (meets(d), Some(d))
        }
    }
}

/// A round shape, with its middle in the frame of a mesh, and the mesh placed in its frame.
fn with_triangles(round: &Shape, middle: DVec3, item: &Item, round_from_item: Pose) -> (Truth, Option<f64>) {
    let d = nested::from_triangles(round, &item.surface(round_from_item).triangles);
    if d <= 0.0 {
        return (Truth::Touch, Some(d));
    }
    let inside = !matches!(round, Shape::HalfSpace { .. }) && item.surface(Pose::IDENTITY).holds(middle);
    (if inside { Truth::Inside } else { Truth::Apart }, Some(d))
}

/// What is the case, worked out when it is first needed.
#[derive(Default)]
pub(crate) struct Known(OnceCell<(Truth, Option<f64>)>);

impl Known {
    fn of(&self, row: &Row<'_>) -> (Truth, Option<f64>) {
        *self.0.get_or_init(|| truth(row))
    }
}

/// Whether what we say is true.
pub(crate) fn is_right(row: &Row<'_>, meeting: Meeting, known: &Known) -> bool {
    let (truth, d) = known.of(row);
    let size = size(row);
    match d {
        None => match meeting {
            Meeting::Apart => truth == Truth::Apart,
            Meeting::Touch => truth == Truth::Touch,
            Meeting::SecondInside | Meeting::FirstInside => truth == Truth::Inside,
        },
        // Round shapes touch within a thin border; the searches round, too.
        Some(d) if meeting == Meeting::Apart => d >= -OURS * size && truth != Truth::Inside,
        Some(d) => truth == Truth::Inside || d <= (tolerance::ROUND + OURS) * size,
    }
}

/// What a difference about touching is due to.
pub(crate) fn touching(
    row: &Row<'_>,
    meeting: Meeting,
    theirs: bool,
    known: &Known,
    scratch: &mut Scratch,
) -> Cause {
    if !is_right(row, meeting, known) {
        return Cause::Ours;
    }
    let size = size(row);
    if theirs {
        let gap = solid::distance(&row.a.solid, &row.b.solid, row.a_from_b, f64::INFINITY, scratch);
        return by_size(gap.map_or(f64::INFINITY, |gap| gap.gap), size);
    }
    if known.of(row).0 == Truth::Inside {
        return Cause::Inside;
    }
    for (share, cause) in [(ROUNDING, Cause::Rounding), (ITERATIVE, Cause::Tolerance)] {
        if slips_out(row, 3.0 * share * size, scratch) {
            return cause;
        }
    }
    Cause::Theirs
}

/// What a difference of distances is due to; none if there is no difference to speak of.
pub(crate) fn distances(row: &Row<'_>, ours: f64, theirs: f64, known: &Known) -> Option<Cause> {
    let size = size(row);
    let off = (ours - theirs).abs();
    if off <= ROUNDING * size {
        return None;
    }
    if ours == 0.0 {
        // Then they touch; that question has its own answer, but for what lies inside.
        let (truth, d) = known.of(row);
        return Some(match truth {
            Truth::Inside => Cause::Inside,
            Truth::Apart if d.is_none_or(|d| d > (tolerance::ROUND + OURS) * size) => Cause::Ours,
            _ => by_size(off, size),
        });
    }
    let true_distance = match (row.a.solid.tree(), row.b.solid.tree()) {
        (Some(_), Some(_)) => {
            let (a, b) = (row.a.surface(Pose::IDENTITY), row.b.surface(row.a_from_b));
            nested::of_meshes(&a.triangles, &b.triangles)
        }
        _ => known.of(row).1.unwrap_or(f64::NAN),
    };
    if !((ours - true_distance).abs() <= OURS * size) {
        return Some(Cause::Ours);
    }
    Some(by_size(off, size))
}

fn by_size(off: f64, size: f64) -> Cause {
    if off <= ROUNDING * size {
        Cause::Rounding
    } else if off <= ITERATIVE * size {
        Cause::Tolerance
    } else {
        Cause::Theirs
    }
}

/// Whether a step in some direction takes them apart.
fn slips_out(row: &Row<'_>, step: f64, scratch: &mut Scratch) -> bool {
    let mut directions = Vec::new();
    for x in -2..=2 {
        for y in -2..=2 {
            for z in -2..=2 {
                if let Some(unit) = DVec3::new(f64::from(x), f64::from(y), f64::from(z)).try_normalize() {
                    directions.push(unit);
                }
            }
        }
    }
    directions.iter().any(|&direction| {
        let moved = Pose::from_translation(direction * step) * row.a_from_b;
        solid::meet(&row.a.solid, &row.b.solid, moved, scratch) == Meeting::Apart
    })
}

/// Differences of a group of questions put to an engine.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    pub(crate) touching: usize,
    pub(crate) hits: usize,
    pub(crate) distances: usize,
    /// Questions that the engine does not answer.
    pub(crate) unknown: usize,
    pub(crate) by_cause: BTreeMap<(bool, Cause), usize>,
    /// The largest difference of two distances that were both taken as equal.
    pub(crate) worst_equal: f64,
}

impl Tally {
    pub(crate) fn add(&mut self, other: &Self) {
        self.touching += other.touching;
        self.hits += other.hits;
        self.distances += other.distances;
        self.unknown += other.unknown;
        self.worst_equal = self.worst_equal.max(other.worst_equal);
        for (key, count) in &other.by_cause {
            *self.by_cause.entry(*key).or_default() += count;
        }
    }

    pub(crate) fn of(&self, cause: Cause) -> usize {
        self.by_cause.iter().filter(|((_, c), _)| *c == cause).map(|(_, count)| count).sum()
    }

    /// Differences about touching (or distances), with their causes.
    pub(crate) fn differences(&self, is_distance: bool) -> String {
        let words: Vec<String> = Cause::ALL
            .iter()
            .filter_map(|cause| {
                self.by_cause.get(&(is_distance, *cause)).map(|n| format!("{n} {}", cause.words()))
            })
            .collect();
        if words.is_empty() { "0".to_owned() } else { words.join(", ") }
    }
}

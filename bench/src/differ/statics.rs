//! Millions of questions about bodies at rest, to us, to parry, and to engines that answer by way of files.

use super::ask::{self, FAMILY};
use super::bodies::{self, Item, Robot};
use super::files::{Folder, Written};
use super::judge::{self, Cause, Known, Row, Said, Tally};
use super::random::Random;
use kansho::geom::Pose;
use kansho::geom::solid::{self, Meeting};
use kansho::geom::tree::Scratch;
use parry3d_f64::bounding_volume::BoundingVolume;
use parry3d_f64::query;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Families that are asked together, between writes.
const TOGETHER: usize = 256;
/// One of so many families has its first rows decided by exact arithmetic, whether engines differ or not.
const EXACT: u64 = 20;
/// Most pairs of triangles for that, and for distances of meshes, which parry takes long for.
const FEW: usize = 400_000;

/// Everything that is asked about.
pub(crate) struct World {
    pub(crate) parts: [Vec<Item>; 3],
    primitives: Vec<Item>,
    pub(crate) robots: Vec<Robot>,
    /// Whether parry is asked, too.
    asks_parry: bool,
}

/// Differences, by group and engine.
pub(crate) type Tallies = BTreeMap<(String, String), Tally>;

/// A row with who asked, and what was said.
pub(crate) struct Asked<'a> {
    pub(crate) group: String,
    pub(crate) row: Row<'a>,
    pub(crate) items: [usize; 2],
    pub(crate) wants_distance: bool,
    ours: (Meeting, Option<f64>),
    parry: Said,
    exact: bool,
}

/// What a family is: rows, and questions that scenes and shapes answer differently.
struct Family<'a> {
    rows: Vec<Asked<'a>>,
    questions: (String, usize),
    inconsistent: Vec<String>,
}

impl World {
    pub(crate) fn read(real: &Path, bench: &Path, robots: usize) -> Self {
        Self {
            parts: bodies::parts(real),
            primitives: bodies::primitives(),
            robots: bodies::robots(real, bench, robots),
            asks_parry: true,
        }
    }

    /// Every shape, in an order that is always the same.
    pub(crate) fn items(&self) -> Vec<&Item> {
        let of_robots = self.robots.iter().flat_map(|robot| robot.pieces.iter().map(|(item, _, _)| item));
        self.parts.iter().flatten().chain(&self.primitives).chain(of_robots).collect()
    }

    fn first_item(&self, list: usize) -> usize {
        let lengths = self.parts.iter().map(Vec::len).chain([self.primitives.len()]);
        let robots = self.robots.iter().map(|robot| robot.pieces.len());
        lengths.chain(robots).take(list).sum()
    }

    fn family(&self, seed: u64, case: u64, scratch: &mut Scratch) -> Family<'_> {
        let mut random = Random::of(seed, case);
        let exact = (case / 10).is_multiple_of(EXACT);
        let kind = (case % 10) as usize;
        if kind >= 7 {
            return self.postures((case / 10 * 3 + case % 10 - 7) as usize, exact, &mut random, scratch);
        }
        let (group, lists) = match kind {
            0 | 1 => ("parts", [0, 0]),
            2 => ("parts, far out", [1, 1]),
            3 => ("parts, in mm", [2, 2]),
            4 | 5 => ("primitives and parts", [3, 0]),
            _ => ("primitives", [3, 3]),
        };
        let list = |k: usize| if k < 3 { &self.parts[k] } else { &self.primitives };
        let (mut i, mut j) = (random.below(list(lists[0]).len()), random.below(list(lists[1]).len()));
        if list(lists[1])[j].is_half_space() {
            // A half-space is the first, and not both are.
            (i, j) = (j, if list(lists[0])[i].is_half_space() { 0 } else { i });
        }
        let (a, b) = (&list(lists[0])[i], &list(lists[1])[j]);
        let few = a.triangles() * b.triangles() <= FEW;
        let rows =
            ask::poses(a, b, kind == 2, &mut random, scratch).into_iter().enumerate().map(|(k, a_from_b)| {
                let row = Row { a, b, a_from_b };
                let wants_distance = match kind {
                    0..=3 => few && k % 8 == 3,
                    4 | 5 => k % 4 == 3,
                    _ => k % 4 == 1,
                };
                let items = [self.first_item(lists[0]) + i, self.first_item(lists[1]) + j];
                self.asked(group.to_owned(), row, items, wants_distance, exact && k < 4 && few, scratch)
            });
        Family { rows: rows.collect(), questions: (group.to_owned(), FAMILY), inconsistent: Vec::new() }
    }

    fn asked<'a>(
        &self,
        group: String,
        row: Row<'a>,
        items: [usize; 2],
        wants_distance: bool,
        exact: bool,
        scratch: &mut Scratch,
    ) -> Asked<'a> {
        let ours = judge::ours(&row, wants_distance, scratch);
        let parry = if self.asks_parry { by_parry(&row, wants_distance) } else { Said::default() };
        Asked { group, row, items, wants_distance, ours, parry, exact }
    }

    /// Postures of a robot, as rows of pieces whose boxes meet.
    fn postures(&self, case: usize, exact: bool, random: &mut Random, scratch: &mut Scratch) -> Family<'_> {
        let index = case % self.robots.len();
        let robot = &self.robots[index];
        let first = self.first_item(4 + index);
        let group = format!("robot {}", robot.name);
        let (mut plain, mut quick) = (robot.plain.workspace(), robot.quick.workspace());
        let (mut rows, mut inconsistent) = (Vec::new(), Vec::new());
        for (k, posture) in ask::postures(robot, random, &mut plain).into_iter().enumerate() {
            let placed = robot.cell.place(&posture);
            let at: Vec<Pose> = (0..robot.pieces.len()).map(|p| robot.world_from_piece(&placed, p)).collect();
            let boxes: Vec<_> = robot
                .pieces
                .iter()
                .zip(&at)
                .map(|((item, _, _), at)| {
                    item.shape.compute_aabb(&bodies::pose(*at * item.ours_from_theirs)).loosened(1e-9)
                })
                .collect();
            let touches = robot.plain.touches(&posture, &mut plain);
            if robot.quick.touches(&posture, &mut quick) != touches {
                inconsistent.push(format!("{group}: models and shapes differ in {posture:?}"));
            }
            let mut any = false;
            for &[i, j] in &robot.pairs {
                if !boxes[i].intersects(&boxes[j]) {
                    continue;
                }
                let row =
                    Row { a: &robot.pieces[i].0, b: &robot.pieces[j].0, a_from_b: at[i].inverse() * at[j] };
                let few = row.a.triangles() * row.b.triangles() <= FEW;
                let asked = self.asked(
                    group.clone(),
                    row,
                    [first + i, first + j],
                    false,
                    exact && k < 2 && few,
                    scratch,
                );
                any |= asked.ours.0 != Meeting::Apart;
                rows.push(asked);
            }
            if any != touches && !self.is_rounding(robot, &at, touches, scratch) {
                inconsistent.push(format!("{group}: the cell and its shapes differ in {posture:?}"));
            }
            if k % 32 == 9 {
                let least = robot
                    .plain
                    .least_gap(&posture, f64::INFINITY, &mut plain)
                    .map_or(f64::NAN, |gap| gap.gap);
                let of_pairs = self.least(robot, &at, scratch);
                if !((least - of_pairs).abs() <= 1e-12) {
                    inconsistent
                        .push(format!("{group}: the least gap is {least} or {of_pairs} in {posture:?}"));
                }
            }
        }
        Family { rows, questions: (group, FAMILY), inconsistent }
    }

    /// The least gap of all pairs of pieces, each measured by itself.
    fn least(&self, robot: &Robot, at: &[Pose], scratch: &mut Scratch) -> f64 {
        let gap = |&[i, j]: &[usize; 2]| {
            let (a, b) = (&robot.pieces[i].0.solid, &robot.pieces[j].0.solid);
            solid::distance(a, b, at[i].inverse() * at[j], f64::INFINITY, scratch)
                .map_or(f64::INFINITY, |g| g.gap)
        };
        robot.pairs.iter().map(gap).fold(f64::INFINITY, f64::min)
    }

    /// Whether a cell and its shapes may differ, for places are multiplied in another order: nothing is deeper, or farther, than rounding.
    fn is_rounding(&self, robot: &Robot, at: &[Pose], touches: bool, scratch: &mut Scratch) -> bool {
        let least = self.least(robot, at, scratch);
        if touches {
            return least < 1e-14;
        }
        // The shapes touch: then a step of that size takes each pair that does apart.
        robot.pairs.iter().all(|&[i, j]| {
            let row = Row { a: &robot.pieces[i].0, b: &robot.pieces[j].0, a_from_b: at[i].inverse() * at[j] };
            let meeting = solid::meet(&row.a.solid, &row.b.solid, row.a_from_b, scratch);
            meeting == Meeting::Apart
                || judge::touching(&row, meeting, false, &Known::default(), scratch) == Cause::Rounding
        })
    }
}

impl Asked<'_> {
    /// Our fault if exact arithmetic, or a search within searches, says otherwise.
    fn by_exact(&self, known: &Known) -> Tally {
        let mut tally =
            Tally { touching: 1, hits: usize::from(self.ours.0 != Meeting::Apart), ..Tally::default() };
        if !judge::is_right(&self.row, self.ours.0, known) {
            *tally.by_cause.entry((false, Cause::Ours)).or_default() += 1;
        }
        tally
    }

    /// What an engine's answer differs in, and why.
    fn compared(&self, said: Said, known: &Known) -> Tally {
        let mut tally = Tally::default();
        let mut scratch = Scratch::default();
        match said.hit {
            None => tally.unknown += 1,
            Some(hit) => {
                tally.touching += 1;
                tally.hits += usize::from(hit);
                if hit != (self.ours.0 != Meeting::Apart) {
                    let cause = judge::touching(&self.row, self.ours.0, hit, known, &mut scratch);
                    *tally.by_cause.entry((false, cause)).or_default() += 1;
                }
            }
        }
        if let (Some(ours), Some(theirs)) = (self.ours.1, said.distance) {
            tally.distances += 1;
            match judge::distances(&self.row, ours, theirs, known) {
                None => tally.worst_equal = (ours - theirs).abs(),
                Some(cause) => *tally.by_cause.entry((true, cause)).or_default() += 1,
            }
        }
        tally
    }
}

/// What parry says.
fn by_parry(row: &Row<'_>, wants_distance: bool) -> Said {
    let [a, b] = [row.a.ours_from_theirs, row.a_from_b * row.b.ours_from_theirs].map(bodies::pose);
    let (first, second) = (&*row.a.shape.0, &*row.b.shape.0);
    let hit = query::intersection_test(&a, first, &b, second).ok().map(|found| found.intersecting);
    let distance = wants_distance
        .then(|| query::distance(&a, first, &b, second).ok().map(|found| found.distance))
        .flatten();
    Said { hit, distance }
}

/// What came out of a run.
pub(crate) struct Outcome {
    pub(crate) questions: BTreeMap<String, usize>,
    pub(crate) tallies: Tallies,
    pub(crate) inconsistent: Vec<String>,
    /// Differences that are not rounding, a few of each kind, in words.
    pub(crate) examples: Vec<String>,
}

/// Writes the rows of `count` questions for engines that read files. Nobody is asked.
pub(crate) fn write(mut world: World, count: usize, seed: u64, folder: &Path) -> usize {
    world.asks_parry = false;
    let mut written = Written::new(folder, &world.items());
    let cases: Vec<u64> = (0..count.div_ceil(FAMILY) as u64).collect();
    let mut number = 0;
    for cases in cases.chunks(TOGETHER) {
        let make = |scratch: &mut Scratch, &case: &u64| world.family(seed, case, scratch);
        let families: Vec<Family<'_>> = cases.par_iter().map_init(Scratch::default, make).collect();
        for family in families {
            written.rows(&family.rows);
            number += family.rows.len();
        }
    }
    number
}

/// Asks `count` questions. With a folder, the answers there of engines that read files are compared, too.
pub(crate) fn run(world: &World, count: usize, seed: u64, folder: Option<&Path>) -> Outcome {
    let answers = folder.map(Folder::answers).unwrap_or_default();
    let mut outcome = Outcome {
        questions: BTreeMap::new(),
        tallies: BTreeMap::new(),
        inconsistent: Vec::new(),
        examples: Vec::new(),
    };
    let cases: Vec<u64> = (0..count.div_ceil(FAMILY) as u64).collect();
    let mut number = 0;
    for cases in cases.chunks(TOGETHER) {
        let families: Vec<Family<'_>> = cases
            .par_iter()
            .map_init(Scratch::default, |scratch, &case| world.family(seed, case, scratch))
            .collect();
        let mut rows = Vec::new();
        for family in families {
            *outcome.questions.entry(family.questions.0).or_default() += family.questions.1;
            outcome.inconsistent.extend(family.inconsistent);
            rows.extend(family.rows);
        }
        let first = number;
        number += rows.len();
        let compared: Vec<(String, String, Tally, Option<String>)> = rows
            .par_iter()
            .enumerate()
            .flat_map_iter(|(k, asked)| {
                let known = Known::default();
                let mut all = vec![("parry".to_owned(), asked.compared(asked.parry, &known), asked.parry)];
                for (engine, answers) in &answers {
                    let said = answers.get(first + k).copied().unwrap_or_default();
                    all.push((engine.clone(), asked.compared(said, &known), said));
                }
                if asked.exact {
                    all.push(("exact".to_owned(), asked.by_exact(&known), Said::default()));
                }
                all.into_iter().map(move |(engine, tally, said)| {
                    let telling = [Cause::Theirs, Cause::Ours].iter().any(|&cause| tally.of(cause) > 0);
                    let example = telling.then(|| {
                        format!(
                            "{} [{}, {}], row {}: we say {:?}, {engine} {said:?} ({}; {}) at {:?}",
                            asked.group,
                            asked.row.a.name,
                            asked.row.b.name,
                            first + k,
                            asked.ours,
                            tally.differences(false),
                            tally.differences(true),
                            asked.row.a_from_b.to_rows(),
                        )
                    });
                    (asked.group.clone(), engine, tally, example)
                })
            })
            .collect();
        for (group, engine, tally, example) in compared {
            outcome.tallies.entry((group, engine)).or_default().add(&tally);
            outcome.examples.extend(example);
        }
    }
    outcome
}

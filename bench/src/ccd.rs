//! First contacts of moving features: public queries, and cubic paths of our own with the truth by Sturm's chains.

use crate::clock::thread_secs;
use crate::contact_oracle::{self, Controls};
use kansho::geom::glam::DVec3;
use kansho::geom::moving_features::{First, Path, Scratch, Wanted, edge_edge, vertex_face};
use kansho::io::ccd::{self, Kind, Query};
use std::path::Path as FilePath;
use std::time::Instant;

/// Runs of each query, of which the fastest counts; and runs of all of ours that are timed together, because the system counts
/// processor time in milliseconds.
const RUNS: usize = 10;

/// Times that these are repeated; the fastest counts.
const BLOCKS: usize = 5;

pub(crate) fn all(data: &FilePath) {
    public(&data.join("../../data/ccd"));
    ours();
}

/// Queries in the public rational format.
fn public(folder: &FilePath) {
    let mut files = Vec::new();
    walk(folder, &mut files);
    files.sort();
    let queries: Vec<(Kind, Query)> = files
        .iter()
        .flat_map(|file| {
            let kind = Kind::of_folder(file).expect("folders name kinds");
            ccd::read(file).expect("the queries are good").into_iter().map(move |query| (kind, query))
        })
        .collect();
    let wanted = Wanted { tolerance: 1.0, ..Wanted::default() };
    let mut fastest = vec![f64::INFINITY; queries.len()];
    let (mut missed, mut invented, mut undecided) = (0, 0, 0);
    let mut scratch = Scratch::default();
    for _ in 0..RUNS {
        (missed, invented, undecided) = (0, 0, 0);
        scratch = Scratch::default();
        for ((kind, query), fastest) in queries.iter().zip(&mut fastest) {
            let start = Instant::now();
            let first = query.first(*kind, &wanted, &mut scratch);
            *fastest = fastest.min(start.elapsed().as_secs_f64() * 1e6);
            match first {
                First::Never => missed += usize::from(query.touch),
                First::At { .. } => invented += usize::from(!query.touch),
                First::Undecided => undecided += 1,
            }
        }
    }
    fastest.sort_by(f64::total_cmp);
    let mean = fastest.iter().sum::<f64>() / fastest.len() as f64;
    let (median, worst) = (fastest[fastest.len() / 2], fastest[fastest.len() - 1]);
    println!(
        "ccd public queries: {} of them, {missed} missed, {invented} invented, {undecided} undecided; mean {mean:.2} us (asked 10), \
         median {median:.2} us (0.3), worst {worst:.0} us (5000); {} exact",
        queries.len(),
        scratch.exact
    );
}

fn walk(folder: &FilePath, files: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("the folder of queries can be read") {
        let path = entry.expect("the folder of queries can be read").path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "csv") {
            files.push(path);
        }
    }
}

/// Four cubic paths in whole numbers of some unit.
struct Case {
    kind: Kind,
    whole: [Controls; 4],
    paths: [Path<4>; 4],
    truth: Option<f64>,
}

impl Case {
    fn new(kind: Kind, whole: [Controls; 4], unit: f64) -> Self {
        let path = |controls: &Controls| {
            Path(std::array::from_fn(|i| DVec3::from_array(controls[i].map(|c| c as f64)) * unit))
        };
        Self { kind, paths: whole.each_ref().map(path), whole, truth: None }
    }

    fn with_truth(mut self) -> Self {
        let [a, b, c, d] = self.whole.clone();
        self.truth = match self.kind {
            Kind::VertexFace => contact_oracle::vertex_face(&a, &[b, c, d]),
            Kind::EdgeEdge => contact_oracle::edge_edge(&[a, b], &[c, d]),
        };
        self
    }

    fn first(&self, scratch: &mut Scratch) -> First {
        let [a, b, c, d] = self.paths;
        match self.kind {
            Kind::VertexFace => vertex_face(&a, &[b, c, d], &Wanted::default(), scratch),
            Kind::EdgeEdge => edge_edge(&[a, b], &[c, d], &Wanted::default(), scratch),
        }
    }
}

fn ours() {
    let mut random = Random(1);
    let mut cases = Vec::new();
    for i in 0..18_000 {
        let kind = if i % 2 == 0 { Kind::VertexFace } else { Kind::EdgeEdge };
        // 53 digits each, between -1 and 1.
        let path = |random: &mut Random| (0..4).map(|_| random.point(1 << 52)).collect::<Controls>();
        let whole = std::array::from_fn(|_| path(&mut random));
        cases.push(Case::new(kind, whole, 1.0 / (1_u64 << 52) as f64));
    }
    for i in 0..2_000 {
        cases.push(if i % 4 == 3 { irrational(&mut random) } else { grazing(i % 2 == 0, &mut random) });
    }
    let cases: Vec<Case> = cases.into_iter().map(Case::with_truth).collect();
    for (name, cases) in [("all", &cases[..]), ("random", &cases[..18_000]), ("grazing", &cases[18_000..])] {
        let mut best = f64::INFINITY;
        let mut answers: Vec<First> = Vec::new();
        let mut scratch = Scratch::default();
        for _ in 0..BLOCKS {
            let start = thread_secs();
            for _ in 0..RUNS {
                scratch = Scratch::default();
                answers.clear();
                answers.extend(cases.iter().map(|case| case.first(&mut scratch)));
            }
            best = best.min((thread_secs() - start) * 1e6 / (RUNS * cases.len()) as f64);
        }
        let wrong = cases.iter().zip(&answers).filter(|(case, answer)| !agrees(case.truth, **answer)).count();
        let touch = cases.iter().filter(|case| case.truth.is_some()).count();
        println!(
            "ccd cubic paths, {name}: {} cases, {touch} touch, {wrong} wrong; {best:.2} us each (asked 1.5 of all); {} exact",
            cases.len(),
            scratch.exact
        );
    }
}

fn agrees(truth: Option<f64>, answer: First) -> bool {
    match (truth, answer) {
        (None, First::Never) => true,
        (Some(t), First::At { time: [start, end] }) => {
            start <= t + 1e-15 && t - 1e-15 <= end && end - start <= 1e-9
        }
        _ => false,
    }
}

type Point = [i64; 3];

fn mix(terms: &[(i64, Point)]) -> Point {
    std::array::from_fn(|k| terms.iter().map(|(weight, point)| weight * point[k]).sum())
}

/// A contact that comes and goes: the distance from the plane is `(t − r)² (s − t)` times what seldom is zero, with `r` a
/// dyadic number in the span and `s` one outside.
fn grazing(face: bool, random: &mut Random) -> Case {
    let (r, s) = (random.up_to(31) + 32, [-40, 110][random.up_to(2) as usize]); // In 64ths, offset so that r is inside.
    let r = r - 16;
    // Bernstein coefficients of 3 · 64³ · (t − r)² (t − s) by its blossom, which is whole.
    let height = |t: [i64; 3]| {
        let [a, b, c] = t;
        (a - r) * (b - r) * (c - s) + (b - r) * (c - r) * (a - s) + (c - r) * (a - r) * (b - s)
    };
    let heights = [[0, 0, 0], [0, 0, 64], [0, 64, 64], [64, 64, 64]].map(height);
    let away = random.point(16);
    let weights = [random.up_to(80) - 8, random.up_to(40) - 8]; // In 64ths; some outside, some on a side.
    let mut whole: [Controls; 4] = std::array::from_fn(|_| Vec::new());
    for height in heights {
        let [a, b, c] = [(); 3].map(|()| random.point(1 << 10));
        let [u, v] = weights;
        // All in 64ths of a unit, and the heights in a small part of it.
        let lift = |p: Point| mix(&[(1 << 12, p)]);
        let points = if face {
            let p = mix(&[(64 - u - v, a), (u, b), (v, c)]);
            [mix(&[(1 << 6, p), (height, away)]), lift(a), lift(b), lift(c)]
        } else {
            // The middle of the second edge is on the first: its other end is twice that point minus this end.
            let x = mix(&[(64 - u, a), (u, b)]);
            let d = mix(&[(1 << 7, x), (-(1 << 12), c), (height, away)]);
            [lift(a), lift(b), lift(c), d]
        };
        whole.iter_mut().zip(points).for_each(|(controls, point)| controls.push(point));
    }
    Case::new(if face { Kind::VertexFace } else { Kind::EdgeEdge }, whole, 1.0 / (1 << 22) as f64)
}

/// The same at irrational times: with `h = 8 t² − 8 t + 1` a vertex is `h d` away from a point of the face, one side of which is
/// `e`, another `x e + y d + h f`. So the distance from the plane is `h²` times a constant.
fn irrational(random: &mut Random) -> Case {
    let [e, f, d] = [(); 3].map(|()| random.point(1 << 8));
    let weights = [random.up_to(80) - 8, random.up_to(40) - 8]; // In 64ths; some outside, some on a side.
    let mixed = [random.up_to(9) - 4, random.up_to(9) - 4];
    let [u, v] = weights;
    let mut whole: [Controls; 4] = std::array::from_fn(|_| Vec::new());
    // Cubic Bernstein coefficients of 3 h are 3, −5, −5, 3.
    for height in [3, -5, -5, 3] {
        let a = random.point(1 << 10);
        let b = mix(&[(1, a), (1, e)]);
        let c = mix(&[(1, a), (mixed[0], e), (mixed[1], d), (height, f)]);
        let p = mix(&[(64 - u - v, a), (u, b), (v, c), (height, d)]);
        let points = [p, mix(&[(64, a)]), mix(&[(64, b)]), mix(&[(64, c)])];
        whole.iter_mut().zip(points).for_each(|(controls, point)| controls.push(point));
    }
    Case::new(Kind::VertexFace, whole, 1.0 / (1 << 16) as f64)
}

/// A generator of our own (xorshift*), so that the cases stay the same.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 8
    }

    /// A whole number from 0 to below a limit.
    fn up_to(&mut self, limit: i64) -> i64 {
        (self.next() % limit as u64) as i64
    }

    /// Coordinates from minus the limit to below it.
    fn point(&mut self, limit: i64) -> Point {
        std::array::from_fn(|_| self.up_to(2 * limit) - limit)
    }
}

//! Two triangles on cubic paths: when do they first touch, exactly, and with which features?

use super::body::Body;
use kansho_geom::moving_features::{First, Path, Scratch, Wanted, edge_edge, vertex_face};
use kansho_geom::pose_motion::Affine;
use kansho_geom::triangle::{self, Feature};
use std::collections::HashMap;

/// The exact answers about features of two bodies in one piece of their motions. Each is asked for once: neighbouring triangles share
/// corners and sides. The order in which answers are stored plays no role.
#[derive(Debug, Default)]
pub(super) struct Features {
    known: HashMap<[u32; 5], Known>,
    scratch: Scratch,
    /// Pairs of features that were asked about.
    pub(super) asked: u64,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    first: First,
    until: f64,
}

/// The first contact of two triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum FirstPair {
    Never,
    At { time: [f64; 2], features: [Feature; 2] },
    Undecided,
}

impl Features {
    /// Forgets all, for another piece.
    pub(super) fn clear(&mut self) {
        self.known.clear();
    }

    /// The first contact of triangle `i` of `a` with `j` of `b` (places in their orders) up to a time.
    pub(super) fn first(
        &mut self,
        (a, i, controls_a): (&Body, u32, &[Affine; 4]),
        (b, j, controls_b): (&Body, u32, &[Affine; 4]),
        until: f64,
        tolerance: f64,
    ) -> FirstPair {
        let ids = |body: &Body, place: u32| {
            let triangle = body.order()[place as usize];
            (triangle, body.mesh().triangles()[triangle as usize])
        };
        let ((triangle_a, corners_a), (triangle_b, corners_b)) = (ids(a, i), ids(b, j));
        let paths = |body: &Body, place: u32, controls: &[Affine; 4]| {
            body.corners(place).map(|p| Path(controls.map(|control| control * p)))
        };
        let (paths_a, paths_b) = (paths(a, i, controls_a), paths(b, j, controls_b));
        // Features that begin to touch are seen below; a side that is in a face from the start, beyond all its corners, is not. The
        // start was looked at, but with corners that were placed in another way: what is on the border may have been called apart.
        let at_start = |paths: &[Path<4>; 3]| paths.map(|path| path.0[0]);
        let (start_a, start_b) = (at_start(&paths_a), at_start(&paths_b));
        if triangle::touch(&start_a, &start_b) {
            let features = triangle::closest(&start_a, &start_b).features;
            return FirstPair::At { time: [0.0; 2], features };
        }
        let mut best = FirstPair::Never;
        let mut until = until;
        // What is later than the earliest contact so far need not be found.
        let mut offer = |first: First, features: [Feature; 2], until: &mut f64| {
            let earlier = match (first, best) {
                (First::At { time }, FirstPair::At { time: known, .. }) => time[1] < known[1],
                (First::At { .. }, FirstPair::Never) => true,
                _ => false,
            };
            match first {
                First::At { time } if earlier => {
                    best = FirstPair::At { time, features };
                    *until = until.min(time[1]);
                }
                First::Undecided => best = FirstPair::Undecided,
                _ => {}
            }
        };
        for k in 0..3usize {
            let wanted = Wanted { until, tolerance };
            let found = self.ask([0, corners_a[k], triangle_b, 0, 0], &wanted, |wanted, scratch| {
                vertex_face(&paths_a[k], &paths_b, wanted, scratch)
            });
            offer(found, [Feature::Corner(k as u8), Feature::Face], &mut until);
            let wanted = Wanted { until, tolerance };
            let found = self.ask([1, corners_b[k], triangle_a, 0, 0], &wanted, |wanted, scratch| {
                vertex_face(&paths_b[k], &paths_a, wanted, scratch)
            });
            offer(found, [Feature::Face, Feature::Corner(k as u8)], &mut until);
        }
        for k in 0..3usize {
            for l in 0..3usize {
                let (k1, l1) = ((k + 1) % 3, (l + 1) % 3);
                let (p, q) = (corners_a[k], corners_a[k1]);
                let (r, s) = (corners_b[l], corners_b[l1]);
                let wanted = Wanted { until, tolerance };
                let key = [2, p.min(q), p.max(q), r.min(s), r.max(s)];
                let found = self.ask(key, &wanted, |wanted, scratch| {
                    edge_edge(&[paths_a[k], paths_a[k1]], &[paths_b[l], paths_b[l1]], wanted, scratch)
                });
                offer(found, [Feature::Side(k as u8), Feature::Side(l as u8)], &mut until);
            }
        }
        best
    }

    fn ask(
        &mut self,
        key: [u32; 5],
        wanted: &Wanted,
        answer: impl FnOnce(&Wanted, &mut Scratch) -> First,
    ) -> First {
        if let Some(known) = self.known.get(&key)
            && (known.until >= wanted.until || matches!(known.first, First::At { .. }))
        {
            return known.first;
        }
        self.asked += 1;
        let first = answer(wanted, &mut self.scratch);
        self.known.insert(key, Known { first, until: wanted.until });
        first
    }
}

use super::{Always, PairId, Scene, Workspace};
use kansho_geom::glam::DVec3;
use kansho_geom::solid::{self, On};
use std::cmp::Ordering;

/// The least gap of a cell in a posture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellGap {
    /// How far apart; zero exactly if something touches.
    pub gap: f64,
    /// The bodies.
    pub pair: PairId,
    /// Their closest points in the world.
    pub points: [DVec3; 2],
    /// What those lie on. Triangles are counted within the shape of the body that the point belongs to.
    pub on: [On; 2],
}

impl Always {
    /// Decided once: in the rounding of a posture they might seem to be apart.
    pub(super) fn placed(&self, workspace: &Workspace) -> CellGap {
        let world_from_frame = workspace.placed.world_from_frame(self.frame);
        let points = self.points_in_frame.map(|point| world_from_frame * point);
        CellGap { gap: 0.0, pair: self.pair, points, on: self.on }
    }
}

/// A bound below the distance of two parts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Bound {
    below: f32,
    row: u32,
    partner: u32,
}

impl Bound {
    pub(super) fn below(&self) -> f64 {
        f64::from(self.below)
    }

    /// The pair and the two parts that it is about.
    pub(super) fn of(&self, scene: &Scene) -> (PairId, usize, usize) {
        let (row, partner) = (&scene.rows[self.row as usize], self.partner as usize);
        (row.pair[partner], row.part as usize, partner)
    }

    /// The nearest first. Equal bounds in the order of the cell, so that the answer is the same every time.
    pub(super) fn order(&self, other: &Self) -> Ordering {
        self.below.total_cmp(&other.below).then((self.row, self.partner).cmp(&(other.row, other.partner)))
    }
}

/// The nearest of what was looked at, and what is looked for: nearer than this.
struct Nearest {
    best: Option<CellGap>,
    limit: f64,
}

impl Scene {
    /// The least gap over all pairs in a posture, if it is less than `below`; none either if no pair moves.
    ///
    /// Pairs that never move relative to each other count only where they touch: otherwise no posture could do better.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn least_gap(&self, posture: &[f64], below: f64, workspace: &mut Workspace) -> Option<CellGap> {
        self.place(posture, workspace);
        if let Some(touch) = self.always.first() {
            return Some(touch.placed(workspace));
        }
        let mut bounds = std::mem::take(&mut workspace.bounds);
        self.bounds(workspace, &mut bounds);
        let mut search = Nearest { best: None, limit: below };
        // The nearest first: what is not nearer than that need not be sorted.
        if let Some(nearest) = bounds.iter().copied().min_by(Bound::order) {
            self.look(&nearest, &mut search, workspace);
            let mut near = std::mem::take(&mut workspace.near);
            near.clear();
            near.extend(bounds.iter().copied().filter(|bound| !(f64::from(bound.below) > search.limit)));
            near.sort_unstable_by(Bound::order);
            for bound in near.iter().skip(1) {
                if search.limit == 0.0 || f64::from(bound.below) > search.limit {
                    break;
                }
                self.look(bound, &mut search, workspace);
            }
            workspace.near = near;
        }
        workspace.bounds = bounds;
        search.best
    }

    /// The gap of one pair in a posture; zero exactly if the two touch.
    ///
    /// # Panics
    /// If the posture does not have one number per coordinate.
    pub fn gap_of_pair(&self, posture: &[f64], pair: PairId, workspace: &mut Workspace) -> f64 {
        self.place(posture, workspace);
        if self.always.iter().any(|touch| touch.pair == pair) {
            return 0.0;
        }
        let [a, b] = self.bodies(pair);
        // Bodies that move with each other are not among what was placed.
        for part in self.parts_of(a).chain(self.parts_of(b)) {
            workspace.world_from_part[part] = self.parts[part].world_from_part(&workspace.placed);
        }
        let mut least = f64::INFINITY;
        for (i, j) in self.parts_of(a).flat_map(|i| self.parts_of(b).map(move |j| (i, j))) {
            if let Some(found) = self.gap_of_parts(pair, i, j, least, workspace) {
                least = found.gap;
            }
        }
        least
    }

    /// Bounds below the gaps of all parts that move relative to each other, by their boxes.
    pub(super) fn bounds(&self, workspace: &Workspace, bounds: &mut Vec<Bound>) {
        bounds.clear();
        for (index, row) in (0u32..).zip(&self.rows) {
            let mine = workspace.crowd.get(row.part as usize);
            for (block, &asked) in row.asked.iter().enumerate().filter(|(_, asked)| **asked != 0) {
                let gaps = workspace.crowd.gaps_of(&mine, block);
                for lane in (0..8).filter(|lane| asked & (1 << lane) != 0) {
                    let partner = (block * 8 + lane) as u32;
                    bounds.push(Bound { below: gaps[lane], row: index, partner });
                }
            }
        }
    }

    /// Looks at two parts.
    fn look(&self, bound: &Bound, search: &mut Nearest, workspace: &mut Workspace) {
        let (pair, i, j) = bound.of(self);
        if let Some(found) = self.gap_of_parts(pair, i, j, search.limit, workspace) {
            *search = Nearest { best: Some(found), limit: found.gap };
        }
    }

    /// For all parts that move relative to each other, their pair and a bound below their gap: those of the last
    /// [`Scene::least_gap`] with this workspace. Zero says nothing.
    pub(crate) fn last_bounds(&self, workspace: &Workspace) -> impl Iterator<Item = (PairId, f64)> {
        let of = |bound: &Bound| {
            (self.rows[bound.row as usize].pair[bound.partner as usize], f64::from(bound.below))
        };
        workspace.bounds.iter().map(of)
    }

    pub(super) fn gap_of_parts(
        &self,
        pair: PairId,
        i: usize,
        j: usize,
        below: f64,
        workspace: &mut Workspace,
    ) -> Option<CellGap> {
        workspace.narrow += 1;
        let a_from_b = Self::relative(workspace, i, j);
        let (a, b) = (&self.parts[i].solid, &self.parts[j].solid);
        let found = solid::distance(a, b, a_from_b, below, &mut workspace.scratch)?;
        let world_from_a = workspace.world_from_part[i];
        let [p, q] = found.points.map(|point| world_from_a * point);
        let (bodies, [on_a, on_b]) = ([self.parts[i].body, self.parts[j].body], found.on);
        // As the pair names them, the lower body first.
        let (points, on) =
            if bodies[0] <= bodies[1] { ([p, q], [on_a, on_b]) } else { ([q, p], [on_b, on_a]) };
        Some(CellGap { gap: found.gap, pair, points, on })
    }
}

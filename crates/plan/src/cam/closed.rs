//! The best way round a closed stroke: it ends in the state in which it begins.

use super::search::Problem;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A way and what it costs.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ClosedPath {
    pub(super) cost: f64,
    pub(super) states: Vec<usize>,
}

/// Starts that are taken together. No closed way from one of them costs less than the bound: that is the best way from any of them to
/// any of them.
struct Set {
    bound: f64,
    starts: Vec<usize>,
    /// Where that way begins and ends.
    ends: [usize; 2],
}

impl PartialEq for Set {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Set {}

impl PartialOrd for Set {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Set {
    /// The least bound is the greatest, as heaps have it.
    fn cmp(&self, other: &Self) -> Ordering {
        other.bound.total_cmp(&self.bound).then(other.starts.cmp(&self.starts))
    }
}

/// What is known of some starts.
enum Looked {
    /// No way leads round.
    None,
    /// The best way closes.
    Closes(ClosedPath),
    Open(Set),
}

/// A bound below what any way through a lane costs, and through each of its states. Forbidding moves makes ways only dearer, so
/// it stays one.
pub(super) struct Bounds {
    pub(super) whole: f64,
    /// Made when first needed.
    through: Option<Vec<f32>>,
}

impl Problem<'_> {
    /// A bound for the whole lane; how far ways get, if none gets through.
    pub(super) fn bounds(&self, closed: bool, stop: &dyn Fn() -> bool) -> Result<Bounds, usize> {
        let forward = self.forward(|_| true, stop);
        if forward.reached < self.count() {
            return Err(forward.reached);
        }
        let whole = if closed {
            self.closing(&forward).iter().fold(f64::INFINITY, |least, (cost, _)| least.min(*cost))
        } else {
            let last = self.layer(self.count() - 1);
            last.fold(f64::INFINITY, |least, state| least.min(forward.cost(state)))
        };
        Ok(Bounds { whole, through: None })
    }

    /// The best way that costs less than `below`, if there is one: round, or from the first layer to the last.
    ///
    /// States through which no way is as good as a guess are left out; if there is no way as good as that, the guess is raised.
    pub(super) fn best_below(
        &self,
        bounds: &mut Bounds,
        closed: bool,
        below: f64,
        counter: &mut usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<ClosedPath> {
        let through: &[f32] = bounds.through.get_or_insert_with(|| {
            *counter += 2;
            let (forward, backward) = rayon::join(
                || self.forward(|_| true, &|| false),
                || self.backward(closed, |_| true, &|| false),
            );
            // Rounded down, by more than the sums are rounded.
            let sum = |(a, b): (&f64, &f64)| ((a + b) * (1.0 - 1e-9)) as f32;
            forward.costs.iter().zip(&backward).map(|pair| sum(pair).next_down()).collect()
        });
        let mut room = 0.01 * bounds.whole + 1e-9;
        loop {
            let mut most = below.min(bounds.whole + room);
            let mut quick = None;
            if closed {
                // A closed way through where the best open one begins or ends is seldom far from the best, and leaves little to look at.
                quick = self.of_small(through, most, |small| small.quick(most, counter, stop));
                most = quick.as_ref().map_or(most, |way| way.cost);
            }
            let found = self.of_small(through, most, |small| {
                if closed { small.divide(most, counter, stop) } else { small.through(most, counter, stop) }
            });
            if let Some(way) = found.or(quick) {
                return Some(way);
            }
            if most >= below || stop() {
                return None;
            }
            // Ways that cost more than this do not exist.
            if through.iter().all(|through| !through.is_finite() || f64::from(*through) < most) {
                return None;
            }
            room *= 3.0;
        }
    }

    /// Looks for a way over those states through which one may cost less than `most`.
    fn of_small(
        &self,
        through: &[f32],
        most: f64,
        look: impl FnOnce(&Problem<'_>) -> Option<ClosedPath>,
    ) -> Option<ClosedPath> {
        let base = self.layer(0).start;
        let keep = |state: usize| {
            let through = f64::from(through[state - base]);
            through.is_finite() && through < most
        };
        let (lane, states) = self.lane.part(self.layers.0..self.layers.1, keep);
        let was = |state: &u32| self.were.map_or(*state, |were| were[*state as usize]);
        let were: Vec<u32> = states.iter().map(was).collect();
        let small = Problem { lane: &lane, layers: (0, lane.layers()), were: Some(&were), ..*self };
        let way = look(&small)?;
        Some(ClosedPath {
            cost: way.cost,
            states: way.states.iter().map(|state| states[*state] as usize).collect(),
        })
    }

    /// A closed way from where the best open one begins, or ends, if it costs less than `below`.
    fn quick(&self, below: f64, counter: &mut usize, stop: &dyn Fn() -> bool) -> Option<ClosedPath> {
        let starts: Vec<usize> = self.layer(0).collect();
        let ends = match self.of_starts(starts, counter, stop) {
            Looked::None => return None,
            Looked::Closes(way) => return Some(way).filter(|way| way.cost < below),
            Looked::Open(set) => set.ends,
        };
        let mut best: Option<ClosedPath> = None;
        for start in ends {
            if let Looked::Closes(way) = self.of_starts(vec![start], counter, stop)
                && way.cost < best.as_ref().map_or(below, |best| best.cost)
            {
                best = Some(way);
            }
        }
        best
    }

    /// Divides the starts until the best way of a set closes.
    fn divide(&self, below: f64, counter: &mut usize, stop: &dyn Fn() -> bool) -> Option<ClosedPath> {
        let mut best: Option<ClosedPath> = None;
        let mut sets = BinaryHeap::new();
        let mut look = |starts: Vec<usize>, best: &mut Option<ClosedPath>, sets: &mut BinaryHeap<Set>| {
            let most = best.as_ref().map_or(below, |best| best.cost);
            match self.of_starts(starts, counter, stop) {
                Looked::Closes(way) if way.cost < most => *best = Some(way),
                Looked::Open(set) if set.bound < most => sets.push(set),
                _ => {}
            }
        };
        if self.layer(0).is_empty() {
            return None;
        }
        look(self.layer(0).collect(), &mut best, &mut sets);
        while let Some(set) = sets.pop() {
            if set.bound >= best.as_ref().map_or(below, |best| best.cost) || stop() {
                break;
            }
            // Between where the way begins and where it ends.
            let place = |state: usize| set.starts.iter().position(|start| *start == state).unwrap_or(0);
            let (a, b) = (place(set.ends[0]), place(set.ends[1]));
            let middle = (a.min(b) + a.max(b)).div_ceil(2).clamp(1, set.starts.len() - 1);
            look(set.starts[..middle].to_vec(), &mut best, &mut sets);
            look(set.starts[middle..].to_vec(), &mut best, &mut sets);
        }
        best
    }

    fn of_starts(&self, starts: Vec<usize>, counter: &mut usize, stop: &dyn Fn() -> bool) -> Looked {
        *counter += 1;
        let first = self.layer(0);
        let mut is_start = vec![false; first.len()];
        starts.iter().for_each(|start| is_start[*start - first.start] = true);
        let forward = self.forward(|state| is_start[state - first.start], stop);
        if forward.reached < self.count() {
            return Looked::None;
        }
        let closing = self.closing(&forward);
        let (mut bound, mut end, mut last) = (f64::INFINITY, usize::MAX, usize::MAX);
        for &start in &starts {
            let (cost, from) = closing[start - first.start];
            if cost < bound {
                (bound, end, last) = (cost, start, from);
            }
        }
        if end == usize::MAX {
            return Looked::None;
        }
        let states = forward.way_to(last);
        if states[0] == end {
            return Looked::Closes(ClosedPath { cost: bound, states });
        }
        Looked::Open(Set { bound, ends: [states[0], end], starts })
    }

    /// The best way from the first layer to the last, if one costs less than `below`.
    pub(super) fn through(
        &self,
        below: f64,
        counter: &mut usize,
        stop: &dyn Fn() -> bool,
    ) -> Option<ClosedPath> {
        *counter += 1;
        let forward = self.forward(|_| true, stop);
        if forward.reached < self.count() {
            return None;
        }
        let last = self.layer(self.count() - 1);
        let best = last.min_by(|a, b| forward.cost(*a).total_cmp(&forward.cost(*b)))?;
        let cost = forward.cost(best);
        (cost < below).then(|| ClosedPath { cost, states: forward.way_to(best) })
    }
}

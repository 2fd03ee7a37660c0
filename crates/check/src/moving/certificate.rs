use kansho_geom::glam::DVec3;

/// Why two bodies never touch: a division of all pairs of triangles and all times into regions, and a direction for each.
///
/// It is read from the front, one common piece of the motions after the other. A region is a range of triangles of each body (in the
/// given orders) and a span of time; the first of a piece is everything. A step says what to do with the region at hand: divide
/// it, and go on with its parts in order, or why it is free. So whatever the steps are, nothing is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Certificate {
    /// The triangles of both bodies in the orders whose ranges are divided.
    pub orders: [Vec<u32>; 2],
    /// What the gap is more than, at all times.
    pub clearance: f64,
    /// The steps of each common piece of the two motions.
    pub pieces: Vec<Vec<Step>>,
}

/// What to do with a region.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Halve the time: first the early half, then the late one.
    Time,
    /// Divide the triangles of the first body at these places in its order.
    First(Vec<u32>),
    /// Divide those of the second.
    Second(Vec<u32>),
    /// It is free: all of the second body's triangles stay beyond all of the first's along a direction that turns from one vector
    /// to the other, linear in time. Neither is longer than about 1, nor is one of them much shorter.
    Free {
        /// At the start of the span.
        start: DVec3,
        /// At its end.
        end: DVec3,
    },
}

/// Steps while they are found: those of a divided region stand together, anywhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// None while it is not known what to do with a region; where its parts begin if it is divided.
    steps: Vec<(Option<Step>, Option<u32>)>,
}

impl Draft {
    pub(super) fn begin(&mut self) {
        self.steps.clear();
        self.steps.push((None, None));
    }

    pub(super) fn set(&mut self, slot: u32, step: Step) {
        self.steps[slot as usize].0 = Some(step);
    }

    /// Divides a region; the slots of its parts follow one another from the one that is given back.
    pub(super) fn divide(&mut self, slot: u32, step: Step, parts: u32) -> u32 {
        let first = self.steps.len() as u32;
        self.steps[slot as usize] = (Some(step), Some(first));
        self.steps.extend((0..parts).map(|_| (None, None)));
        first
    }

    /// The steps in the order in which they are read; none if a region is without one.
    pub(super) fn in_order(&self) -> Option<Vec<Step>> {
        let mut steps = Vec::with_capacity(self.steps.len());
        let mut open = vec![0u32];
        while let Some(slot) = open.pop() {
            let (step, first) = &self.steps[slot as usize];
            let step = step.as_ref()?;
            if let Some(first) = first {
                let parts = match step {
                    Step::First(cuts) | Step::Second(cuts) => cuts.len() as u32 + 1,
                    _ => 2,
                };
                open.extend((*first..first + parts).rev());
            }
            steps.push(step.clone());
        }
        Some(steps)
    }
}

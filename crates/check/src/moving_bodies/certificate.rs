use kansho_verify::bodies::BodiesStep;

/// Steps while they are found: those of a divided region stand together, anywhere.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    /// None while it is not known what to do with a region; where its parts begin if it is divided.
    steps: Vec<(Option<BodiesStep>, Option<u32>)>,
}

impl Draft {
    pub(super) fn begin(&mut self) {
        self.steps.clear();
        self.steps.push((None, None));
    }

    pub(super) fn set(&mut self, slot: u32, step: BodiesStep) {
        self.steps[slot as usize].0 = Some(step);
    }

    /// Divides a region; the slots of its parts follow one another from the one that is given back.
    pub(super) fn divide(&mut self, slot: u32, step: BodiesStep, parts: u32) -> u32 {
        let first = self.steps.len() as u32;
        self.steps[slot as usize] = (Some(step), Some(first));
        self.steps.extend((0..parts).map(|_| (None, None)));
        first
    }

    /// The steps in the order in which they are read; none if a region is without one.
    pub(super) fn in_order(&self) -> Option<Vec<BodiesStep>> {
        let mut steps = Vec::with_capacity(self.steps.len());
        let mut open = vec![0u32];
        while let Some(slot) = open.pop() {
            let (step, first) = &self.steps[slot as usize];
            let step = step.as_ref()?;
            if let Some(first) = first {
                let parts = match step {
                    BodiesStep::First(cuts) | BodiesStep::Second(cuts) => cuts.len() as u32 + 1,
                    _ => 2,
                };
                open.extend((*first..first + parts).rev());
            }
            steps.push(step.clone());
        }
        Some(steps)
    }
}

/// Pairs of boxes that wait, the nearest first, or nearly.
///
/// They stand in stacks by the size of their bound, four to each doubling. That is as good as a sorted queue, for what lies
/// in one stack must be looked at almost surely if one of it must, and putting in and taking out cost next to nothing. Bounds
/// of zero share the lowest stack, so that the search goes down at once to where surfaces may touch.
#[derive(Debug)]
pub(super) struct Queue {
    stacks: [Vec<Entry>; STACKS],
    /// Stacks that are not empty, as bits.
    filled: u64,
    /// Leading bits of the largest bound that belongs to the lowest stack.
    floor: u32,
}

/// A bound below the distance of two boxes, and their slots.
pub(super) type Entry = (f32, u32, u32);

const STACKS: usize = 64;

impl Default for Queue {
    fn default() -> Self {
        Self { stacks: std::array::from_fn(|_| Vec::new()), filled: 0, floor: 0 }
    }
}

impl Queue {
    /// Starts anew, for bounds up to about `size`.
    pub(super) fn start(&mut self, size: f32) {
        while self.filled != 0 {
            self.stacks[self.filled.trailing_zeros() as usize].clear();
            self.filled &= self.filled - 1;
        }
        self.floor = leading(size).saturating_sub(STACKS as u32 - 1);
    }

    #[inline(always)]
    pub(super) fn push(&mut self, (bound, in_a, in_b): Entry) {
        let bound = bound.max(0.0); // What is no number proves nothing.
        let stack = self.stack(bound);
        self.stacks[stack].push((bound, in_a, in_b));
        self.filled |= 1 << stack;
    }

    /// Takes out one of the nearest, unless all are beyond `cut`.
    #[inline(always)]
    pub(super) fn pop(&mut self, cut: f32) -> Option<Entry> {
        let last = self.stack(cut);
        while self.filled != 0 {
            let stack = self.filled.trailing_zeros() as usize % STACKS;
            if stack > last {
                return None;
            }
            match self.stacks[stack].pop() {
                None => self.filled &= self.filled - 1,
                Some(entry) if entry.0 > cut => {}
                found => return found,
            }
        }
        None
    }

    #[inline(always)]
    fn stack(&self, bound: f32) -> usize {
        leading(bound).saturating_sub(self.floor).min(STACKS as u32 - 1) as usize
    }
}

/// Exponent and two more bits of a number: larger numbers have larger ones.
#[inline(always)]
fn leading(number: f32) -> u32 {
    number.to_bits() >> 21
}

//! From a job to a proven robot path, with its map, certificates, times and programs.
//!
//! | part | does |
//! |---|---|
//! | [`plan`] | the map of where the tool is free, the best path through it, and proofs |
//! | [`PlanAnswer`] | what came of it, for programs and in words |
//! | [`Planned::files`] | what is written: tables, pictures, certificates, robot programs |
//! | [`relax`] | where there is no path: what would have to be let go of? |
//! | [`places`] | where should the work, or the robot, stand? |

mod answer;
mod files;
mod place;
mod programs;
mod read_back;
mod relax;
mod text;
mod times;
mod work;

pub use answer::{
    BlockedHint, BlockedPair, BlockedPoint, BlockingPair, CostAnswer, EffortAnswer, GapOfPair,
    LeastGapAnswer, MapAnswer, NoPathAnswer, PathAnswer, PlanAnswer, PlanVerdict, ProofAnswer, StrokeAnswer,
    UndecidedAnswer,
};
pub use files::{PlanFiles, cells_of, rotations_deg};
pub use place::{BestPlace, PlaceAnswer, PlaceOptions, Places, PlacesAnswer, PlacesVerdict, places};
pub use relax::{RelaxOptions, Relaxed, RelaxedAnswer, relax};
pub use times::{PlanTimes, SlowAnswer, TimesAnswer};
pub use work::{PlanOptions, PlanWork, plan};

use kansho_check::scene::{PairId, Scene};
use kansho_io::job::LoadedJob;

/// A job, what it was planned in, and what came of it: all that answers and files are made of.
#[derive(Clone, Copy)]
pub struct Planned<'a> {
    /// The job.
    pub job: &'a LoadedJob,
    /// Its cell.
    pub scene: &'a Scene,
    /// What came of it.
    pub work: &'a PlanWork,
}

impl Planned<'_> {
    fn pair_name(&self, pair: PairId) -> String {
        self.scene.pair_name(pair)
    }
}

use kansho_cell::ik::BranchEnd;
use kansho_check::scene::PairId;
use kansho_plan::cam::{FreeInterval, IntervalEnd};
use std::fmt::Write;

/// Free intervals of rotation as a table (CSV): point, tilt, branch, from and to in degrees, and what is beyond either end: `range` (not asked
/// about), `round` (free all around), `touches A|B`, `limit JOINT`, `singular`, `out_of_reach`, or `open` (nobody knows).
#[must_use]
pub fn intervals_csv(
    intervals: &[Vec<FreeInterval>],
    pair_name: &dyn Fn(PairId) -> String,
    joint: &dyn Fn(usize) -> String,
) -> Vec<u8> {
    let word = |end: &IntervalEnd| match end {
        IntervalEnd::Range => "range".to_owned(),
        IntervalEnd::Round => "round".to_owned(),
        IntervalEnd::Touches(pair) => format!("touches {}", pair_name(*pair)),
        IntervalEnd::Branch(BranchEnd::Limit { coordinate, .. }) => format!("limit {}", joint(*coordinate)),
        IntervalEnd::Branch(BranchEnd::OutOfReach { .. }) => "out_of_reach".to_owned(),
        IntervalEnd::Branch(BranchEnd::Lost { .. }) | IntervalEnd::Open => "open".to_owned(),
        IntervalEnd::Branch(
            BranchEnd::StartSingular(_) | BranchEnd::Singular(_) | BranchEnd::Passed | BranchEnd::Jump { .. },
        ) => "singular".to_owned(),
    };
    let mut text = "point,tilt,branch,from_deg,to_deg,below,above\n".to_owned();
    for (point, found) in intervals.iter().enumerate() {
        for FreeInterval { tilt, branch, from, to, ends } in found {
            // Rounded inward, so that what is written is proven, too.
            let from = (from.to_degrees() * 1e9).next_up().ceil() / 1e9;
            let to = (to.to_degrees() * 1e9).next_down().floor() / 1e9;
            if from > to {
                continue;
            }
            let [below, above] = [&ends[0], &ends[1]].map(word);
            let _ = writeln!(text, "{point},{tilt},{branch},{from:.9},{to:.9},{below},{above}");
        }
    }
    text.into_bytes()
}

//! How far along is one at which time, from rest to rest, with bounds of speed, acceleration and jerk that change on the way?
//!
//! First without the jerk: speeds are lowered until each can be reached from the one before and stopped from in time. Then the way is
//! averaged over a window of time: where a bound holds over the whole window, the average keeps it, and
//! `jerk = (a(t) - a(t - window)) / window`. So each bound is taken as the least there is within what can be travelled in a window.

/// A part of the way, and bounds in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval {
    pub(super) length: f64,
    pub(super) speed: f64,
    pub(super) acceleration: f64,
    pub(super) jerk: f64,
}

/// A time law.
#[derive(Clone, Debug)]
pub(super) struct TimeLaw {
    /// Ends of intervals: when, where, how fast, and the integral of where over when; before averaging.
    nodes: Vec<Node>,
    window: f64,
    /// How many times slower everything is.
    slower: f64,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    t: f64,
    s: f64,
    v: f64,
    sum: f64,
}

/// Windows that are tried, in seconds: from here on, each longer than the one before by the square root of two.
const SHORTEST: f64 = 0.005;
const WINDOWS: i32 = 18;

impl TimeLaw {
    /// The quickest that this way of making them finds.
    pub(super) fn best(intervals: &[Interval]) -> Self {
        let windows = (0..WINDOWS).map(|k| SHORTEST * std::f64::consts::SQRT_2.powi(k));
        let laws = windows.map(|window| Self::with_window(intervals, window));
        laws.min_by(|a, b| a.duration().total_cmp(&b.duration())).expect("there are windows")
    }

    fn with_window(intervals: &[Interval], window: f64) -> Self {
        let fastest = intervals.iter().fold(0.0, |most: f64, one| most.max(one.speed));
        let bounds = least_within(intervals, window, window * fastest);
        let count = intervals.len();
        let mut squares = vec![0.0; count + 1];
        for k in 1..count {
            squares[k] = bounds[k - 1].0.min(bounds[k].0).powi(2);
        }
        for k in 0..count {
            squares[k + 1] = f64::min(squares[k + 1], squares[k] + 2.0 * bounds[k].1 * intervals[k].length);
        }
        for k in (0..count).rev() {
            squares[k] = f64::min(squares[k], squares[k + 1] + 2.0 * bounds[k].1 * intervals[k].length);
        }
        let mut nodes = vec![Node { t: 0.0, s: 0.0, v: 0.0, sum: 0.0 }];
        for k in 0..count {
            let last = nodes[k];
            let v = squares[k + 1].sqrt();
            let dt = 2.0 * intervals[k].length / (last.v + v);
            let a = (v - last.v) / dt;
            nodes.push(Node {
                t: last.t + dt,
                s: last.s + intervals[k].length,
                v,
                sum: last.sum + dt * (last.s + dt * (last.v / 2.0 + dt * a / 6.0)),
            });
        }
        Self { nodes, window, slower: 1.0 }
    }

    /// The same, everything so many times slower.
    pub(super) fn slowed(mut self, times: f64) -> Self {
        self.slower *= times;
        self
    }

    /// How long it takes, in seconds.
    pub(super) fn duration(&self) -> f64 {
        (self.nodes[self.nodes.len() - 1].t + self.window) * self.slower
    }

    /// Where one is after so many seconds, with speed, acceleration and jerk.
    pub(super) fn at(&self, secs: f64) -> [f64; 4] {
        let t = secs / self.slower;
        let [now, before] = [t, t - self.window].map(|t| self.raw(t));
        let k = 1.0 / self.slower;
        let over = |order: usize| (now[order] - before[order]) / self.window;
        let end = self.nodes[self.nodes.len() - 1].s;
        [over(0).clamp(0.0, end), over(1) * k, over(2) * k * k, over(3) * k.powi(3)]
    }

    /// Before averaging: the integral of where one is, where, how fast, and how that changes.
    fn raw(&self, t: f64) -> [f64; 4] {
        let last = self.nodes[self.nodes.len() - 1];
        if t <= 0.0 {
            return [0.0; 4];
        }
        if t >= last.t {
            return [last.sum + last.s * (t - last.t), last.s, 0.0, 0.0];
        }
        let k = self.nodes.partition_point(|node| node.t <= t).clamp(1, self.nodes.len() - 1);
        let (from, to) = (self.nodes[k - 1], self.nodes[k]);
        let a = (to.v - from.v) / (to.t - from.t);
        let dt = t - from.t;
        [
            from.sum + dt * (from.s + dt * (from.v / 2.0 + dt * a / 6.0)),
            from.s + dt * (from.v + dt * a / 2.0),
            from.v + dt * a,
            a,
        ]
    }
}

/// Of each interval, the least bounds of speed and acceleration that hold anywhere within a distance of it, the second no more than the
/// jerk allows over a window.
fn least_within(intervals: &[Interval], window: f64, distance: f64) -> Vec<(f64, f64)> {
    let of = |one: &Interval| (one.speed, one.acceleration.min(0.5 * one.jerk * window));
    let starts: Vec<f64> = intervals
        .iter()
        .scan(0.0, |s, one| {
            *s += one.length;
            Some(*s - one.length)
        })
        .collect();
    let least = |bound: &dyn Fn(&Interval) -> f64| {
        // The least in a window that moves on: those that may be least later wait, in rising order.
        let mut waiting: std::collections::VecDeque<usize> = std::collections::VecDeque::new();
        let (mut next, mut found) = (0, Vec::with_capacity(intervals.len()));
        for (k, one) in intervals.iter().enumerate() {
            let end = starts[k] + one.length;
            while next < intervals.len() && starts[next] <= end + distance {
                while waiting.back().is_some_and(|last| bound(&intervals[*last]) >= bound(&intervals[next])) {
                    waiting.pop_back();
                }
                waiting.push_back(next);
                next += 1;
            }
            while waiting.front().is_some_and(|&first| {
                starts[first] + intervals[first].length < starts[k] - distance && first < k
            }) {
                waiting.pop_front();
            }
            found.push(bound(&intervals[waiting[0]]));
        }
        found
    };
    let speeds = least(&|one| of(one).0);
    let accelerations = least(&|one| of(one).1);
    speeds.into_iter().zip(accelerations).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval() -> impl Strategy<Value = Interval> {
        (1e-4f64..0.05, 0.01f64..2.0, 0.1f64..10.0, 1.0f64..200.0)
            .prop_map(|(length, speed, acceleration, jerk)| Interval { length, speed, acceleration, jerk })
    }

    proptest! {
        /// From rest to rest, every bound kept at every instant, each derivative that of the one before it.
        #[test]
        fn bounds_hold_at_every_instant(intervals in proptest::collection::vec(interval(), 2..60), slower in 1.0f64..3.0) {
            let law = TimeLaw::best(&intervals).slowed(slower);
            let whole: f64 = intervals.iter().map(|one| one.length).sum();
            let duration = law.duration();
            prop_assert!(law.at(0.0)[0].abs() < 1e-12 && (law.at(duration)[0] - whole).abs() < 1e-9 * whole.max(1.0));
            prop_assert!(law.at(duration)[1].abs() < 1e-9);
            let mut last = 0.0;
            for k in 0..=2000 {
                let t = duration * f64::from(k) / 2000.0;
                let [s, v, a, j] = law.at(t);
                prop_assert!(s >= last - 1e-12 && v >= -1e-12, "it goes back");
                last = s;
                let mut start = 0.0;
                for one in &intervals {
                    if s >= start && s <= start + one.length {
                        prop_assert!(v <= one.speed * (1.0 + 1e-6) + 1e-9, "{v} {one:?}");
                        prop_assert!(a.abs() <= one.acceleration * (1.0 + 1e-6) + 1e-9, "{a} {one:?}");
                        prop_assert!(j.abs() <= one.jerk * (1.0 + 1e-6) + 1e-9, "{j} {one:?}");
                    }
                    start += one.length;
                }
                let h = 1e-6 * duration;
                if t > h && t < duration - h {
                    let slope = (law.at(t + h)[0] - law.at(t - h)[0]) / (2.0 * h);
                    prop_assert!((slope - v).abs() < 1e-4 * (1.0 + v), "{slope} {v}");
                }
            }
        }
    }

    /// A long straight way with one set of bounds: distance over speed, and one window and one ramp more.
    #[test]
    fn a_long_way_takes_its_length_over_its_speed() {
        let one = Interval { length: 0.01, speed: 0.5, acceleration: 2.0, jerk: 40.0 };
        let law = TimeLaw::best(&[one; 400]);
        // Speeding up at 2 takes 0.25 s; the window, in which acceleration sets in, is 2 · 2 / 40 = 0.1 s at the most.
        let least = 4.0 / 0.5 + 0.25;
        assert!(law.duration() > least && law.duration() < least + 0.13, "{}", law.duration());
    }
}

//! The same job with its work, or its robot, elsewhere: a grid of places.

use super::Job;
use kansho_geom::Pose;
use kansho_geom::glam::DVec3;
use std::fmt;
use std::str::FromStr;

/// What is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlaceOf {
    /// All that stands still and has an end, with the path.
    Work,
    /// The robot that works.
    Robot,
}

/// By how much something is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// In metres, in axes of the world.
    pub by: DVec3,
    /// About the vertical, in radians: through the middle of the path, or the robot's own.
    pub turn: f64,
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tidy = |x: f64| (x * 1e6).round() / 1e6 + 0.0;
        let [x, y, z] = self.by.to_array().map(|x| tidy(1e3 * x));
        write!(f, "by ({x}, {y}, {z}) mm")?;
        match tidy(self.turn.to_degrees()) {
            0.0 => Ok(()),
            degrees => write!(f, " and turned by {degrees} deg"),
        }
    }
}

/// Most places of a grid.
const MOST: usize = 100_000;

/// A box of places, in steps: `x=-0.1:0.1:5,y=0:0.2:3,turn=-20:20:5`, in metres and degrees.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaceGrid {
    /// From, to, and how many, of x, y, z and the turn.
    axes: [(f64, f64, usize); 4],
}

/// Their names.
pub const PLACE_AXES: [&str; 4] = ["x", "y", "z", "turn"];

impl FromStr for PlaceGrid {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut axes = [(0.0, 0.0, 0); 4];
        for part in text.split(',').map(str::trim) {
            let (name, range) =
                part.split_once('=').ok_or_else(|| format!("\"{part}\" is no NAME=FROM:TO:COUNT"))?;
            let axis = PLACE_AXES.iter().position(|known| *known == name.trim());
            let axis = axis.ok_or_else(|| format!("\"{name}\" is not known: x, y, z and turn are"))?;
            if axes[axis].2 > 0 {
                return Err(format!("{name} is given twice"));
            }
            let words: Vec<&str> = range.split(':').map(str::trim).collect();
            let [from, to, count] = words[..] else {
                return Err(format!("\"{part}\" is no NAME=FROM:TO:COUNT"));
            };
            let number = |word: &str| {
                let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
                number.ok_or_else(|| format!("\"{word}\" in \"{part}\" is no number"))
            };
            let (from, to) = (number(from)?, number(to)?);
            let count: usize = count.parse().map_err(|_| format!("\"{count}\" in \"{part}\" is no count"))?;
            if from > to || count == 0 || (count == 1 && from != to) || (count > 1 && from == to) {
                return Err(format!("\"{part}\" is an empty box: from {from} to {to} in {count} places"));
            }
            let unit = if name.trim() == "turn" { 1f64.to_radians() } else { 1.0 };
            axes[axis] = (from * unit, to * unit, count);
        }
        axes.iter_mut().for_each(|axis| axis.2 = axis.2.max(1));
        let grid = Self { axes };
        let count = axes.iter().try_fold(1usize, |all, axis| all.checked_mul(axis.2));
        match count {
            Some(count) if count <= MOST => Ok(grid),
            _ => Err(format!("this box has more than {MOST} places")),
        }
    }
}

impl PlaceGrid {
    /// How many places along x, y, z and the turn.
    #[must_use]
    pub fn counts(&self) -> [usize; 4] {
        self.axes.map(|axis| axis.2)
    }

    /// The value of a place along an axis, in metres or radians.
    #[must_use]
    pub fn value(&self, axis: usize, step: usize) -> f64 {
        let (from, to, count) = self.axes[axis];
        if count == 1 { from } else { from + (to - from) * step as f64 / (count - 1) as f64 }
    }

    /// The steps of a place: x changes first.
    #[must_use]
    pub fn steps(&self, mut number: usize) -> [usize; 4] {
        self.counts().map(|count| {
            let step = number % count;
            number /= count;
            step
        })
    }

    /// All places, in order.
    pub fn places(&self) -> impl Iterator<Item = Placement> + '_ {
        (0..self.counts().iter().product()).map(|number| {
            let steps = self.steps(number);
            let at = |axis: usize| self.value(axis, steps[axis]);
            Placement { by: DVec3::new(at(0), at(1), at(2)), turn: at(3) }
        })
    }
}

impl Job {
    /// The same job with something placed elsewhere.
    ///
    /// # Errors
    /// What the job needs and does not have there.
    pub fn placed(&self, of: PlaceOf, placement: &Placement) -> Result<Self, String> {
        if placement.by == DVec3::ZERO && placement.turn == 0.0 {
            return Ok(self.clone());
        }
        let about = |middle: DVec3| {
            let there = Pose::from_translation(middle);
            Pose::from_translation(placement.by)
                * there
                * Pose::turn(DVec3::Z, placement.turn)
                * there.inverse()
        };
        match of {
            PlaceOf::Work => self.moved(about(self.middle())),
            PlaceOf::Robot => {
                let mut draft = self.cell.draft().clone();
                let robot = draft.robots.iter_mut().find(|robot| robot.name == self.robot);
                let robot = robot.ok_or("the cell has no such robot")?;
                robot.world_from_root = about(robot.world_from_root.translation()) * robot.world_from_root;
                self.redrafted(draft)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_read_and_empty_ones_refused() {
        let grid: PlaceGrid = "x=-0.1:0.1:3, turn=0:90:2".parse().expect("a box");
        let all: Vec<Placement> = grid.places().collect();
        assert_eq!(all.len(), 6);
        assert_eq!(all[2], Placement { by: DVec3::X * 0.1, turn: 0.0 });
        assert_eq!(all[3].to_string(), "by (-100, 0, 0) mm and turned by 90 deg");
        for (bad, why) in [
            ("x=0.1:-0.1:3", "empty box"),
            ("x=0:1:0", "empty box"),
            ("x=0:1:1", "empty box"),
            ("x=0:0:4", "empty box"),
            ("q=0:1:2", "not known"),
            ("x=0:1", "no NAME=FROM:TO:COUNT"),
            ("x=0:1:2,x=0:1:2", "twice"),
            ("x=0:nan:2", "no number"),
            ("x=0:1:1000,y=0:1:1000", "more than"),
        ] {
            let fault = bad.parse::<PlaceGrid>().expect_err(bad);
            assert!(fault.contains(why), "{bad}: {fault}");
        }
    }
}

//! Where can a tool be, and how freely can it be turned there?

use crate::answer::{FORMAT, Message};
use kansho_cell::Cell;
use kansho_cell::ik::{Ik, IkOptions, Method, Tip};
use kansho_check::sample;
use kansho_check::scene::Scene;
use kansho_geom::glam::DVec3;
use kansho_io::png;
use kansho_plan::reach::{self as engine, Reached, directions};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

/// Points that are looked at, at most.
const MOST_POINTS: usize = 4_000_000;

/// Postures whose TCPs say how large the box is by default.
const SAMPLES: usize = 4000;

/// Steps along the longest side by default.
const STEPS: f64 = 20.0;

/// What is asked.
#[derive(Clone, Debug)]
pub struct ReachOptions {
    /// What is put there: the tool of a robot, by its name, or a link as `robot/link`; by default the only tool there is.
    pub tip: Option<String>,
    /// The least and the largest corner of the box, in metres; by default around where the TCP is in random postures.
    pub around: Option<[DVec3; 2]>,
    /// The distance between points; by default a twentieth of the longest side.
    pub step: Option<f64>,
    /// Directions of the tool's z.
    pub directions: ToolDirections,
    /// How many rotations about each direction are tried.
    pub turns: usize,
    /// Also whether anything touches.
    pub free: bool,
}

/// Directions of a tool's z.
#[derive(Clone, Debug)]
pub enum ToolDirections {
    /// As many, spread over the sphere.
    Spread(usize),
    /// These unit vectors.
    These(Vec<DVec3>),
}

impl Default for ReachOptions {
    fn default() -> Self {
        let directions = ToolDirections::Spread(50);
        Self { tip: None, around: None, step: None, directions, turns: 8, free: false }
    }
}

/// Where a tool can be.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReachAnswer {
    /// The version of this answer.
    pub format: u32,
    /// How many points were looked at.
    pub points: usize,
    /// How many of them can be reached in one direction at least.
    pub reached: usize,
    /// How many points there are along x, y and z.
    pub counts: [usize; 3],
    /// The distance between points, in metres.
    pub step: f64,
    /// Whether a point that was not reached is out of reach: joint solutions were found in closed form.
    pub complete: bool,
    /// The points: along x, then y, then z.
    pub rows: Vec<ReachRow>,
    /// What is odd about the files.
    pub warnings: Vec<Message>,
}

/// What is known of a point.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReachRow {
    /// The point, in the world.
    pub point: [f64; 3],
    /// The share of the directions in which the tool can be there.
    pub share: f64,
    /// The most joint solutions that a pose there has.
    pub branches: usize,
    /// The share of the directions in which it can be there without a contact; null if that was not asked.
    pub free: Option<f64>,
}

/// Looks at points in a box, on all threads of the current pool.
///
/// # Errors
/// Why that cannot be asked: no such tool, a chain without joint solutions, or too many points.
pub fn reach(cell: Cell, options: &ReachOptions) -> Result<ReachAnswer, String> {
    let tip = kansho_io::motion_file::tip(&cell, options.tip.as_deref())?;
    let ik = Ik::new(&cell, &tip, &IkOptions::default()).map_err(|fault| fault.to_string())?;
    let grid = Grid::of(options, &cell, &tip)?;
    let asked = engine::ReachOptions {
        directions: match &options.directions {
            ToolDirections::Spread(count) => directions(*count),
            ToolDirections::These(list) => list.clone(),
        },
        turns: options.turns,
    };
    let posture = cell.zero_posture();
    let scene = options.free.then(|| Scene::new(Arc::new(cell)).with_models());
    let found = engine::reach(&ik, scene.as_ref(), &posture, &grid.points(), &asked);
    let row = |&Reached { point, share, branches, free }: &Reached| ReachRow {
        point: point.to_array(),
        share,
        branches,
        free,
    };
    let rows: Vec<ReachRow> = found.iter().map(row).collect();
    Ok(ReachAnswer {
        format: FORMAT,
        points: rows.len(),
        reached: rows.iter().filter(|row| row.share > 0.0).count(),
        counts: grid.counts,
        step: grid.step,
        complete: !matches!(ik.method(), Method::Numerical(_)),
        rows,
        warnings: Vec::new(),
    })
}

/// Points in rows: along x, then y, then z.
struct Grid {
    low: DVec3,
    step: f64,
    counts: [usize; 3],
}

impl Grid {
    fn of(options: &ReachOptions, cell: &Cell, tip: &Tip) -> Result<Self, String> {
        let [low, high] = options.around.unwrap_or_else(|| {
            let none = [DVec3::INFINITY, DVec3::NEG_INFINITY];
            sample::postures(cell).take(SAMPLES).fold(none, |[low, high], posture| {
                let at = tip.placed(cell, &posture).translation();
                [low.min(at), high.max(at)]
            })
        });
        let size = high - low;
        let step = options.step.unwrap_or(size.max_element() / STEPS);
        let count = |length: f64| if step > 0.0 { (length / step + 1e-9).floor() + 1.0 } else { 1.0 };
        let counts = size.to_array().map(count);
        if !(step > 0.0) && size.max_element() > 0.0 {
            return Err("the distance between points is 0".into());
        }
        if !(counts.iter().product::<f64>() <= MOST_POINTS as f64) {
            return Err(format!(
                "that makes more than {MOST_POINTS} points: take a larger step between them"
            ));
        }
        Ok(Self { low, step, counts: counts.map(|count| count as usize) })
    }

    fn points(&self) -> Vec<DVec3> {
        let [nx, ny, nz] = self.counts;
        let mut all = Vec::with_capacity(nx * ny * nz);
        for z in 0..nz {
            for y in 0..ny {
                all.extend((0..nx).map(|x| self.low + DVec3::new(x as f64, y as f64, z as f64) * self.step));
            }
        }
        all
    }
}

impl ReachAnswer {
    /// How much is reached, in words.
    #[must_use]
    pub fn summary(&self) -> String {
        let how = if self.complete { "" } else { " (found numerically: there may be more)" };
        let Self { reached, points, counts: [nx, ny, nz], step, .. } = self;
        format!("{reached} of {points} points are reached{how}, {nx} x {ny} x {nz} points {step} m apart\n")
    }

    /// One row a point, as CSV with a header.
    #[must_use]
    pub fn table(&self) -> String {
        let has_free = self.rows.iter().any(|row| row.free.is_some());
        let mut text =
            String::from(if has_free { "x,y,z,share,branches,free\n" } else { "x,y,z,share,branches\n" });
        for ReachRow { point: [x, y, z], share, branches, free } in &self.rows {
            write!(text, "{x},{y},{z},{share},{branches}").expect("writing to a string succeeds");
            if let Some(free) = free {
                write!(text, ",{free}").expect("writing to a string succeeds");
            }
            text.push('\n');
        }
        text
    }

    /// A PNG with one field per height, lowest first, in a nearly square arrangement.
    #[must_use]
    pub fn picture(&self) -> Vec<u8> {
        const GAP: usize = 4;
        let [nx, ny, nz] = self.counts;
        let across = (1..=nz).find(|across| across * across * nx >= nz * ny).unwrap_or(nz);
        let down = nz.div_ceil(across);
        let scale = (1600 / (across * (nx + 1))).clamp(1, 16);
        let (width, height) = (across * (nx * scale + GAP) + GAP, down * (ny * scale + GAP) + GAP);
        let mut pixels = vec![[255u8; 3]; width * height];
        for (k, row) in self.rows.iter().enumerate() {
            let (x, y, z) = (k % nx, k / nx % ny, k / (nx * ny));
            let colour = colour(row.free.unwrap_or(row.share));
            let left = GAP + z % across * (nx * scale + GAP) + x * scale;
            let top = GAP + z / across * (ny * scale + GAP) + (ny - 1 - y) * scale;
            for line in top..top + scale {
                pixels[line * width + left..line * width + left + scale].fill(colour);
            }
        }
        png::encode(width, height, &pixels)
    }
}

/// Dark, blue, green, yellow.
fn colour(share: f64) -> [u8; 3] {
    const STOPS: [[f64; 3]; 4] =
        [[68.0, 1.0, 84.0], [49.0, 104.0, 142.0], [53.0, 183.0, 121.0], [253.0, 231.0, 37.0]];
    if !(share > 0.0) {
        return [30, 30, 30];
    }
    let place = share.min(1.0) * 3.0;
    let k = (place as usize).min(2);
    let u = place - k as f64;
    std::array::from_fn(|c| (STOPS[k][c] + (STOPS[k + 1][c] - STOPS[k][c]) * u) as u8)
}

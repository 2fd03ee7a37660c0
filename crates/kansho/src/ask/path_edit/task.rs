//! A job that is shown beside its cell: its map, the path through it, and what comes of changing that path.

use crate::ask::posture::{PostureAnswer, posture as at_posture};
use kansho_cell::ik::{BranchEnd, Ik, IkOptions, LeftOut, Solutions, Tip};
use kansho_cell::work::{ToolAxis, WorkPath, WorkPoint};
use kansho_cell::{Cell, Coordinate, Quantity};
use kansho_check::scene::{Scene, Workspace};
use kansho_io::plan_files::{MapTable, PathRow};
use kansho_plan::cam::{EdgeKind, State};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// How far the tool of a path may be from where its job wants it, in metres: more than that is the path of another job.
const SAME_PLACE: f64 = 1e-6;

/// A job, its map and its path, as they were read.
#[derive(Debug)]
pub struct Task {
    pub(super) tip: Tip,
    pub(super) ik: Ik,
    pub(super) axis: ToolAxis,
    pub(super) clearance: f64,
    pub(super) kind: EdgeKind,
    /// Why a path that was changed cannot be proven again here, if it cannot.
    pub(super) fixed: Option<String>,
    pub(super) points: Vec<WorkPoint>,
    /// First point and number of points of each stroke, and whether it is closed.
    pub(super) strokes: Vec<(usize, usize, bool)>,
    pub(super) map: MapTable,
    pub(super) path: Vec<PathRow>,
}

/// What a task is made of.
#[derive(Clone, Debug)]
pub struct TaskParts {
    /// The robot that works.
    pub robot: String,
    /// Where its tool is wanted.
    pub work: WorkPath,
    /// How it may stand there.
    pub axis: ToolAxis,
    /// The least gap that is wanted, in metres.
    pub clearance: f64,
    /// How the controller moves from point to point.
    pub kind: EdgeKind,
    /// How far from a point it is rounded off, in metres.
    pub zone: f64,
    /// The map.
    pub map: MapTable,
    /// The path; empty if there is none.
    pub path: Vec<PathRow>,
}

impl Task {
    /// Puts them together.
    ///
    /// # Errors
    /// They do not belong together, and why.
    pub fn new(cell: &Cell, parts: TaskParts) -> Result<Self, String> {
        let TaskParts { robot, work, axis, clearance, kind, zone, map, path } = parts;
        let tip = Tip::tool(cell, &robot).ok_or("the robot of the job has no tool")?;
        let ik = Ik::new(cell, &tip, &IkOptions::default()).map_err(|fault| fault.to_string())?;
        let points: Vec<WorkPoint> = work.points().copied().collect();
        let same = map.points() == points.len() && map.stances() == axis.stances();
        if !same || map.rotations_deg.len() != axis.rotations().len() {
            return Err(format!(
                "the map has {} points in {} stances, the job {} in {}: plan it again",
                map.points(),
                map.stances(),
                points.len(),
                axis.stances()
            ));
        }
        if !path.is_empty() && path.len() != points.len() {
            return Err(format!(
                "the path has {} points, the job {}: plan it again",
                path.len(),
                points.len()
            ));
        }
        for (k, row) in path.iter().enumerate() {
            let fits = row.point == k && row.tilt < axis.tilts();
            let there =
                fits.then(|| axis.world_from_tip_at(&points[k], row.tilt, row.rotation_deg.to_radians()));
            let off =
                there.map(|there| (there.inverse() * tip.placed(cell, &row.posture)).translation().length());
            if off.is_none_or(|off| !(off <= SAME_PLACE)) {
                return Err(format!("point {k} of the path is not where the job wants it: plan it again"));
            }
        }
        let mut strokes = Vec::new();
        for stroke in &work.strokes {
            let first = strokes.last().map_or(0, |(first, count, _)| first + count);
            strokes.push((first, stroke.points.len(), stroke.closed && stroke.points.len() > 1));
        }
        let fixed = (zone > 0.0)
            .then(|| "points are rounded off (zone in the job), so each motion depends on the next: plan it again instead".to_owned());
        Ok(Self { tip, ik, axis, clearance, kind, fixed, points, strokes, map, path })
    }

    /// The map.
    #[must_use]
    pub fn map(&self) -> &MapTable {
        &self.map
    }

    /// The path; empty if there is none.
    #[must_use]
    pub fn path(&self) -> &[PathRow] {
        &self.path
    }

    /// How the tool may stand at its points.
    #[must_use]
    pub fn axis(&self) -> &ToolAxis {
        &self.axis
    }

    /// First point and number of points of each stroke, and whether it is closed.
    #[must_use]
    pub fn strokes(&self) -> &[(usize, usize, bool)] {
        &self.strokes
    }

    /// Whether the controller makes linear moves from point to point.
    #[must_use]
    pub fn is_lin(&self) -> bool {
        matches!(self.kind, EdgeKind::Lin(_))
    }

    /// Why a path that was changed cannot be proven again here, if it cannot.
    #[must_use]
    pub fn fixed(&self) -> Option<&str> {
        self.fixed.as_deref()
    }

    /// Motions of the path: from which point to which.
    pub(super) fn motions(&self) -> Vec<[usize; 2]> {
        let of = |&(first, count, closed): &(usize, usize, bool)| {
            let along = (first..first + count).zip(first + 1..first + count).map(|(a, b)| [a, b]);
            along.chain(closed.then(|| [first + count - 1, first])).collect::<Vec<_>>()
        };
        self.strokes.iter().flat_map(of).collect()
    }

    /// What is in a cell of the map: a posture, and what it hits.
    ///
    /// # Errors
    /// The map has no such cell.
    pub fn cell(
        &self,
        scene: &Scene,
        asked: &MapPlace,
        workspace: &mut Workspace,
    ) -> Result<MapCellAnswer, String> {
        let MapPlace { point, rotation } = *asked;
        if point >= self.points.len() || rotation >= self.map.rotations_deg.len() {
            return Err("the map has no such cell".into());
        }
        let (stance, cell) = self.map.best(point, rotation);
        let state = CellState::of(cell.state);
        let mut answer = MapCellAnswer {
            point,
            rotation,
            rotation_deg: self.map.rotations_deg[rotation],
            tilt: stance / self.map.rotations_deg.len(),
            line: self.points[point].line,
            state,
            now: state,
            pair: cell.pair().map(|pair| self.map.pairs[pair].clone()),
            why: None,
            posture: None,
            seen: None,
        };
        let seed = self.path.get(point).map(|row| row.posture.clone());
        let seed_values = seed.as_ref().map(|posture| self.ik.values_in(posture));
        let mut solutions = Solutions::default();
        let pose = self.axis.world_from_tip(&self.points[point], stance);
        self.ik.solve_into(&pose, seed_values.as_deref(), &mut solutions);
        let own = seed_values.as_ref().and_then(|values| self.ik.branch(values).0);
        let mut posture = seed.unwrap_or_else(|| scene.cell().zero_posture());
        // The branch of the path comes first where it is free; otherwise any that is; and if none is, the branch of the path.
        let mut best: Option<(u8, Vec<f64>)> = None;
        for solution in solutions.iter() {
            self.ik.put(solution.values, &mut posture);
            let is_own = own.is_some() && solution.branch == own;
            let rank = 2 * u8::from(self.is_free(scene, &posture, workspace)) + u8::from(is_own);
            if best.as_ref().is_none_or(|(before, _)| rank > *before) {
                best = Some((rank, posture.clone()));
            }
        }
        let Some((rank, posture)) = best else {
            answer.now = match solutions.why_none() {
                Some(LeftOut::Limit { .. }) => CellState::Limit,
                _ => CellState::OutOfReach,
            };
            answer.why = solutions.why_none().map(|why| left_out(scene.cell(), &why));
            return Ok(answer);
        };
        answer.now = if rank >= 2 { CellState::Free } else { CellState::Collides };
        answer.seen = Some(at_posture(scene, &posture, workspace)?);
        answer.posture = Some(posture);
        Ok(answer)
    }

    fn is_free(&self, scene: &Scene, posture: &[f64], workspace: &mut Workspace) -> bool {
        if scene.touches(posture, workspace) {
            return false;
        }
        self.clearance <= 0.0
            || scene
                .least_gap(posture, self.clearance * (1.0 + 1e-9), workspace)
                .is_none_or(|found| found.gap > self.clearance)
    }
}

/// A cell of the map.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MapPlace {
    /// The number of its point.
    pub point: usize,
    /// The number of its rotation.
    pub rotation: usize,
}

/// What is in a cell of the map.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MapCellAnswer {
    /// The number of its point.
    pub point: usize,
    /// The number of its rotation.
    pub rotation: usize,
    /// The rotation, in degrees.
    pub rotation_deg: f64,
    /// The number of the way of tilting.
    pub tilt: usize,
    /// The line of its point in the file.
    pub line: u32,
    /// As the map says.
    pub state: CellState,
    /// As it is now.
    pub now: CellState,
    /// What collides there, as the map says.
    pub pair: Option<String>,
    /// Why there is no posture.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// A posture there: free if one is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub posture: Option<Vec<f64>>,
    /// What is near or touches in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<PostureAnswer>,
}

/// What is known of a cell of the map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CellState {
    /// Nothing.
    Unknown,
    /// No posture reaches it.
    OutOfReach,
    /// Every posture is beyond joint limits.
    Limit,
    /// Every posture collides.
    Collides,
    /// The tool is free there.
    Free,
}

impl CellState {
    fn of(state: State) -> Self {
        match state {
            State::Unknown => Self::Unknown,
            State::OutOfReach => Self::OutOfReach,
            State::Limit => Self::Limit,
            State::Collides => Self::Collides,
            State::Free => Self::Free,
        }
    }
}

/// Why a pose has no posture, in words.
fn left_out(cell: &Cell, why: &LeftOut) -> String {
    match why {
        LeftOut::Limit { coordinate, beyond, .. } => beyond_limit(cell, *coordinate, *beyond),
        LeftOut::OutOfReach { by, .. } => format!("out of reach by {:.1} mm", 1e3 * by),
        _ => "no posture was found".into(),
    }
}

/// Why the tool cannot be turned that far, in words.
pub(super) fn ends(cell: &Cell, why: &BranchEnd) -> String {
    match why {
        BranchEnd::Limit { coordinate, beyond } => beyond_limit(cell, *coordinate, *beyond),
        BranchEnd::OutOfReach { .. } => "out of reach".into(),
        BranchEnd::Lost { .. } => "no posture was found".into(),
        BranchEnd::StartSingular(_) | BranchEnd::Singular(_) | BranchEnd::Passed | BranchEnd::Jump { .. } => {
            "a singularity is in the way".into()
        }
    }
}

fn beyond_limit(cell: &Cell, coordinate: usize, beyond: f64) -> String {
    let joint = &cell.coordinates()[coordinate];
    let by = match joint.quantity {
        Quantity::Angle => format!("{:.1} deg", beyond.to_degrees()),
        Quantity::Length => format!("{:.1} mm", 1e3 * beyond),
    };
    format!("{} would be {by} beyond its limit", joint.full_name())
}

/// A posture, with joints that turn without end in the turns that are nearest to another one.
pub(super) fn nearest_turn(cell: &Cell, posture: &[f64], to: &[f64]) -> Vec<f64> {
    let near = |((value, to), joint): ((&f64, &f64), &Coordinate)| {
        let endless = joint.quantity == Quantity::Angle && joint.limits.is_none();
        if endless { value + TAU * ((to - value) / TAU).round() } else { *value }
    };
    posture.iter().zip(to).zip(cell.coordinates()).map(near).collect()
}

//! What the page is told beside the answers of the library. `web/src/answers.ts` has the same types, made from these (`tests/api.rs`).

use schemars::JsonSchema;
use serde::Serialize;

/// Where an array is in a packed answer: bytes after the header, and how many numbers.
pub type ArrayPlace = (usize, usize);

/// A cell in words and numbers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CellDescription {
    /// Which reading of the files this is.
    pub edition: u64,
    /// What people call it.
    pub title: String,
    /// The version of kansho.
    pub version: &'static str,
    /// What is odd about the files.
    pub warnings: Vec<String>,
    /// Its coordinates, in the order of postures.
    pub coordinates: Vec<ShownCoordinate>,
    /// Its frames but the world's.
    pub frames: Vec<ShownFrame>,
    /// Its bodies.
    pub bodies: Vec<ShownBody>,
    /// Tools of its robots.
    pub tools: Vec<ShownTool>,
    /// How many pairs are checked, and how many are not.
    pub pairs: PairCounts,
    /// The posture in which it is shown first.
    pub posture: Vec<f64>,
    /// Whether there is a map of a job.
    pub job: bool,
    /// Whether it is watched while it moves.
    pub live: bool,
    /// Whether something is worked out meanwhile that brings more to show.
    pub busy: bool,
    /// Whether somebody sees it for the first time.
    pub tour: bool,
    /// The text of the script whose bodies these are.
    pub script: Option<String>,
}

/// A joint value.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownCoordinate {
    /// `robot/joint`.
    pub name: String,
    /// Whether it is an angle, in radians; otherwise a length, in metres.
    pub angle: bool,
    /// Its limits.
    pub limits: Option<[f64; 2]>,
    /// Its largest speed.
    pub speed: Option<f64>,
}

/// How a frame moves: turns about z and slides, one after the other.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownFrame {
    /// The frame that it moves in.
    pub parent: u32,
    /// Turns and slides.
    pub elements: Vec<ShownElement>,
    /// What follows them: rotation row by row, then translation.
    pub after: [f64; 12],
}

/// A turn about z, or a slide.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownElement {
    /// What comes before it: rotation row by row, then translation.
    pub before: [f64; 12],
    /// The direction of a slide.
    pub slide: Option<[f64; 3]>,
    /// The coordinate that moves it.
    pub coordinate: usize,
    /// How far it moves for one of that.
    pub multiplier: f64,
    /// Where it is at zero.
    pub offset: f64,
}

/// A body.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownBody {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: ShownKind,
    /// The frame that carries it.
    pub frame: u32,
    /// Whether it is an object that stands still.
    pub stands: bool,
    /// How many triangles it has.
    pub triangles: usize,
    /// Its shapes.
    pub pieces: Vec<ShownPiece>,
}

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ShownKind {
    /// A link of a robot.
    Link,
    /// A tool.
    Tool,
    /// An object.
    Object,
}

/// A shape of a body.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownPiece {
    /// The number of its surface; none of a half-space.
    pub mesh: Option<usize>,
    /// The normal and the height of a half-space.
    pub plane: Option<([f64; 3], f64)>,
    /// Where it is in its frame: rotation row by row, then translation.
    pub at: [f64; 12],
}

/// A tool.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ShownTool {
    /// Its robot.
    pub robot: String,
    /// The frame that carries it.
    pub frame: u32,
    /// Where the TCP is in that: rotation row by row, then translation.
    pub at: [f64; 12],
}

/// How many pairs of bodies are checked.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct PairCounts {
    /// These.
    pub checked: usize,
    /// And how many are not.
    pub not: usize,
}

/// What is in the packed shapes of a cell.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct GeometryHeader {
    /// Surfaces, each once.
    pub meshes: Vec<SurfaceHeader>,
    /// Motions.
    pub motions: Vec<MotionHeader>,
}

/// A surface in a packed answer.
#[derive(Clone, Copy, Debug, Serialize, JsonSchema)]
pub struct SurfaceHeader {
    /// Corners.
    pub positions: ArrayPlace,
    /// Their normals.
    pub normals: ArrayPlace,
    /// Three corners for each triangle.
    pub corners: ArrayPlace,
}

/// A motion in a packed answer.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MotionHeader {
    /// Its name.
    pub name: String,
    /// How many pieces it has.
    pub pieces: usize,
    /// Four postures for each piece: Bézier's control points.
    pub controls: ArrayPlace,
    /// How long it takes, if something says so.
    pub times: Option<MotionTimes>,
}

/// How long a motion takes, and what says so.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
pub struct MotionTimes {
    /// Seconds of each piece.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pieces: Option<Vec<f64>>,
    /// Seconds of all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub whole: Option<f64>,
    /// What says so.
    pub says: String,
}

/// Surfaces with fewer triangles.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct CoarseHeader {
    /// None where a surface has few already.
    pub meshes: Vec<Option<SurfaceHeader>>,
}

/// The map of a job: a colour for each point and rotation.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MapHeader {
    /// How many points.
    pub points: usize,
    /// Rotations, in degrees.
    pub rotations: Vec<f64>,
    /// How many ways of tilting there are.
    pub tilts: usize,
    /// Degrees from one rotation to the next.
    pub step: f64,
    /// Whether rotations go all the way round.
    pub wraps: bool,
    /// Colours: red, green and blue.
    pub palette: Vec<[u8; 3]>,
    /// What they mean.
    pub legend: Vec<(u8, String)>,
    /// First point, number of points, closed or not.
    pub strokes: Vec<(usize, usize, bool)>,
    /// A colour for each point and rotation.
    pub cells: ArrayPlace,
    /// Rotation of the path at each point, in degrees; nothing where there is no path.
    pub path: ArrayPlace,
    /// Its postures.
    pub postures: ArrayPlace,
    /// Whether the controller makes linear moves from point to point.
    pub lin: bool,
    /// Why the path cannot be dragged, if it cannot.
    pub fixed: Option<String>,
}

/// What is new of a cell that is watched.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct LiveNews {
    /// How many instants there were.
    pub count: u64,
    /// In how many of them something touched.
    pub hits: u64,
    /// Whether gaps are those of spheres around the bodies, so that zero says no more than that something may touch.
    pub rough: bool,
    /// Seconds, gap and time to contact of some instants.
    pub course: Vec<(f64, Option<f64>, Option<f64>)>,
    /// The newest.
    pub newest: Option<NewestInstant>,
}

/// The newest instant of a cell that is watched.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct NewestInstant {
    /// Its line.
    pub line: u64,
    /// Seconds since the first.
    pub seconds: f64,
    /// The posture.
    pub posture: Vec<f64>,
    /// The least gap, in metres.
    pub gap: Option<f64>,
    /// Between which bodies.
    pub bodies: Option<[u32; 2]>,
    /// Where.
    pub points: Option<[[f64; 3]; 2]>,
    /// Nothing touches sooner, in seconds; null if never.
    pub time_to_contact: Option<f64>,
    /// When it would touch if all went on like this, in seconds.
    pub estimate: Option<f64>,
    /// Lines that were dropped before it.
    pub dropped: u64,
}

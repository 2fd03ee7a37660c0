// Types of what the server tells. Made from the schemas of the answers by tests/api.rs: not to be edited.

/** A cell in words and numbers. */
export interface CellDescription {
  /** Its bodies. */
  bodies: ShownBody[];
  /** Whether something is worked out meanwhile that brings more to show. */
  busy: boolean;
  /** Its coordinates, in the order of postures. */
  coordinates: ShownCoordinate[];
  /** Which reading of the files this is. */
  edition: number;
  /** Its frames but the world's. */
  frames: ShownFrame[];
  /** Whether there is a map of a job. */
  job: boolean;
  /** Whether it is watched while it moves. */
  live: boolean;
  /** How many pairs are checked, and how many are not. */
  pairs: PairCounts;
  /** The posture in which it is shown first. */
  posture: number[];
  /** The text of the script whose bodies these are. */
  script: string | null;
  /** What people call it. */
  title: string;
  /** Tools of its robots. */
  tools: ShownTool[];
  /** Whether somebody sees it for the first time. */
  tour: boolean;
  /** The version of kansho. */
  version: string;
  /** What is odd about the files. */
  warnings: string[];
}

/** What is known of a cell of the map. */
export type CellState = "unknown" | "out_of_reach" | "limit" | "collides" | "free";

/** Surfaces with fewer triangles. */
export interface CoarseHeader {
  /** None where a surface has few already. */
  meshes: (SurfaceHeader | null)[];
}

/** A span in which something touches. */
export interface ContactMark {
  /** What touches first, by numbers in the cell. */
  bodies: [number, number];
  /** Whether it is proven that nothing touches right before it. */
  exact: boolean;
  /** Where it begins, as a fraction of the motion. */
  from: number;
  /** An instant at which the bodies have a common point, near the beginning. */
  jump: number;
  /** All pairs that were found to touch in the span, by when that was first. */
  pairs: PairInSpan[];
  /** And where. */
  points: [[number, number, number], [number, number, number]];
  /** Where it ends. */
  to: number;
}

/** What is known of a motion over time. */
export interface CourseAnswer {
  /** Of a free motion, a proven bound below all gaps, in metres; null where nothing can touch. */
  clearance: number | null;
  /** By how much bodies may be off the motion that is shown, in metres. */
  margin: number;
  /** Spans in which something touches. */
  marks: ContactMark[];
  /** Of a free motion, where its least gap was measured. */
  nearest: NearestAt | null;
  /** Spans that are neither proven nor refuted, as fractions of the motion. */
  open: [number, number][];
  /** Least gaps at instants. */
  samples: GapSamples;
  /** How long that took. */
  seconds: number;
  /** Whether it is proven. */
  verdict: VerdictWord;
}

/** Where a part comes to that is dragged. */
export type DragAnswer =
  | {
      /** True. */
      held: boolean;
    }
  | {
      /** Whether that is where it should be. */
      arrived: boolean;
      /** What blocks it: where, and which way it would have to give way. */
      blocked: [[number, number, number], [number, number, number]][];
      /** False. */
      held: boolean;
      /** Where it is then, as a motion from where the cell has it. */
      moved: number[];
      /** Where the point is then. */
      point: [number, number, number];
    };

/** What comes of a script. */
export type EditAnswer =
  | ShownScript
  | {
      /** Why. */
      errors: LineFault[];
    };

/** Least gaps at instants. */
export interface GapSamples {
  /** Between which bodies. */
  bodies: [number, number] | null[];
  /** The gaps, in metres; null where nothing can touch. */
  gap: (number | null)[];
  /** The instants, as fractions of the motion. */
  t: number[];
}

/** What is in the packed shapes of a cell. */
export interface GeometryHeader {
  /** Surfaces, each once. */
  meshes: SurfaceHeader[];
  /** Motions. */
  motions: MotionHeader[];
}

/** What holds an object, and how it can move. */
export interface HeldAnswer {
  /** How every other object lies to it. */
  between: HeldBetween[];
  /** Its middle. */
  centre: [number, number, number];
  /** The same in words. */
  freedoms: string;
  /** How many groups of conditions there are; of each group one has to hold. */
  groups: number;
  /** Whether it is held, in words. */
  held?: string;
  /** Motions that generate all that are allowed. */
  motions: HeldMotion[];
  /** The object, by its number in the cell. */
  moving: number;
  /** Where it touches, and what each point asks of its motion. */
  points: HeldPoint[];
  /** A direction in which it can be pulled out. */
  pull_out: [number, number, number] | null;
  /** Edges that touch along their length. */
  segments: HeldSegment[];
  /** Its size, in metres. */
  size: number;
  /** Whether every other object is apart or touches, so that the conditions are the whole truth. */
  sound: boolean;
}

/** How another object lies to the one that may move. */
export interface HeldBetween {
  /** The other object. */
  body: number;
  /** How deep in each other, in metres. */
  depth?: number;
  /** How far apart, in metres. */
  gap?: number;
  /** Where they touch. */
  places?: HeldPlace[];
  /** How. */
  state: HeldState;
}

/** Half-spaces of which the motion has to be in one. */
export interface HeldCondition {
  /** The number of the group. */
  group: number;
  /** Their normals. */
  normals: [number, number, number][];
}

/** A motion that is allowed. */
export interface HeldMotion {
  /** Whether its opposite is allowed, too. */
  both_ways: boolean;
  /** The branch that it is of. */
  branch: number;
  /** The same as a slide along a direction, or a turn about a line. */
  screw: HeldScrew;
  /** vx, vy, vz, wx, wy, wz. */
  twist: number[];
}

/** Where two objects touch: a polygon, a segment or a point. */
export interface HeldPlace {
  /** Its area, in square metres. */
  area?: number;
  /** The outline and holes of a polygon. */
  loops?: [number, number, number][][];
  /** Its normal. */
  normal?: [number, number, number];
  /** A point. */
  point?: [number, number, number];
  /** The ends of a segment. */
  segment?: [[number, number, number], [number, number, number]];
}

/** A point at which an object touches another. */
export interface HeldPoint {
  /** The other object. */
  body: number;
  /** What has to hold: one of each group. */
  conditions: HeldCondition[];
  /** Where. */
  point: [number, number, number];
}

/** A slide, or a turn about a line. */
export interface HeldScrew {
  /** Its direction. */
  axis?: [number, number, number];
  /** Metres along it for each radian. */
  pitch?: number;
  /** A point of the line. */
  point?: [number, number, number];
  /** The direction of a slide. */
  slide?: [number, number, number];
}

/** Two edges that touch along their length. */
export interface HeldSegment {
  /** The other object. */
  body: number;
  /** From where to where. */
  ends: [[number, number, number], [number, number, number]];
  /** Normals of the faces beside. */
  normals: [[number, number, number], [number, number, number]];
}

/** How two objects lie to each other. */
export type HeldState = "touching" | "apart" | "overlapping" | "unclear";

/** A pair of bodies that touch. */
export interface HitAt {
  /** Which, by their numbers in the cell. */
  bodies: [number, number];
  /** Where. */
  points: [[number, number, number], [number, number, number]];
  /** For each of the two bodies: pieces and their triangles. */
  triangles: [[number, number[]][], [number, number[]][]];
}

/** What is wrong with a line. */
export interface LineFault {
  /** Where in it. */
  column: number | null;
  /** What to do. */
  help: string | null;
  /** Which. */
  line: number | null;
  /** What. */
  what: string;
}

/** What is new of a cell that is watched. */
export interface LiveNews {
  /** How many instants there were. */
  count: number;
  /** Seconds, gap and time to contact of some instants. */
  course: [number, number | null, number | null][];
  /** In how many of them something touched. */
  hits: number;
  /** The newest. */
  newest: NewestInstant | null;
  /** Whether gaps are those of spheres around the bodies, so that zero says no more than that something may touch. */
  rough: boolean;
}

/** What is in a cell of the map. */
export interface MapCellAnswer {
  /** The line of its point in the file. */
  line: number;
  /** As it is now. */
  now: CellState;
  /** What collides there, as the map says. */
  pair: string | null;
  /** The number of its point. */
  point: number;
  /** A posture there: free if one is. */
  posture?: number[];
  /** The number of its rotation. */
  rotation: number;
  /** The rotation, in degrees. */
  rotation_deg: number;
  /** What is near or touches in it. */
  seen?: PostureAnswer;
  /** As the map says. */
  state: CellState;
  /** The number of the way of tilting. */
  tilt: number;
  /** Why there is no posture. */
  why?: string;
}

/** The map of a job: a colour for each point and rotation. */
export interface MapHeader {
  /** A colour for each point and rotation. */
  cells: [number, number];
  /** Why the path cannot be dragged, if it cannot. */
  fixed: string | null;
  /** What they mean. */
  legend: [number, string][];
  /** Whether the controller makes linear moves from point to point. */
  lin: boolean;
  /** Colours: red, green and blue. */
  palette: [number, number, number][];
  /** Rotation of the path at each point, in degrees; nothing where there is no path. */
  path: [number, number];
  /** How many points. */
  points: number;
  /** Its postures. */
  postures: [number, number];
  /** Rotations, in degrees. */
  rotations: number[];
  /** Degrees from one rotation to the next. */
  step: number;
  /** First point, number of points, closed or not. */
  strokes: [number, number, boolean][];
  /** How many ways of tilting there are. */
  tilts: number;
  /** Whether rotations go all the way round. */
  wraps: boolean;
}

/** A motion in a packed answer. */
export interface MotionHeader {
  /** Four postures for each piece: Bézier's control points. */
  controls: [number, number];
  /** Its name. */
  name: string;
  /** How many pieces it has. */
  pieces: number;
  /** How long it takes, if something says so. */
  times: MotionTimes | null;
}

/** How long a motion takes, and what says so. */
export interface MotionTimes {
  /** Seconds of each piece. */
  pieces?: number[];
  /** What says so. */
  says: string;
  /** Seconds of all of it. */
  whole?: number;
}

/** Where the least gap of a motion was measured. */
export interface NearestAt {
  /** In words, from what is proven to what was measured. */
  between: string;
  /** Between which bodies. */
  bodies: [number, number];
  /** The gap, in metres. */
  gap: number;
  /** When, as a fraction of the motion. */
  t: number;
}

/** The newest instant of a cell that is watched. */
export interface NewestInstant {
  /** Between which bodies. */
  bodies: [number, number] | null;
  /** Lines that were dropped before it. */
  dropped: number;
  /** When it would touch if all went on like this, in seconds. */
  estimate: number | null;
  /** The least gap, in metres. */
  gap: number | null;
  /** Its line. */
  line: number;
  /** Where. */
  points: [[number, number, number], [number, number, number]] | null;
  /** The posture. */
  posture: number[];
  /** Seconds since the first. */
  seconds: number;
  /** Nothing touches sooner, in seconds; null if never. */
  time_to_contact: number | null;
}

/** A pair of bodies. */
export interface PairAt {
  /** Which, by their numbers in the cell. */
  bodies: [number, number];
  /** The gap, in metres. */
  gap: number;
  /** Where: a point on each of the two. */
  points: [[number, number, number], [number, number, number]];
}

/** How many pairs of bodies are checked. */
export interface PairCounts {
  /** These. */
  checked: number;
  /** And how many are not. */
  not: number;
}

/** A pair of bodies that touch in a span. */
export interface PairInSpan {
  /** Which, by their numbers in the cell. */
  bodies: [number, number];
  /** The first instant at which they were found to touch. */
  from: number;
  /** The last. */
  to: number;
}

/** What is known of a path that was changed. */
export interface PathEditAnswer {
  /** Motions that had to be proven for this answer. */
  asked: number;
  /** Those that cannot be proven. */
  broken: number;
  /** Whether ends of strokes moved, so that transfer paths to them are not proven. */
  loose: boolean;
  /** Where the path is not free. */
  marks: PathMark[];
  /** Motions from point to point. */
  motions: number;
  /** Postures of the points that were asked about; null where they are not reached. */
  postures: (number[] | null)[];
  /** Of these, those that are proven free. */
  proven: number;
  /** How long that took. */
  seconds: number;
  /** Whether all of it is proven. */
  verdict: PathVerdict;
  /** Those that are still to be proven. */
  waiting: number;
}

/** Where a path is not free: at a point, or on the way to the next. */
export interface PathMark {
  /** The same by numbers in the cell. */
  bodies?: [number, number];
  /** The gap, in metres: more than zero where bodies only come nearer than the clearance. */
  gap?: number;
  /** What is wrong there. */
  kind: PathMarkKind;
  /** What touches. */
  pair?: string;
  /** How far along the motion. */
  part?: number;
  /** The number of the point. */
  point: number;
  /** Where. */
  points?: [[number, number, number], [number, number, number]];
  /** The posture there. */
  posture?: number[];
  /** The point that the motion leads to. */
  to?: number;
  /** Why the point is not reached. */
  why?: string;
}

/** What is wrong with a point of a path, or with a motion. */
export type PathMarkKind = "touches" | "unreached" | "ends" | "undecided";

/** Whether a path that was changed is proven. */
export type PathVerdict = "free" | "touches" | "unreached" | "undecided" | "proving";

/** What is near or touches in a posture. */
export interface PostureAnswer {
  /** Of those that touch, the triangles. */
  hits: HitAt[];
  /** Whether more pairs may touch than those that are listed. */
  more: boolean;
  /** Coordinates outside their limits. */
  outside: number[];
  /** The nearest pairs. */
  pairs: PairAt[];
  /** Where the tools are. */
  tips: [number, number, number][];
}

/** What blocked a move. */
export interface ShownBlock {
  /** Where, if at a point. */
  point?: [number, number, number];
  /** Where the body is then. */
  pose: number[];
}

/** A body. */
export interface ShownBody {
  /** The frame that carries it. */
  frame: number;
  /** What it is. */
  kind: ShownKind;
  /** Its name. */
  name: string;
  /** Its shapes. */
  pieces: ShownPiece[];
  /** Whether it is an object that stands still. */
  stands: boolean;
  /** How many triangles it has. */
  triangles: number;
}

/** A contact that is closed. */
export interface ShownContact {
  /** Which, as the script has it. */
  contact: string;
  /** Where. */
  points: [number, number, number][];
}

/** A joint value. */
export interface ShownCoordinate {
  /** Whether it is an angle, in radians; otherwise a length, in metres. */
  angle: boolean;
  /** Its limits. */
  limits: [number, number] | null;
  /** `robot/joint`. */
  name: string;
  /** Its largest speed. */
  speed: number | null;
}

/** A turn about z, or a slide. */
export interface ShownElement {
  /** What comes before it: rotation row by row, then translation. */
  before: number[];
  /** The coordinate that moves it. */
  coordinate: number;
  /** How far it moves for one of that. */
  multiplier: number;
  /** Where it is at zero. */
  offset: number;
  /** The direction of a slide. */
  slide: [number, number, number] | null;
}

/** How a frame moves: turns about z and slides, one after the other. */
export interface ShownFrame {
  /** What follows them: rotation row by row, then translation. */
  after: number[];
  /** Turns and slides. */
  elements: ShownElement[];
  /** The frame that it moves in. */
  parent: number;
}

/** What a body is. */
export type ShownKind = "link" | "tool" | "object";

/** What comes of a move. */
export interface ShownMove {
  /** What blocked it. */
  blocked?: ShownBlock;
  /** Contacts that are closed there. */
  contacts: ShownContact[];
  /** The verb. */
  do: string;
  /** What the body can do there, in words. */
  freedoms: string;
  /** Its line. */
  line: number;
  /** Where it ended. */
  pose: number[];
  /** How many poses it lists. */
  poses: number;
  /** What became of it. */
  status: string;
  /** How the body went. */
  ways: ShownWay[];
}

/** A shape of a body. */
export interface ShownPiece {
  /** Where it is in its frame: rotation row by row, then translation. */
  at: number[];
  /** The number of its surface; none of a half-space. */
  mesh: number | null;
  /** The normal and the height of a half-space. */
  plane: [[number, number, number], number] | null;
}

/** What comes of a script that is understood. */
export interface ShownScript {
  /** How far kept contacts are off at most, in metres. */
  drift: number;
  /** Why it does not come to its end. */
  errors: LineFault[];
  /** Where the script says that it begins. */
  given: number[];
  /** The point that its poses are about. */
  grasp: [number, number, number];
  /** Metres in one of it. */
  metres_per_unit: number;
  /** The body that is moved. */
  moved: number;
  /** How many moves it has. */
  moves: number;
  /** Regions that the proofs took. */
  regions: number;
  /** Where it begins. */
  start: number[];
  /** `reached`, or what became of the last move that was begun. */
  status: string;
  /** The moves, up to the first that does not reach its end. */
  steps: ShownMove[];
  /** The unit of its lengths. */
  unit: string;
}

/** A tool. */
export interface ShownTool {
  /** Where the TCP is in that: rotation row by row, then translation. */
  at: number[];
  /** The frame that carries it. */
  frame: number;
  /** Its robot. */
  robot: string;
}

/** A part of a move: straight, or about a line. */
export interface ShownWay {
  /** How far it turns, in radians. */
  angle?: number;
  /** Its direction. */
  axis?: [number, number, number];
  /** How far it goes straight. */
  by?: [number, number, number];
  /** Where it begins. */
  from: number[];
  /** A point of the line. */
  point?: [number, number, number];
  /** What it is. */
  word: string;
}

/** A surface in a packed answer. */
export interface SurfaceHeader {
  /** Three corners for each triangle. */
  corners: [number, number];
  /** Their normals. */
  normals: [number, number];
  /** Corners. */
  positions: [number, number];
}

/** A verdict, as answers spell it. */
export type VerdictWord = "free" | "touches" | "undecided";

/** How far some work is. */
export interface Work {
  /** How many steps of it are done. */
  done: number;
  /** Whether all of it is over: then the files can be read again. */
  is_over: boolean;
  /** Of how many; zero where that is not known. */
  of: number;
  /** What is done now, for people. */
  what: string;
}

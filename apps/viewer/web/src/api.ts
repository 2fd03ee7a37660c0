// What the server tells, and how to ask for it.

/** A pose: rotation row by row, then translation. */
export type Rows = number[];
export type Vec3 = [number, number, number];
export type Bodies = [number, number];

export interface Coordinate {
  name: string;
  angle: boolean;
  limits: [number, number] | null;
  speed: number | null;
}

export interface Element {
  before: Rows;
  slide: Vec3 | null;
  coordinate: number;
  multiplier: number;
  offset: number;
}

export interface Frame {
  parent: number;
  elements: Element[];
  after: Rows;
}

export interface Piece {
  mesh: number | null;
  plane: [Vec3, number] | null;
  at: Rows;
}

export interface Body {
  name: string;
  kind: "link" | "tool" | "object";
  frame: number;
  stands: boolean;
  triangles: number;
  pieces: Piece[];
}

export interface Tool {
  robot: string;
  frame: number;
  at: Rows;
}

export interface Cell {
  /** Which reading of the files this is. */
  edition: number;
  title: string;
  version: string;
  warnings: string[];
  coordinates: Coordinate[];
  frames: Frame[];
  bodies: Body[];
  tools: Tool[];
  pairs: { checked: number; not: number };
  posture: number[];
  /** Whether there is a map of a job. */
  job: boolean;
  /** Whether it is watched while it moves. */
  live: boolean;
  /** Whether something is worked out meanwhile that brings more to show. */
  busy: boolean;
  /** Whether somebody sees it for the first time. */
  tour: boolean;
  /** The text of the script whose bodies these are. */
  script: string | null;
}

/** How far some work is. */
export interface Work {
  what: string;
  done: number;
  /** Zero where that is not known. */
  of: number;
  is_over: boolean;
}

/** A way of the moved body: straight, or about a line. */
export interface Way {
  word: string;
  from: Rows;
  by?: Vec3;
  point?: Vec3;
  axis?: Vec3;
  angle?: number;
}

export interface Step {
  line: number;
  do: string;
  status: string;
  pose: Rows;
  ways: Way[];
  contacts: { contact: string; points: Vec3[] }[];
  freedoms: string;
  poses: number;
  blocked?: { point?: Vec3; pose: Rows };
}

export interface LineFault {
  line: number | null;
  column: number | null;
  what: string;
  help: string | null;
}

/** What comes of a script: only errors where it cannot be read. */
export interface Words {
  errors: LineFault[];
  status?: string;
  moves: number;
  unit: string;
  metres_per_unit: number;
  moved: number;
  grasp: Vec3;
  /** Where the script says that it begins. */
  given: Rows;
  start: Rows;
  steps?: Step[];
  drift: number;
  regions: number;
}

/** Where an array is: bytes after the header, and how many numbers. */
export type Place = [number, number];

export interface Surface {
  positions: Place;
  normals: Place;
  corners: Place;
}

/** Surfaces with fewer triangles; none where there are few already. */
export interface CoarseHeader {
  meshes: (Surface | null)[];
}

export interface GeometryHeader {
  meshes: Surface[];
  motions: { name: string; pieces: number; controls: Place; times: Times | null }[];
}

/** How long a motion takes: each of its pieces, or all of it, in seconds; and what says so. */
export interface Times {
  pieces?: number[];
  whole?: number;
  says: string;
}

export interface Pair {
  bodies: Bodies;
  gap: number;
  points: [Vec3, Vec3];
}

export interface Hit {
  bodies: Bodies;
  points: [Vec3, Vec3];
  /** For each of the two bodies: pieces and their triangles. */
  triangles: [[number, number[]][], [number, number[]][]];
}

export interface Seen {
  pairs: Pair[];
  hits: Hit[];
  /** Whether more pairs may touch than those that are listed. */
  more?: boolean;
  outside: number[];
  /** Where the tools are. */
  tips: Vec3[];
}

export interface Mark {
  from: number;
  to: number;
  jump: number;
  exact: boolean;
  /** What touches first, and where. */
  bodies: Bodies;
  points: [Vec3, Vec3];
  /** All that were found to touch in the span, and when. */
  pairs: { bodies: Bodies; from: number; to: number }[];
  /** Whether they only come nearer than the clearance that is wanted. */
  near?: boolean;
}

export interface Proof {
  verdict: "free" | "touches" | "undecided";
  marks: Mark[];
  open: [number, number][];
  samples: { t: number[]; gap: (number | null)[]; bodies: (Bodies | null)[] };
  clearance?: number | null;
  /** Where the least gap of the motion was measured; `between` has it in words, from what is proven to what was measured. */
  nearest?: { t: number; gap: number; bodies: Bodies; between: string } | null;
  /** Whether what is open is not reached, rather than not decided. */
  unreached?: boolean;
  /** By how much bodies may be off what is shown. */
  margin: number;
  seconds: number;
}

export interface Condition {
  group: number;
  normals: Vec3[];
}

export interface ContactPoint {
  point: Vec3;
  body: number;
  conditions: Condition[];
}

export interface Screw {
  slide?: Vec3;
  point?: Vec3;
  axis?: Vec3;
  pitch?: number;
}

export interface Generator {
  twist: number[];
  both_ways: boolean;
  branch: number;
  screw: Screw;
}

export interface Between {
  body: number;
  state: "touching" | "apart" | "overlapping" | "unclear";
  gap?: number;
  depth?: number;
  places?: { loops?: Vec3[][]; normal?: Vec3; segment?: [Vec3, Vec3]; point?: Vec3 }[];
}

export interface Contacts {
  moving: number;
  centre: Vec3;
  size: number;
  points: ContactPoint[];
  segments: { ends: [Vec3, Vec3]; normals: [Vec3, Vec3]; body: number }[];
  between: Between[];
  groups: number;
  sound: boolean;
  motions: Generator[];
  freedoms: string;
  held?: string;
}

/** Where a part came to that is dragged; nothing where it is held already because it overlaps something. */
export interface Dragged {
  held: boolean;
  moved: Rows;
  point: Vec3;
  arrived: boolean;
  /** What blocks it: where, and which way it would have to give way. */
  blocked: [Vec3, Vec3][];
}

/** What is new of a cell that is watched: seconds, gap and time to contact of some instants, and all of the newest. */
export interface LiveNews {
  count: number;
  hits: number;
  /** Whether gaps are those of spheres around the bodies, so that zero says no more than that something may touch. */
  rough: boolean;
  course: [number, number | null, number | null][];
  newest: {
    line: number;
    seconds: number;
    posture: number[];
    gap: number | null;
    bodies: Bodies | null;
    points: [Vec3, Vec3] | null;
    time_to_contact: number | null;
    estimate: number | null;
    dropped: number;
  } | null;
}

/** The map of a job: a colour for each point and rotation. */
export interface MapHeader {
  points: number;
  /** In degrees. */
  rotations: number[];
  step: number;
  wraps: boolean;
  palette: Vec3[];
  legend: [number, string][];
  /** First point, number of points, closed or not. */
  strokes: [number, number, boolean][];
  cells: Place;
  /** Rotation of the path at each point, in degrees; and its postures. Nothing where there is no path. */
  path: Place;
  postures: Place;
  lin: boolean;
  /** Why the path cannot be dragged, if it cannot. */
  fixed: string | null;
}

export type CellState = "unknown" | "out_of_reach" | "limit" | "collides" | "free";

/** What is in a cell of the map: as the map says, and as it is now. */
export interface MapCell {
  point: number;
  rotation: number;
  rotation_deg: number;
  tilt: number;
  line: number;
  state: CellState;
  now: CellState;
  pair: string | null;
  why?: string | null;
  posture?: number[];
  seen?: Seen;
}

/** Where a path is not free: at a point, or on the way to the next. */
export interface PathMark {
  kind: "touches" | "unreached" | "ends" | "undecided";
  point: number;
  to?: number;
  part?: number;
  why?: string;
  pair?: string;
  bodies?: Bodies;
  points?: [Vec3, Vec3];
  posture?: number[];
  /** Of what touches, the gap: more than zero where it only comes nearer than the clearance. */
  gap?: number;
}

/** What is known of a path that was changed. */
export interface PathAnswer {
  verdict: "free" | "touches" | "unreached" | "undecided" | "proving";
  motions: number;
  proven: number;
  /** Motions that are still to be proven, and those that cannot be. */
  waiting: number;
  broken: number;
  /** Motions that had to be proven for this answer. */
  asked: number;
  loose: boolean;
  marks: PathMark[];
  /** Of the points that were asked about; nothing where they are not reached. */
  postures: (number[] | null)[];
  seconds: number;
}

/** What the server refuses, in its own words. */
export class Refused extends Error {}

async function answered(response: Response): Promise<Response> {
  if (response.ok) return response;
  const text = await response.text();
  let said = text;
  try {
    said = (JSON.parse(text) as { error: string }).error;
  } catch {
    // Plain words are shown as they are.
  }
  throw new (response.status === 409 ? Outdated : Refused)(said || `${response.status}`);
}

/** The files were read again since: numbers of bodies may mean others now. */
export class Outdated extends Refused {}

export async function get<T>(path: string): Promise<T> {
  return (await (await answered(await fetch(path))).json()) as T;
}

export async function post<T>(path: string, body: unknown): Promise<T> {
  const asked = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  return (await (await answered(await fetch(path, asked))).json()) as T;
}

/** Questions about one reading of the files. What is answered is about that one, or not at all. */
export class Source {
  constructor(
    private readonly edition: number,
    private readonly outdated: () => void,
  ) {}

  get<T>(path: string): Promise<T> {
    return this.watch(get<T>(`/api/${this.edition}/${path}`));
  }

  post<T>(path: string, body: unknown): Promise<T> {
    return this.watch(post<T>(`/api/${this.edition}/${path}`, body));
  }

  pack<H>(path: string): Promise<Pack<H>> {
    return this.watch(Pack.get<H>(`/api/${this.edition}/${path}`));
  }

  private async watch<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (error instanceof Outdated) this.outdated();
      throw error;
    }
  }
}

/** A header in JSON and arrays behind it. */
export class Pack<H> {
  constructor(
    readonly header: H,
    private readonly data: ArrayBuffer,
    private readonly start: number,
  ) {}

  static async get<H>(path: string): Promise<Pack<H>> {
    return Pack.of<H>(await (await answered(await fetch(path))).arrayBuffer());
  }

  static of<H>(data: ArrayBuffer): Pack<H> {
    const length = new DataView(data).getUint32(0, true);
    const text = new TextDecoder().decode(new Uint8Array(data, 4, length));
    return new Pack(JSON.parse(text) as H, data, 4 + length);
  }

  floats([at, count]: Place): Float32Array {
    return new Float32Array(this.data, this.start + at, count);
  }

  whole([at, count]: Place): Uint32Array {
    return new Uint32Array(this.data, this.start + at, count);
  }

  short([at, count]: Place): Uint16Array {
    return new Uint16Array(this.data, this.start + at, count);
  }

  small([at, count]: Place): Int8Array {
    return new Int8Array(this.data, this.start + at, count);
  }

  doubles([at, count]: Place): Float64Array {
    // They need not begin at a multiple of eight bytes.
    const first = this.start + at;
    return new Float64Array(this.data.slice(first, first + 8 * count));
  }
}

// What the server tells, and how to ask for it. Types of answers are made from the server's own (`answers.ts`).

import type { ContactMark, CourseAnswer, LineFault, ShownScript } from "./answers";

export type {
  CellDescription as Cell,
  CellState,
  CoarseHeader,
  GeometryHeader,
  HeldAnswer as Contacts,
  HeldBetween as Between,
  HeldCondition as Condition,
  HeldMotion as Generator,
  HeldPoint as ContactPoint,
  HeldScrew as Screw,
  HitAt as Hit,
  LineFault,
  LiveNews,
  MapCellAnswer as MapCell,
  MapHeader,
  MotionTimes as Times,
  PairAt as Pair,
  PathEditAnswer as PathAnswer,
  PathMark,
  PostureAnswer as Seen,
  ShownBody as Body,
  ShownCoordinate as Coordinate,
  ShownElement as Element,
  ShownFrame as Frame,
  ShownMove as Step,
  ShownPiece as Piece,
  ShownScript as Understood,
  ShownTool as Tool,
  ShownWay as Way,
  SurfaceHeader as Surface,
  Work,
} from "./answers";

/** A pose: rotation row by row, then translation. */
export type Rows = number[];
export type Vec3 = [number, number, number];
export type Bodies = [number, number];

/** Where an array is: bytes after the header, and how many numbers. */
export type Place = [number, number];

/** What comes of a script: only errors where it cannot be read. */
export type Words = ShownScript | { errors: LineFault[]; steps?: undefined };

/** A span in which something touches; or in which bodies only come nearer than the clearance that is wanted. */
export type Mark = ContactMark & { near?: boolean };

/** What is known of a motion; or of a path that was changed, of which something may not be reached. */
export type Proof = Omit<CourseAnswer, "marks" | "clearance" | "nearest"> &
  Partial<Pick<CourseAnswer, "clearance" | "nearest">> & { marks: Mark[]; unreached?: boolean };

/** Where a part came to that is dragged; nothing where it is held already because it overlaps something. */
export interface Dragged {
  held: boolean;
  moved: Rows;
  point: Vec3;
  arrived: boolean;
  /** What blocks it: where, and which way it would have to give way. */
  blocked: [Vec3, Vec3][];
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

// A path that is dragged: the point that is held takes its neighbours along, less the farther they are.

import type { MapHeader, PathAnswer, Proof } from "../api";
import { Motion } from "../motion";

export class DraggedPath {
  /** Rotations in degrees, as planned and as they are now. They are not wrapped. */
  readonly planned: Float64Array;
  readonly now: Float64Array;
  /** Postures as they were answered last. */
  private readonly current: Float64Array;
  private held: { point: number; before: Float64Array } | null = null;

  constructor(
    private readonly header: MapHeader,
    planned: Float64Array,
    private readonly postures: Float64Array,
  ) {
    this.planned = planned;
    this.now = planned.slice();
    this.current = postures.slice();
  }

  get isChanged(): boolean {
    return this.now.some((value, point) => value !== this.planned[point]);
  }

  get joints(): number {
    return this.postures.length / Math.max(this.planned.length, 1);
  }

  posture(point: number): Float64Array {
    return this.current.subarray(point * this.joints, (point + 1) * this.joints);
  }

  hold(point: number): void {
    this.held = { point, before: this.now.slice() };
  }

  release(): void {
    this.held = null;
  }

  reset(): void {
    this.now.set(this.planned);
    this.current.set(this.postures);
    this.held = null;
  }

  /** Turns the tool at the held point by some degrees, and its neighbours as far as so many points away. */
  pull(degrees: number, reach: number): void {
    if (!this.held) return;
    const { point, before } = this.held;
    const [first, count, closed] = this.strokeOf(point);
    const { rotations, wraps } = this.header;
    const [low, high] = wraps ? [-Infinity, Infinity] : [rotations[0] ?? 0, rotations.at(-1) ?? 0];
    this.now.set(before);
    for (let k = first; k < first + count; k++) {
      const straight = Math.abs(k - point);
      const away = closed ? Math.min(straight, count - straight) : straight;
      if (away >= reach) continue;
      const part = 0.5 * (1 + Math.cos((Math.PI * away) / reach));
      this.now[k] = Math.min(Math.max((before[k] as number) + degrees * part, low), high);
    }
  }

  /** The point of the path whose posture is nearest to one; none where the posture is beside the path, as on another motion. */
  pointAt(posture: Float64Array): number | null {
    if (this.joints === 0) return null;
    let [best, least] = [-1, Infinity];
    for (let point = 0; point < this.planned.length; point++) {
      const away = this.away(this.posture(point), posture);
      if (away < least) [best, least] = [point, away];
    }
    // On the path, one is no farther from a point than its neighbours are.
    return best >= 0 && least <= this.stepAt(best) + 1e-12 ? best : null;
  }

  /** How far the farther of the neighbours of a point is, in its joints, squared. */
  private stepAt(point: number): number {
    const [first, count, closed] = this.strokeOf(point);
    const neighbours = [point - 1, point + 1].flatMap((other) => {
      if (other >= first && other < first + count) return [other];
      return closed ? [other < first ? first + count - 1 : first] : [];
    });
    return Math.max(0, ...neighbours.map((other) => this.away(this.posture(other), this.posture(point))));
  }

  /** The squared distance of two postures, in their joints. */
  private away(a: Float64Array, b: Float64Array): number {
    let sum = 0;
    for (let joint = 0; joint < this.joints; joint++) sum += ((a[joint] as number) - (b[joint] as number)) ** 2;
    return sum;
  }

  /** The stroke that a point belongs to: its first point, how many it has, and whether it is closed. */
  private strokeOf(point: number): [number, number, boolean] {
    return this.header.strokes.find(([start, length]) => point >= start && point < start + length) ?? [0, 0, false];
  }

  /** What differs from the plan, as the server takes it. */
  question(patience_ms: number): { points: number[]; rotations_deg: number[]; patience_ms: number } {
    const points: number[] = [];
    this.now.forEach((value, point) => {
      if (value !== this.planned[point]) points.push(point);
    });
    return { points, rotations_deg: points.map((point) => this.now[point] as number), patience_ms };
  }

  /** The motion through postures that were answered, for the eye: joints go evenly from point to point. Points that are not reached keep the last
   * posture that was. */
  motion(asked: number[], answer: PathAnswer): Motion {
    const all = this.current;
    all.set(this.postures);
    const put = (point: number, posture: number[] | null | undefined): void => {
      if (posture) all.set(posture, point * this.joints);
    };
    asked.forEach((point, k) => put(point, answer.postures[k]));
    for (const mark of answer.marks) if (mark.kind === "unreached") put(mark.point, mark.posture);
    const controls: number[] = [];
    const edges = this.edges();
    for (const [from, to] of edges) {
      for (let joint = 0; joint < this.joints; joint++) {
        const [a, b] = [all[from * this.joints + joint] as number, all[to * this.joints + joint] as number];
        controls.push(a, a + (b - a) / 3, b - (b - a) / 3, b);
      }
    }
    return new Motion("dragged path", edges.length, Float64Array.from(controls), this.joints);
  }

  private edges(): [number, number][] {
    return this.header.strokes.flatMap(([first, count, closed]) => {
      const along = Array.from({ length: count - 1 }, (_, k): [number, number] => [first + k, first + k + 1]);
      return closed ? [...along, [first + count - 1, first] as [number, number]] : along;
    });
  }

  /** The same as what is known of a motion. */
  proof(answer: PathAnswer): Proof {
    const edges = this.edges();
    const place = new Map(edges.map(([from], k) => [from, k]));
    const time = (point: number, part: number): number => ((place.get(point) ?? 0) + part) / edges.length;
    const marks = answer.marks.flatMap(({ kind, point, part, bodies, points, gap }) => {
      if (kind !== "touches" || !bodies || !points) return [];
      const at = time(point, part ?? 0);
      return [{ from: at, to: at, jump: at, exact: false, bodies, points, pairs: [{ bodies, from: at, to: at }], near: (gap ?? 0) > TOUCHES }];
    });
    marks.sort((a, b) => a.from - b.from);
    const others = answer.marks.filter((mark) => mark.kind !== "touches");
    const open = others.map((mark): [number, number] => [time(mark.point, 0), time(mark.point, 1)]).sort((a, b) => a[0] - b[0]);
    return {
      verdict: marks.length > 0 ? "touches" : answer.verdict === "free" ? "free" : "undecided",
      marks: joined(marks, edges.length),
      open: open.filter(([from], k) => k === 0 || from > (open[k - 1]?.[1] ?? 0) + 1e-9),
      samples: { t: [0, 1], gap: [null, null], bodies: [null, null] },
      unreached: others.length > 0 && others.every((mark) => mark.kind !== "undecided"),
      margin: 0,
      seconds: answer.seconds,
    };
  }
}

/** A gap that is more than this is no contact, in metres: what the server does not tell apart. */
export const TOUCHES = 1e-6;

/** Contacts of motions that follow each other are one, with all the pairs that touch in it. What touches and what only comes near are two. */
function joined(marks: Proof["marks"], edges: number): Proof["marks"] {
  const all: Proof["marks"] = [];
  for (const mark of marks) {
    const last = all.at(-1);
    if (last && last.near === mark.near && mark.from - last.to < 2 / edges) {
      last.to = mark.to;
      const known = last.pairs.find((pair) => pair.bodies.join() === mark.bodies.join());
      if (known) known.to = mark.to;
      else last.pairs.push(...mark.pairs);
    } else all.push({ ...mark });
  }
  return all;
}

// The way of a body through a script: straight pieces and turns, one after the other.

import { Matrix4, Vector3 } from "three";
import type { Understood, Way } from "./api";
import { matrix } from "./kinematics";

/** Where the body is at a fraction of a way. */
export function alongWay(way: Way, t: number): Matrix4 {
  const from = matrix(way.from);
  if (way.by) return new Matrix4().makeTranslation(way.by[0] * t, way.by[1] * t, way.by[2] * t).multiply(from);
  if (!way.axis || !way.point) return from;
  const foot = new Vector3(...way.point);
  return new Matrix4()
    .makeTranslation(foot)
    .multiply(new Matrix4().makeRotationAxis(new Vector3(...way.axis), (way.angle ?? 0) * t))
    .multiply(new Matrix4().makeTranslation(foot.clone().negate()))
    .multiply(from);
}

/** All ways of a script. Each counts as one, so that short ones are seen, too. */
export class Course {
  private readonly ways: Way[];
  /** How many ways there are when a step is done. */
  readonly ends: number[] = [];

  constructor(private readonly words: Understood) {
    const { steps } = words;
    this.ways = steps.flatMap((step) => step.ways);
    let sum = 0;
    for (const step of steps) {
      sum += step.ways.length;
      this.ends.push(sum);
    }
  }

  get length(): number {
    return this.ways.length;
  }

  /** Where the body is after so many ways, and a part of one. */
  at(place: number): Matrix4 {
    const index = Math.min(Math.max(Math.ceil(place) - 1, 0), this.ways.length - 1);
    const way = this.ways[index];
    if (!way || place <= 0) return matrix(this.words.start);
    return alongWay(way, Math.min(place - index, 1));
  }

  /** The number of the step that such a place belongs to; none at the beginning. */
  step(place: number): number {
    if (place <= 0) return -1;
    const found = this.ends.findIndex((end) => place <= end + 1e-9);
    return found < 0 ? this.ends.length - 1 : found;
  }
}

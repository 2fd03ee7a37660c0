// A motion of all joints in t from 0 to 1: pieces that take equal times, every joint a cubic in Bernstein's form.

import type { Coordinate } from "./api";

export class Motion {
  constructor(
    readonly name: string,
    readonly pieces: number,
    private readonly controls: Float64Array,
    private readonly joints: number,
  ) {}

  /** The posture at an instant, into memory that is used again. */
  at(t: number, into: Float64Array): void {
    const place = Math.min(Math.max(t, 0), 1) * this.pieces;
    const piece = Math.min(Math.floor(place), this.pieces - 1);
    const u = place - piece;
    const v = 1 - u;
    for (let joint = 0; joint < this.joints; joint++) {
      const at = 4 * (piece * this.joints + joint);
      const [a, b, c, d] = [at, at + 1, at + 2, at + 3].map((k) => this.controls[k] as number) as [number, number, number, number];
      // Ends and what does not change come out exactly.
      into[joint] = u === 0 ? a : u === 1 ? d : a === b && b === c && c === d ? a : v * v * v * a + 3 * v * v * u * b + 3 * v * u * u * c + u * u * u * d;
    }
  }

  /** How long it is shown for, in seconds: about what joints at their limits of speed would take, but no less than six and no more than forty. */
  seconds(coordinates: Coordinate[]): number {
    const from = new Float64Array(this.joints);
    const to = new Float64Array(this.joints);
    let total = 0;
    for (let piece = 0; piece < this.pieces; piece++) {
      this.at(piece / this.pieces, from);
      this.at((piece + 1) / this.pieces, to);
      let longest = 0;
      for (let joint = 0; joint < this.joints; joint++) {
        const way = Math.abs((to[joint] as number) - (from[joint] as number));
        const speed = coordinates[joint]?.speed ?? 1;
        longest = Math.max(longest, way / (speed > 0 ? speed : 1));
      }
      total += longest;
    }
    return Math.min(Math.max(4 * total, 6), 40);
  }
}

// A motion of all joints in t from 0 to 1: pieces that take equal parts of t, every joint a cubic in Bernstein's form.

import type { Coordinate, Times } from "./api";

export class Motion {
  constructor(
    readonly name: string,
    readonly pieces: number,
    private readonly controls: Float64Array,
    private readonly joints: number,
    /** How long it takes, where something says so. */
    readonly times: Times | null = null,
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

  /** How long it takes, in seconds; nothing where nobody says so. */
  get duration(): number | null {
    return this.times?.whole ?? this.times?.pieces?.reduce((sum, seconds) => sum + seconds, 0) ?? null;
  }

  /** Seconds from the beginning; nothing where that is not known of every piece. */
  secondsAt(t: number): number | null {
    const pieces = this.times?.pieces;
    if (!pieces) return null;
    const place = Math.min(Math.max(t, 0), 1) * this.pieces;
    const piece = Math.min(Math.floor(place), this.pieces - 1);
    const before = pieces.slice(0, piece).reduce((sum, seconds) => sum + seconds, 0);
    return before + (place - piece) * (pieces[piece] ?? 0);
  }

  /** The instant that is some seconds after another: by its own times, or, where there are none, at a speed for the eye. Beyond its end it is
   * more than 1. */
  after(t: number, seconds: number, coordinates: Coordinate[]): number {
    const pieces = this.times?.pieces;
    if (!pieces) return t + seconds / (this.duration ?? this.pace(coordinates));
    let [place, left] = [t * this.pieces, seconds];
    while (place < this.pieces) {
      const piece = Math.min(Math.floor(place), this.pieces - 1);
      const takes = pieces[piece] ?? 0;
      const rest = (piece + 1 - place) * takes;
      if (left < rest) return (place + left / takes) / this.pieces;
      left -= rest;
      place = piece + 1;
    }
    return 1 + left;
  }

  private pace_: number | null = null;

  /** How long it is shown for where nobody knows how long it takes, in seconds: for the eye, and never told. About what joints at their limits of speed
   * would take, four times as slow, but no less than six and no more than forty. */
  pace(coordinates: Coordinate[]): number {
    this.pace_ ??= this.paceOf(coordinates);
    return this.pace_;
  }

  private paceOf(coordinates: Coordinate[]): number {
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

/** Where a motion is in time, in words, as far as that is known; and what that means. */
export function timeWords(motion: Motion, t: number): { told: string; means: string } {
  const part = `${(100 * t).toFixed(1)}\u00a0%`;
  const { duration, times } = motion;
  const seconds = motion.secondsAt(t);
  if (duration === null || !times)
    return { told: `${part} · no time base`, means: "Nothing says how long this motion takes: it is played at a pace for the eye." };
  if (seconds === null) return { told: `${part} · ${times.says}: ${inSeconds(duration)}`, means: "How long all of it takes is known; it is played evenly." };
  return {
    told: `${seconds.toFixed(2)} s of ${inSeconds(duration)}, ${times.says}`,
    means: `${part} of the motion. Played at 1× it takes as long as ${times.says === "as its file says" ? "its file says" : `the tool takes ${times.says}, without starting and stopping`}.`,
  };
}

function inSeconds(seconds: number): string {
  return `${seconds.toFixed(seconds < 100 ? 2 : 1)} s`;
}

// Forward kinematics: where every frame of the cell is in a posture.

import { Matrix4 } from "three";
import type { Cell, Rows } from "./api";

/** A pose as a matrix. */
export function matrix(rows: Rows): Matrix4 {
  const [a = 1, b = 0, c = 0, d = 0, e = 1, f = 0, g = 0, h = 0, i = 1, x = 0, y = 0, z = 0] = rows;
  return new Matrix4().set(a, b, c, x, d, e, f, y, g, h, i, z, 0, 0, 0, 1);
}

interface Step {
  before: Matrix4;
  slide: [number, number, number] | null;
  coordinate: number;
  multiplier: number;
  offset: number;
}

export class Kinematics {
  /** Frame 0 is the world. */
  readonly frames: Matrix4[] = [new Matrix4()];
  private readonly chain: { parent: number; steps: Step[]; after: Matrix4 }[];
  private readonly turn = new Matrix4();

  constructor(cell: Cell) {
    this.chain = cell.frames.map((frame) => ({
      parent: frame.parent,
      steps: frame.elements.map((element) => ({ ...element, before: matrix(element.before) })),
      after: matrix(frame.after),
    }));
    this.chain.forEach(() => this.frames.push(new Matrix4()));
  }

  /** Places all frames; each hangs on one before it. */
  place(posture: ArrayLike<number>): void {
    this.chain.forEach(({ parent, steps, after }, index) => {
      const at = this.frames[index + 1] as Matrix4;
      at.copy(this.frames[parent] as Matrix4);
      for (const { before, slide, coordinate, multiplier, offset } of steps) {
        const value = multiplier * (posture[coordinate] ?? 0) + offset;
        at.multiply(before);
        if (slide) this.turn.makeTranslation(slide[0] * value, slide[1] * value, slide[2] * value);
        else this.turn.makeRotationZ(value);
        at.multiply(this.turn);
      }
      at.multiply(after);
    });
  }
}

// The way of each tool through a motion, coloured by the least gap there.

import { Color, Group, Matrix4, Vector3 } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Cell, Proof } from "../api";
import { Kinematics, matrix } from "../kinematics";
import type { Motion } from "../motion";

/** Points of a way. */
const POINTS = 900;

/** A gap from which on everything is far, as a part of the size of the cell. */
const FAR = 0.03;

export class Trace {
  readonly group = new Group();
  private lines: Line2[] = [];

  constructor(
    private readonly cell: Cell,
    private readonly size: number,
  ) {}

  /** Draws the ways of a motion. */
  show(motion: Motion | null, proof: Proof | null): void {
    this.clear();
    if (!motion) return;
    const kinematics = new Kinematics(this.cell);
    const posture = new Float64Array(this.cell.coordinates.length);
    const tools = this.cell.tools.map((tool) => ({ frame: tool.frame, at: matrix(tool.at), positions: [] as number[], colours: [] as number[] }));
    const [place, point, colour] = [new Matrix4(), new Vector3(), new Color()];
    for (let k = 0; k <= POINTS; k++) {
      const t = k / POINTS;
      motion.at(t, posture);
      kinematics.place(posture);
      colourAt(proof, t, FAR * this.size, colour);
      for (const tool of tools) {
        place.multiplyMatrices(kinematics.frames[tool.frame] as Matrix4, tool.at);
        point.setFromMatrixPosition(place);
        tool.positions.push(point.x, point.y, point.z);
        tool.colours.push(colour.r, colour.g, colour.b);
      }
    }
    this.lines = tools.map(({ positions, colours }) => {
      const geometry = new LineGeometry().setPositions(positions).setColors(colours);
      const line = new Line2(geometry, new LineMaterial({ vertexColors: true, linewidth: 2.5, transparent: true, opacity: 0.95 }));
      line.frustumCulled = false;
      return line;
    });
    this.group.add(...this.lines);
  }

  private clear(): void {
    for (const line of this.lines) {
      line.geometry.dispose();
      line.material.dispose();
    }
    this.group.clear();
    this.lines = [];
  }

  dispose(): void {
    this.clear();
  }
}

const [NEAR, MIDDLE, AWAY, UNKNOWN] = ["#ff3347", "#f2cc3f", "#3fc77a", "#58a6ff"].map((name) => new Color(name)) as [Color, Color, Color, Color];

function colourAt(proof: Proof | null, t: number, far: number, into: Color): void {
  if (!proof) {
    into.copy(UNKNOWN);
    return;
  }
  const { t: times, gap } = proof.samples;
  const nearest = Math.min(Math.max(Math.round(t * (times.length - 1)), 0), times.length - 1);
  const value = gap[nearest];
  if (proof.marks.some((mark) => mark.from <= t && t <= mark.to) || value === 0) into.copy(NEAR);
  else if (value === null || value === undefined) into.copy(AWAY);
  else into.lerpColors(MIDDLE, AWAY, Math.min(value / far, 1));
}

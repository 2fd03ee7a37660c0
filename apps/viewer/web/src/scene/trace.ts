// The way of each tool through a motion, coloured by the least gap there; blue where that is not known.

import { BufferGeometry, Color, Float32BufferAttribute, Group, Line, LineBasicMaterial, Matrix4, Vector3 } from "three";
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
  /** The same ways as lines that are quickly drawn. */
  private thin: Line<BufferGeometry, LineBasicMaterial>[] = [];
  private isCoarse = false;

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
    this.thin = tools.map(({ positions, colours }) => {
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new Float32BufferAttribute(positions, 3));
      geometry.setAttribute("color", new Float32BufferAttribute(colours, 3));
      return new Line(geometry, new LineBasicMaterial({ vertexColors: true }));
    });
    this.group.add(...this.lines, ...this.thin);
    this.coarsen(this.isCoarse);
  }

  /** Draws ways as thin lines, or as wide ones again. */
  coarsen(coarse: boolean): void {
    this.isCoarse = coarse;
    for (const line of this.lines) line.visible = !coarse;
    for (const line of this.thin) line.visible = coarse;
  }

  private clear(): void {
    for (const line of [...this.lines, ...this.thin]) {
      line.geometry.dispose();
      line.material.dispose();
    }
    this.group.clear();
    this.lines = [];
    this.thin = [];
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
  else if (proof.open.some(([from, to]) => from <= t && t <= to)) into.copy(UNKNOWN);
  // Where nothing was measured nobody knows how near it is.
  else if (value === null || value === undefined) into.copy(UNKNOWN);
  else into.lerpColors(MIDDLE, AWAY, Math.min(value / far, 1));
}

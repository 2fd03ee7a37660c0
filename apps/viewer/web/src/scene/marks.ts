// What touches, and what is near: triangles in colour, witness points, and the line of the least gap.

import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Hit, Pair } from "../api";
import type { Bodies } from "./bodies";
import type { Stage } from "./stage";

/** Triangles that are coloured, at most. */
const MOST = 6000;

export class Marks {
  readonly group = new Group();
  /** Triangles that are coloured at this moment. */
  coloured = 0;
  private readonly positions = new Float32Array(9 * MOST);
  private readonly triangles = new BufferGeometry();
  private readonly solid: Mesh;
  private readonly through: Mesh;
  private readonly points: Mesh[];
  private readonly line: Line2;
  private readonly ends = [new Vector3(), new Vector3()];
  private pair: Pair | null = null;

  constructor(
    private readonly bodies: Bodies,
    private readonly stage: Stage,
  ) {
    const attribute = new BufferAttribute(this.positions, 3);
    attribute.setUsage(DynamicDrawUsage);
    this.triangles.setAttribute("position", attribute);
    this.triangles.setDrawRange(0, 0);
    const front = new MeshBasicMaterial({ color: "#ffd21f", side: DoubleSide, polygonOffset: true, polygonOffsetFactor: -2, polygonOffsetUnits: -2 });
    const behind = new MeshBasicMaterial({ color: "#ffd21f", side: DoubleSide, transparent: true, opacity: 0.4, depthTest: false, depthWrite: false });
    this.solid = new Mesh(this.triangles, front);
    this.through = new Mesh(this.triangles, behind);
    this.through.renderOrder = 5;
    const ball = new SphereGeometry(1, 20, 14);
    this.points = ["#ffffff", "#ffffff"].map((color) => {
      const point = new Mesh(ball, new MeshBasicMaterial({ color, depthTest: false, transparent: true }));
      point.renderOrder = 8;
      point.visible = false;
      return point;
    });
    const material = new LineMaterial({ color: "#36d6ff", linewidth: 3, depthTest: false, transparent: true, worldUnits: false });
    this.line = new Line2(new LineGeometry().setPositions([0, 0, 0, 0, 0, 1]), material);
    this.line.renderOrder = 7;
    this.line.visible = false;
    for (const object of [this.solid, this.through, this.line]) object.frustumCulled = false;
    this.group.add(this.solid, this.through, this.line, ...this.points);
  }

  /** Colours the triangles that touch. */
  hits(hits: Hit[]): void {
    let count = 0;
    for (const { bodies, triangles } of hits) {
      triangles.forEach((pieces, side) => {
        for (const [piece, list] of pieces) {
          for (const triangle of list) {
            if (count >= MOST) return;
            if (this.bodies.corners(bodies[side] as number, piece, triangle, this.positions, 9 * count)) count += 1;
          }
        }
      });
    }
    this.coloured = count;
    this.triangles.setDrawRange(0, 3 * count);
    (this.triangles.getAttribute("position") as BufferAttribute).needsUpdate = true;
    this.solid.visible = count > 0;
    this.through.visible = count > 0;
  }

  /** Shows the gap of a pair, or the point in which it touches. */
  gap(pair: Pair | null): void {
    this.pair = pair;
    const visible = pair !== null;
    this.line.visible = visible && pair.gap > 0;
    for (const point of this.points) point.visible = visible;
    if (!pair) return;
    pair.points.forEach((point, k) => this.ends[k]?.set(...point));
    if (pair.gap > 0) {
      const positions = pair.points.flat();
      this.line.geometry.setPositions(positions);
    }
    const colour = pair.gap > 0 ? "#36d6ff" : "#ffffff";
    for (const point of this.points) (point.material as MeshBasicMaterial).color.set(colour);
  }

  /** Where the middle of the gap is. */
  get middle(): Vector3 | null {
    if (!this.pair) return null;
    return (this.ends[0] as Vector3).clone().lerp(this.ends[1] as Vector3, 0.5);
  }

  /** Points stay as large on the screen as they were. */
  beforePicture(): void {
    this.points.forEach((point, k) => {
      point.position.copy(this.ends[k] as Vector3);
      point.scale.setScalar(4.5 * this.stage.pixel(point.position));
    });
  }

  dispose(): void {
    this.triangles.dispose();
    this.line.geometry.dispose();
    this.line.material.dispose();
    this.points[0]?.geometry.dispose();
    for (const mesh of [this.solid, this.through, ...this.points]) (mesh.material as MeshBasicMaterial).dispose();
  }
}

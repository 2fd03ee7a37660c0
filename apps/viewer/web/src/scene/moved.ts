// The moved body of a script in its pose, what it touches there, and the way of the grasp.

import { BufferGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, type Matrix4, Mesh, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import type { Rows, Understood, Vec3 } from "../api";
import { matrix } from "../kinematics";
import { alongWay } from "../ways";
import type { Bodies } from "./bodies";
import type { Stage } from "./stage";

/** Points of the line for each way. */
const POINTS = 24;

export class MovedView {
  readonly group = new Group();
  private readonly line = new Line(new BufferGeometry(), new LineBasicMaterial({ color: "#58a6ff", depthTest: false, transparent: true, opacity: 0.85 }));
  private readonly dot = new SphereGeometry(1, 16, 12);
  private readonly touching = new MeshBasicMaterial({ color: "#2dd4bf", depthTest: false, transparent: true });
  private readonly blocking = new MeshBasicMaterial({ color: "#ff3347", depthTest: false, transparent: true });
  private readonly dots = new Group();

  constructor(
    private readonly bodies: Bodies,
    private readonly stage: Stage,
  ) {
    this.line.frustumCulled = false;
    this.line.renderOrder = 6;
    this.group.add(this.line, this.dots);
  }

  /** Draws the way of the grasp. */
  course(words: Understood | null): void {
    const points: number[] = [];
    const grasp = new Vector3();
    for (const way of words?.steps?.flatMap((step) => step.ways) ?? []) {
      for (let k = 0; k <= POINTS; k++) {
        grasp.set(...(words?.grasp ?? [0, 0, 0])).applyMatrix4(alongWay(way, k / POINTS));
        points.push(grasp.x, grasp.y, grasp.z);
      }
    }
    this.line.geometry.dispose();
    this.line.geometry = new BufferGeometry();
    this.line.geometry.setAttribute("position", new Float32BufferAttribute(points, 3));
  }

  /** Puts the moved body somewhere. It is drawn where the script says that it begins, so it is moved from there. */
  place(body: number, given: Rows, pose: Matrix4): void {
    const drawn = this.bodies.drawn[body];
    if (!drawn) return;
    drawn.group.matrix = pose.clone().multiply(matrix(given).invert());
    drawn.group.matrixWorldNeedsUpdate = true;
  }

  /** Marks points at which it touches, and one at which it is blocked. */
  points(points: Vec3[], blocked: Vec3 | null): void {
    this.dots.clear();
    for (const [point, material] of [...points.map((point) => [point, this.touching] as const), ...(blocked ? [[blocked, this.blocking] as const] : [])]) {
      const dot = new Mesh(this.dot, material);
      dot.position.set(...point);
      dot.renderOrder = 9;
      this.dots.add(dot);
    }
  }

  beforePicture(): void {
    for (const dot of this.dots.children) dot.scale.setScalar(5 * this.stage.pixel(dot.position));
  }

  dispose(): void {
    this.line.geometry.dispose();
    this.line.material.dispose();
    this.dot.dispose();
    this.touching.dispose();
    this.blocking.dispose();
  }
}

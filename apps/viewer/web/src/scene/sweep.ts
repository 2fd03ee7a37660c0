// All places that a motion takes bodies to, as one translucent body: many instants drawn together, of which the nearest surface is seen.

import { type BufferGeometry, Group, InstancedMesh, LessEqualDepth, Matrix4, MeshBasicMaterial, MeshPhongMaterial } from "three";
import type { Cell } from "../api";
import { Kinematics } from "../kinematics";
import type { Motion } from "../motion";
import type { Bodies } from "./bodies";

/** Instants, at most; and triangles of all of them together. */
const [MOST, TRIANGLES] = [180, 900_000];

export class Sweep {
  readonly group = new Group();
  /** Instants that it is made of. */
  instants = 0;
  // Depths first, without a colour: so what is inside of the volume is not seen through its surface.
  private readonly depths = new MeshBasicMaterial({ colorWrite: false });
  private readonly glass = new MeshPhongMaterial({
    color: "#8b7cf6",
    transparent: true,
    opacity: 0.42,
    depthWrite: false,
    depthFunc: LessEqualDepth,
    shininess: 8,
  });
  private meshes: InstancedMesh[] = [];

  constructor(
    private readonly cell: Cell,
    private readonly bodies: Bodies,
  ) {}

  show(motion: Motion | null): void {
    this.clear();
    if (!motion) return;
    const moving = this.cell.bodies.flatMap((body, index) =>
      body.frame === 0 ? [] : (this.bodies.drawn[index]?.pieces ?? []).map((piece) => ({ frame: body.frame, piece })),
    );
    const geometry = (mesh: number): BufferGeometry => this.bodies.light(mesh);
    const once = moving.reduce((sum, { piece }) => sum + (geometry(piece.mesh).getIndex()?.count ?? 0) / 3, 0);
    const count = Math.max(Math.min(MOST, Math.floor(TRIANGLES / Math.max(once, 1))), 12);
    const kinematics = new Kinematics(this.cell);
    const posture = new Float64Array(this.cell.coordinates.length);
    const place = new Matrix4();
    const made = moving.map(({ piece }) =>
      [this.depths, this.glass].map((material, k) => {
        const mesh = new InstancedMesh(geometry(piece.mesh), material, count);
        mesh.frustumCulled = false;
        mesh.renderOrder = 20 + k;
        return mesh;
      }),
    );
    for (let k = 0; k < count; k++) {
      motion.at(k / (count - 1), posture);
      kinematics.place(posture);
      moving.forEach(({ frame, piece }, index) => {
        place.multiplyMatrices(kinematics.frames[frame] as Matrix4, piece.at);
        for (const mesh of made[index] ?? []) mesh.setMatrixAt(k, place);
      });
    }
    this.meshes = made.flat();
    this.instants = count;
    if (this.meshes.length > 0) this.group.add(...this.meshes);
  }

  private clear(): void {
    for (const mesh of this.meshes) mesh.dispose();
    this.group.clear();
    this.meshes = [];
    this.instants = 0;
  }

  dispose(): void {
    this.clear();
    this.depths.dispose();
    this.glass.dispose();
  }
}

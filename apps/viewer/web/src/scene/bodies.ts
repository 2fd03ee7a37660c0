// The bodies of the cell as meshes, each in its frame.

import { Box3, BufferAttribute, BufferGeometry, Color, Group, type Matrix4, Mesh, MeshPhongMaterial, Vector3 } from "three";
import type { Body, Cell, CoarseHeader, GeometryHeader, Pack, Source, Surface } from "../api";
import { matrix } from "../kinematics";
import { type Floor, floorOf } from "./floor";

const ROBOTS = ["#ee8a3c", "#e9b44c", "#d96c4f"];
const TOOL = "#5b9df5";
const OBJECTS = ["#8fa3b8", "#9db59a", "#b39fbf", "#c2ab8b", "#7fb0b5", "#b7a0a0"];
export const HIT = "#f0283f";

/** A body that is drawn. */
export interface Drawn {
  group: Group;
  material: MeshPhongMaterial;
  colour: Color;
  pieces: { mesh: number; object: Mesh; at: Matrix4 }[];
}

export class Bodies {
  readonly drawn: Drawn[] = [];
  readonly geometries: BufferGeometry[];
  readonly all = new Group();
  /** What has an end. */
  readonly size: number;
  private readonly middle: Vector3;
  private readonly planes: { body: number; floor: Floor; placed: Group }[] = [];
  private readonly boxes: { box: Box3; body: number; at: Matrix4 }[] = [];

  constructor(
    private readonly source: Source,
    private readonly cell: Cell,
    pack: Pack<GeometryHeader>,
    private readonly frames: Matrix4[],
  ) {
    this.geometries = pack.header.meshes.map((places) => surface(pack, places));
    const robots = new Map<string, number>();
    let objects = 0;
    cell.bodies.forEach((body, index) => {
      const robot = body.name.split("/")[0] ?? "";
      if (body.kind !== "object" && !robots.has(robot)) robots.set(robot, robots.size);
      const colour = new Color(colourOf(body, robots.get(robot) ?? 0, body.kind === "object" ? objects++ : 0));
      // Every second link a little darker, so that one sees where it ends.
      if (body.kind === "link" && index % 2 === 1) colour.offsetHSL(-0.008, -0.05, -0.085);
      this.drawn.push(this.draw(body, index, colour));
    });
    this.size = Math.max(new Box3().setFromPoints(this.outline()).getSize(new Vector3()).length(), 1e-3);
    this.middle = new Box3().setFromPoints(this.outline()).getCenter(new Vector3());
    this.fitPlanes();
  }

  private draw(body: Body, index: number, colour: Color): Drawn {
    const group = new Group();
    group.matrixAutoUpdate = false;
    group.matrix = this.frames[body.frame] as Matrix4;
    const material = new MeshPhongMaterial({ color: colour, specular: 0x222222, shininess: 28 });
    const pieces: Drawn["pieces"] = [];
    for (const piece of body.pieces) {
      const at = matrix(piece.at);
      if (piece.mesh !== null) {
        const geometry = this.geometries[piece.mesh] as BufferGeometry;
        const object = new Mesh(geometry, material);
        object.matrixAutoUpdate = false;
        object.matrix.copy(at);
        group.add(object);
        pieces.push({ mesh: piece.mesh, object, at });
        this.boxes.push({ box: geometry.boundingBox ?? new Box3(), body: index, at });
      } else if (piece.plane) {
        this.addPlane(index, group, at, piece.plane);
      }
    }
    this.all.add(group);
    return { group, material, colour, pieces };
  }

  /** A half-space is drawn as a disc and a grid on its surface. */
  private addPlane(body: number, group: Group, at: Matrix4, [normal, offset]: [[number, number, number], number]): void {
    const holder = new Group();
    const up = new Vector3(...normal);
    holder.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), up);
    holder.position.copy(up.multiplyScalar(offset));
    const placed = new Group();
    placed.matrixAutoUpdate = false;
    placed.matrix.copy(at);
    const floor = floorOf();
    holder.add(floor);
    placed.add(holder);
    group.add(placed);
    this.planes.push({ body, floor, placed });
  }

  /** Planes reach beyond everything else, around its middle. */
  private fitPlanes(): void {
    for (const { floor, placed } of this.planes) {
      placed.updateMatrixWorld(true);
      const own = placed.children[0]?.worldToLocal(this.middle.clone()) ?? new Vector3();
      floor.position.set(own.x, own.y, 0);
      floor.scale.setScalar(1.6 * this.size);
      floor.material.uniforms.step.value = 10 ** Math.floor(Math.log10(this.size / 6));
      floor.material.uniforms.middle.value.set(own.x, own.y);
      floor.material.uniforms.reach.value = 1.6 * this.size;
    }
  }

  /** Corners of boxes around everything that has an end, or around some bodies. */
  outline(only: (body: number) => boolean = () => true): Vector3[] {
    const points: Vector3[] = [];
    for (const { box, body, at } of this.boxes) {
      if (!only(body)) continue;
      const frame = this.frames[(this.cell.bodies[body] as Body).frame] as Matrix4;
      for (let k = 0; k < 8; k++) {
        const corner = new Vector3(k & 1 ? box.min.x : box.max.x, k & 2 ? box.min.y : box.max.y, k & 4 ? box.min.z : box.max.z);
        points.push(corner.applyMatrix4(at).applyMatrix4(frame));
      }
    }
    return points;
  }

  /** Draws surfaces with fewer triangles, or all of them again. */
  coarsen(coarse: boolean): void {
    if (coarse && this.thin === null) {
      this.thin = [];
      this.source.pack<CoarseHeader>("model/coarse").then(
        (pack) => {
          this.thin = pack.header.meshes.map((places) => places && surface(pack, places));
          this.coarsen(this.isCoarse);
        },
        () => undefined, // Then it stays slow.
      );
    }
    this.isCoarse = coarse;
    for (const { pieces } of this.drawn) {
      for (const { mesh, object } of pieces) object.geometry = (coarse && this.thin?.[mesh]) || (this.geometries[mesh] as BufferGeometry);
    }
  }

  /** A surface with as few triangles as there is one. */
  light(mesh: number): BufferGeometry {
    return this.thin?.[mesh] ?? (this.geometries[mesh] as BufferGeometry);
  }

  private thin: (BufferGeometry | null)[] | null = null;
  private isCoarse = false;

  /** Colours bodies that touch. */
  paint(hit: Set<number>, chosen: Set<number>): void {
    this.drawn.forEach(({ material, colour }, index) => {
      if (hit.has(index)) {
        material.color.set(HIT).lerp(colour, 0.3);
        material.emissive.set(HIT).multiplyScalar(0.16);
      } else {
        material.color.copy(colour);
        material.emissive.set(chosen.has(index) ? "#1f6feb" : "#000000").multiplyScalar(0.45);
      }
    });
    for (const { body, floor } of this.planes) floor.material.uniforms.colour.value.set(hit.has(body) ? HIT : "#8494a6");
  }

  /** Makes bodies more or less transparent, so that one sees what is behind them. */
  glaze(opacity: (body: number) => number): void {
    this.drawn.forEach(({ material }, index) => {
      const wanted = opacity(index);
      const isGlass = wanted < 1;
      if (material.transparent !== isGlass) material.needsUpdate = true;
      Object.assign(material, { transparent: isGlass, opacity: wanted, depthWrite: !isGlass });
    });
  }

  /** The three corners of a triangle in the world, one after the other. */
  corners(body: number, piece: number, triangle: number, into: Float32Array, at: number): boolean {
    const drawn = this.drawn[body];
    const mesh = this.cell.bodies[body]?.pieces[piece]?.mesh;
    const part = drawn?.pieces[this.drawnPiece(body, piece)];
    if (!drawn || !part || mesh === null || mesh === undefined) return false;
    const geometry = this.geometries[mesh] as BufferGeometry;
    const [index, positions] = [geometry.getIndex(), geometry.getAttribute("position")];
    if (!index || 3 * triangle + 2 >= index.count) return false;
    for (let corner = 0; corner < 3; corner++) {
      scratch.fromBufferAttribute(positions, index.getX(3 * triangle + corner));
      scratch.applyMatrix4(part.at).applyMatrix4(drawn.group.matrix);
      scratch.toArray(into, at + 3 * corner);
    }
    return true;
  }

  /** Pieces without a mesh are not drawn, so their numbers differ. */
  private drawnPiece(body: number, piece: number): number {
    const pieces = this.cell.bodies[body]?.pieces ?? [];
    return pieces.slice(0, piece).filter((p) => p.mesh !== null).length;
  }

  dispose(): void {
    for (const geometry of [...this.geometries, ...(this.thin ?? [])]) geometry?.dispose();
    this.drawn.forEach(({ material }) => material.dispose());
    for (const { floor } of this.planes) {
      floor.geometry.dispose();
      floor.material.dispose();
    }
  }
}

const scratch = new Vector3();

function surface<H>(pack: Pack<H>, { positions, normals, corners }: Surface): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(pack.floats(positions), 3));
  // Of four bytes three are taken: graphics hardware wants them at multiples of four.
  geometry.setAttribute("normal", new BufferAttribute(pack.small(normals), 4, true));
  geometry.setIndex(new BufferAttribute(pack.whole(corners), 1));
  geometry.computeBoundingSphere();
  geometry.computeBoundingBox();
  return geometry;
}

function colourOf(body: Body, robot: number, object: number): string {
  if (body.kind === "tool") return TOOL;
  if (body.kind === "link") return ROBOTS[robot % ROBOTS.length] as string;
  return OBJECTS[object % OBJECTS.length] as string;
}

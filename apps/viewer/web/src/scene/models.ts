// The other shapes that stand for bodies: ranks of spheres, boxes of boxes, merged faces. Fetched when first asked for.

import { BufferAttribute, BufferGeometry, Color, Group, LineBasicMaterial, LineSegments, type Material, Mesh, MeshPhongMaterial, type Object3D } from "three";
import type { Place, Source } from "../api";
import type { Shown } from "../store";
import type { Bodies } from "./bodies";
import { ballGeometry, ballMaterial, boxGeometry, boxMaterial } from "./impostors";

interface Ranked {
  meshes: Place[][];
}

interface Faces {
  meshes: { of_triangles: Place; edges: Place; faces: number }[];
}

type Kind = "spheres" | "boxes" | "faces";

/** What was made for a kind, and how many ranks it has. */
interface Made {
  roots: Group[];
  ranks: number;
  /** How many spheres, boxes or faces each rank has in the whole cell. */
  counts: number[];
}

export class Models {
  private readonly made = new Map<Kind, Promise<Made>>();
  private readonly ready = new Map<Kind, Made>();
  private readonly disposals: (() => void)[] = [];

  constructor(
    private readonly source: Source,
    private readonly bodies: Bodies,
  ) {}

  /** How many ranks there are, once they are known. */
  ranks(kind: Kind): number {
    return this.ready.get(kind)?.ranks ?? 0;
  }

  count(kind: Kind, rank: number): number {
    return this.ready.get(kind)?.counts[rank] ?? 0;
  }

  /** Shows what is asked for; resolves when it is drawn. */
  async show(show: Shown): Promise<void> {
    for (const kind of ["spheres", "boxes", "faces"] as const) {
      if (show[kind]) await this.get(kind);
      const made = this.ready.get(kind);
      if (!made) continue;
      const rank = kind === "spheres" ? show.rank : kind === "boxes" ? show.level : 0;
      this.bodies.drawn.forEach((_, body) => {
        made.roots[body]?.children.forEach((child, k) => {
          const ranks = made.roots[body]?.children.length ?? 1;
          child.visible = show[kind] && k === Math.min(rank, ranks - 1);
        });
      });
    }
    for (const { pieces } of this.bodies.drawn) {
      for (const { object } of pieces) object.visible = show.meshes && !show.faces;
    }
  }

  private async get(kind: Kind): Promise<void> {
    const known = this.made.get(kind) ?? (kind === "faces" ? this.faces() : this.ranked(kind));
    this.made.set(kind, known);
    this.ready.set(kind, await known);
  }

  private async ranked(kind: "spheres" | "boxes"): Promise<Made> {
    const pack = await this.source.pack<Ranked>(`model/${kind}`);
    const width = kind === "spheres" ? 4 : 10;
    const geometries = pack.header.meshes.map((ranks) =>
      ranks.map((place) => {
        const geometry = kind === "spheres" ? ballGeometry(pack.floats(place)) : boxGeometry(pack.floats(place));
        this.disposals.push(() => geometry.dispose());
        return geometry;
      }),
    );
    const ranks = Math.max(1, ...geometries.map((list) => list.length));
    const counts = new Array<number>(ranks).fill(0);
    const roots = this.bodies.drawn.map(({ group, pieces, colour }) => {
      const root = new Group();
      const own = Math.max(1, ...pieces.map(({ mesh }) => geometries[mesh]?.length ?? 0));
      const material = kind === "spheres" ? ballMaterial(colour, 1) : boxMaterial(colour.clone().lerp(new Color("#ffffff"), 0.35));
      this.disposals.push(() => material.dispose());
      for (let rank = 0; rank < own; rank++) {
        const holder = new Group();
        holder.visible = false;
        for (const { mesh, at } of pieces) {
          const list = geometries[mesh] ?? [];
          const geometry = list[Math.min(rank, list.length - 1)];
          if (!geometry) continue;
          const object: Object3D = kind === "spheres" ? new Mesh(geometry, material) : new LineSegments(geometry, material);
          object.frustumCulled = false;
          object.matrixAutoUpdate = false;
          object.matrix.copy(at);
          holder.add(object);
        }
        root.add(holder);
      }
      for (let rank = 0; rank < ranks; rank++) {
        for (const { mesh } of pieces) {
          const list = pack.header.meshes[mesh] ?? [];
          counts[rank] = (counts[rank] ?? 0) + (list[Math.min(rank, list.length - 1)]?.[1] ?? 0) / width;
        }
      }
      group.add(root);
      return root;
    });
    return { roots, ranks, counts };
  }

  private async faces(): Promise<Made> {
    const pack = await this.source.pack<Faces>("model/faces");
    let count = 0;
    const surface = new MeshPhongMaterial({
      vertexColors: true,
      flatShading: true,
      specular: 0x111111,
      polygonOffset: true,
      polygonOffsetFactor: 1,
      polygonOffsetUnits: 1,
    });
    const line = new LineBasicMaterial({ color: "#0b0f14", transparent: true, opacity: 0.5 });
    this.disposals.push(
      () => surface.dispose(),
      () => line.dispose(),
    );
    const made = pack.header.meshes.map(({ of_triangles, edges }, index) => {
      const source = this.bodies.geometries[index] as BufferGeometry;
      const shape = coloured(source, pack.whole(of_triangles));
      const border = new BufferGeometry().setAttribute("position", new BufferAttribute(pack.floats(edges), 3));
      this.disposals.push(
        () => shape.dispose(),
        () => border.dispose(),
      );
      return { shape, border };
    });
    const roots = this.bodies.drawn.map(({ group, pieces }) => {
      const [root, holder] = [new Group(), new Group()];
      holder.visible = false;
      for (const { mesh, at } of pieces) {
        const found = made[mesh];
        if (!found) continue;
        for (const object of [new Mesh(found.shape, surface as Material), new LineSegments(found.border, line)]) {
          object.matrixAutoUpdate = false;
          object.matrix.copy(at);
          holder.add(object);
        }
        count += pack.header.meshes[mesh]?.faces ?? 0;
      }
      root.add(holder);
      group.add(root);
      return root;
    });
    return { roots, ranks: 1, counts: [count] };
  }

  dispose(): void {
    this.disposals.forEach((dispose) => dispose());
  }
}

/** Triangles one by one, those of a face in one colour. */
function coloured(source: BufferGeometry, faces: Uint32Array): BufferGeometry {
  const [index, positions] = [source.getIndex(), source.getAttribute("position")];
  const count = index?.count ?? 0;
  const [points, colours] = [new Float32Array(3 * count), new Float32Array(3 * count)];
  const colour = new Color();
  for (let k = 0; k < count; k++) {
    const corner = index?.getX(k) ?? 0;
    points.set([positions.getX(corner), positions.getY(corner), positions.getZ(corner)], 3 * k);
    // Hues that follow each other by the golden angle stay apart.
    if (k % 3 === 0) colour.setHSL(((faces[k / 3] ?? 0) * 0.381966) % 1, 0.5, 0.6);
    colours.set([colour.r, colour.g, colour.b], 3 * k);
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute("position", new BufferAttribute(points, 3));
  geometry.setAttribute("color", new BufferAttribute(colours, 3));
  return geometry;
}

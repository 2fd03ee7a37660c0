// What holds an object: contact points, normals as arrows (those of an OR in one colour), places of contact, and a ghost that moves as it may.

import {
  BufferAttribute,
  BufferGeometry,
  Color,
  ConeGeometry,
  CylinderGeometry,
  DoubleSide,
  Group,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  MeshPhongMaterial,
  Quaternion,
  ShapeUtils,
  SphereGeometry,
  Vector2,
  Vector3,
} from "three";
import { Line2 } from "three/examples/jsm/lines/Line2.js";
import { LineGeometry } from "three/examples/jsm/lines/LineGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Contacts, Generator, Vec3 } from "../api";
import type { Bodies } from "./bodies";
import type { Stage } from "./stage";

/** Seconds of a way forth and back. */
const PERIOD = 3.2;

const Z = new Vector3(0, 0, 1);

/** The colour of an OR: single conditions are all alike, so that ORs of several stand out. */
export function orColour(group: number, rows: number): string {
  if (rows === 1) return "#2dd4bf";
  return `#${new Color().setHSL((0.88 + group * 0.381966) % 1, 0.8, 0.6).getHexString()}`;
}

export class ContactView {
  readonly group = new Group();
  private readonly ghost = new Group();
  private readonly axis = new Group();
  private readonly things = new Group();
  private readonly dots: { mesh: Mesh; index: number }[] = [];
  private readonly arrows: { holder: Group; index: number }[] = [];
  private disposals: (() => void)[] = [];
  private contacts: Contacts | null = null;
  private generator: Generator | null = null;
  private chosen = -1;
  private time = 0;
  /** How far along its way the ghost is, from -1 to 1. */
  phase = 0;

  constructor(
    private readonly bodies: Bodies,
    private readonly stage: Stage,
  ) {
    this.ghost.matrixAutoUpdate = false;
    this.group.add(this.things, this.ghost, this.axis);
  }

  get isMoving(): boolean {
    return this.generator !== null;
  }

  show(contacts: Contacts | null): void {
    this.clear();
    this.contacts = contacts;
    if (!contacts) return;
    const unit = contacts.size;
    contacts.points.forEach(({ point, conditions }, index) => {
      this.dot(point, index);
      for (const { group, normals } of conditions) {
        for (const normal of normals) this.arrow(point, normal, orColour(group, normals.length), 0.28 * unit, index);
      }
    });
    for (const { ends, normals } of contacts.segments) {
      this.line(ends, "#f0abfc", 4, this.things);
      for (const normal of normals) this.arrow(ends[0], normal, "#f0abfc", 0.28 * unit, -2);
    }
    for (const { places } of contacts.between) {
      for (const place of places ?? []) {
        if (place.loops && place.normal) this.face(place.loops, place.normal);
        if (place.segment) this.line(place.segment, "#2dd4bf", 3, this.things);
      }
    }
  }

  private own<T extends { dispose(): void }>(thing: T): T {
    this.disposals.push(() => thing.dispose());
    return thing;
  }

  private dot(point: Vec3, index: number): void {
    const material = this.own(new MeshBasicMaterial({ color: "#ffffff", depthTest: false, transparent: true }));
    const mesh = new Mesh(this.own(new SphereGeometry(1, 18, 12)), material);
    mesh.position.set(...point);
    mesh.renderOrder = 9;
    this.things.add(mesh);
    this.dots.push({ mesh, index });
  }

  private arrow(point: Vec3, normal: Vec3, colour: string, length: number, index: number, into: Group = this.things, width = length): void {
    const material = this.own(new MeshPhongMaterial({ color: colour, emissive: new Color(colour).multiplyScalar(0.18), depthTest: false, transparent: true }));
    const shaft = new Mesh(this.own(new CylinderGeometry(0.018, 0.018, 0.76, 12)), material);
    shaft.position.y = 0.38;
    const head = new Mesh(this.own(new ConeGeometry(0.062, 0.26, 20)), material);
    head.position.y = 0.87;
    for (const part of [shaft, head]) part.renderOrder = 7;
    const holder = new Group();
    holder.add(shaft, head);
    holder.position.set(...point);
    holder.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(...normal).normalize());
    holder.scale.set(width, length, width);
    into.add(holder);
    if (into === this.things) this.arrows.push({ holder, index });
  }

  private line(ends: [Vec3, Vec3], colour: string, width: number, into: Group): void {
    const geometry = this.own(new LineGeometry().setPositions(ends.flat()));
    const material = this.own(new LineMaterial({ color: colour, linewidth: width, depthTest: false, transparent: true }));
    const line = new Line2(geometry, material);
    line.renderOrder = 6;
    line.frustumCulled = false;
    into.add(line);
  }

  /** A place of contact, filled. */
  private face(loops: Vec3[][], normal: Vec3): void {
    const turn = new Quaternion().setFromUnitVectors(new Vector3(...normal).normalize(), Z);
    const flat = loops.map((loop) => loop.map((p) => new Vector3(...p).applyQuaternion(turn)));
    const [outer = [], ...holes] = flat.map((loop) => loop.map((p) => new Vector2(p.x, p.y)));
    const triangles = ShapeUtils.triangulateShape(outer, holes);
    const points = loops.flat();
    const geometry = this.own(new BufferGeometry());
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(triangles.flat().flatMap((k) => points[k] ?? [0, 0, 0])), 3));
    const material = this.own(
      new MeshBasicMaterial({ color: "#2dd4bf", transparent: true, opacity: 0.32, side: DoubleSide, depthTest: false, depthWrite: false }),
    );
    const mesh = new Mesh(geometry, material);
    mesh.renderOrder = 4;
    this.things.add(mesh);
  }

  /** Puts one contact forward; none if it is negative. */
  choose(index: number): void {
    this.chosen = index;
    for (const { holder, index: own } of this.arrows) holder.visible = index < 0 || own === index;
  }

  /** Lets the ghost move along a generator. */
  move(generator: Generator | null): void {
    this.generator = generator;
    this.time = 0;
    this.phase = 0;
    this.axis.clear();
    this.ghost.clear();
    const contacts = this.contacts;
    if (!generator || !contacts) return;
    const drawn = this.bodies.drawn[contacts.moving];
    const material = this.own(new MeshPhongMaterial({ color: "#7cc4ff", emissive: "#1b4d7a", transparent: true, opacity: 0.42, depthWrite: false }));
    for (const { mesh, at } of drawn?.pieces ?? []) {
      const copy = new Mesh(this.bodies.geometries[mesh], material);
      copy.matrixAutoUpdate = false;
      copy.matrix.copy(at);
      this.ghost.add(copy);
    }
    const centre = new Vector3(...contacts.centre);
    const { slide, axis, point } = generator.screw;
    if (slide) {
      this.arrow(centre.toArray(), slide, "#ffb454", 0.7 * contacts.size, 0, this.axis, 0.4 * contacts.size);
      if (generator.both_ways)
        this.arrow(centre.toArray(), [-slide[0], -slide[1], -slide[2]], "#ffb454", 0.7 * contacts.size, 0, this.axis, 0.4 * contacts.size);
    } else if (axis && point) {
      const along = new Vector3(...axis);
      const foot = new Vector3(...point);
      foot.addScaledVector(along, centre.clone().sub(foot).dot(along));
      const reach = 0.8 * contacts.size;
      const ends = [-reach, reach].map((s) => foot.clone().addScaledVector(along, s).toArray()) as [Vec3, Vec3];
      this.line(ends, "#ffb454", 3, this.axis);
      this.arrow(ends[1], axis, "#ffb454", 0.2 * contacts.size, 0, this.axis);
    }
  }

  /** Moves the ghost on; whether there is one. */
  advance(seconds: number): boolean {
    if (!this.generator || !this.contacts || !this.group.visible) return false;
    // Who wants nothing to move sees where it would go.
    const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
    this.time = isStill ? 0.4 * PERIOD : this.time + seconds;
    const swing = (1 - Math.cos((2 * Math.PI * this.time) / PERIOD)) / 2;
    // Both ways: forth from the middle, and back to the other side.
    this.phase = this.generator.both_ways && !isStill ? Math.sin((2 * Math.PI * this.time) / PERIOD) : swing;
    const { slide, axis, point, pitch = 0 } = this.generator.screw;
    const { matrix } = this.ghost;
    if (slide) {
      const way = 0.4 * this.contacts.size * this.phase;
      matrix.makeTranslation(slide[0] * way, slide[1] * way, slide[2] * way);
    } else if (axis && point) {
      const angle = 0.6 * this.phase;
      const foot = new Vector3(...point);
      const along = new Vector3(...axis);
      matrix.makeTranslation(foot.clone().addScaledVector(along, pitch * angle));
      matrix.multiply(new Matrix4().makeRotationAxis(along, angle));
      matrix.multiply(new Matrix4().makeTranslation(foot.negate()));
    }
    this.ghost.matrixWorldNeedsUpdate = true;
    return !isStill;
  }

  beforePicture(): void {
    for (const { mesh, index } of this.dots) {
      const isChosen = index === this.chosen;
      mesh.scale.setScalar((isChosen ? 8 : 4.5) * this.stage.pixel(mesh.position));
      (mesh.material as MeshBasicMaterial).color.set(isChosen ? "#ffd21f" : "#ffffff");
    }
  }

  private clear(): void {
    this.move(null);
    this.things.clear();
    this.dots.length = 0;
    this.arrows.length = 0;
    this.disposals.forEach((dispose) => dispose());
    this.disposals = [];
    this.chosen = -1;
  }

  dispose(): void {
    this.clear();
  }
}

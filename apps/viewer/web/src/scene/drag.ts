// An object that is dragged with the mouse, as far as its contacts allow; what blocks it is shown.

import {
  BufferGeometry,
  ConeGeometry,
  CylinderGeometry,
  Float32BufferAttribute,
  Group,
  Line,
  LineBasicMaterial,
  Matrix4,
  Mesh,
  MeshBasicMaterial,
  Plane,
  Raycaster,
  Vector2,
  Vector3,
} from "three";
import type { Dragged, Rows, Source, Vec3 } from "../api";
import { matrix } from "../kinematics";
import type { Bodies } from "./bodies";
import type { Stage } from "./stage";

const STILL: Rows = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];

/** Arrows that are drawn, at most. */
const ARROWS = 24;

/** What is dragged, and what tests and panels may know of it. */
export interface Drag {
  /** By how much it was moved so far. */
  moved: Rows;
  arrived: boolean;
  blocked: [Vec3, Vec3][];
  isHeld: boolean;
  /** Whether the mouse holds it. */
  active: boolean;
}

export class DragView {
  readonly group = new Group();
  private readonly red = new MeshBasicMaterial({ color: "#ff3347", depthTest: false, transparent: true });
  private readonly shaft = new CylinderGeometry(0.03, 0.03, 0.7, 10).translate(0, 0.35, 0);
  private readonly head = new ConeGeometry(0.1, 0.3, 16).translate(0, 0.85, 0);
  private readonly arrows = new Group();
  private readonly string = new Line(new BufferGeometry(), new LineBasicMaterial({ color: "#ffd21f", depthTest: false, transparent: true }));
  private readonly ray = new Raycaster();
  private readonly plane = new Plane();
  private part: { body: number; name: string; size: number } | null = null;
  private grabbed: Vector3 | null = null;
  private target: Vector3 | null = null;
  private axis: Vector3 | null = null;
  private isBusy = false;
  private round = 0;
  drag: Drag | null = null;

  constructor(
    private readonly source: Source,
    private readonly bodies: Bodies,
    private readonly stage: Stage,
    private readonly changed: () => void,
  ) {
    this.string.renderOrder = 9;
    this.string.frustumCulled = false;
    this.string.visible = false;
    this.group.add(this.arrows, this.string);
    // Before the camera sees it: what is dragged does not turn the picture.
    stage.frame.addEventListener("pointerdown", this.down, { capture: true });
    stage.frame.addEventListener("pointermove", this.move);
    stage.frame.addEventListener("pointerup", this.up);
    stage.frame.addEventListener("pointercancel", this.up);
  }

  /** Lets an object be dragged, from where the cell has it; none if it is null. */
  of(part: { body: number; name: string; size: number } | null): void {
    this.back();
    this.part = part;
  }

  /** Puts the object back. */
  back(): void {
    this.round += 1;
    this.drag = null;
    this.grabbed = null;
    this.isBusy = false;
    this.draw();
  }

  /** What the mouse points at. */
  private aim(event: PointerEvent): void {
    const { left, top, width, height } = this.stage.frame.getBoundingClientRect();
    this.ray.setFromCamera(new Vector2((2 * (event.clientX - left)) / width - 1, 1 - (2 * (event.clientY - top)) / height), this.stage.camera);
  }

  private readonly down = (event: PointerEvent): void => {
    const drawn = this.part && this.bodies.drawn[this.part.body];
    if (!drawn?.group.visible || event.button !== 0 || event.target !== this.stage.frame) return;
    this.aim(event);
    // Only what is in front can be taken.
    const visible = this.bodies.drawn.flatMap(({ group, pieces }) => (group.visible ? pieces.map(({ object }) => object) : []));
    const objects = drawn.pieces.map(({ object }) => object);
    const hit = this.ray.intersectObjects(visible, false)[0];
    const isSeen = hit && objects.some((object) => object === hit.object);
    const own = isSeen ? hit : this.ray.intersectObjects(objects, false)[0];
    if (!own) return;
    event.stopImmediatePropagation();
    event.preventDefault();
    this.stage.frame.setPointerCapture(event.pointerId);
    this.stage.frame.focus();
    const moved = matrix(this.drag?.moved ?? STILL);
    this.grabbed = own.point.clone().applyMatrix4(moved.invert());
    // As one sees it: about the line of sight.
    const sight = this.stage.camera.getWorldDirection(new Vector3());
    this.axis = event.shiftKey ? sight.clone() : null;
    this.target = own.point.clone();
    this.plane.setFromNormalAndCoplanarPoint(sight, own.point);
    this.drag = { ...(this.drag ?? { moved: STILL, arrived: true, blocked: [], isHeld: false }), active: true };
    this.draw();
  };

  private readonly move = (event: PointerEvent): void => {
    if (!this.grabbed || !this.drag?.active) return;
    this.aim(event);
    const at = this.ray.ray.intersectPlane(this.plane, new Vector3());
    if (!at) return;
    this.target = at;
    void this.ask();
    this.draw();
  };

  private readonly up = (event: PointerEvent): void => {
    if (!this.drag?.active) return;
    this.stage.frame.releasePointerCapture(event.pointerId);
    this.drag = { ...this.drag, active: false, blocked: [] };
    this.draw();
  };

  /** Asks where it comes to: one question at a time, always about where the mouse is now. */
  private async ask(): Promise<void> {
    if (this.isBusy || !this.part) return;
    this.isBusy = true;
    const { round, part } = { round: this.round, part: this.part };
    for (let asked: Vector3 | null = null; this.drag?.active && this.grabbed && this.target && asked !== this.target; ) {
      asked = this.target;
      try {
        const answer: Dragged = await this.source.post<Dragged>("drag", {
          moving: part.name,
          moved: this.drag.moved,
          point: this.grabbed.toArray(),
          target: asked.toArray(),
          turn: this.axis?.toArray() ?? null,
        });
        if (round !== this.round) return;
        if (answer.held) this.drag = { ...this.drag, isHeld: true };
        else
          this.drag = {
            moved: answer.moved,
            arrived: answer.arrived,
            blocked: this.drag.active ? answer.blocked : [],
            isHeld: false,
            active: this.drag.active,
          };
        this.draw();
      } catch {
        // The server has gone, or shows other files: it stays where it was.
        break;
      }
    }
    this.isBusy = false;
  }

  private draw(): void {
    const drawn = this.part && this.bodies.drawn[this.part.body];
    if (drawn) {
      drawn.group.matrix = this.drag ? matrix(this.drag.moved) : new Matrix4();
      drawn.group.matrixWorldNeedsUpdate = true;
    }
    this.arrows.clear();
    for (const [point, normal] of this.drag?.blocked.slice(0, ARROWS) ?? []) {
      const arrow = new Group();
      for (const geometry of [this.shaft, this.head]) {
        const mesh = new Mesh(geometry, this.red);
        mesh.renderOrder = 8;
        arrow.add(mesh);
      }
      arrow.position.set(...point);
      arrow.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), new Vector3(...normal).normalize());
      arrow.scale.setScalar(0.3 * (this.part?.size ?? 1));
      this.arrows.add(arrow);
    }
    this.string.visible = Boolean(this.drag?.active && this.grabbed && this.target);
    if (this.grabbed && this.target && this.drag) {
      const from = this.grabbed.clone().applyMatrix4(matrix(this.drag.moved));
      this.string.geometry.dispose();
      this.string.geometry = new BufferGeometry();
      this.string.geometry.setAttribute("position", new Float32BufferAttribute([...from.toArray(), ...this.target.toArray()], 3));
    }
    this.changed();
  }

  dispose(): void {
    this.part = null;
    this.round += 1;
    const { frame } = this.stage;
    frame.removeEventListener("pointerdown", this.down, { capture: true });
    frame.removeEventListener("pointermove", this.move);
    frame.removeEventListener("pointerup", this.up);
    frame.removeEventListener("pointercancel", this.up);
    this.string.geometry.dispose();
    this.string.material.dispose();
    this.red.dispose();
    this.shaft.dispose();
    this.head.dispose();
  }
}

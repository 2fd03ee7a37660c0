// What is drawn of a cell: its bodies in their posture, and what is known of them.

import { Vector3 } from "three";
import type { Cell, GeometryHeader, Pack, Pair, Seen, Source } from "../api";
import { by, metres, say } from "../dom";
import { Kinematics } from "../kinematics";
import type { Motion } from "../motion";
import { pairKey } from "../panel/pairs";
import type { Store } from "../store";
import { Bodies } from "./bodies";
import { ContactView } from "./contacts";
import { DragView } from "./drag";
import { Marks } from "./marks";
import { Models } from "./models";
import { MovedView } from "./moved";
import type { Stage, View } from "./stage";
import { Sweep } from "./sweep";
import { Trace } from "./trace";

export class CellScene {
  readonly kinematics: Kinematics;
  readonly bodies: Bodies;
  readonly models: Models;
  readonly marks: Marks;
  readonly trace: Trace;
  readonly sweep: Sweep;
  readonly contactView: ContactView;
  readonly movedView: MovedView;
  readonly dragView: DragView;
  private shownContacts: unknown = null;

  constructor(
    source: Source,
    private readonly cell: Cell,
    pack: Pack<GeometryHeader>,
    private readonly store: Store,
    private readonly stage: Stage,
  ) {
    this.kinematics = new Kinematics(cell);
    this.kinematics.place(store.state.posture);
    this.bodies = new Bodies(source, cell, pack, this.kinematics.frames);
    this.models = new Models(source, this.bodies);
    this.marks = new Marks(this.bodies, stage);
    this.trace = new Trace(cell, this.bodies.size);
    this.contactView = new ContactView(this.bodies, stage);
    this.movedView = new MovedView(this.bodies, stage);
    this.dragView = new DragView(source, this.bodies, stage, () => this.dragged());
    this.sweep = new Sweep(cell, this.bodies);
    this.coarsen(stage.quality === "coarse");
    stage.scene.add(...this.groups);
  }

  private get groups() {
    const { movedView, dragView, bodies, marks, trace, contactView, sweep } = this;
    return [movedView.group, dragView.group, bodies.all, marks.group, trace.group, contactView.group, sweep.group];
  }

  /** Puts the bodies where a posture has them. */
  place(posture: Float64Array): void {
    this.kinematics.place(posture);
    for (const { group } of this.bodies.drawn) group.matrixWorldNeedsUpdate = true;
  }

  /** Shows what was chosen to be shown, and the swept volume of a motion where that is. */
  async show(motion: Motion | null, complain: (message: string, heading: string) => void): Promise<void> {
    const { show, hidden } = this.store.state;
    this.bodies.drawn.forEach(({ group }, index) => {
      group.visible = !hidden.has(index);
    });
    this.trace.group.visible = show.trace;
    if (show.sweep !== this.sweep.instants > 0) this.sweep.show(show.sweep ? motion : null);
    const before = [this.models.ranks("spheres"), this.models.ranks("boxes")];
    try {
      await this.models.show(show);
    } catch (error) {
      complain((error as Error).message, "The models could not be read");
    }
    const ranks = this.models.ranks("spheres");
    if (before[0] === 0 && ranks > 0) show.rank = Math.min(ranks - 1, 3);
    this.glaze();
    if (ranks !== before[0] || this.models.ranks("boxes") !== before[1]) this.store.tell("show");
    this.stage.invalidate();
  }

  /** Marks what touches, and the pair that was chosen or is nearest. */
  paint(): void {
    const { seen } = this.store.state;
    const pair = this.chosenPair(seen) ?? seen?.pairs[0] ?? null;
    this.paintBodies(seen);
    this.marks.hits(seen?.hits ?? []);
    this.marks.gap(pair);
    const label = by("gap-label");
    label.dataset.touches = String(pair?.gap === 0);
    // At once: a gap of another posture is not told until the next picture.
    if (!pair) label.hidden = true;
    say(label, pair ? (pair.gap === 0 ? "touches" : metres(pair.gap)) : "");
    this.stage.invalidate();
  }

  private chosenPair(seen: Seen | null): Pair | undefined {
    return seen?.pairs.find((one) => pairKey(one) === this.store.state.chosen);
  }

  /** Colours bodies that touch in what was seen: of a posture of the motion, or of the one beside it. */
  paintBodies(seen: Seen | null): void {
    const hit = new Set(seen?.pairs.filter((pair) => pair.gap === 0).flatMap((pair) => pair.bodies));
    this.bodies.paint(hit, new Set(this.chosenPair(seen)?.bodies ?? []));
  }

  /** Spheres, boxes and contacts are seen through bodies. */
  private glaze(): void {
    const { show, contacts } = this.store.state;
    const ofModels = show.spheres || show.boxes ? 0.4 : 1;
    const touching = new Set(contacts?.between.filter((between) => between.state === "touching").map((between) => between.body));
    const ofContacts = (body: number): number => (!contacts ? 1 : body === contacts.moving ? 0.42 : touching.has(body) ? 0.5 : 0.13);
    // What a script moves is seen through what stands around it.
    const ofScript = (body: number): number => (this.cell.script !== null && body < this.cell.bodies.length - 1 ? 0.45 : 1);
    this.bodies.glaze((body) => Math.min(ofModels, ofContacts(body), ofScript(body)));
  }

  showContacts(): void {
    const { contacts, contact, generator } = this.store.state;
    if (this.shownContacts !== contacts) {
      this.contactView.show(contacts);
      const body = contacts && this.cell.bodies[contacts.moving];
      this.dragView.of(contacts?.sound && body ? { body: contacts.moving, name: body.name, size: contacts.size } : null);
      this.glaze();
    }
    this.shownContacts = contacts;
    this.contactView.choose(contact);
    this.contactView.move(contacts?.motions[generator] ?? null);
    this.stage.invalidate();
  }

  /** Contacts are those where the cell has the object: they are not shown where it is not. */
  private dragged(): void {
    this.store.state.drag = this.dragView.drag;
    this.contactView.group.visible = this.dragView.drag === null;
    this.store.tell("drag");
    this.stage.invalidate();
  }

  /** Places the camera so that all is in the picture: a motion as a whole, or the object whose contacts are shown. */
  fit(motion: Motion | null, view?: View): void {
    const { contacts, hidden, posture } = this.store.state;
    if (contacts) {
      const object = this.bodies.outline((body) => body === contacts.moving);
      this.stage.fit(object, view, 1.9);
      return;
    }
    const isShown = (body: number): boolean => !hidden.has(body);
    const seen = this.bodies.outline(isShown);
    // All of a motion, not only where it is now.
    const other = new Float64Array(posture.length);
    for (let k = 0; motion && k <= 10; k++) {
      motion.at(k / 10, other);
      this.kinematics.place(other);
      seen.push(...this.bodies.outline((body) => isShown(body) && this.cell.bodies[body]?.frame !== 0));
    }
    this.kinematics.place(posture);
    this.stage.fit(seen.length > 0 ? seen : this.bodies.outline(), view);
  }

  /** Draws more simply while pictures are slow. */
  coarsen(coarse: boolean): void {
    this.bodies.coarsen(coarse);
    this.trace.coarsen(coarse);
  }

  /** Before each picture; whether a ghost moves, so that another picture is wanted after it. */
  beforePicture(seconds: number): boolean {
    const ghost = this.contactView.advance(seconds);
    this.marks.beforePicture();
    this.contactView.beforePicture();
    this.movedView.beforePicture();
    this.placeLabel();
    return ghost;
  }

  private placeLabel(): void {
    const label = by("gap-label");
    const middle = this.marks.middle;
    const at = middle && this.stage.project(middle);
    label.hidden = !at;
    if (at) label.style.transform = `translate(${Math.round(at[0] + 12)}px, ${Math.round(at[1] - 26)}px)`;
  }

  /** Where the tip of each tool is, for tests that compare it with the server's kinematics. */
  tips(): number[][] {
    return this.cell.tools.map(({ frame, at }) => {
      const [x = 0, y = 0, z = 0] = at.slice(9);
      return new Vector3(x, y, z).applyMatrix4(this.kinematics.frames[frame] ?? this.bodies.all.matrix).toArray();
    });
  }

  dispose(): void {
    this.stage.scene.remove(...this.groups);
    for (const part of [this.sweep, this.dragView, this.movedView, this.contactView, this.trace, this.marks, this.models, this.bodies]) part.dispose();
  }
}

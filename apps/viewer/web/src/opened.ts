// Everything that belongs to one reading of the files: what is drawn, what is played, and what is known of it.

import { Vector3 } from "three";
import type { Cell, GeometryHeader, MapHeader, Pack, Pair, Proof, Seen, Source } from "./api";
import { by, metres, say } from "./dom";
import { Kinematics } from "./kinematics";
import { Looker } from "./looker";
import { MapPanel } from "./map/panel";
import { Motion } from "./motion";
import { bodyList } from "./panel/bodies";
import { ContactPanel } from "./panel/contacts";
import { joints } from "./panel/joints";
import { LivePanel } from "./panel/live";
import { modelPanel } from "./panel/models";
import { pairKey, pairList } from "./panel/pairs";
import { Timeline } from "./panel/timeline";
import { Busy } from "./panel/busy";
import { Tour } from "./panel/tour";
import { tellVerdict } from "./panel/verdict";
import { WordsPanel } from "./panel/words";
import { Beside } from "./scene/beside";
import { Bodies } from "./scene/bodies";
import { ContactView } from "./scene/contacts";
import { DragView } from "./scene/drag";
import { Marks } from "./scene/marks";
import { Models } from "./scene/models";
import { MovedView } from "./scene/moved";
import type { Stage, View } from "./scene/stage";
import { Sweep } from "./scene/sweep";
import { Trace } from "./scene/trace";
import type { Store } from "./store";

/** What it asks of the page around it. */
export interface Page {
  store: Store;
  stage: Stage;
  complain: (message: string, heading: string) => void;
  /** The camera was placed. */
  viewed: () => void;
}

export class Opened {
  readonly bodies: Bodies;
  readonly models: Models;
  readonly contactView: ContactView;
  readonly contactPanel: ContactPanel;
  readonly timeline: Timeline;
  readonly motions: Motion[];
  readonly sweep: Sweep;
  private readonly beside: Beside;
  private tour: Tour | null = null;
  private busy: Busy | null = null;
  private live: LivePanel | null = null;
  private readonly kinematics: Kinematics;
  private readonly marks: Marks;
  private readonly trace: Trace;
  private readonly looker: Looker;
  private readonly movedView: MovedView;
  private readonly dragView: DragView;
  /** Of a script of movements in words. */
  readonly words: WordsPanel | null;
  /** Of a job that was planned. */
  map: MapPanel | null = null;
  /** A motion that was made here, by dragging the path, and what is known of it. */
  private own: { motion: Motion; proof: Proof } | null = null;
  private proofs = 0;
  private isOver = false;

  constructor(
    private readonly page: Page,
    private readonly source: Source,
    readonly cell: Cell,
    pack: Pack<GeometryHeader>,
  ) {
    const { store, stage } = page;
    const { state } = store;
    this.kinematics = new Kinematics(cell);
    state.posture = Float64Array.from(cell.posture);
    this.kinematics.place(state.posture);
    this.bodies = new Bodies(source, cell, pack, this.kinematics.frames);
    this.models = new Models(source, this.bodies);
    this.marks = new Marks(this.bodies, stage);
    this.trace = new Trace(cell, this.bodies.size);
    this.contactView = new ContactView(this.bodies, stage);
    this.movedView = new MovedView(this.bodies, stage);
    this.dragView = new DragView(source, this.bodies, stage, () => this.dragged());
    this.coarsen(stage.quality === "coarse");
    stage.scene.add(this.movedView.group, this.dragView.group, this.bodies.all, this.marks.group, this.trace.group, this.contactView.group);
    this.motions = pack.header.motions.map(({ name, pieces, controls, times }) => new Motion(name, pieces, pack.doubles(controls), cell.coordinates.length, times));
    this.sweep = new Sweep(cell, this.bodies);
    const left = [this.marks.group, this.trace.group, this.sweep.group];
    this.beside = new Beside(source, cell, this.bodies.size, this.kinematics, stage, store, {
      motions: this.motions,
      own: (motion) => (motion === this.own?.motion ? this.own.proof : null),
      left,
      paint: (seen) => this.paintBodies(seen),
    });
    stage.scene.add(this.sweep.group, this.beside.trace.group);
    this.looker = new Looker(source, (seen, posture, lost) => this.saw(seen, posture, lost));
    joints(cell, store, (joint, value) => this.moveJoint(joint, value));
    bodyList(cell, this.bodies, store);
    pairList(cell, this.bodies.size, store);
    modelPanel(() => this.models, store);
    this.contactPanel = new ContactPanel(source, cell, store, () => this.dragView.back());
    this.timeline = new Timeline(cell, store, {
      motions: this.motions,
      motion: () => this.motion,
      play: (playing) => this.play(playing),
      jump: (t) => this.jump(t),
      choose: (motion) => this.choose(motion),
      beside: (motion) => {
        this.beside.show(motion);
        this.fit();
      },
    });
    store.on(["show"], () => void this.show());
    store.on(["chosen", "seen"], () => this.paint());
    store.on(["contacts"], () => this.showContacts());
    store.on(["words"], () => tellVerdict(state));
    store.on(["step"], () => stage.invalidate());
    document.body.toggleAttribute("data-script", cell.script !== null);
    if (cell.script === null) state.script = null;
    this.words = cell.script === null ? null : new WordsPanel(source, store, this.movedView, cell.script);
    const objects = cell.bodies.filter((body) => body.stands).length;
    const still = objects > 1 ? "Choose what may move, under Contacts; ? lists all keys." : "? lists all keys.";
    const moves = cell.coordinates.length > 0 ? "Move the joints; ? lists all keys." : still;
    if (cell.live) this.live = new LivePanel(source, cell, store, (posture, seen) => {
        this.pose(posture, seen);
        // Where it stands now was not known before.
        if (state.live?.pictures === 1) this.fit("iso");
      });
    const said = this.motions.length > 0 ? "Space plays, ] goes to the next mark, ? lists all keys." : moves;
    say(by("hint"), cell.live ? "The robot as it moves now; ? lists all keys." : this.words ? "] goes to the next step, ? lists all keys." : said);
  }

  get motion(): Motion | null {
    return this.motions[this.page.store.state.motion] ?? null;
  }

  /** Shows a motion from its beginning, and asks what is known of it. */
  choose(index: number): void {
    const { state } = this.page.store;
    // What was seen of a posture of another motion is not seen of this one.
    Object.assign(state, { motion: index, t: 0, playing: false, proof: null, unproven: null, off: index < 0, seen: null, fresh: false });
    this.page.store.tell("seen");
    const motion = this.motion;
    this.trace.show(motion, null);
    if (state.show.sweep) this.sweep.show(motion);
    this.page.store.tell("proof");
    if (!motion) {
      this.placed();
      return;
    }
    this.jump(0);
    const asked = ++this.proofs;
    if (motion === this.own?.motion) {
      this.know(motion, this.own.proof);
      return;
    }
    this.source.get<Proof>(`motion/${index}`).then(
      (proof) => {
        if (asked !== this.proofs || this.isOver) return;
        this.know(motion, proof);
        // What was proven of the motion first is not proven a second time at the same moment.
        this.map?.begin();
      },
      (error: Error) => {
        if (asked !== this.proofs || this.isOver) return;
        state.unproven = error.message;
        this.page.store.tell("proof");
        tellVerdict(state);
        this.page.complain(error.message, "The motion could not be looked at");
      },
    );
    tellVerdict(state);
  }

  private know(motion: Motion, proof: Proof): void {
    const { state } = this.page.store;
    state.proof = proof;
    this.trace.show(motion, proof);
    this.page.store.tell("proof");
    tellVerdict(state);
    this.page.stage.invalidate();
  }

  /** After the first picture: what goes on meanwhile, and what is told to newcomers. `next` goes to the next mark, `reload` reads the files again. */
  begin(next: () => void, reload: () => void): void {
    if (this.cell.busy) this.busy = new Busy(this.source, this.page.store, reload);
    if (!this.cell.tour || this.motions.length === 0) return;
    this.tour = new Tour(this.cell, this.page.store, { motions: this.motions, choose: (motion) => this.choose(motion), play: (playing) => this.play(playing), next });
  }

  /** Shows the map of a job. */
  async readMap(): Promise<void> {
    if (!this.cell.job) return;
    const pack = await this.source.pack<MapHeader>("map");
    if (this.isOver) return;
    this.map = new MapPanel(this.source, this.cell, this.page.store, {
      pose: (posture, seen) => this.pose(posture, seen),
      back: () => this.back(),
      dragged: (motion, proof, t) => this.setDragged(motion, proof, t),
      complain: this.page.complain,
    }, pack);
    if (this.motions.length === 0) this.map.begin();
  }

  /** Shows a posture that is not on the motion; what was seen of it need not be asked for. */
  private pose(posture: number[], seen: Seen | null): void {
    const { state } = this.page.store;
    if (state.playing) this.play(false);
    state.posture.set(posture);
    state.off = true;
    this.placed(seen === null);
    if (seen) this.saw(seen, posture);
  }

  /** Shows the motion again; where there is none, the cell as it was at first. */
  private back(): void {
    if (this.motion) this.jump(this.page.store.state.t);
    else this.pose(this.cell.posture, null);
  }

  /** A path that was dragged is one more motion. */
  private setDragged(motion: Motion | null, proof: Proof | null, t: number): void {
    if (this.page.store.state.beside >= 0) this.beside.show(-1);
    if (this.own) this.motions.splice(this.motions.indexOf(this.own.motion), 1);
    this.own = motion && proof ? { motion, proof } : null;
    if (this.own) this.motions.push(this.own.motion);
    this.timeline.list();
    this.choose(this.own ? this.motions.length - 1 : 0);
    if (this.own) this.jump(t);
  }

  play(playing: boolean): void {
    const { state } = this.page.store;
    if (!this.motion) return;
    if (playing && state.t >= 1) state.t = 0;
    state.playing = playing;
    this.page.store.tell("time");
    this.page.stage.invalidate();
  }

  jump(t: number): void {
    const { state } = this.page.store;
    state.t = Math.min(Math.max(t, 0), 1);
    state.off = this.motion === null;
    this.motion?.at(state.t, state.posture);
    this.page.store.tell("time");
    this.placed();
  }

  private moveJoint(joint: number, value: number): void {
    const { state } = this.page.store;
    if (state.playing) this.play(false);
    state.posture[joint] = value;
    state.off = true;
    this.placed();
  }

  /** After the posture has changed. */
  private placed(asks = true): void {
    const { state } = this.page.store;
    this.kinematics.place(state.posture);
    for (const { group } of this.bodies.drawn) group.matrixWorldNeedsUpdate = true;
    state.fresh = false;
    if (asks) this.looker.ask(state.posture);
    else this.looker.skip();
    this.page.store.tell("posture");
    tellVerdict(state);
    this.page.stage.invalidate();
  }

  private saw(seen: Seen | null, posture: number[], lost = false): void {
    const { state } = this.page.store;
    Object.assign(state, { seen, lost });
    state.fresh = seen !== null && posture.every((value, k) => value === state.posture[k]);
    this.page.store.tell("seen");
    tellVerdict(state);
    this.page.stage.invalidate();
  }

  private paint(): void {
    const { seen } = this.page.store.state;
    const pair = this.chosenPair(seen) ?? seen?.pairs[0] ?? null;
    this.paintBodies(seen);
    this.marks.hits(seen?.hits ?? []);
    this.marks.gap(pair);
    const label = by("gap-label");
    label.dataset.touches = String(pair?.gap === 0);
    // At once: a gap of another posture is not told until the next picture.
    if (!pair) label.hidden = true;
    say(label, pair ? (pair.gap === 0 ? "touches" : metres(pair.gap)) : "");
    this.page.stage.invalidate();
  }

  private chosenPair(seen: Seen | null): Pair | undefined {
    return seen?.pairs.find((one) => pairKey(one) === this.page.store.state.chosen);
  }

  /** Colours bodies that touch in what was seen: of a posture of the motion, or of the one beside it. */
  private paintBodies(seen: Seen | null): void {
    const hit = new Set(seen?.pairs.filter((pair) => pair.gap === 0).flatMap((pair) => pair.bodies));
    this.bodies.paint(hit, new Set(this.chosenPair(seen)?.bodies ?? []));
  }

  private async show(): Promise<void> {
    const { show, hidden } = this.page.store.state;
    this.bodies.drawn.forEach(({ group }, index) => {
      group.visible = !hidden.has(index);
    });
    this.trace.group.visible = show.trace;
    if (show.sweep !== this.sweep.instants > 0) this.sweep.show(show.sweep ? this.motion : null);
    const before = [this.models.ranks("spheres"), this.models.ranks("boxes")];
    try {
      await this.models.show(show);
    } catch (error) {
      this.page.complain((error as Error).message, "The models could not be read");
    }
    const ranks = this.models.ranks("spheres");
    if (before[0] === 0 && ranks > 0) show.rank = Math.min(ranks - 1, 3);
    this.glaze();
    if (ranks !== before[0] || this.models.ranks("boxes") !== before[1]) this.page.store.tell("show");
    this.page.stage.invalidate();
  }

  /** Spheres, boxes and contacts are seen through bodies. */
  private glaze(): void {
    const { show, contacts } = this.page.store.state;
    const ofModels = show.spheres || show.boxes ? 0.4 : 1;
    const touching = new Set(contacts?.between.filter((between) => between.state === "touching").map((between) => between.body));
    const ofContacts = (body: number): number => (!contacts ? 1 : body === contacts.moving ? 0.42 : touching.has(body) ? 0.5 : 0.13);
    // What a script moves is seen through what stands around it.
    const ofScript = (body: number): number => (this.words && body < this.cell.bodies.length - 1 ? 0.45 : 1);
    this.bodies.glaze((body) => Math.min(ofModels, ofContacts(body), ofScript(body)));
  }

  private shownContacts: unknown = null;

  private showContacts(): void {
    const { contacts, contact, generator } = this.page.store.state;
    if (this.shownContacts !== contacts) {
      this.contactView.show(contacts);
      const body = contacts && this.cell.bodies[contacts.moving];
      this.dragView.of(contacts?.sound && body ? { body: contacts.moving, name: body.name, size: contacts.size } : null);
      this.glaze();
    }
    this.shownContacts = contacts;
    this.contactView.choose(contact);
    this.contactView.move(contacts?.motions[generator] ?? null);
    this.page.stage.invalidate();
  }

  /** Contacts are those where the cell has the object: they are not shown where it is not. */
  private dragged(): void {
    const { store, stage } = this.page;
    store.state.drag = this.dragView.drag;
    this.contactView.group.visible = this.dragView.drag === null;
    store.tell("drag");
    stage.invalidate();
  }

  fit(view?: View): void {
    const { contacts, hidden, posture } = this.page.store.state;
    if (contacts) {
      this.page.stage.fit(this.bodies.outline((body) => body === contacts.moving), view, 1.9);
      this.page.viewed();
      return;
    }
    const isShown = (body: number): boolean => !hidden.has(body);
    const seen = this.bodies.outline(isShown);
    // All of a motion, not only where it is now.
    const other = new Float64Array(posture.length);
    for (let k = 0; this.motion && k <= 10; k++) {
      this.motion.at(k / 10, other);
      this.kinematics.place(other);
      seen.push(...this.bodies.outline((body) => isShown(body) && this.cell.bodies[body]?.frame !== 0));
    }
    this.kinematics.place(posture);
    this.page.stage.fit(seen.length > 0 ? seen : this.bodies.outline(), view);
    this.page.viewed();
  }

  /** Draws more simply while pictures are slow. */
  coarsen(coarse: boolean): void {
    this.bodies.coarsen(coarse);
    this.trace.coarsen(coarse);
  }

  /** Before each picture; whether another is wanted after it. */
  frame(seconds: number): boolean {
    const { state } = this.page.store;
    if (state.playing) {
      let t = this.motion?.after(state.t, seconds * state.speed, this.cell.coordinates) ?? 1;
      if (t >= 1) {
        t = state.loop ? t % 1 : 1;
        state.playing = state.loop;
      }
      this.jump(t);
    }
    const ghost = this.contactView.advance(seconds);
    this.marks.beforePicture();
    this.contactView.beforePicture();
    this.movedView.beforePicture();
    this.placeLabel();
    return state.playing || ghost;
  }

  private placeLabel(): void {
    const label = by("gap-label");
    const middle = this.marks.middle;
    const at = middle && this.page.stage.project(middle);
    label.hidden = !at;
    if (at) label.style.transform = `translate(${Math.round(at[0] + 12)}px, ${Math.round(at[1] - 26)}px)`;
  }

  get coloured(): number {
    return this.marks.coloured;
  }

  /** Where the tip of each tool is, for tests that compare it with the server's kinematics. */
  tips(): number[][] {
    return this.cell.tools.map(({ frame, at }) => {
      const [x = 0, y = 0, z = 0] = at.slice(9);
      return new Vector3(x, y, z).applyMatrix4(this.kinematics.frames[frame] ?? this.bodies.all.matrix).toArray();
    });
  }

  dispose(): void {
    this.isOver = true;
    this.map?.dispose();
    this.tour?.dispose();
    this.busy?.dispose();
    this.live?.dispose();
    this.beside.dispose();
    this.page.stage.scene.remove(this.sweep.group, this.beside.trace.group);
    this.sweep.dispose();
    this.looker.stop();
    this.page.stage.scene.remove(this.movedView.group, this.dragView.group, this.bodies.all, this.marks.group, this.trace.group, this.contactView.group);
    for (const part of [this.dragView, this.movedView, this.contactView, this.trace, this.marks, this.models, this.bodies]) part.dispose();
  }
}


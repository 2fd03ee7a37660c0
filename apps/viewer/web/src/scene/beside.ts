// Two motions side by side, at the same part of their time: one at the left, the other at the right.

import type { Cell, Proof, Seen, Source } from "../api";
import { by, make, say } from "../dom";
import type { Kinematics } from "../kinematics";
import { Looker } from "../looker";
import type { Motion } from "../motion";
import type { Store } from "../store";
import type { Stage } from "./stage";
import { Trace } from "./trace";

export interface Sides {
  motions: Motion[];
  /** What is known of a motion that was made here. */
  own: (motion: Motion) => Proof | null;
  /** What is shown at the left only. */
  left: { visible: boolean }[];
  /** Colours bodies that touch in what was seen of a posture. */
  paint: (seen: Seen | null) => void;
}

export class Beside {
  readonly trace: Trace;
  private readonly labels = ["left", "right"].map((side) => make("p", { class: `side ${side}`, id: `side-${side}`, hidden: true }));
  private readonly posture: Float64Array;
  private motion: Motion | null = null;
  private proof: Proof | null = null;
  /** Why there is no proof and will be none, if so. */
  private failed = false;
  private asked = 0;
  /** What was seen of the posture at the right, and which one that was. */
  private readonly looker: Looker;
  private seen: { seen: Seen; posture: number[] } | null = null;

  constructor(
    private readonly source: Source,
    cell: Cell,
    size: number,
    private readonly kinematics: Kinematics,
    private readonly stage: Stage,
    private readonly store: Store,
    private readonly sides: Sides,
  ) {
    this.trace = new Trace(cell, size);
    this.trace.group.visible = false;
    this.posture = new Float64Array(cell.coordinates.length);
    by("stage").after(...this.labels);
    this.looker = new Looker(source, (seen, posture) => {
      this.seen = seen && { seen, posture };
      this.count();
      this.stage.invalidate();
    });
    store.on(["proof", "beside"], () => this.tell());
    store.on(["time", "beside"], () => this.look());
  }

  /** Shows a motion at the right, or none. */
  show(index: number): void {
    const { state } = this.store;
    this.motion = this.sides.motions[index] ?? null;
    state.beside = this.motion ? index : -1;
    this.proof = null;
    this.failed = false;
    this.seen = null;
    this.trace.show(this.motion, null);
    this.stage.split = this.motion ? { place: () => this.place(), back: () => this.back() } : null;
    this.stage.resplit();
    const asked = ++this.asked;
    const knows = (proof: Proof): void => {
      if (asked !== this.asked) return;
      this.proof = proof;
      this.trace.show(this.motion, proof);
      this.tell();
      this.stage.invalidate();
    };
    const own = this.motion && this.sides.own(this.motion);
    if (own) knows(own);
    else if (this.motion)
      this.source.get<Proof>(`motion/${index}`).then(knows, () => {
        if (asked !== this.asked) return;
        this.failed = true;
        this.tell();
      });
    this.store.tell("beside");
  }

  /** Asks what touches at the right: it is another posture than at the left. */
  private look(): void {
    if (!this.motion) return;
    this.motion.at(this.store.state.t, this.posture);
    this.looker.ask(this.posture);
    this.count();
  }

  /** What is known of the posture that is shown at the right; nothing where that was asked about another one. */
  private get known(): Seen | null {
    return this.seen?.posture.every((value, k) => value === this.posture[k]) ? this.seen.seen : null;
  }

  private count(): void {
    this.store.state.besideHits = this.motion ? (this.known?.pairs.filter((pair) => pair.gap === 0).length ?? null) : null;
  }

  private tell(): void {
    const { state } = this.store;
    const left = this.sides.motions[state.motion];
    const sides: [Motion | undefined | null, Proof | null][] = [
      [left, state.proof],
      [this.motion, this.proof],
    ];
    state.besideVerdict = this.motion ? (this.proof?.verdict ?? null) : null;
    this.count();
    this.labels.forEach((label, k) => {
      const [motion, proof] = sides[k] ?? [null, null];
      label.hidden = !this.motion || !motion;
      label.dataset.verdict = proof?.verdict ?? "";
      const none = (k === 0 ? state.unproven !== null : this.failed) ? "not proven: the viewer does not answer" : "proving…";
      say(label, `${motion?.name ?? ""} · ${proof ? (proof.verdict === "free" ? "proven free" : proof.verdict) : none}`);
    });
  }

  private shown: boolean[] = [];

  /** Before the right side is drawn. */
  private place(): void {
    this.motion?.at(this.store.state.t, this.posture);
    this.kinematics.place(this.posture);
    this.sides.paint(this.known);
    this.shown = this.sides.left.map((part) => part.visible);
    for (const part of this.sides.left) part.visible = false;
    this.trace.group.visible = this.store.state.show.trace;
  }

  private back(): void {
    this.kinematics.place(this.store.state.posture);
    this.sides.paint(this.store.state.seen);
    this.sides.left.forEach((part, k) => {
      part.visible = this.shown[k] ?? true;
    });
    this.trace.group.visible = false;
  }

  dispose(): void {
    this.asked += 1;
    this.looker.stop();
    this.stage.split = null;
    this.stage.resplit();
    for (const label of this.labels) label.remove();
    this.trace.dispose();
  }
}

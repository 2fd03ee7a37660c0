// Which motion is shown, at which instant, and what is proven of it; or a posture beside it.

import type { Cell, Proof, Seen, Source } from "./api";
import type { Motion } from "./motion";
import type { Page } from "./opened";
import { tellVerdict } from "./panel/verdict";
import type { ShownPosture } from "./posture";
import type { CellScene } from "./scene/cell";

export class Playback {
  /** A motion that was made here, by dragging the path, and what is known of it. */
  private dragged: { motion: Motion; proof: Proof } | null = null;
  private proofs = 0;
  private isOver = false;

  /** `proven` is told when the server has answered what is known of a motion. */
  constructor(
    private readonly page: Page,
    private readonly source: Source,
    private readonly cell: Cell,
    readonly motions: Motion[],
    private readonly scene: CellScene,
    private readonly shown: ShownPosture,
    private readonly proven: () => void,
  ) {}

  /** The motion that is shown. */
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
    this.scene.trace.show(motion, null);
    if (state.show.sweep) this.scene.sweep.show(motion);
    this.page.store.tell("proof");
    if (!motion) {
      this.shown.placed();
      return;
    }
    this.jump(0);
    const asked = ++this.proofs;
    const own = this.proofOfDragged(motion);
    if (own) {
      this.know(motion, own);
      return;
    }
    this.source.get<Proof>(`motion/${index}`).then(
      (proof) => {
        if (asked !== this.proofs || this.isOver) return;
        this.know(motion, proof);
        this.proven();
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
    this.scene.trace.show(motion, proof);
    this.page.store.tell("proof");
    tellVerdict(state);
    this.page.stage.invalidate();
  }

  /** What is known of a motion that was made here; none of another one. */
  proofOfDragged(motion: Motion): Proof | null {
    return motion === this.dragged?.motion ? this.dragged.proof : null;
  }

  /** Makes a path that was dragged the last of the motions, in place of the one before. */
  setDragged(motion: Motion | null, proof: Proof | null): void {
    if (this.dragged) this.motions.splice(this.motions.indexOf(this.dragged.motion), 1);
    this.dragged = motion && proof ? { motion, proof } : null;
    if (this.dragged) this.motions.push(this.dragged.motion);
  }

  play(playing: boolean): void {
    const { state } = this.page.store;
    if (!this.motion) return;
    if (playing && state.t >= 1) state.t = 0;
    state.playing = playing;
    this.page.store.tell("time");
    this.page.stage.invalidate();
  }

  /** Shows an instant of the motion. */
  jump(t: number): void {
    const { state } = this.page.store;
    state.t = Math.min(Math.max(t, 0), 1);
    state.off = this.motion === null;
    this.motion?.at(state.t, state.posture);
    this.page.store.tell("time");
    this.shown.placed();
  }

  /** Goes on by some seconds where it plays; whether it does so still. */
  advance(seconds: number): boolean {
    const { state } = this.page.store;
    if (state.playing) {
      let t = this.motion?.after(state.t, seconds * state.speed, this.cell.coordinates) ?? 1;
      if (t >= 1) {
        t = state.loop ? t % 1 : 1;
        state.playing = state.loop;
      }
      this.jump(t);
    }
    return state.playing;
  }

  /** Moves one joint by hand, away from the motion. */
  moveJoint(joint: number, value: number): void {
    const { state } = this.page.store;
    if (state.playing) this.play(false);
    state.posture[joint] = value;
    state.off = true;
    this.shown.placed();
  }

  /** Shows a posture that is not on the motion; what was seen of it need not be asked for. */
  pose(posture: number[], seen: Seen | null): void {
    const { state } = this.page.store;
    if (state.playing) this.play(false);
    state.posture.set(posture);
    state.off = true;
    this.shown.placed(seen === null);
    if (seen) this.shown.saw(seen, posture);
  }

  /** Shows the motion again; where there is none, the cell as it was at first. */
  back(): void {
    if (this.motion) this.jump(this.page.store.state.t);
    else this.pose(this.cell.posture, null);
  }

  dispose(): void {
    this.isOver = true;
  }
}

// The posture that is shown, and what is near or touches in it.

import type { Seen, Source } from "./api";
import { Looker } from "./looker";
import { tellVerdict } from "./panel/verdict";
import type { CellScene } from "./scene/cell";
import type { Stage } from "./scene/stage";
import type { Store } from "./store";

export class ShownPosture {
  private readonly looker: Looker;

  constructor(
    source: Source,
    private readonly store: Store,
    private readonly stage: Stage,
    private readonly scene: CellScene,
  ) {
    this.looker = new Looker(source, (seen, posture, lost) => this.saw(seen, posture, lost));
  }

  /** Draws the posture of the store after it has changed, and asks what touches in it where that is not known. */
  placed(asks = true): void {
    const { state } = this.store;
    this.scene.place(state.posture);
    state.fresh = false;
    if (asks) this.looker.ask(state.posture);
    else this.looker.skip();
    this.store.tell("posture");
    tellVerdict(state);
    this.stage.invalidate();
  }

  /** Takes what was seen of a posture, which need not be the one that is shown now. */
  saw(seen: Seen | null, posture: number[], lost = false): void {
    const { state } = this.store;
    Object.assign(state, { seen, lost });
    state.fresh = seen !== null && posture.every((value, k) => value === state.posture[k]);
    this.store.tell("seen");
    tellVerdict(state);
    this.stage.invalidate();
  }

  dispose(): void {
    this.looker.stop();
  }
}

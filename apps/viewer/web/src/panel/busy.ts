// A strip that tells how far the work is that goes on while the cell is shown already.

import { Outdated, type Source, type Work } from "../api";
import { make, say } from "../dom";
import type { Store } from "../store";

/** How often the server is asked, in milliseconds: often enough for a bar that moves. */
const OFTEN = 300;

export class Busy {
  private readonly text = make("span", {});
  private readonly count = make("span", { class: "dim" });
  private readonly bar = make("progress", { max: "1", "aria-label": "How much is done" });
  private readonly strip = make("section", { class: "busy", id: "busy", role: "status" }, this.text, this.bar, this.count);
  private isOver = false;

  /** Tells how far it is until it is over, and then calls `over`. */
  constructor(
    private readonly source: Source,
    private readonly store: Store,
    private readonly over: () => void,
  ) {
    document.querySelector("main")?.append(this.strip);
    void this.watch();
  }

  private async watch(): Promise<void> {
    while (!this.isOver) {
      try {
        this.tell(await this.source.get<Work>("busy"));
      } catch (error) {
        // Another window had the files read again, or the program was ended.
        if (!(error instanceof Outdated)) this.dispose();
        return;
      }
      await new Promise((later) => setTimeout(later, OFTEN));
    }
  }

  private tell(work: Work): void {
    if (this.isOver) return;
    this.store.state.busy = work;
    say(this.text, work.what);
    say(this.count, work.of > 0 ? `${work.done} of ${work.of}` : "");
    // Without a value the bar says that something is done, and not how much.
    if (work.of > 0) this.bar.value = work.done / work.of;
    else this.bar.removeAttribute("value");
    if (!work.is_over) return;
    this.dispose();
    this.over();
  }

  dispose(): void {
    this.isOver = true;
    this.store.state.busy = null;
    this.strip.remove();
  }
}

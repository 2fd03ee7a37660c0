// A word to those who see it for the first time: the cell, the map, the path, and a collision to find.

import type { Cell, Proof } from "../api";
import { button, make, say } from "../dom";
import type { Store } from "../store";
import { pairName } from "./pairs";

export interface Guide {
  motions: { name: string }[];
  choose: (motion: number) => void;
  play: (playing: boolean) => void;
  next: () => void;
}

export class Tour {
  private readonly card: HTMLElement;
  private readonly text = make("p", {});
  private readonly go: HTMLButtonElement;
  /** What touched when it was found. */
  private found = "a contact";

  constructor(
    private readonly cell: Cell,
    private readonly store: Store,
    private readonly guide: Guide,
  ) {
    this.go = button("Find the collision", { id: "tour-go" }, () => this.lead());
    this.card = make(
      "section",
      { class: "tour", id: "tour", "aria-label": "Tour" },
      make("strong", {}, "Welcome"),
      this.text,
      make(
        "div",
        { class: "row" },
        this.go,
        button("Close", { id: "tour-close" }, () => this.dispose()),
      ),
    );
    document.querySelector("main")?.append(this.card);
    store.state.tour = "path";
    store.on(["proof", "seen", "time"], () => this.update());
    this.update();
    // While the path is planned there is only the other motion, and finding where it touches is left to whoever looks.
    if (!cell.busy) guide.play(true);
  }

  /** The motion of the demo that somebody taught in a hurry. */
  private get hurried(): number {
    return this.guide.motions.findIndex(({ name }) => name === "motion_shortcut");
  }

  private lead(): void {
    if (this.store.state.tour === "path") this.guide.choose(this.hurried);
    else this.guide.next();
  }

  private update(): void {
    const { state } = this.store;
    if (state.tour === null) return;
    const mark: Proof["marks"][number] | undefined = state.proof?.marks.find(({ from, to }) => from <= state.t && state.t <= to);
    const isHurried = state.motion === this.hurried;
    const isFound = isHurried && !state.off && state.fresh && (state.seen?.pairs[0]?.gap ?? 1) === 0;
    const before = state.tour;
    // What touched when it was found, and in which contact: told of that instant, wherever the motion goes on to.
    if (isFound && state.seen?.pairs[0])
      this.found = `${pairName(this.cell, state.seen.pairs[0].bodies)}${mark ? `, in the contact from ${(100 * mark.from).toFixed(1)} % of the motion on` : ""}`;
    state.tour = isFound || (isHurried && before === "found") ? "found" : isHurried ? "seek" : "path";
    if (state.tour === "path") {
      // Told once it is so, of the motion that is shown.
      const proven = state.proof?.verdict === "free" ? ", and every instant of it is proven free" : "";
      const isPath = this.guide.motions[state.motion]?.name.startsWith("plan/");
      say(
        this.text,
        `${isPath ? `The nozzle follows the edge of the sheet${proven}. ` : ""}The map below has every point of the edge across and every rotation of the nozzle up: point at it to see why the path goes where it does, or drag the path.`,
      );
      say(this.go, "Find the collision");
      this.go.hidden = this.hurried < 0;
    } else if (state.tour === "seek") {
      const meanwhile = this.cell.busy
        ? "An arm with a bent nozzle is to lay a bead along the edge of the sheet. kansho plans a path and proves it free; it will be shown as soon as it is there. Meanwhile: "
        : "";
      say(
        this.text,
        `${meanwhile}This motion was taught in a hurry, and somewhere on the way it touches. Where? Play it, move along the curve below, or let it be shown.`,
      );
      say(this.go, "Show it");
    } else {
      say(
        this.text,
        `Found: ${this.found}. What is proven is the whole motion, not some of its instants. kansho plan, check and view do this with your own cells.`,
      );
      this.go.hidden = true;
    }
  }

  dispose(): void {
    this.store.state.tour = null;
    this.card.remove();
  }
}

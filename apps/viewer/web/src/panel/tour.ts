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

  constructor(
    private readonly cell: Cell,
    private readonly store: Store,
    private readonly guide: Guide,
  ) {
    this.go = button("Find the collision", { id: "tour-go" }, () => this.lead());
    this.card = make("section", { class: "tour", id: "tour", "aria-label": "Tour" }, make("strong", {}, "Welcome"), this.text, make("div", { class: "row" }, this.go, button("Close", { id: "tour-close" }, () => this.dispose())));
    document.querySelector("main")?.append(this.card);
    store.state.tour = "path";
    store.on(["proof", "seen", "time"], () => this.update());
    this.update();
    guide.play(true);
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
    const mark: Proof["marks"][number] | undefined = state.proof?.marks[0];
    const isHurried = state.motion === this.hurried;
    const isFound = isHurried && state.fresh && (state.seen?.pairs[0]?.gap ?? 1) === 0;
    const before = state.tour;
    state.tour = isFound || (isHurried && before === "found") ? "found" : isHurried ? "seek" : "path";
    if (state.tour === "path") {
      say(this.text, "The nozzle follows the edge of the sheet, and every instant of it is proven free. The map below has every point of the edge across and every rotation of the nozzle up: point at it to see why the path goes where it does, or drag the path.");
      say(this.go, "Find the collision");
      this.go.hidden = this.hurried < 0;
    } else if (state.tour === "seek") {
      say(this.text, "This motion was taught in a hurry, and somewhere on the way it touches. Where? Play it, move along the curve below, or let it be shown.");
      say(this.go, "Show it");
    } else {
      say(this.text, `Found: ${mark ? pairName(this.cell, mark.bodies) : "a contact"}${mark ? `, from ${(100 * mark.from).toFixed(1)} % of the motion on` : ""}. What is proven is the whole motion, not some of its instants. kansho plan, check and view do this with your own cells.`);
      this.go.hidden = true;
    }
  }

  dispose(): void {
    this.store.state.tour = null;
    this.card.remove();
  }
}

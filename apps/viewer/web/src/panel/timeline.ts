// Play, scrub, speed, marks to jump to, and the least gap over time.

import type { Cell, Mark } from "../api";
import { button, by, make, metres, say } from "../dom";
import { type Motion, timeWords } from "../motion";
import type { Store } from "../store";
import { pairName } from "./pairs";
import { drawPlot } from "./plot";

/** Pairs that are named for a contact, beside the first. */
const LISTED = 5;

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4, 8];

/** What the timeline asks of the page. */
export interface Player {
  motions: Motion[];
  /** The motion that is shown. */
  motion: () => Motion | null;
  play: (playing: boolean) => void;
  jump: (t: number) => void;
  choose: (motion: number) => void;
  /** Shows another motion at the right, or none. */
  beside: (motion: number) => void;
}

export class Timeline {
  private readonly playButton: HTMLButtonElement;
  private readonly slider = make("input", { type: "range", id: "time", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time" });
  private readonly time = make("span", { class: "time", id: "time-told" });
  private readonly told = make("span", { class: "clearance", id: "gap-here", title: "The least gap in the posture that is shown, not that of the motion" });
  private readonly head = make("div", { class: "head" });
  private readonly canvas = make("canvas", { role: "img", "aria-label": "The least gap over time" });
  private readonly marks = make("div", { class: "marks", role: "group", "aria-label": "Marks" });
  private readonly speed: HTMLSelectElement;
  private readonly beside = make("select", { id: "beside", "aria-label": "Motion beside it", title: "Another motion, side by side" });
  private readonly motion = make("select", { id: "motion", "aria-label": "Motion" });

  constructor(
    private readonly cell: Cell,
    private readonly store: Store,
    private readonly player: Player,
  ) {
    const footer = by("timeline");
    this.playButton = button("▶", { id: "play", class: "play" }, () => player.play(!store.state.playing));
    this.speed = make("select", { id: "speed", "aria-label": "Speed" });
    for (const speed of SPEEDS) this.speed.append(make("option", { value: speed, selected: speed === 1 }, `${speed}×`));
    this.speed.addEventListener("change", () => {
      store.state.speed = Number(this.speed.value);
    });
    const loop = make("input", { type: "checkbox", id: "loop", checked: store.state.loop });
    loop.addEventListener("change", () => {
      store.state.loop = loop.checked;
    });
    const motion = this.motion;
    this.list();
    this.beside.addEventListener("change", () => player.beside(Number(this.beside.value)));
    store.on(["beside"], () => {
      this.beside.value = String(store.state.beside);
    });
    motion.addEventListener("change", () => player.choose(Number(motion.value)));
    this.slider.addEventListener("input", () => player.jump(Number(this.slider.value)));
    const plot = make("div", { class: "plot" }, this.canvas, this.head);
    this.scrub(plot);
    footer.replaceChildren(
      make("div", { class: "transport" }, this.playButton, motion, this.beside, this.speed, loop, make("label", { for: "loop" }, "loop"), this.time, this.told),
      make("div", { class: "track" }, plot, this.slider, this.marks),
    );
    new ResizeObserver(() => drawPlot(this.canvas, store.state.proof, store.state.unproven)).observe(plot);
    store.on(["time"], () => this.update());
    store.on(["seen"], () => this.tellGap());
    store.on(["theme"], () => drawPlot(this.canvas, store.state.proof, store.state.unproven));
    store.on(["proof"], () => {
      motion.value = String(store.state.motion);
      drawPlot(this.canvas, store.state.proof, store.state.unproven);
      this.listMarks();
      this.update();
    });
  }

  /** Lists the motions, anew where one was added. */
  list(): void {
    const { motions } = this.player;
    by("timeline").hidden = motions.length === 0;
    this.motion.replaceChildren(
      ...motions.map((one, index) => make("option", { value: index }, `${one.name} (${one.pieces} piece${one.pieces === 1 ? "" : "s"})`)),
    );
    this.motion.value = String(this.store.state.motion);
    this.beside.hidden = motions.length < 2;
    this.beside.replaceChildren(
      make("option", { value: -1 }, "nothing beside"),
      ...motions.map((one, index) => make("option", { value: index }, `beside: ${one.name}`)),
    );
    this.beside.value = String(this.store.state.beside);
  }

  /** Scrubs where the plot is pressed. */
  private scrub(plot: HTMLElement): void {
    const to = (event: PointerEvent): void => {
      const { left, width } = plot.getBoundingClientRect();
      this.player.jump(Math.min(Math.max((event.clientX - left) / width, 0), 1));
    };
    plot.addEventListener("pointerdown", (event) => {
      plot.setPointerCapture(event.pointerId);
      to(event);
    });
    plot.addEventListener("pointermove", (event) => {
      if (plot.hasPointerCapture(event.pointerId)) to(event);
    });
  }

  private listMarks(): void {
    const { proof } = this.store.state;
    const made: HTMLElement[] = [];
    const add = (kind: string, t: number, text: string, title: string): void => {
      const mark = button(text, { class: "mark", "data-kind": kind, "data-t": t, title, "aria-label": title }, () => this.player.jump(t));
      mark.style.left = `clamp(40px, ${(100 * t).toFixed(3)}%, calc(100% - 40px))`;
      made.push(mark);
    };
    proof?.marks.forEach((mark, k) => {
      const title = `${mark.near ? "Nearer than the clearance" : "Contact"} ${k + 1} of ${proof.marks.length}, from ${percent(mark.from)} to ${percent(mark.to)}: ${this.pairsOf(mark)}`;
      add("contact", mark.jump, `${mark.near ? "too near" : "contact"} ${k + 1}`, title);
    });
    const open = proof?.unreached ? "not reached" : "undecided";
    proof?.open.forEach(([from, to]) => add("open", from, open, `${open[0]?.toUpperCase()}${open.slice(1)} from ${percent(from)} to ${percent(to)}`));
    if (proof?.nearest) {
      const { t, between, bodies } = proof.nearest;
      add(
        "nearest",
        t,
        `least gap ${between}`,
        `Least gap of the motion: ${between} (proven at every instant, and measured at ${percent(t)}), ${pairName(this.cell, bodies)}`,
      );
    }
    this.marks.replaceChildren(...made);
  }

  /** All that touch in a contact, the first one first. */
  private pairsOf(mark: Mark): string {
    const [first, ...others] = [
      mark.pairs.find((pair) => pair.bodies.join() === mark.bodies.join()),
      ...mark.pairs.filter((pair) => pair.bodies.join() !== mark.bodies.join()),
    ];
    const named = others.flatMap((pair) => (pair ? [`${pairName(this.cell, pair.bodies)} (from ${percent(pair.from)} to ${percent(pair.to)})`] : []));
    const more = named.length > LISTED ? ` and ${named.length - LISTED} more` : "";
    const until = first && named.length > 0 ? ` (to ${percent(first.to)})` : "";
    return `${pairName(this.cell, mark.bodies)}${until}${named.length > 0 ? `; also ${named.slice(0, LISTED).join(", ")}${more}` : ""}`;
  }

  /** Times that can be jumped to, in order. */
  get stops(): number[] {
    const { proof } = this.store.state;
    const all = [...(proof?.marks.map((mark) => mark.jump) ?? []), ...(proof?.open.map(([from]) => from) ?? [])];
    if (proof?.nearest) all.push(proof.nearest.t);
    return all.sort((a, b) => a - b);
  }

  private tellGap(): void {
    const nearest = this.store.state.seen?.pairs[0];
    if (!nearest) say(this.told, "");
    else say(this.told, `here: ${nearest.gap === 0 ? "touches" : metres(nearest.gap)} · ${pairName(this.cell, nearest.bodies)}`);
  }

  private update(): void {
    const { t, playing, proof } = this.store.state;
    const motion = this.player.motion();
    const { told, means } = motion ? timeWords(motion, t) : { told: "", means: "" };
    this.slider.value = String(t);
    this.slider.setAttribute("aria-valuetext", `${percent(t)}, ${told}`);
    say(this.time, told);
    this.time.title = means;
    say(this.playButton, playing ? "❚❚" : "▶");
    this.playButton.setAttribute("aria-label", playing ? "Pause (Space)" : "Play (Space)");
    this.playButton.title = playing ? "Pause (Space)" : "Play (Space)";
    this.head.style.left = `${(100 * t).toFixed(3)}%`;
    this.marks.querySelectorAll<HTMLElement>(".mark[data-kind=contact]").forEach((mark, k) => {
      const span = proof?.marks[k];
      mark.setAttribute("aria-current", String(span !== undefined && span.from <= t && t <= span.to));
    });
  }
}

function percent(t: number): string {
  return `${(100 * t).toFixed(1)} %`;
}

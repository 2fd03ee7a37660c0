// A cell that is watched while it moves: the newest posture, its gap, and the time to contact.

import type { Cell, LiveNews, Seen, Source } from "../api";
import { by, make, metres, say } from "../dom";
import type { State, Store } from "../store";
import { pairName } from "./pairs";
import { tellVerdict } from "./verdict";

/** Instants in the plot. */
const SHOWN = 600;

/** After so long without an answer it is asked again, in milliseconds. */
const AGAIN = 500;

export class LivePanel {
  private readonly gap = make("output", { id: "live-gap" });
  private readonly time = make("output", { id: "live-time" });
  private readonly estimate = make("output", { id: "live-estimate" });
  private readonly pair = make("span", { class: "dim", id: "live-pair" });
  private readonly status = make("span", { class: "dim", id: "live-status", role: "status" });
  private readonly canvas = make("canvas", { role: "img", "aria-label": "The least gap, now at the right" });
  private readonly resizes: ResizeObserver;
  private course: [number, number | null, number | null][] = [];
  private isOver = false;
  /** What is told of it, as the store has it. */
  private readonly state: NonNullable<State["live"]>;

  constructor(
    private readonly source: Source,
    private readonly cell: Cell,
    private readonly store: Store,
    private readonly show: (posture: number[], seen: Seen) => void,
  ) {
    const figure = (label: string, output: HTMLElement, title: string): HTMLElement =>
      make("div", { class: "figure", title }, make("span", { class: "dim" }, label), output);
    const footer = by("timeline");
    footer.hidden = false;
    footer.replaceChildren(
      make(
        "div",
        { class: "live" },
        figure("live least gap", this.gap, "The least gap of the newest posture that came, wherever you have moved the joints since"),
        figure("no contact within", this.time, "Proven: whatever the joints do within their limits of speed, nothing touches sooner"),
        figure("contact expected in", this.estimate, "Not proven: when it would touch if the joints went on as they do now"),
        make("div", { class: "grow" }, this.pair, this.status),
      ),
      make("div", { class: "plot" }, this.canvas),
    );
    this.state = {
      posture: [],
      rough: false,
      quiet: false,
      count: 0,
      line: 0,
      gap: null,
      timeToContact: null,
      estimate: null,
      hits: 0,
      pictures: 0,
      ended: false,
    };
    store.state.live = this.state;
    this.resizes = new ResizeObserver(() => this.draw());
    this.resizes.observe(this.canvas);
    store.on(["theme"], () => this.draw());
    void this.run();
  }

  private async run(): Promise<void> {
    let failed = 0;
    while (!this.isOver) {
      const { state } = this;
      try {
        const news = await this.source.get<LiveNews>(`live/${state.count}`);
        if (this.isOver) return;
        failed = 0;
        // What was waited for, in vain, says that the robot is not heard of: what it last was is not what it is now.
        const isNew = news.newest !== null && news.count !== state.count;
        const was = state.ended || state.quiet;
        Object.assign(state, { ended: false, quiet: !isNew });
        document.body.toggleAttribute("data-ended", !isNew && state.count > 0);
        if (isNew) this.tell(news);
        else if (state.count > 0) this.old("no new posture; this is the last that came");
        if (was !== state.quiet) tellVerdict(this.store.state);
        // One picture for each answer, and no more of them than the screen shows.
        await new Promise((drawn) => requestAnimationFrame(drawn));
      } catch {
        if (this.isOver) return;
        failed += 1;
        if (failed > 1) {
          state.ended = true;
          this.old("whoever watched has ended; this is the last that was seen");
          document.body.toggleAttribute("data-ended", true);
          tellVerdict(this.store.state);
        }
        await new Promise((later) => setTimeout(later, AGAIN * failed));
        if (failed > 20) return;
      }
    }
  }

  /** What was proven of the time ahead was about a time that has passed. */
  private old(why: string): void {
    say(this.status, ` · ${why}`);
    for (const output of [this.time, this.estimate]) say(output, "—");
    this.estimate.dataset.soon = "false";
  }

  private tell(news: LiveNews): void {
    const { newest } = news;
    if (!newest) return;
    const { state } = this;
    Object.assign(state, {
      posture: newest.posture,
      rough: news.rough,
      count: news.count,
      hits: news.hits,
      line: newest.line,
      gap: newest.gap,
      timeToContact: newest.time_to_contact,
      estimate: newest.estimate,
    });
    state.pictures += 1;
    this.course = [...this.course, ...news.course].slice(-SHOWN);
    const touches = newest.gap === 0;
    say(this.gap, newest.gap === null ? "—" : touches ? (news.rough ? "may touch" : "touches") : `${news.rough ? "at least " : ""}${metres(newest.gap)}`);
    this.gap.dataset.touches = String(touches);
    say(this.time, newest.time_to_contact === null ? "never" : seconds(newest.time_to_contact));
    say(this.estimate, newest.estimate === null ? "—" : seconds(newest.estimate));
    this.estimate.dataset.soon = String(newest.estimate !== null && newest.estimate < 1);
    say(this.pair, newest.bodies ? pairName(this.cell, newest.bodies) : "");
    const hits = news.hits > 0 ? `, ${news.hits} ${news.rough ? "may have touched" : "touched"}` : "";
    say(this.status, ` · posture ${news.count.toLocaleString("en")}${hits}`);
    const pairs = newest.bodies && newest.points && newest.gap !== null ? [{ bodies: newest.bodies, gap: newest.gap, points: newest.points }] : [];
    this.show(newest.posture, { pairs, hits: [], more: false, outside: [], tips: [] });
    this.draw();
  }

  private draw(): void {
    const ratio = Math.min(window.devicePixelRatio, 2);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight];
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    const pen = this.canvas.getContext("2d");
    if (!pen || width === 0) return;
    const style = getComputedStyle(document.documentElement);
    const colour = (name: string): string => style.getPropertyValue(name).trim();
    pen.scale(ratio, ratio);
    pen.font = "11px system-ui, sans-serif";
    if (this.course.length === 0) {
      pen.fillStyle = colour("--dim");
      pen.fillText("waiting for the first posture…", 10, height / 2 + 4);
      return;
    }
    const most = Math.max(...this.course.map(([, gap]) => gap ?? 0), 1e-6);
    const x = (k: number): number => width - ((this.course.length - 1 - k) / (SHOWN - 1)) * width;
    const y = (gap: number): number => height - 4 - (gap / (1.1 * most)) * (height - 14);
    pen.fillStyle = colour("--bad");
    this.course.forEach(([, gap], k) => {
      if (gap === 0) pen.fillRect(x(k) - 1, 0, 2, height);
    });
    pen.beginPath();
    this.course.forEach(([, gap], k) => (k === 0 ? pen.moveTo(x(k), y(gap ?? most)) : pen.lineTo(x(k), y(gap ?? most))));
    pen.strokeStyle = colour("--accent");
    pen.lineWidth = 1.8;
    pen.stroke();
    pen.fillStyle = colour("--dim");
    pen.fillText(metres(most), 6, 12);
  }

  dispose(): void {
    this.isOver = true;
    this.resizes.disconnect();
    document.body.toggleAttribute("data-ended", false);
  }
}

function seconds(value: number): string {
  return value >= 100 ? `${value.toFixed(0)}\u00a0s` : value >= 1 ? `${value.toFixed(1)}\u00a0s` : `${(1000 * value).toFixed(0)}\u00a0ms`;
}

// The path map beside the scene: hover a cell to see its posture and what it hits; drag the path and have it proven again.

import type { Cell, MapCell, MapHeader, Pack, PathAnswer, Proof, Seen, Source } from "../api";
import { button, by, make, say } from "../dom";
import type { Motion } from "../motion";
import type { MapState, Store } from "../store";
import { Chart, type Spot } from "./chart";
import { DraggedPath } from "./dragged";
import { Newest } from "./newest";
import { cellText, pathText, word } from "./texts";

/** How near the mouse has to be to the path to take it, in pixels. */
const NEAR = 9;

/** Milliseconds that motions are proven for while the path is held, and when it was let go. */
const [HELD, FREE] = [200, 2500];

/** What the map asks of the page. */
export interface Viewer {
  /** Shows a posture that is not on the motion, and what was seen of it. */
  pose: (posture: number[], seen: Seen | null) => void;
  /** Shows the motion again. */
  back: () => void;
  /** A path that was dragged, and what is known of it; shown at an instant. */
  dragged: (motion: Motion | null, proof: Proof | null, t: number) => void;
  complain: (message: string, heading: string) => void;
}

type Question = { points: number[]; rotations_deg: number[]; patience_ms: number };

export class MapPanel {
  private readonly chart: Chart;
  readonly path: DraggedPath;
  private readonly header: MapHeader;
  private readonly told = make("p", { class: "told", id: "map-told", role: "status" });
  private readonly proven = make("p", { class: "proven", id: "map-proven", role: "status" });
  private readonly reach = make("input", { type: "range", id: "map-reach", "aria-label": "How many points are taken along" });
  private readonly resetButton: HTMLButtonElement;
  private readonly cells: Newest<Spot, MapCell>;
  private readonly paths: Newest<Question, PathAnswer>;
  private readonly resizes: ResizeObserver;
  private held: { id: number; y: number; point: number; pulled: number } | null = null;
  private now: Spot | null = null;
  /** What is told of it, as the store has it. */
  private readonly state: MapState;

  constructor(
    source: Source,
    private readonly cell: Cell,
    private readonly store: Store,
    private readonly viewer: Viewer,
    pack: Pack<MapHeader>,
  ) {
    this.header = pack.header;
    const { points } = this.header;
    const canvas = make("canvas", {
      id: "map",
      tabindex: 0,
      "aria-label": "Path map: points across, rotation up. Arrow keys move from cell to cell, with Shift tenfold; Enter keeps a cell.",
    });
    this.chart = new Chart(canvas, this.header, pack);
    this.path = new DraggedPath(this.header, pack.doubles(this.header.path), pack.doubles(this.header.postures));
    const most = Math.max(2, points);
    Object.assign(this.reach, { min: 2, max: most, value: Math.min(most, Math.max(12, Math.round(points / 20))) });
    this.reach.title = "How many points are taken along where the path is dragged";
    this.resetButton = button("As planned", { id: "map-reset", title: "Put the path back where it was planned", disabled: true }, () => this.reset());
    const legend = make("ul", { class: "legend", "aria-label": "Colours" });
    for (const [colour, words] of this.header.legend) {
      const chip = make("i", {});
      const [r, g, b] = this.header.palette[colour] ?? [0, 0, 0];
      chip.style.background = `rgb(${r} ${g} ${b})`;
      legend.append(make("li", {}, chip, words));
    }
    const tools = make(
      "div",
      { class: "tools" },
      make("strong", {}, "Path map"),
      this.proven,
      make("label", { for: "map-reach" }, "reach"),
      this.reach,
      this.resetButton,
    );
    by("map-section").replaceChildren(tools, this.told, canvas, legend);
    document.body.toggleAttribute("data-map", true);
    // What a cell holds is not known then, and the cell before it is not shown in its place.
    const failed = (error: Error): void => {
      this.told.dataset.state = "";
      say(this.told, `not known: ${error.message}`);
      this.viewer.back();
    };
    this.cells = new Newest(
      (spot) => source.post<MapCell>("map-cell", { point: spot.point, rotation: spot.rotation }),
      (answer, _, ms) => this.saw(answer, ms),
      failed,
    );
    this.paths = new Newest(
      (question) => source.post<PathAnswer>("path", question),
      (answer, question, ms) => this.knew(answer, question, ms),
      (error) => {
        this.state.error = error.message;
        this.proven.dataset.verdict = "";
        say(this.proven, `${this.subject}: not proven: ${error.message}`);
      },
    );
    this.state = { points, rotations: this.header.rotations.length, cell: null, pinned: false, held: -1, path: null, now: null, error: null, answered: 0 };
    store.state.map = this.state;
    this.listen(canvas);
    this.resizes = new ResizeObserver(() => this.draw());
    this.resizes.observe(canvas);
    store.on(["theme"], () => this.draw());
    store.on(["posture"], () => this.follow());
    say(this.told, this.path.planned.length > 0 ? "Point at a cell, or drag the path." : "Point at a cell. There is no path through this map.");
    this.draw();
  }

  /** Proves the path as it was planned, so that later only what changes has to be. */
  begin(): void {
    if (this.path.planned.length > 0 && this.header.fixed === null) this.prove(FREE);
  }

  /** Asks what is proven of the path as it is now. */
  private prove(patience: number): void {
    if (this.state.path) this.state.path.isNewest = false;
    const question = this.path.question(patience);
    // What was proven of the path as it was before is not told of the path as it is now.
    if (!this.about || !isSame(question, this.about)) {
      this.proven.dataset.verdict = "proving";
      say(this.proven, `${this.subject}: proving…`);
      this.proven.title = "";
      this.about = null;
    }
    this.paths.want(question);
  }

  /** The path that what is told is about. */
  private about: Question | null = null;

  /** What is told beside the map is about its path, whatever motion is shown. */
  private get subject(): string {
    return this.path.isChanged ? "dragged path" : "planned path";
  }

  private listen(canvas: HTMLCanvasElement): void {
    const place = (event: PointerEvent): [number, number] => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    canvas.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      if (this.held) {
        this.pull(y);
        return;
      }
      canvas.style.cursor = this.near(x, y) === null ? "crosshair" : "ns-resize";
      if (!this.state.pinned) this.look(this.chart.at(x, y));
    });
    canvas.addEventListener("pointerdown", (event) => {
      const [x, y] = place(event);
      const point = event.button === 0 ? this.near(x, y) : null;
      if (point !== null && this.header.fixed === null) {
        canvas.setPointerCapture(event.pointerId);
        this.held = { id: event.pointerId, y, point, pulled: 0 };
        Object.assign(this.state, { held: point, pinned: false, cell: null });
        this.path.hold(point);
        // No cell is looked at while the path is held.
        this.cells.forget();
        this.told.dataset.state = "";
        say(this.told, "");
        this.draw();
        return;
      }
      if (point !== null && this.header.fixed) say(this.proven, this.header.fixed);
      const spot = this.chart.at(x, y);
      this.state.pinned = spot !== null;
      this.look(spot);
    });
    const release = (event: PointerEvent): void => {
      if (!this.held || event.pointerId !== this.held.id) return;
      const moved = this.held.pulled !== 0;
      this.held = null;
      this.state.held = -1;
      this.path.release();
      if (moved) this.prove(FREE);
      this.draw();
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
    canvas.addEventListener("pointerleave", () => {
      if (this.held || this.state.pinned) return;
      this.look(null);
    });
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  private key(event: KeyboardEvent): void {
    const ways: Record<string, [number, number]> = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const way = ways[event.key];
    if (event.key === "Escape") {
      this.state.pinned = false;
      this.look(null);
    } else if (event.key === "Enter") this.state.pinned = this.state.cell !== null;
    else if (way) {
      const from = this.state.cell ?? this.now ?? { point: 0, rotation: 0 };
      const step = event.shiftKey ? 10 : 1;
      const clamp = (value: number, most: number): number => Math.min(Math.max(value, 0), most - 1);
      this.state.pinned = true;
      this.look({
        point: clamp(from.point + step * way[0], this.header.points),
        rotation: clamp(Math.round(from.rotation) + step * way[1], this.header.rotations.length),
      });
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }

  /** The point at which the path is under the mouse. */
  private near(x: number, y: number): number | null {
    let [best, least]: [number | null, number] = [null, NEAR];
    const middle = this.chart.at(x, Math.max(y, 0))?.point;
    if (middle === undefined) return null;
    const now = this.path.now;
    const reach = Math.ceil(NEAR / Math.max(this.chart.x(1) - this.chart.x(0), 1e-3) + 1);
    for (let point = Math.max(middle - reach, 0); point <= Math.min(middle + reach, now.length - 1); point++) {
      const away = Math.hypot(this.chart.x(point) - x, this.chart.y(now[point] as number) - y);
      if (away < least) [best, least] = [point, away];
    }
    return best;
  }

  private pull(y: number): void {
    if (!this.held) return;
    const degrees = this.chart.degrees(this.held.y - y);
    if (degrees === this.held.pulled) return;
    this.held.pulled = degrees;
    this.path.pull(degrees, Number(this.reach.value));
    this.prove(HELD);
    this.draw();
  }

  private reset(): void {
    this.path.reset();
    this.prove(FREE);
    this.viewer.dragged(null, null, 0);
    this.draw();
  }

  /** Shows a cell, or the motion again. */
  private look(spot: Spot | null): void {
    const before = this.state.cell;
    if (spot && before && before.point === spot.point && before.rotation === spot.rotation) return;
    if (!spot) {
      this.cells.forget();
      this.state.cell = null;
      if (before) this.viewer.back();
      say(this.told, "");
      this.told.dataset.state = "";
      this.draw();
      return;
    }
    this.state.cell = { ...spot, state: null, now: null, ms: null };
    this.told.dataset.state = "";
    say(this.told, `point ${spot.point}, ${this.header.rotations[spot.rotation]}°: looking…`);
    this.cells.want(spot);
    this.draw();
  }

  private saw(answer: MapCell, ms: number): void {
    const { cell } = this.state;
    this.state.answered += 1;
    // The mouse may be elsewhere by now.
    if (!cell || cell.point !== answer.point || cell.rotation !== answer.rotation) return;
    Object.assign(cell, { state: answer.state, now: answer.now, pair: answer.pair, why: answer.why ?? null, posture: answer.posture ?? null, ms });
    const where = `point ${answer.point}, ${Number(answer.rotation_deg.toFixed(3))}°${answer.tilt > 0 ? `, tilt ${answer.tilt}` : ""}`;
    const changed =
      answer.now !== answer.state && answer.state !== "unknown"
        ? ` (the map says ${word(answer.state)}: it is of other files, or it is a tie in the last digit)`
        : "";
    // Without a posture there is nothing to show: not that of the cell before, either.
    const none = answer.posture ? "" : "; the robot is shown elsewhere, for there is no posture";
    say(this.told, `${where}: ${cellText(this.cell, answer)}${none}${changed}`);
    this.told.dataset.state = answer.now;
    if (answer.posture) this.viewer.pose(answer.posture, answer.seen ?? null);
    else this.viewer.back();
  }

  private knew(answer: PathAnswer, asked: Question, ms: number): void {
    const { postures: _, marks, ...rest } = answer;
    const { held } = this;
    const isNewest = this.isNow(asked);
    this.about = asked;
    this.state.path = {
      ...rest,
      ms,
      changed: asked.points.length,
      marks: marks.map(({ kind, point, pair, why }) => ({ kind, point, pair: pair ?? null, why: why ?? null })),
      isNewest,
    };
    this.state.error = null;
    this.resetButton.disabled = !this.path.isChanged;
    this.tell(answer, asked, ms);
    if (held) {
      const posture =
        answer.postures[asked.points.indexOf(held.point)] ?? answer.marks.find((mark) => mark.kind === "unreached" && mark.point === held.point)?.posture;
      if (posture) this.viewer.pose(posture, null);
    } else if (isNewest && answer.waiting > 0) this.prove(FREE);
    else if (isNewest && asked.points.length > 0) {
      const proof = this.path.proof(answer);
      const widest = asked.points.reduce((best, point) => (this.turn(point) > this.turn(best) ? point : best), asked.points[0] ?? 0);
      const at = proof.marks[0]?.jump ?? proof.open[0]?.[0] ?? widest / answer.motions;
      this.viewer.dragged(this.path.motion(asked.points, answer), proof, at);
    }
    this.draw();
  }

  private turn(point: number): number {
    return Math.abs((this.path.now[point] as number) - (this.path.planned[point] as number));
  }

  /** Whether an answer is about the path as it is. */
  private isNow(asked: Question): boolean {
    return isSame(this.path.question(0), asked);
  }

  private tell(answer: PathAnswer, asked: Question, ms: number): void {
    // While it is dragged, an answer may be about where it was a moment ago.
    const stale = this.isNow(asked) ? "" : " (a moment ago)";
    say(this.proven, `${asked.points.length > 0 ? "dragged path" : "planned path"}${stale}: ${pathText(answer, this.header.strokes.length, ms)}`);
    this.proven.title = this.proven.textContent ?? "";
    this.proven.dataset.verdict = answer.verdict;
  }

  /** Where the robot is on the map: the point of the path whose posture is nearest. */
  private follow(): void {
    const { state } = this.store;
    const point = state.off || this.held ? null : this.path.pointAt(state.posture);
    if (point !== null) this.setNow({ point, rotation: this.chart.row(this.path.now[point] as number) });
    else if (this.now) this.setNow(null);
  }

  private setNow(now: Spot | null): void {
    this.now = now;
    this.state.now = now;
    this.draw();
  }

  private asked = 0;

  private draw(): void {
    if (this.asked !== 0) return;
    this.asked = requestAnimationFrame(() => {
      this.asked = 0;
      // Those of a path that is not there any more are not drawn on this one.
      const marks = this.about ? (this.state.path?.marks ?? []).slice(0, 400) : [];
      this.chart.draw({ planned: this.path.planned, path: this.path.now, changed: this.path.isChanged, marks, cell: this.state.cell, now: this.now });
    });
  }

  dispose(): void {
    cancelAnimationFrame(this.asked);
    this.asked = -1;
    this.cells.stop();
    this.paths.stop();
    this.resizes.disconnect();
    document.body.toggleAttribute("data-map", false);
    by("map-section").replaceChildren();
  }
}

/** Whether two questions are about the same path. */
function isSame(a: Question, b: Question): boolean {
  return a.points.length === b.points.length && a.points.every((point, k) => point === b.points[k] && a.rotations_deg[k] === b.rotations_deg[k]);
}

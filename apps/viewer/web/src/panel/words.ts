// A script of movements in words: its text to edit, its faults at their lines, and its steps, each with its pose.

import type { LineFault, Source, Step, Vec3, Words } from "../api";
import { Outdated } from "../api";
import { by, make, metres, say } from "../dom";
import type { MovedView } from "../scene/moved";
import type { Store } from "../store";
import { Course } from "../ways";

/** Waiting for the next letter before the text is asked about, in milliseconds. */
const PAUSE = 350;

/** Height of a line, in pixels. */
const LINE = 18;

export class WordsPanel {
  private readonly text = make("textarea", { id: "script", spellcheck: "false", wrap: "off", "aria-label": "Script", "aria-describedby": "script-told" });
  private readonly lines = make("div", { class: "lines", "aria-hidden": "true" });
  private readonly told = make("div", { id: "script-told", "aria-live": "polite" });
  private readonly list = make("div", { id: "steps", role: "group", "aria-label": "Steps" });
  private readonly slider = make("input", { type: "range", id: "way", min: 0, max: 1, step: "any", value: 0, "aria-label": "Way through the script" });
  private course: Course | null = null;
  private timer = 0;
  private asked = 0;

  constructor(
    private readonly source: Source,
    private readonly store: Store,
    private readonly view: MovedView,
    given: string,
  ) {
    const { state } = store;
    // What is being edited survives; a script that was read anew does not.
    if (state.script === null) state.script = given;
    this.text.value = state.script;
    this.text.addEventListener("input", () => {
      state.script = this.text.value;
      this.number();
      window.clearTimeout(this.timer);
      this.timer = window.setTimeout(() => void this.ask(), PAUSE);
      // Of the text that stands there nothing is known yet.
      this.forget();
    });
    this.text.addEventListener("scroll", () => {
      this.lines.style.transform = `translateY(${-this.text.scrollTop}px)`;
    });
    this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
    by("words").replaceChildren(make("div", { class: "editor" }, make("div", { class: "gutter" }, this.lines), this.text), this.told, this.list, this.slider);
    this.number();
    void this.ask();
  }

  private forget(): void {
    this.asked += 1;
    this.store.state.words = null;
    this.store.tell("words");
    this.told.replaceChildren(make("p", { class: "fact dim" }, "working it out…"));
    for (const step of this.list.querySelectorAll("button")) step.disabled = true;
  }

  /** Asks what comes of the text. */
  async ask(): Promise<void> {
    const { state } = this.store;
    this.forget();
    const number = this.asked;
    try {
      const words = await this.source.post<Words>("words", { text: state.script });
      if (number !== this.asked) return;
      state.words = words;
    } catch (error) {
      // Other bodies: the page begins anew with them, and asks again.
      if (number !== this.asked || error instanceof Outdated) return;
      this.told.replaceChildren(make("p", { class: "fact", role: "alert" }, (error as Error).message));
      return;
    }
    this.show();
  }

  private show(): void {
    const { state } = this.store;
    const words = state.words;
    if (!words) return;
    this.tell(words.errors);
    if (words.steps) {
      this.course = new Course(words);
      this.view.course(words);
      this.slider.max = String(Math.max(this.course.length, 1));
      this.slider.disabled = this.course.length === 0;
      this.list.replaceChildren(...words.steps.map((step, k) => this.row(step, k)));
      if (words.steps.length < words.moves)
        this.list.append(
          make("p", { class: "fact dim" }, `${words.moves - words.steps.length} more ${words.moves - words.steps.length === 1 ? "is" : "are"} not reached.`),
        );
      if (words.status === "reached")
        this.told.replaceChildren(
          make(
            "p",
            { class: "fact", id: "script-proof" },
            `All ${words.moves} moves reached, proven in ${words.regions} regions; kept contacts are off by at most ${words.drift.toExponential(1)} m.`,
          ),
        );
    }
    this.store.tell("words");
    this.go(Math.min(state.way, this.course?.length ?? 0));
  }

  /** Faults below the text, and their lines in colour. */
  private tell(errors: LineFault[]): void {
    const say = errors.map(({ line, column, what, help }) => {
      const where = line === null ? "" : `line ${line}${column === null ? "" : `, column ${column}`}: `;
      const fault = make(
        "button",
        { type: "button", class: "fault", "data-line": line ?? 0 },
        make("strong", {}, where),
        what,
        ...(help ? [make("em", {}, ` (${help})`)] : []),
      );
      fault.addEventListener("click", () => line !== null && this.select(line));
      return fault;
    });
    this.told.replaceChildren(...say);
    this.number(new Set(errors.flatMap(({ line }) => (line === null ? [] : [line]))));
  }

  private number(faulty: Set<number> = new Set()): void {
    const count = this.text.value.split("\n").length;
    const current = this.store.state.words?.steps?.[this.store.state.step]?.line;
    this.lines.replaceChildren(
      ...Array.from({ length: count }, (_, k) =>
        make("span", { "data-faulty": faulty.has(k + 1) ? "true" : undefined, "data-current": current === k + 1 ? "true" : undefined }, String(k + 1)),
      ),
    );
  }

  private select(line: number): void {
    const before =
      this.text.value
        .split("\n")
        .slice(0, line - 1)
        .join("\n").length + (line > 1 ? 1 : 0);
    const end = this.text.value.indexOf("\n", before);
    this.text.focus();
    this.text.setSelectionRange(before, end < 0 ? this.text.value.length : end);
  }

  private row(step: Step, k: number): HTMLElement {
    const ways = step.ways
      .slice(0, 6)
      .map((way) => `${way.word} ${way.by ? metres(Math.hypot(...way.by)) : `${((Math.abs(way.angle ?? 0) * 180) / Math.PI).toFixed(2)}°`}`);
    if (step.ways.length > 6) ways.push(`and ${step.ways.length - 6} more`);
    const row = make(
      "button",
      { type: "button", class: "step", "data-status": step.status, "aria-pressed": "false" },
      make("strong", {}, `${k + 1}. ${step.do}`),
      make("span", { class: "status" }, step.status),
      make("span", { class: "ways" }, ways.join(", ") || "no way"),
    );
    row.title = `Line ${step.line}`;
    row.addEventListener("click", () => this.go(this.course?.ends[k] ?? 0, k));
    return row;
  }

  /** Shows the next or the last step. */
  step(way: 1 | -1): void {
    const ends = [0, ...(this.course?.ends ?? [])];
    const { way: place } = this.store.state;
    const target = way > 0 ? ends.find((end) => end > place + 1e-9) : ends.filter((end) => end < place - 1e-9).at(-1);
    if (target !== undefined) this.go(target);
  }

  /** Shows the body after so many ways. `chosen` is the step that was clicked: one that goes no way has the end of the one before. */
  private go(place: number, chosen?: number): void {
    const { state } = this.store;
    const { words } = state;
    if (!this.course || !words?.steps) return;
    const step = chosen ?? this.course.step(place);
    const isEnd = Math.abs(place - (step < 0 ? 0 : (this.course.ends[step] ?? 0))) < 1e-9;
    Object.assign(state, { way: place, step });
    const pose = this.course.at(place);
    this.view.place(words.moved, words.given, pose);
    const shown = words.steps[step];
    const points: Vec3[] = isEnd && shown ? shown.contacts.flatMap((contact) => contact.points) : [];
    this.view.points(points, (isEnd && shown?.blocked?.point) || null);
    state.movedAt = [...pose.elements];
    this.slider.value = String(place);
    this.slider.setAttribute("aria-valuetext", step < 0 ? "the beginning" : `step ${step + 1}`);
    this.list.querySelectorAll(".step").forEach((row, k) => row.setAttribute("aria-pressed", String(k === step)));
    this.number(new Set(words.errors.flatMap(({ line }) => (line === null ? [] : [line]))));
    this.facts(isEnd ? shown : undefined);
    if (shown && document.activeElement !== this.text) this.text.scrollTop = Math.max(shown.line - 4, 0) * LINE;
    this.store.tell("step");
  }

  /** What touches after a step, and what that leaves. */
  private facts(step: Step | undefined): void {
    this.list.querySelector(".card")?.remove();
    if (!step || step.contacts.length === 0) return;
    const card = make("p", { class: "card", id: "step-told" });
    say(card, `${step.contacts.map(({ contact }) => contact).join("; ")}. Free: ${step.freedoms}.`);
    this.list.querySelector(".step[aria-pressed=true]")?.after(card);
  }
}

// The page: reads the cell, draws it, and lets people look at it, move it, and play its motions.

import { Vector3 } from "three";
import { type Cell, type GeometryHeader, get, Pack, post, type Proof, Refused, type Seen } from "./api";
import { button, by, make, metres, say } from "./dom";
import { hook } from "./hook";
import { explain, type Key, letter, listen } from "./keys";
import { Kinematics } from "./kinematics";
import { Looker } from "./looker";
import { Motion } from "./motion";
import { bodyList } from "./panel/bodies";
import { ContactPanel } from "./panel/contacts";
import { joints } from "./panel/joints";
import { modelPanel } from "./panel/models";
import { pairKey, pairList } from "./panel/pairs";
import { Timeline } from "./panel/timeline";
import { Bodies } from "./scene/bodies";
import { ContactView } from "./scene/contacts";
import { Marks } from "./scene/marks";
import { Models } from "./scene/models";
import { Stage, VIEWS, type View } from "./scene/stage";
import { Trace } from "./scene/trace";
import { Store } from "./store";

const store = new Store();
const stage = new Stage(by<HTMLCanvasElement>("stage"));
let open: Opened | null = null;

/** Everything that belongs to one reading of the files. */
class Opened {
  readonly bodies: Bodies;
  readonly models: Models;
  readonly contactView: ContactView;
  readonly contactPanel: ContactPanel;
  readonly timeline: Timeline;
  readonly motions: Motion[];
  private readonly kinematics: Kinematics;
  private readonly marks: Marks;
  private readonly trace: Trace;
  private readonly looker: Looker;
  private proofs = 0;

  constructor(
    readonly cell: Cell,
    pack: Pack<GeometryHeader>,
  ) {
    const { state } = store;
    this.kinematics = new Kinematics(cell);
    state.posture = Float64Array.from(cell.posture);
    this.kinematics.place(state.posture);
    this.bodies = new Bodies(cell, pack, this.kinematics.frames);
    this.models = new Models(this.bodies);
    this.marks = new Marks(this.bodies, stage);
    this.trace = new Trace(cell, this.bodies.size);
    this.contactView = new ContactView(this.bodies, stage);
    stage.scene.add(this.bodies.all, this.marks.group, this.trace.group, this.contactView.group);
    this.motions = pack.header.motions.map(({ name, pieces, controls }) => new Motion(name, pieces, pack.doubles(controls), cell.coordinates.length));
    this.looker = new Looker((seen, posture) => this.saw(seen, posture));
    joints(cell, store, (joint, value) => this.moveJoint(joint, value));
    bodyList(cell, this.bodies, store);
    pairList(cell, this.bodies.size, store);
    modelPanel(() => this.models, store);
    this.contactPanel = new ContactPanel(cell, store);
    this.timeline = new Timeline(cell, store, {
      motions: this.motions,
      seconds: () => this.seconds,
      play: (playing) => this.play(playing),
      jump: (t) => this.jump(t),
      choose: (motion) => this.choose(motion),
    });
    store.on(["show"], () => void this.show());
    store.on(["chosen", "seen"], () => this.paint());
    store.on(["contacts"], () => this.showContacts());
    const still = cell.coordinates.length === 0 ? "Choose what may move, under Contacts; ? lists all keys." : "Move the joints; ? lists all keys.";
    say(by("hint"), this.motions.length > 0 ? "Space plays, ] goes to the next mark, ? lists all keys." : still);
  }

  get motion(): Motion | null {
    return this.motions[store.state.motion] ?? null;
  }

  get seconds(): number {
    return this.motion?.seconds(this.cell.coordinates) ?? 1;
  }

  /** Shows a motion from its beginning, and asks what is known of it. */
  choose(index: number): void {
    const { state } = store;
    Object.assign(state, { motion: index, t: 0, playing: false, proof: null });
    const motion = this.motion;
    this.trace.show(motion, null);
    store.tell("proof");
    if (!motion) {
      this.placed();
      return;
    }
    this.jump(0);
    const asked = ++this.proofs;
    get<Proof>(`/api/motion/${index}`).then(
      (proof) => {
        if (asked !== this.proofs || open !== this) return;
        state.proof = proof;
        this.trace.show(motion, proof);
        store.tell("proof");
        tellVerdict();
        stage.invalidate();
      },
      (error: Error) => {
        if (open === this) complain(error.message, "The motion could not be looked at");
      },
    );
    tellVerdict();
  }

  play(playing: boolean): void {
    const { state } = store;
    if (!this.motion) return;
    if (playing && state.t >= 1) state.t = 0;
    state.playing = playing;
    store.tell("time");
    stage.invalidate();
  }

  jump(t: number): void {
    const { state } = store;
    state.t = Math.min(Math.max(t, 0), 1);
    this.motion?.at(state.t, state.posture);
    store.tell("time");
    this.placed();
  }

  private moveJoint(joint: number, value: number): void {
    const { state } = store;
    if (state.playing) this.play(false);
    state.posture[joint] = value;
    this.placed();
  }

  /** After the posture has changed. */
  private placed(): void {
    const { state } = store;
    this.kinematics.place(state.posture);
    for (const { group } of this.bodies.drawn) group.matrixWorldNeedsUpdate = true;
    state.fresh = false;
    this.looker.ask(state.posture);
    store.tell("posture");
    stage.invalidate();
  }

  private saw(seen: Seen, posture: number[]): void {
    const { state } = store;
    state.seen = seen;
    state.fresh = posture.every((value, k) => value === state.posture[k]);
    store.tell("seen");
    if (!this.motion || !state.proof) tellVerdict();
    stage.invalidate();
  }

  private paint(): void {
    const { seen, chosen } = store.state;
    const hit = new Set(seen?.pairs.filter((pair) => pair.gap === 0).flatMap((pair) => pair.bodies));
    const pair = seen?.pairs.find((one) => pairKey(one) === chosen) ?? seen?.pairs[0] ?? null;
    const picked = new Set(chosen && pair && pairKey(pair) === chosen ? pair.bodies : []);
    this.bodies.paint(hit, picked);
    this.marks.hits(seen?.hits ?? []);
    this.marks.gap(pair);
    const label = by("gap-label");
    label.dataset.touches = String(pair?.gap === 0);
    say(label, pair ? (pair.gap === 0 ? "touches" : metres(pair.gap)) : "");
    stage.invalidate();
  }

  private async show(): Promise<void> {
    const { show, hidden } = store.state;
    this.bodies.drawn.forEach(({ group }, index) => {
      group.visible = !hidden.has(index);
    });
    this.trace.group.visible = show.trace;
    const before = [this.models.ranks("spheres"), this.models.ranks("boxes")];
    try {
      await this.models.show(show);
    } catch (error) {
      complain((error as Error).message, "The models could not be read");
    }
    const ranks = this.models.ranks("spheres");
    if (before[0] === 0 && ranks > 0) show.rank = Math.min(ranks - 1, 3);
    this.glaze();
    if (ranks !== before[0] || this.models.ranks("boxes") !== before[1]) store.tell("show");
    stage.invalidate();
  }

  /** Spheres, boxes and contacts are seen through bodies. */
  private glaze(): void {
    const { show, contacts } = store.state;
    const ofModels = show.spheres || show.boxes ? 0.4 : 1;
    const touching = new Set(contacts?.between.filter((between) => between.state === "touching").map((between) => between.body));
    const ofContacts = (body: number): number => (!contacts ? 1 : body === contacts.moving ? 0.42 : touching.has(body) ? 0.5 : 0.13);
    this.bodies.glaze((body) => Math.min(ofModels, ofContacts(body)));
  }

  private shownContacts: unknown = null;

  private showContacts(): void {
    const { contacts, contact, generator } = store.state;
    if (this.shownContacts !== contacts) {
      this.contactView.show(contacts);
      this.glaze();
    }
    this.shownContacts = contacts;
    this.contactView.choose(contact);
    this.contactView.move(contacts?.motions[generator] ?? null);
    stage.invalidate();
  }

  fit(view?: View): void {
    const { contacts, hidden, posture } = store.state;
    if (contacts) {
      stage.fit(this.bodies.outline((body) => body === contacts.moving), view, 1.9);
      showView();
      return;
    }
    const isShown = (body: number): boolean => !hidden.has(body);
    const seen = this.bodies.outline(isShown);
    // All of a motion, not only where it is now.
    const other = new Float64Array(posture.length);
    for (let k = 0; this.motion && k <= 10; k++) {
      this.motion.at(k / 10, other);
      this.kinematics.place(other);
      seen.push(...this.bodies.outline((body) => isShown(body) && this.cell.bodies[body]?.frame !== 0));
    }
    this.kinematics.place(posture);
    stage.fit(seen.length > 0 ? seen : this.bodies.outline(), view);
    showView();
  }

  /** Before each picture; whether another is wanted after it. */
  frame(seconds: number): boolean {
    const { state } = store;
    if (state.playing) {
      let t = state.t + (seconds * state.speed) / this.seconds;
      if (t >= 1) {
        t = state.loop ? t % 1 : 1;
        state.playing = state.loop;
      }
      this.jump(t);
    }
    const ghost = this.contactView.advance(seconds);
    this.marks.beforePicture();
    this.contactView.beforePicture();
    this.placeLabel();
    return state.playing || ghost;
  }

  private placeLabel(): void {
    const label = by("gap-label");
    const middle = this.marks.middle;
    const at = middle && stage.project(middle);
    label.hidden = !at;
    if (at) label.style.transform = `translate(${Math.round(at[0] + 12)}px, ${Math.round(at[1] - 26)}px)`;
  }

  get coloured(): number {
    return this.marks.coloured;
  }

  /** Where the tip of each tool is, for tests that compare it with the server's kinematics. */
  tips(): number[][] {
    return this.cell.tools.map(({ frame, at }) => {
      const [x = 0, y = 0, z = 0] = at.slice(9);
      return new Vector3(x, y, z).applyMatrix4(this.kinematics.frames[frame] ?? this.bodies.all.matrix).toArray();
    });
  }

  dispose(): void {
    this.looker.stop();
    stage.scene.remove(this.bodies.all, this.marks.group, this.trace.group, this.contactView.group);
    for (const part of [this.contactView, this.trace, this.marks, this.models, this.bodies]) part.dispose();
  }
}

function tellVerdict(): void {
  const chip = by("verdict");
  const { proof, seen, motion } = store.state;
  let [verdict, text] = ["", ""];
  if (motion >= 0 && !proof) [verdict, text] = ["", "proving…"];
  else if (proof?.verdict === "free") {
    const apart = proof.clearance ? `, at least ${metres(proof.clearance)} apart` : "";
    [verdict, text] = ["free", `proven free${apart}`];
  } else if (proof?.verdict === "touches") {
    const first = proof.marks[0];
    const count = proof.marks.length;
    [verdict, text] = ["touches", `touches${count > 1 ? ` ${count} times` : ""}, first at ${(100 * (first?.from ?? 0)).toFixed(1)} %`];
  } else if (proof) [verdict, text] = ["undecided", "undecided"];
  else if (seen && seen.pairs.length > 0) [verdict, text] = seen.pairs[0]?.gap === 0 ? ["touches", "touches"] : ["free", "free in this posture"];
  chip.dataset.verdict = verdict;
  say(chip, text);
  chip.hidden = text === "";
}

/** Tells what went wrong, in the words of the server. */
function complain(message: string, heading: string): void {
  store.state.error = message;
  const box = by("message");
  box.replaceChildren(make("strong", {}, heading), make("pre", { id: "message-text" }, message), button("Close", {}, () => forgive()));
  box.hidden = false;
}

function forgive(): void {
  store.state.error = null;
  by("message").hidden = true;
}

/** Reads everything from the server and shows it. */
async function load(): Promise<void> {
  const [cell, pack] = await Promise.all([get<Cell>("/api/cell"), Pack.get<GeometryHeader>("/api/geometry")]);
  const { state } = store;
  const keepsView = open !== null && open.cell.title === cell.title;
  open?.dispose();
  store.forget();
  Object.assign(state, { title: cell.title, seen: null, fresh: false, chosen: null, hidden: new Set(), contacts: null, contact: -1, generator: -1, motion: -1, t: 0, playing: false, proof: null });
  store.on(["theme"], () => by("theme").setAttribute("aria-label", `Now ${state.theme}; change it`));
  open = new Opened(cell, pack);
  say(by("title"), cell.title);
  document.title = `${cell.title} · kansho`;
  store.tell("cell");
  open.choose(open.motions.length > 0 ? 0 : -1);
  if (!keepsView) open.fit("iso");
  store.tell("show");
  tellVerdict();
  await new Promise<void>((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn())));
  if (stage.firstPicture === 0) stage.firstPicture = performance.now();
  state.ready = true;
}

async function reload(): Promise<void> {
  try {
    await post("/api/reload", {});
    forgive();
    await load();
  } catch (error) {
    complain((error as Error).message, error instanceof Refused ? "The files have faults; what is shown is as before" : "The viewer does not answer");
  }
}

function setTheme(theme: "dark" | "light"): void {
  store.state.theme = theme;
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("kansho-theme", theme);
  } catch {
    // Then it is asked again the next time.
  }
  store.tell("theme");
  stage.invalidate();
}

function showView(): void {
  for (const one of by("views").querySelectorAll("button")) one.setAttribute("aria-pressed", String(one.dataset.view === stage.view));
}

/** Shows the next or the last mark. */
function toMark(way: 1 | -1): void {
  const { t } = store.state;
  const stops = open?.timeline.stops ?? [];
  const next = way > 0 ? stops.find((stop) => stop > t + 1e-9) : stops.filter((stop) => stop < t - 1e-9).at(-1);
  const target = next ?? (way > 0 ? stops[0] : stops.at(-1));
  if (target === undefined) return;
  open?.play(false);
  open?.jump(target);
}

function toggle(key: "meshes" | "spheres" | "boxes" | "faces" | "trace"): void {
  store.state.show[key] = !store.state.show[key];
  store.tell("show");
}

function rank(by: number): void {
  const { show } = store.state;
  const last = (open?.models.ranks("spheres") ?? 1) - 1;
  show.rank = Math.min(Math.max(show.rank + by, 0), Math.max(last, 0));
  store.tell("show");
}

function stepTime(by: number): void {
  open?.play(false);
  open?.jump(store.state.t + by);
}

function arrows(event: KeyboardEvent): void {
  const [x, y] = ({ ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] } as Record<string, [number, number]>)[event.key] ?? [0, 0];
  if (document.activeElement === by("stage")) {
    if (event.shiftKey) stage.nudge([0, 0], [0.06 * x, 0.06 * y], 1);
    else stage.nudge([0.12 * x, -0.12 * y], [0, 0], 1);
    showView();
  } else if (x !== 0) stepTime(x * (event.shiftKey ? 0.02 : 0.002));
}

function isArrow(event: KeyboardEvent): boolean {
  const onStage = document.activeElement === by("stage");
  return ["ArrowLeft", "ArrowRight"].includes(event.key) || (onStage && ["ArrowUp", "ArrowDown"].includes(event.key));
}

const views = Object.keys(VIEWS) as View[];
const keys: Key[] = [
  letter(" ", "play or pause", () => open?.play(!store.state.playing)),
  { keys: "← →", does: "step in time; with Shift, tenfold", matches: isArrow, run: arrows },
  letter("[", "the mark before", () => toMark(-1)),
  letter("]", "the next mark", () => toMark(1)),
  { keys: "Home", does: "to the beginning", matches: (event) => event.key === "Home", run: () => open?.jump(0) },
  { keys: "End", does: "to the end", matches: (event) => event.key === "End", run: () => open?.jump(1) },
  letter("f", "fit all into the picture", () => open?.fit()),
  { keys: "1 … 6", does: views.join(", "), matches: (event) => /^[1-6]$/.test(event.key), run: (event) => open?.fit(views[Number(event.key) - 1]) },
  letter("m", "meshes", () => toggle("meshes")),
  letter("s", "spheres", () => toggle("spheres")),
  { keys: ", .", does: "rank of spheres", matches: (event) => event.key === "," || event.key === ".", run: (event) => rank(event.key === "." ? 1 : -1) },
  letter("b", "boxes", () => toggle("boxes")),
  letter("g", "merged faces", () => toggle("faces")),
  letter("w", "way of the tool", () => toggle("trace")),
  letter("c", "next contact", () => open?.contactPanel.step("contact", 1)),
  letter("c", "contact before", () => open?.contactPanel.step("contact", -1), true),
  letter("n", "next allowed motion", () => open?.contactPanel.step("generator", 1)),
  letter("n", "allowed motion before", () => open?.contactPanel.step("generator", -1), true),
  letter("r", "read the files again", () => void reload()),
  letter("t", "dark or light", () => setTheme(store.state.theme === "dark" ? "light" : "dark")),
  { keys: "+ −", does: "zoom", matches: (event) => ["+", "=", "-"].includes(event.key), run: (event) => stage.nudge([0, 0], [0, 0], event.key === "-" ? 1.12 : 1 / 1.12) },
  { keys: "?", does: "this list", matches: (event) => event.key === "?", run: () => help() },
];
const help = explain(keys);

function start(): void {
  listen(keys);
  views.forEach((view, k) => by("views").append(button(view, { "data-view": view, "aria-pressed": "false", title: `From ${view} (${k + 1})` }, () => open?.fit(view))));
  by("views").append(button("fit", { title: "Fit all into the picture (F)" }, () => open?.fit()));
  by("reload").addEventListener("click", () => void reload());
  by("theme").addEventListener("click", () => setTheme(store.state.theme === "dark" ? "light" : "dark"));
  by("help").addEventListener("click", help);
  stage.controls.addEventListener("start", showView);
  stage.onFrame = (seconds) => open?.frame(seconds) ?? false;
  let saved: string | null = null;
  try {
    saved = localStorage.getItem("kansho-theme");
  } catch {
    // Not kept, then.
  }
  const prefersLight = window.matchMedia("(prefers-color-scheme: light)").matches;
  setTheme(saved === "light" || (saved === null && prefersLight) ? "light" : "dark");
  hook(store, stage, () => open);
  load().catch((error: Error) => complain(error.message, "The cell could not be shown"));
}

start();

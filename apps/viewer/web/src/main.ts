// The page: reads the cell, draws it, and lets people look at it, move it, and play its motions.

import { type Cell, type GeometryHeader, get, Outdated, post, Refused, Source } from "./api";
import { button, by, make, say } from "./dom";
import { hook } from "./hook";
import { explain, type Key, letter, listen } from "./keys";
import { Opened } from "./opened";
import { tellVerdict } from "./panel/verdict";
import { Stage, VIEWS, type View } from "./scene/stage";
import { Store } from "./store";

const store = new Store();
const stage = new Stage(by<HTMLCanvasElement>("stage"));
let open: Opened | null = null;

/** Tells what went wrong, in the words of the server. */
function complain(message: string, heading: string): void {
  store.state.error = message;
  const box = by("message");
  box.replaceChildren(
    make("strong", {}, heading),
    make("pre", { id: "message-text" }, message),
    button("Close", {}, () => forgive()),
  );
  box.hidden = false;
}

function forgive(): void {
  store.state.error = null;
  by("message").hidden = true;
}

/** Reads everything from the server and shows it. Where the files are read again meanwhile, it begins anew. */
async function load(): Promise<void> {
  for (;;) {
    const cell = await get<Cell>("/api/cell");
    let isCurrent = true;
    const source = new Source(cell.edition, () => {
      if (isCurrent && open?.cell === cell) again();
      isCurrent = false;
    });
    try {
      await show(source, cell);
      return;
    } catch (error) {
      if (!(error instanceof Outdated)) throw error;
    }
  }
}

async function show(source: Source, cell: Cell): Promise<void> {
  const pack = await source.pack<GeometryHeader>("geometry");
  const { state } = store;
  const keepsView = open !== null && open.cell.title === cell.title;
  // A text that nobody has changed gives way to that of the server.
  if (state.script === open?.cell.script) state.script = null;
  open?.dispose();
  stage.begin();
  store.forget();
  Object.assign(state, {
    title: cell.title,
    edition: cell.edition,
    seen: null,
    fresh: false,
    off: true,
    chosen: null,
    hidden: new Set(),
    contacts: null,
    contact: -1,
    generator: -1,
    motion: -1,
    t: 0,
    playing: false,
    proof: null,
    unproven: null,
    lost: false,
    drag: null,
    words: null,
    map: null,
    live: null,
    beside: -1,
    besideVerdict: null,
    besideHits: null,
    tour: null,
    busy: null,
  });
  store.on(["theme"], () => by("theme").setAttribute("aria-label", `Now ${state.theme}; change it`));
  open = new Opened({ store, stage, complain, viewed: showView }, source, cell, pack);
  say(by("title"), cell.title);
  document.title = `${cell.title} · kansho`;
  store.tell("cell");
  await open.readMap();
  open.playback.choose(open.playback.motions.length > 0 ? 0 : -1);
  if (!keepsView) open.fit("iso");
  store.tell("show");
  tellVerdict(state);
  open.begin(
    () => toMark(1),
    () => void reload(),
  );
  await new Promise<void>((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn())));
  if (stage.firstPicture === 0) stage.firstPicture = performance.now();
  state.ready = true;
}

/** Shows what the server has now. Where another window had the files read again, this one follows. */
function again(): void {
  load().catch((error: Error) => complain(error.message, "The cell could not be shown"));
}

async function reload(): Promise<void> {
  try {
    await post("/api/reload", {});
    store.state.script = null;
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

/** Shows the next or the last mark, or step. */
function toMark(way: 1 | -1): void {
  open?.words?.step(way);
  const { t } = store.state;
  const stops = open?.timeline.stops ?? [];
  const next = way > 0 ? stops.find((stop) => stop > t + 1e-9) : stops.filter((stop) => stop < t - 1e-9).at(-1);
  const target = next ?? (way > 0 ? stops[0] : stops.at(-1));
  if (target === undefined) return;
  open?.playback.play(false);
  open?.playback.jump(target);
}

function toggle(key: "meshes" | "spheres" | "boxes" | "faces" | "trace" | "sweep"): void {
  store.state.show[key] = !store.state.show[key];
  store.tell("show");
}

function rank(by: number): void {
  const { show } = store.state;
  const last = (open?.scene.models.ranks("spheres") ?? 1) - 1;
  show.rank = Math.min(Math.max(show.rank + by, 0), Math.max(last, 0));
  store.tell("show");
}

function stepTime(by: number): void {
  open?.playback.play(false);
  open?.playback.jump(store.state.t + by);
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
  letter(" ", "play or pause", () => open?.playback.play(!store.state.playing)),
  { keys: "← →", does: "step in time; with Shift, tenfold", matches: isArrow, run: arrows },
  letter("[", "the mark or step before", () => toMark(-1)),
  letter("]", "the next mark or step", () => toMark(1)),
  { keys: "Home", does: "to the beginning", matches: (event) => event.key === "Home", run: () => open?.playback.jump(0) },
  { keys: "End", does: "to the end", matches: (event) => event.key === "End", run: () => open?.playback.jump(1) },
  letter("f", "fit all into the picture", () => open?.fit()),
  { keys: "1 … 6", does: views.join(", "), matches: (event) => /^[1-6]$/.test(event.key), run: (event) => open?.fit(views[Number(event.key) - 1]) },
  letter("m", "meshes", () => toggle("meshes")),
  letter("s", "spheres", () => toggle("spheres")),
  { keys: ", .", does: "rank of spheres", matches: (event) => event.key === "," || event.key === ".", run: (event) => rank(event.key === "." ? 1 : -1) },
  letter("b", "boxes", () => toggle("boxes")),
  letter("g", "merged faces", () => toggle("faces")),
  letter("w", "way of the tool", () => toggle("trace")),
  letter("v", "swept volume", () => toggle("sweep")),
  letter("c", "next contact", () => open?.contactPanel.step("contact", 1)),
  letter("c", "contact before", () => open?.contactPanel.step("contact", -1), true),
  letter("n", "next allowed motion", () => open?.contactPanel.step("generator", 1)),
  letter("n", "allowed motion before", () => open?.contactPanel.step("generator", -1), true),
  letter("r", "read the files again", () => void reload()),
  letter("t", "dark or light", () => setTheme(store.state.theme === "dark" ? "light" : "dark")),
  {
    keys: "+ −",
    does: "zoom",
    matches: (event) => ["+", "=", "-"].includes(event.key),
    run: (event) => stage.nudge([0, 0], [0, 0], event.key === "-" ? 1.12 : 1 / 1.12),
  },
  { keys: "?", does: "this list", matches: (event) => event.key === "?", run: () => help() },
];
const help = explain(keys);

function start(): void {
  listen(keys);
  views.forEach((view, k) =>
    by("views").append(button(view, { "data-view": view, "aria-pressed": "false", title: `From ${view} (${k + 1})` }, () => open?.fit(view))),
  );
  by("views").append(button("fit", { title: "Fit all into the picture (F)" }, () => open?.fit()));
  by("reload").addEventListener("click", () => void reload());
  by("theme").addEventListener("click", () => setTheme(store.state.theme === "dark" ? "light" : "dark"));
  by("help").addEventListener("click", help);
  stage.controls.addEventListener("start", showView);
  stage.onCoarse = (coarse) => open?.scene.coarsen(coarse);
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
  again();
}

start();

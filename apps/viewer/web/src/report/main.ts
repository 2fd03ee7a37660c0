// The view in a report: the cell with its motion, from what is in the file.

import type { Cell, Proof } from "../api";
import { Source } from "../api";
import { button, by, make, metres, say } from "../dom";
import { Kinematics } from "../kinematics";
import type { Motion } from "../motion";
import { Bodies } from "../scene/bodies";
import { Stage, VIEWS, type View } from "../scene/stage";
import { Trace } from "../scene/trace";
import { bytes, unpack } from "./unpack";

interface Data {
  cell: Cell;
  gaps: Proof["samples"] | null;
  clearance: number | null;
}

/** Nobody is asked for anything: a report has all that it shows. */
class Nobody extends Source {
  constructor() {
    super(0, () => undefined);
  }

  override pack<H>(): Promise<never & H> {
    return Promise.reject(new Error("a report asks nobody"));
  }
}

function start(): void {
  const { cell, gaps, clearance } = JSON.parse(by("data").textContent ?? "") as Data;
  const { pack, motions } = unpack(bytes(by("geometry").textContent ?? ""));
  const stage = new Stage(by<HTMLCanvasElement>("stage"));
  const kinematics = new Kinematics(cell);
  const posture = Float64Array.from(cell.posture);
  kinematics.place(posture);
  const bodies = new Bodies(new Nobody(), cell, pack, kinematics.frames);
  const trace = new Trace(cell, bodies.size);
  stage.scene.add(bodies.all, trace.group);
  const known: Proof | null = gaps && { verdict: "free", marks: [], open: [], samples: gaps, clearance, margin: 0, seconds: 0 };
  const state = { ready: false, t: 0, playing: false, motion: 0, posture: [] as number[], pictures: 0 };
  const motion = (): Motion | undefined => motions[state.motion];

  const slider = make("input", { type: "range", min: 0, max: 1, step: "any", value: 0, "aria-label": "Time", id: "time" });
  const told = make("span", { class: "told" });
  const play = button("▶", { id: "play", "aria-label": "Play or pause" }, () => setPlaying(!state.playing));
  const views = make("select", { id: "views", "aria-label": "View" }, ...Object.keys(VIEWS).map((name) => make("option", { value: name }, name)));
  views.addEventListener("change", () => fit(views.value as View));
  const choose = make("select", { id: "motion", "aria-label": "Motion" }, ...motions.map((one, k) => make("option", { value: k }, one.name)));
  choose.addEventListener("change", () => {
    state.motion = Number(choose.value);
    trace.show(motion() ?? null, state.motion === 0 ? known : null);
    jump(0);
  });
  slider.addEventListener("input", () => {
    setPlaying(false);
    jump(Number(slider.value));
  });
  by("bar").append(
    ...(motions.length > 0 ? [play, slider, told] : [make("span", { class: "told" }, "The cell, at zero")]),
    ...(motions.length > 1 ? [choose] : []),
    views,
  );

  function setPlaying(playing: boolean): void {
    state.playing = playing && motion() !== undefined;
    if (state.playing && state.t >= 1) state.t = 0;
    say(play, state.playing ? "❚❚" : "▶");
    stage.invalidate();
  }

  function jump(t: number): void {
    state.t = Math.min(Math.max(t, 0), 1);
    motion()?.at(state.t, posture);
    state.posture = Array.from(posture);
    kinematics.place(posture);
    for (const { group } of bodies.drawn) group.matrixWorldNeedsUpdate = true;
    slider.value = String(state.t);
    // Gaps were measured at some instants of the first motion: which one it was is said.
    const last = (gaps?.gap.length ?? 1) - 1;
    const nearest = Math.round(state.t * last);
    const gap = state.motion === 0 ? gaps?.gap[nearest] : null;
    say(told, `${(100 * state.t).toFixed(1)} %${gap === null || gap === undefined ? "" : `, gap at ${((100 * nearest) / last).toFixed(1)} %: ${metres(gap)}`}`);
    stage.invalidate();
  }

  function fit(view: View): void {
    stage.fit(bodies.outline(), view);
  }

  stage.onCoarse = (coarse) => trace.coarsen(coarse);
  stage.onFrame = (seconds) => {
    state.pictures += 1;
    if (state.playing) {
      // At a pace for the eye: a report says no times of the view.
      const next = motion()?.after(state.t, seconds, cell.coordinates) ?? 1;
      jump(next >= 1 ? 0 : next);
    }
    return state.playing;
  };
  trace.show(motion() ?? null, known);
  jump(0);
  fit("iso");
  state.ready = true;
  Object.defineProperty(window, "kansho", {
    value: Object.freeze({ state: () => structuredClone({ ...state, bodies: cell.bodies.length, triangles: stage.triangles, sharp: stage.isSharp }) }),
  });
}

start();

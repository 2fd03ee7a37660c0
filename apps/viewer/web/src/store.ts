// What the page shows at this moment, and who wants to know when it changes.

import type { CellState, Contacts, PathAnswer, Proof, Seen, Words, Work } from "./api";
import type { Drag } from "./scene/drag";

export interface Shown {
  meshes: boolean;
  spheres: boolean;
  rank: number;
  boxes: boolean;
  level: number;
  faces: boolean;
  trace: boolean;
  sweep: boolean;
}

/** The map of a job: what is looked at on it, and what is known of its path. */
export interface MapState {
  points: number;
  rotations: number;
  cell: {
    point: number;
    rotation: number;
    state: CellState | null;
    now: CellState | null;
    pair?: string | null;
    why?: string | null;
    posture?: number[] | null;
    ms: number | null;
  } | null;
  /** Whether that cell stays when the mouse has gone. */
  pinned: boolean;
  /** The point at which the path is held, or -1. */
  held: number;
  path:
    | (Omit<PathAnswer, "postures" | "marks"> & {
        ms: number;
        changed: number;
        isNewest: boolean;
        marks: { kind: string; point: number; pair: string | null; why: string | null }[];
      })
    | null;
  /** Where the robot is on it. */
  now: { point: number; rotation: number } | null;
  error: string | null;
  answered: number;
}

export interface State {
  ready: boolean;
  edition: number;
  title: string;
  error: string | null;
  motion: number;
  t: number;
  playing: boolean;
  speed: number;
  loop: boolean;
  posture: Float64Array;
  /** Whether the posture is not one of the motion's: joints were moved by hand. */
  off: boolean;
  proof: Proof | null;
  /** Why there is no proof and will be none, if so. */
  unproven: string | null;
  seen: Seen | null;
  /** Whether nobody answers what is near or touches. */
  lost: boolean;
  /** Whether what was seen belongs to the posture that is shown. */
  fresh: boolean;
  /** A pair that is looked at in particular, as `a|b` of their numbers. */
  chosen: string | null;
  show: Shown;
  hidden: Set<number>;
  contacts: Contacts | null;
  contact: number;
  generator: number;
  /** How far the object was dragged whose contacts are shown. */
  drag: Drag | null;
  /** The text of a script as it is edited; none where no script is shown. */
  script: string | null;
  /** What comes of it, once that is known. */
  words: Words | null;
  /** How many ways of it are done, the number of the step that is, and where the moved body is. */
  way: number;
  step: number;
  movedAt: number[] | null;
  map: MapState | null;
  /** Of a cell that is watched while it moves. */
  live: {
    posture: number[];
    rough: boolean;
    quiet: boolean;
    count: number;
    line: number;
    gap: number | null;
    timeToContact: number | null;
    estimate: number | null;
    hits: number;
    pictures: number;
    ended: boolean;
  } | null;
  /** A motion that is shown at the right, or -1, and what is known of it. */
  beside: number;
  besideVerdict: string | null;
  /** How many pairs touch at the right, as far as that is known of what is shown there. */
  besideHits: number | null;
  /** How far newcomers are. */
  tour: "path" | "seek" | "found" | null;
  /** How far the work is that goes on meanwhile. */
  busy: Work | null;
  theme: "dark" | "light";
}

/** What may change; listeners name what they care for. */
export type Topic = "cell" | "posture" | "time" | "proof" | "seen" | "show" | "contacts" | "theme" | "chosen" | "drag" | "words" | "step" | "beside";

type Listener = () => void;

export class Store {
  readonly state: State = {
    ready: false,
    edition: 0,
    title: "",
    error: null,
    motion: -1,
    t: 0,
    playing: false,
    speed: 1,
    loop: true,
    posture: new Float64Array(),
    off: true,
    proof: null,
    unproven: null,
    seen: null,
    lost: false,
    fresh: false,
    chosen: null,
    show: { meshes: true, spheres: false, rank: 0, boxes: false, level: 1, faces: false, trace: true, sweep: false },
    hidden: new Set(),
    contacts: null,
    contact: -1,
    generator: -1,
    drag: null,
    script: null,
    words: null,
    way: 0,
    step: -1,
    movedAt: null,
    map: null,
    live: null,
    beside: -1,
    besideVerdict: null,
    besideHits: null,
    tour: null,
    busy: null,
    theme: "dark",
  };
  private readonly listeners = new Map<Topic, Listener[]>();

  on(topics: Topic[], listener: Listener): void {
    for (const topic of topics) this.listeners.set(topic, [...(this.listeners.get(topic) ?? []), listener]);
  }

  tell(topic: Topic): void {
    for (const listener of this.listeners.get(topic) ?? []) listener();
  }

  forget(): void {
    this.listeners.clear();
  }
}

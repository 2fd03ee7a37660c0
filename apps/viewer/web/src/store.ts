// What the page shows at this moment, and who wants to know when it changes.

import type { Contacts, Proof, Seen, Words } from "./api";
import type { Drag } from "./scene/drag";

export interface Shown {
  meshes: boolean;
  spheres: boolean;
  rank: number;
  boxes: boolean;
  level: number;
  faces: boolean;
  trace: boolean;
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
  seen: Seen | null;
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
  theme: "dark" | "light";
}

/** What may change; listeners name what they care for. */
export type Topic = "cell" | "posture" | "time" | "proof" | "seen" | "show" | "contacts" | "theme" | "chosen" | "drag" | "words" | "step";

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
    seen: null,
    fresh: false,
    chosen: null,
    show: { meshes: true, spheres: false, rank: 0, boxes: false, level: 1, faces: false, trace: true },
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

// What the page shows at this moment, and who wants to know when it changes.

import type { Contacts, Proof, Seen } from "./api";

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
  title: string;
  error: string | null;
  motion: number;
  t: number;
  playing: boolean;
  speed: number;
  loop: boolean;
  posture: Float64Array;
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
  theme: "dark" | "light";
}

/** What may change; listeners name what they care for. */
export type Topic = "cell" | "posture" | "time" | "proof" | "seen" | "show" | "contacts" | "theme" | "chosen";

type Listener = () => void;

export class Store {
  readonly state: State = {
    ready: false,
    title: "",
    error: null,
    motion: -1,
    t: 0,
    playing: false,
    speed: 1,
    loop: true,
    posture: new Float64Array(),
    proof: null,
    seen: null,
    fresh: false,
    chosen: null,
    show: { meshes: true, spheres: false, rank: 0, boxes: false, level: 1, faces: false, trace: true },
    hidden: new Set(),
    contacts: null,
    contact: -1,
    generator: -1,
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

// What holds an object and how it may move, step by step.

import { Vector3 } from "three";
import type { Cell, Contacts, Generator, Source, Vec3 } from "../api";
import { button, by, make, metres, say } from "../dom";
import { matrix } from "../kinematics";
import { orColour } from "../scene/contacts";
import type { Store } from "../store";

export class ContactPanel {
  private readonly select: HTMLSelectElement;
  private readonly told = make("div", {});
  private readonly point = make("p", { class: "card", id: "contact-told", "aria-live": "polite" });
  private readonly motion = make("p", { class: "card", id: "motion-told", "aria-live": "polite" });
  private readonly pointCount = make("span", { class: "grow num" });
  private readonly motionCount = make("span", { class: "grow num" });
  private readonly steps: HTMLElement;
  private readonly motions: HTMLElement;
  private readonly drag = make("p", { class: "fact dim", id: "drag-told", "aria-live": "polite" });
  private readonly back: HTMLButtonElement;
  private asked = 0;

  constructor(
    private readonly source: Source,
    private readonly cell: Cell,
    private readonly store: Store,
    back: () => void,
  ) {
    const objects = cell.bodies.filter((body) => body.stands);
    by("contacts-section").hidden = objects.length < 2;
    this.select = make("select", { id: "contact-moving" }, make("option", { value: "" }, "choose an object…"));
    for (const body of objects) this.select.append(make("option", { value: body.name }, body.name));
    this.select.addEventListener("change", () => void this.ask(this.select.value));
    const step = (label: string, name: string, by: number, what: "contact" | "generator"): HTMLButtonElement =>
      button(label, { "aria-label": name, title: name }, () => this.step(what, by));
    this.steps = make(
      "div",
      { hidden: true },
      make("div", { class: "buttons" }, step("◀", "Previous contact (Shift+C)", -1, "contact"), this.pointCount, step("▶", "Next contact (C)", 1, "contact")),
      this.point,
    );
    this.motions = make(
      "div",
      { hidden: true },
      make(
        "div",
        { class: "buttons" },
        step("◀", "Previous motion (Shift+N)", -1, "generator"),
        this.motionCount,
        step("▶", "Next motion (N)", 1, "generator"),
      ),
      this.motion,
    );
    this.back = button("Put it back", { id: "drag-back", hidden: true }, back);
    by("contacts").replaceChildren(
      make("div", { class: "field" }, make("label", { for: "contact-moving" }, "What may move?"), this.select),
      this.told,
      this.steps,
      this.motions,
      this.drag,
      this.back,
    );
    store.on(["drag"], () => this.tellDrag());
    store.on(["contacts", "cell"], () => this.update());
  }

  /** Asks what holds an object; none for an empty name. */
  async ask(name: string): Promise<void> {
    const number = ++this.asked;
    const { state } = this.store;
    Object.assign(state, { contacts: null, contact: -1, generator: -1 });
    this.select.value = name;
    this.told.replaceChildren();
    if (name) {
      try {
        this.told.replaceChildren(make("p", { class: "dim fact" }, "Looking for contacts…"));
        const found = await this.source.post<Contacts>("contacts", { moving: name });
        if (number !== this.asked) return;
        state.contacts = found;
        if (found.motions.length > 0) state.generator = 0;
      } catch (error) {
        if (number !== this.asked) return;
        this.told.replaceChildren(make("p", { class: "fact", role: "alert" }, (error as Error).message));
        this.store.tell("contacts");
        return;
      }
    }
    this.facts();
    this.store.tell("contacts");
  }

  /** The next or the last one; after the last none, and then again the first. */
  step(what: "contact" | "generator", by: number): void {
    const { state } = this.store;
    const count = (what === "contact" ? state.contacts?.points.length : state.contacts?.motions.length) ?? 0;
    if (count === 0) return;
    state[what] = ((state[what] + 1 + by + count + 1) % (count + 1)) - 1;
    this.store.tell("contacts");
  }

  private facts(): void {
    const found = this.store.state.contacts;
    this.told.replaceChildren();
    if (!found) return;
    const touching = found.between.filter((between) => between.state === "touching").map((between) => this.name(between.body));
    const facts = [
      touching.length > 0 ? `Touches ${touching.join(", ")}: ${found.points.length} points, ${found.groups} conditions.` : "Touches nothing.",
      ...found.between
        .filter((b) => b.state === "overlapping")
        .map((b) => `Overlaps ${this.name(b.body)} by ${metres(b.depth ?? 0)}: no constraints are made of that.`),
      ...found.between.filter((b) => b.state === "unclear").map((b) => `How it touches ${this.name(b.body)} is unclear.`),
    ];
    if (found.freedoms) facts.push(`It ${found.freedoms}.`);
    if (found.held && found.held !== "no") facts.push(`Held: ${found.held}.`);
    this.told.replaceChildren(...facts.map((fact) => make("p", { class: "fact" }, fact)));
  }

  /** What became of it where it is dragged. */
  private tellDrag(): void {
    const { contacts, drag } = this.store.state;
    this.back.hidden = !drag;
    this.steps.hidden = drag !== null || !contacts || contacts.points.length === 0;
    this.motions.hidden = drag !== null || !contacts || contacts.motions.length === 0;
    if (!contacts?.sound) say(this.drag, "");
    else if (!drag) say(this.drag, "Drag it with the mouse; with Shift it turns.");
    else if (drag.isHeld) say(this.drag, "It overlaps something, or how it touches is unclear: what is allowed is not known.");
    else {
      const blocked = drag.active && !drag.arrived ? (drag.blocked.length > 0 ? "Blocked where arrows are. " : "On the way. ") : "";
      say(this.drag, `${blocked}Moved by ${place(shift(drag.moved, contacts.centre))}${turned(drag.moved)}. Looked at in steps, not proven.`);
    }
  }

  private name(body: number): string {
    return this.cell.bodies[body]?.name ?? "?";
  }

  private update(): void {
    const { contacts, contact, generator } = this.store.state;
    const [points, motions] = [contacts?.points ?? [], contacts?.motions ?? []];
    say(this.pointCount, contact < 0 ? `all ${points.length} contacts` : `contact ${contact + 1} of ${points.length}`);
    say(this.motionCount, generator < 0 ? `${motions.length} motions` : `motion ${generator + 1} of ${motions.length}`);
    const chosen = points[contact];
    this.point.hidden = !chosen;
    if (chosen) {
      const groups = chosen.conditions.map(({ group, normals }) => {
        const dot = make("span", { class: "or", "aria-hidden": "true" });
        dot.style.background = orColour(group, normals.length);
        return make("span", {}, make("br"), dot, normals.map(direction).join(" or "));
      });
      this.point.replaceChildren(`At ${place(chosen.point)} on ${this.name(chosen.body)}. It must not move against`, ...groups);
    }
    this.tellDrag();
    const moving = motions[generator];
    this.motion.hidden = !moving;
    if (moving) say(this.motion, inWords(moving));
  }
}

function direction([x, y, z]: Vec3): string {
  return `(${[x, y, z].map((v) => Number(v.toFixed(3)).toString().replace("-0", "0") || "0").join(", ")})`;
}

function place(point: Vec3): string {
  return `(${point.map((v) => (v * 1000).toFixed(1).replace(/^-0\.0$/, "0.0")).join(", ")}) mm`;
}

/** How far a pose moves a point. */
function shift(rows: number[], point: Vec3): Vec3 {
  const moved = new Vector3(...point).applyMatrix4(matrix(rows));
  return moved.sub(new Vector3(...point)).toArray();
}

/** By how much a pose turns. */
function turned(rows: number[]): string {
  const [xx = 1, , , , yy = 1, , , , zz = 1] = rows;
  const degrees = (Math.acos(Math.min(Math.max((xx + yy + zz - 1) / 2, -1), 1)) * 180) / Math.PI;
  return degrees > 0.005 ? `, turned by ${degrees.toFixed(2)}°` : "";
}

function inWords({ screw, both_ways }: Generator): string {
  const ways = both_ways ? "both ways" : "one way only";
  if (screw.slide) return `Slides along ${direction(screw.slide)}, ${ways}.`;
  if (!screw.axis || !screw.point) return "Does not move.";
  const about = `about the axis along ${direction(screw.axis)} through ${place(screw.point)}`;
  if (!screw.pitch) return `Turns ${about}, ${ways}.`;
  return `Screws ${about}, ${metres(screw.pitch * 2 * Math.PI)} a turn, ${ways}.`;
}

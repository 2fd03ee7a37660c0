// Which shapes are drawn.

import { by, make, say } from "../dom";
import type { Models } from "../scene/models";
import type { Shown, Store } from "../store";

const TOGGLES: [keyof Shown, string, string][] = [
  ["meshes", "Meshes", "M"],
  ["spheres", "Spheres", "S"],
  ["boxes", "Boxes", "B"],
  ["faces", "Merged faces", "G"],
  ["trace", "Way of the tool", "W"],
  ["sweep", "Swept volume", "V"],
];

export function modelPanel(models: () => Models | null, store: Store): void {
  const holder = by("models");
  holder.replaceChildren();
  const boxes = TOGGLES.map(([key, label, letter]) => {
    const id = `show-${key}`;
    const box = make("input", { type: "checkbox", id });
    box.addEventListener("change", () => {
      (store.state.show as unknown as Record<string, boolean>)[key] = box.checked;
      store.tell("show");
    });
    holder.append(make("div", { class: "row field" }, box, make("label", { for: id, class: "grow" }, label), make("kbd", { "aria-hidden": "true" }, letter)));
    return { key, box };
  });
  const ranked = (
    [
      ["spheres", "rank", "Rank of spheres"],
      ["boxes", "level", "Level of boxes"],
    ] as const
  ).map(([kind, key, label]) => {
    const id = `show-${key}`;
    const slider = make("input", { type: "range", id, min: 0, max: 0, step: 1 });
    const told = make("span", { class: "dim num" });
    const field = make("div", { class: "field", hidden: true }, make("div", { class: "row" }, make("label", { for: id, class: "grow" }, label), told), slider);
    slider.addEventListener("input", () => {
      store.state.show[key] = Number(slider.value);
      store.tell("show");
    });
    holder.append(field);
    return { kind, key, slider, told, field };
  });
  store.on(["show", "cell"], () => {
    const { show } = store.state;
    for (const { key, box } of boxes) box.checked = Boolean(show[key]);
    for (const { kind, key, slider, told, field } of ranked) {
      const ranks = models()?.ranks(kind) ?? 0;
      field.hidden = !show[kind] || ranks === 0;
      slider.max = String(Math.max(ranks - 1, 0));
      slider.value = String(show[key]);
      const count = models()?.count(kind, show[key]) ?? 0;
      say(told, `${show[key] + 1} of ${ranks}: ${count.toLocaleString("en")} ${kind}`);
      slider.setAttribute("aria-valuetext", told.textContent ?? "");
    }
  });
}

// A slider and a number for each joint.

import type { Cell } from "../api";
import { by, make } from "../dom";
import type { Store } from "../store";

const DEGREES = 180 / Math.PI;

export function joints(cell: Cell, store: Store, moved: (joint: number, value: number) => void): void {
  const holder = by("joints");
  holder.replaceChildren();
  if (cell.coordinates.length === 0) holder.append(make("p", { class: "dim" }, "Nothing in this cell moves."));
  const robots = new Set(cell.coordinates.map((c) => c.name.split("/")[0]));
  const rows = cell.coordinates.map((coordinate, index) => {
    const scale = coordinate.angle ? DEGREES : 1000;
    const unit = coordinate.angle ? "°" : "mm";
    const [low, high] = coordinate.limits ?? (coordinate.angle ? [-2 * Math.PI, 2 * Math.PI] : [-2, 2]);
    const name = robots.size === 1 ? coordinate.name.split("/").slice(1).join("/") : coordinate.name;
    const id = `joint-${index}`;
    const number = make("input", {
      type: "number",
      id: `${id}-number`,
      step: "any",
      "aria-label": `${coordinate.name} in ${coordinate.angle ? "degrees" : "millimetres"}`,
    });
    const slider = make("input", { type: "range", id, min: low * scale, max: high * scale, step: "any" });
    const row = make(
      "div",
      { class: "joint" },
      make("div", { class: "row" }, make("label", { for: id, title: coordinate.name }, name), number, make("span", { class: "dim" }, unit)),
      slider,
    );
    slider.addEventListener("input", () => moved(index, Number(slider.value) / scale));
    number.addEventListener("change", () => {
      if (Number.isFinite(number.valueAsNumber)) moved(index, number.valueAsNumber / scale);
    });
    holder.append(row);
    return { number, slider, row, scale };
  });
  let last = "";
  store.on(["posture"], () => {
    rows.forEach(({ number, slider, scale }, index) => {
      const value = (store.state.posture[index] ?? 0) * scale;
      slider.value = String(value);
      if (document.activeElement !== number) {
        const text = value.toFixed(2);
        if (number.value !== text) number.value = text;
      }
    });
  });
  store.on(["seen"], () => {
    const outside = store.state.seen?.outside ?? [];
    const now = outside.join();
    if (now === last) return;
    last = now;
    rows.forEach(({ row }, index) => {
      row.dataset.outside = String(outside.includes(index));
    });
  });
}

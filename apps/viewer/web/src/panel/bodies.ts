// The list of bodies, each to be shown or hidden.

import type { Cell } from "../api";
import { by, make } from "../dom";
import type { Bodies } from "../scene/bodies";
import type { Store } from "../store";

export function bodyList(cell: Cell, bodies: Bodies, store: Store): void {
  const list = make("ul", { class: "list", "aria-label": "Bodies" });
  cell.bodies.forEach((body, index) => {
    const id = `body-${index}`;
    const box = make("input", { type: "checkbox", id, checked: true });
    box.addEventListener("change", () => {
      if (box.checked) store.state.hidden.delete(index);
      else store.state.hidden.add(index);
      store.tell("show");
    });
    const swatch = make("span", { class: "swatch", "aria-hidden": "true" });
    swatch.style.background = `#${bodies.drawn[index]?.colour.getHexString()}`;
    const count = body.triangles > 0 ? `${body.triangles.toLocaleString("en")} △` : "";
    list.append(
      make(
        "li",
        { class: "row" },
        box,
        swatch,
        make("label", { for: id, class: "grow", title: body.name }, body.name),
        make("span", { class: "dim num" }, count),
      ),
    );
  });
  const total = cell.bodies.reduce((sum, body) => sum + body.triangles, 0);
  const { checked, not } = cell.pairs;
  by("bodies").replaceChildren(
    list,
    make("p", { class: "dim fact" }, `${total.toLocaleString("en")} triangles; ${checked} pairs are checked, ${not} are not.`),
    ...cell.warnings.map((warning) => make("p", { class: "fact", role: "note" }, `⚠ ${warning}`)),
  );
}

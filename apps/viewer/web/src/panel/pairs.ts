// The pairs with the least gaps at this moment.

import type { Cell, Pair } from "../api";
import { by, make, metres, say } from "../dom";
import type { Store } from "../store";

/** Pairs that are listed. */
const LISTED = 8;

export function pairKey(pair: { bodies: [number, number] }): string {
  return pair.bodies.join("|");
}

export function pairName(cell: Cell, [a, b]: [number, number]): string {
  return `${cell.bodies[a]?.name ?? "?"} | ${cell.bodies[b]?.name ?? "?"}`;
}

export function pairList(cell: Cell, size: number, store: Store): void {
  const summary = make("p", { class: "fact", id: "pairs-summary" });
  const list = make("div", { role: "group", "aria-label": "Nearest pairs" });
  const rows = Array.from({ length: LISTED }, () => {
    const [names, gap, bar] = [make("span", { class: "names" }), make("span", { class: "num" }), make("span", {})];
    const row = make("button", { type: "button", class: "pair", hidden: true, "aria-pressed": "false" }, names, gap, make("span", { class: "bar" }, bar));
    row.addEventListener("click", () => {
      const key = row.dataset.key ?? null;
      store.state.chosen = store.state.chosen === key ? null : key;
      store.tell("chosen");
    });
    list.append(row);
    return { row, names, gap, bar };
  });
  by("pairs").replaceChildren(summary, list);
  const update = (): void => {
    const pairs: Pair[] = store.state.seen?.pairs ?? [];
    const touching = pairs.filter((pair) => pair.gap === 0).length;
    if (!store.state.seen) say(summary, store.state.lost ? "Not known: the viewer does not answer." : "Measuring…");
    else if (pairs.length === 0) say(summary, "No pair of bodies is checked here.");
    else if (touching > 0)
      say(summary, `${touching === 1 ? "1 pair touches" : `${touching}${store.state.seen.more ? " pairs or more" : " pairs"} touch`} in this posture.`);
    else say(summary, `Nothing touches in this posture; its least gap is ${metres(pairs[0]?.gap ?? 0)}.`);
    rows.forEach(({ row, names, gap, bar }, k) => {
      const pair = pairs[k];
      row.hidden = !pair;
      if (!pair) return;
      const key = pairKey(pair);
      const name = pairName(cell, pair.bodies);
      row.dataset.key = key;
      row.dataset.touches = String(pair.gap === 0);
      row.title = name;
      row.setAttribute("aria-pressed", String(store.state.chosen === key));
      row.setAttribute("aria-label", `${name}: ${pair.gap === 0 ? "touches" : `gap ${metres(pair.gap)}`}`);
      say(names, name);
      say(gap, pair.gap === 0 ? "touches" : metres(pair.gap));
      const part = pair.gap === 0 ? 1 : Math.min(pair.gap / (0.25 * size), 1);
      bar.style.width = `${(100 * part).toFixed(1)}%`;
    });
  };
  store.on(["seen", "chosen", "cell"], update);
}

// What keys do.

import { button, by, make } from "./dom";

export interface Key {
  keys: string;
  does: string;
  /** Whether a key is meant. */
  matches: (event: KeyboardEvent) => boolean;
  run: (event: KeyboardEvent) => void;
}

/** A key by its letter. */
export function letter(key: string, does: string, run: () => void, shift = false): Key {
  const matches = (event: KeyboardEvent): boolean => event.key.toLowerCase() === key.toLowerCase() && event.shiftKey === shift;
  return { keys: shift ? `Shift ${key.toUpperCase()}` : key === " " ? "Space" : key.toUpperCase(), does, matches, run };
}

/** Whether keys belong to what has the focus: text, lists, sliders. */
function isTaken(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement;
  if (target instanceof HTMLInputElement) {
    const moves = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"].includes(event.key);
    if (target.type === "range") return moves;
    if (target.type === "checkbox") return event.key === " ";
    return true;
  }
  if (target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement) return true;
  if (target instanceof HTMLButtonElement || target.tagName === "SUMMARY") return event.key === " " || event.key === "Enter";
  return false;
}

export function listen(keys: Key[]): void {
  window.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event) || by<HTMLDialogElement>("keys").open) return;
    const key = keys.find((one) => one.matches(event));
    if (!key) return;
    event.preventDefault();
    key.run(event);
  };
}

/** The list of keys, to be looked at. */
export function explain(keys: Key[]): () => void {
  const dialog = by<HTMLDialogElement>("keys");
  const list = make("dl", {});
  const orbit: [string, string][] = [
    ["Arrows on the picture", "turn it; with Shift, move it"],
    ["Mouse", "left turns, right moves, wheel zooms"],
  ];
  for (const { keys: name, does } of keys) {
    const parts = name.split(" ").flatMap((part) => (part === "…" ? [" … "] : [make("kbd", {}, part), " "]));
    list.append(make("dt", {}, ...parts), make("dd", {}, does));
  }
  for (const [name, does] of orbit) list.append(make("dt", {}, name), make("dd", {}, does));
  dialog.replaceChildren(
    make("h2", { id: "keys-title" }, "Keys"),
    list,
    button("Close", {}, () => dialog.close()),
  );
  return () => dialog.showModal();
}

// Small helpers for elements.

type Attributes = Record<string, string | number | boolean | undefined>;

/** An element with attributes and children. */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children);
  return element;
}

/** An element of the page, by its id. */
export function by<T extends HTMLElement = HTMLElement>(id: string): T {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no #${id}`);
  return found as T;
}

/** A button that does something. */
export function button(label: string, attributes: Attributes, pressed: () => void): HTMLButtonElement {
  const made = make("button", { type: "button", ...attributes }, label);
  made.addEventListener("click", pressed);
  return made;
}

/** Sets text only where it changes, so that nothing is laid out for nothing. */
export function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** A length as people say it. */
export function metres(value: number): string {
  const size = Math.abs(value);
  if (size === 0) return "0\u00a0mm";
  if (size >= 1) return `${value.toFixed(3)}\u00a0m`;
  if (size >= 1e-4) return `${(value * 1000).toFixed(size >= 0.1 ? 1 : 2)}\u00a0mm`;
  return `${(value * 1e6).toPrecision(2)}\u00a0µm`;
}

// DOM elements. Text is set only through textContent, so that no name can become markup.

import { visible } from "./names.ts";

export type Child = Node | string | null | undefined | false;
export type Attributes = Record<string, string | number | boolean | null | undefined>;

/** The root element: its attributes indicate the state of the page. */
export const page = typeof document === "undefined" ? (null as never) : document.documentElement; // absent in node tests

type Events = HTMLElementEventMap & DocumentEventMap & WindowEventMap;

/** Adds an event listener. */
export function on<K extends keyof Events>(target: EventTarget, type: K, run: (event: Events[K]) => unknown, options?: AddEventListenerOptions): void {
  target.addEventListener(type, run as EventListener, options);
}

/** Sets an attribute. */
export const set = (node: Element, name: string, value: string): void => node.setAttribute(name, value);

/** The attributes of a group of controls. */
export const group = (label: string): Attributes => ({ role: "group", "aria-label": label });

/** The attributes of what screen readers leave out. */
export const HIDDEN: Attributes = { "aria-hidden": "true" };

/** The attributes of a toggle button. */
export const pressed = (is: boolean): Attributes => ({ "aria-pressed": String(is) });

/** The name of an element, with its classes as a selector has them: "p.reading". */
export type Name<K extends string> = K | `${K}.${string}`;

/** An element with attributes and children; strings become text. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: Name<K>, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  return filled(name, attributes, children, (tag) => document.createElement(tag as K));
}

/** What a maker of elements makes, with the classes of its name, attributes and children. */
export function filled<E extends Element>(name: string, attributes: Attributes, children: readonly Child[], make: (tag: string) => E): E {
  const [tag = "", ...classes] = name.split(".");
  const node = make(tag);
  if (classes.length) set(node, "class", classes.join(" "));
  attrs(node, attributes);
  append(node, children);
  return node;
}

/** Sets attributes; false, null and undefined remove them, true sets them empty. */
export function attrs<E extends Element>(node: E, attributes: Attributes): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) node.removeAttribute(name);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  return node;
}

export function append(node: Element, children: readonly Child[]): void {
  for (const child of children) if (child || child === "") node.append(child);
}

/** Replaces all children. */
export function fill<E extends Element>(node: E, ...children: Child[]): E {
  node.replaceChildren();
  append(node, children);
  return node;
}

/** Sets the text of a node only if it differs: unchanged nodes cause no layout. */
export function text(node: Node, value: string): void {
  if (node.textContent !== value) node.textContent = value;
}

export const find = <E extends Element = HTMLElement>(root: ParentNode, selector: string): E | null =>
  root.querySelector<E>(selector);

/** The element that a view draws into; created if the skeleton has none. */
export function part(section: Element, selector: string, make: () => HTMLElement): HTMLElement {
  const found = find(section, selector);
  if (found) return found;
  const made = make();
  section.append(made);
  return made;
}

/** A button that does not submit. */
export function button(label: Child, attributes: Attributes, click: (event: MouseEvent) => void): HTMLButtonElement {
  const node = el("button", { type: "button", ...attributes }, label);
  node.addEventListener("click", click);
  return node;
}

/** A model's name in its color, shortened in the middle, isolated from the direction of the surrounding text. */
export function nameNode(name: string, slot: number, shown: string): HTMLElement {
  return el("bdi.name", { "data-m": slot, title: shown === name ? null : visible(name) }, shown);
}

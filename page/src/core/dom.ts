// Elements. Text enters by textContent alone, so that no name can become markup.

import { visible } from "./names.ts";

export type Child = Node | string | null | undefined | false;
export type Attributes = Record<string, string | number | boolean | null | undefined>;

/** The root of the page: its attributes say in which state the page is. */
export const page = typeof document === "undefined" ? (null as never) : document.documentElement; // node tests have none

type Events = HTMLElementEventMap & DocumentEventMap & WindowEventMap;

/** Listens to an event. */
export function on<K extends keyof Events>(target: EventTarget, type: K, run: (event: Events[K]) => unknown, options?: AddEventListenerOptions): void {
  target.addEventListener(type, run as EventListener, options);
}

/** Sets one attribute. */
export const set = (node: Element, name: string, value: string): void => node.setAttribute(name, value);

/** The attributes of a group of controls. */
export const group = (label: string): Attributes => ({ role: "group", "aria-label": label });

/** Whether a button is pressed, as attributes. */
export const pressed = (is: boolean): Attributes => ({ "aria-pressed": String(is) });

/** An element with attributes and children; strings become text. */
export function el<K extends keyof HTMLElementTagNameMap>(
  name: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(name);
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

/** Sets the text of a node, touching it only when it differs: unchanged nodes cost no layout. */
export function text(node: Node, value: string): void {
  if (node.textContent !== value) node.textContent = value;
}

export const find = <E extends Element = HTMLElement>(root: ParentNode, selector: string): E | null =>
  root.querySelector<E>(selector);

/** The element that a view draws into; made when the skeleton has none. */
export function part(section: Element, selector: string, make: () => HTMLElement): HTMLElement {
  const found = find(section, selector);
  if (found) return found;
  const made = make();
  section.append(made);
  return made;
}

/** A button that is no submit button. */
export function button(label: Child, attributes: Attributes, click: (event: MouseEvent) => void): HTMLButtonElement {
  const node = el("button", { type: "button", ...attributes }, label);
  node.addEventListener("click", click);
  return node;
}

/** A model's name, in its color, cut in the middle, isolated from the direction of the text around it. */
export function nameNode(name: string, slot: number, shown: string): HTMLElement {
  return el("bdi", { class: "name", "data-m": slot, title: shown === name ? null : visible(name) }, shown);
}

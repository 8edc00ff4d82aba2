// Sentences. Templates come with the document: {slots} in braces, **strong** parts; Python fills the same ones.

import { el, type Child } from "./dom.ts";

export type Slots = Record<string, string | number>;

/** A template with its slots filled, as plain text (for labels, live regions, copies). */
export function say(text: string, slots: Slots): string {
  return text.replace(/\*\*/g, "").replace(/\{(\w+)\}/g, (whole, key: string) => (key in slots ? String(slots[key]) : whole));
}

/** A template as nodes: **strong** parts and slots, which may be nodes such as coloured names. */
export function sentence(text: string, slots: Record<string, Child | number>): Node[] {
  return text.split("**").flatMap((part, i) => {
    const inner = filled(part, slots);
    return i % 2 ? [el("b", {}, ...inner)] : inner;
  });
}

// Slots are filled after the template was split, so that asterisks and braces in names stay what they are.
function filled(text: string, slots: Record<string, Child | number>): Node[] {
  return text.split(/(\{\w+\})/).flatMap((part) => {
    const key = /^\{(\w+)\}$/.exec(part)?.[1];
    const value = key === undefined ? part : key in slots ? slots[key] : part;
    if (value === null || value === undefined || value === false || value === "") return [];
    return [value instanceof Node ? value.cloneNode(true) : document.createTextNode(String(value))];
  });
}

/** The template of a name: the document's own, else the fallback. */
export const template = (words: Record<string, string>, name: string, fallback: string): string => words[name] ?? fallback;

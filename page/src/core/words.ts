// Sentences. The templates are part of the results document: slots with a format, {share:percent}, and **strong** parts;
// Python uses the same ones.

import { el, type Child } from "./dom.ts";
import { alarms, costSentence, count, estimateSentence, percent, ratioText, significant, thresholdText, two, whole, type Shown } from "./format.ts";

/** The value of a slot: a number or an estimate, formatted as the slot specifies; anything else is inserted unchanged. */
export type Slot = Child | number | Shown;
export type Slots = Record<string, Slot>;

const NUMBERS: Record<string, (x: number) => string> = {
  alarms, count, percent, significant, two, whole, threshold: thresholdText, ratio: (misses) => ratioText(1, misses),
};
const ESTIMATES: Record<string, (one: Shown) => string> = { cost: costSentence, estimate: estimateSentence };
const SLOT = /\{(\w+)(?::(\w+))?\}/;

function written(value: Slot, format: string): Child {
  if (typeof value === "number") return (NUMBERS[format] ?? String)(value);
  if (typeof value === "object" && value !== null && "value" in value) return (ESTIMATES[format] ?? estimateSentence)(value as Shown);
  return value as Child;
}

/** A template with its slots filled, as plain text (for labels, live regions, copied text). */
export function say(text: string, slots: Slots): string {
  return text.replace(/\*\*/g, "").replace(new RegExp(SLOT, "g"), (whole, key: string, format = "") =>
    key in slots ? String(written(slots[key] as Slot, format)) : whole);
}

/** A template as nodes: **strong** parts and slots, which may be nodes such as colored names. */
export function sentence(text: string, slots: Slots): Node[] {
  return text.split("**").flatMap((part, i) => {
    const inner = filled(part, slots);
    return i % 2 ? [el("b", {}, ...inner)] : inner;
  });
}

// Slots are filled after the template is split, so that asterisks and braces in names are kept.
function filled(text: string, slots: Slots): Node[] {
  return text.split(/(\{\w+(?::\w+)?\})/).flatMap((part) => {
    const [, key = "", format = ""] = SLOT.exec(part) ?? [];
    const value = key in slots ? written(slots[key] as Slot, format) : part;
    if (value === null || value === undefined || value === false || value === "") return [];
    return [value instanceof Node ? value.cloneNode(true) : document.createTextNode(String(value))];
  });
}

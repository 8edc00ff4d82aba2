// Keyboard shortcuts of the page; inactive while typing, listed under "?".

import { rounded } from "./small.ts";
import type { App } from "./app.ts";
import { button, el, find, on, page } from "./dom.ts";
import { LIMITS, clamp, type State } from "./state.ts";

export const KEYS: readonly [keys: string, does: string][] = [
  ["[  ]", "lower, raise the threshold"],
  [",  .", "lower, raise the cost of a miss"],
  ["1 \u2026 9", "model"],
  ["c  y  f", "least cost, Youden, best F1"],
  ["r", "transpose the matrix"],
  ["t", "table of the view in focus"],
  ["Esc", "back to the rule"],
  ["?", "this list"],
];

const typing = (target: EventTarget | null) =>
  target instanceof HTMLElement &&
  (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName) ||
    (target instanceof HTMLInputElement && target.type !== "range"));

/** The cost ratio one step up or down; twelve steps double it. */
export function steppedRatio(state: State, steps: number): Partial<State> {
  const [low, high] = LIMITS.ratio;
  const ratio = clamp((state.fn / state.fp) * 2 ** (steps / 12), low, high);
  return { fn: rounded(ratio * state.fp, 3) };
}

/** Installs the shortcuts; `back` is the rule that Esc returns to. */
export function installKeys(app: App, back: () => State["rule"]): void {
  on(document, "keydown", () => page.removeAttribute("data-pointer"), { capture: true });
  on(document, "keydown", (event) => {
    const sheet = find(document, ".controls.open .change"); // on phones Esc closes the sheet first, also while typing
    if (event.key === "Escape" && sheet) return sheet.click();
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
    if (act(app, event, back)) event.preventDefault();
  });
}

function act(app: App, event: KeyboardEvent, back: () => State["rule"]): boolean {
  const { key } = event;
  const { now, state, drawing } = app;
  const rules: Record<string, State["rule"]> = { c: "cost", y: "youden", f: "f1" };
  const down = drawing.rule === "<=" ? -1 : 1; // rows are ordered from the most positive score
  if (key === "[" || key === "]") app.hold(now.row + (key === "[" ? down : -down));
  else if (key === "," || key === ".") app.set(steppedRatio(state, key === "," ? -1 : 1));
  else if (/^[1-9]$/.test(key) && drawing.models[Number(key) - 1]) app.set({ model: Number(key) - 1 });
  else if (rules[key]) app.set({ rule: rules[key] });
  else if (key === "r") app.set({ rows: state.rows === "actual" ? "predicted" : "actual" });
  else if (key === "t") return toggleTable();
  else if (key === "Escape" && !find(document, "dialog[open]")) app.set({ rule: back() });
  else if (key === "?") showKeys();
  else return false;
  return true;
}

function toggleTable(): boolean {
  const details = document.activeElement?.closest("section.view")?.querySelector<HTMLDetailsElement>(".behind details, details.behind");
  if (!details) return false;
  details.open = !details.open;
  return true;
}

export function showKeys(): void {
  const known = find<HTMLDialogElement>(document, "dialog.keys");
  const dialog = known ?? el("dialog.keys", { "aria-labelledby": "keys-title" });
  if (!known) {
    const rows = KEYS.map(([keys, does]) => el("tr", {}, el("th", { scope: "row" }, el("kbd", {}, keys)), el("td", {}, does)));
    dialog.append(
      el("h2", { id: "keys-title" }, "Keys"),
      el("table", {}, el("tbody", {}, ...rows)),
      button("Close", { class: "plain" }, () => dialog.close()),
    );
    document.body.append(dialog);
  }
  if (!dialog.open) dialog.showModal();
}

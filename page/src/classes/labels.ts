// Interactive multilabel report: select a label, move its threshold, set all thresholds by the cost of a miss.

import { rounded } from "../core/small.ts";
import { attrs, button, el, fill, find, group, on, pressed } from "../core/dom.ts";
import type { Drawing, Model } from "../core/data.ts";
import { count, estimateText, fixed, ratioText, shortName, thresholdText } from "../core/format.ts";
import type { Cells } from "../core/formula.ts";
import { wilson } from "../core/interval.ts";
import { cellsAt, cheapestRow, dataPrevalence, rowAt } from "../core/model.ts";
import { mountCurves, type ClassCurve } from "./curves.ts";
import { writeLink } from "./link.ts";
import { START, type ClassState } from "./state.ts";

export interface LabelDocument {
  data: { labels: string[] };
  thresholds: Record<string, { threshold: number | string }> | null;
  labels: Record<string, { counts: Cells }>;
  drawing: { classes: (ClassCurve & { table?: LabelTable | null })[]; level: number };
}

export interface LabelTable {
  readonly thresholds: readonly (number | null)[];
  readonly tp: readonly number[];
  readonly fp: readonly number[];
  readonly rule: string;
  readonly weighted: boolean;
}

interface LabelState extends ClassState {
  /** Thresholds moved by the user, by the index of the label. */
  moved: Readonly<Record<number, number>>;
  ratio: number | null;
}

const RATIOS = [1, 2, 5, 10, 20, 50];

/** A label's table in the form that the core functions expect. */
export function tableOf(table: LabelTable): { d: Drawing; model: Model } {
  const d = { positives: table.tp.at(-1) ?? 0, negatives: table.fp.at(-1) ?? 0, rule: table.rule, models: [] } as unknown as Drawing;
  return { d, model: { thresholds: table.thresholds, tp: table.tp, fp: table.fp } as unknown as Model };
}

/** The four cells of a label at a threshold. */
export function cellsOf(table: LabelTable, threshold: number): Cells {
  const { d, model } = tableOf(table);
  return cellsAt(d, model, rowAt(d, model, threshold));
}

/** The cheapest threshold of a label if a miss costs this many false alarms; among ties, the one that flags the fewest. */
export function cheapestThreshold(table: LabelTable, ratio: number): number {
  const { d, model } = tableOf(table);
  const { row } = cheapestRow(d, model, { fp: 1, fn: ratio }, dataPrevalence(d));
  const first = table.thresholds[1] as number;
  return row ? (table.thresholds[row] as number) : first + (table.rule === "<=" ? -1 : 1) * Math.max(1, Math.abs(first)); // flags nothing
}

export function mountLabels(document_: LabelDocument): void {
  const { data, drawing } = document_;
  let state: LabelState = fromFragment(location.hash, data.labels.length);
  const updates: ((state: LabelState) => void)[] = [];
  const set = (patch: Partial<LabelState>): void => {
    state = { ...state, ...patch };
    writeLink(toFragment(state));
    updates.forEach((update) => update(state));
  };
  const given = data.labels.map((label) => Number(document_.thresholds?.[label]?.threshold));
  const at = (k: number): number => state.moved[k] ?? (given[k] as number);
  const point = (k: number): [number, number] | null => {
    const table = drawing.classes[k]?.table;
    if (!table) return null;
    const { tp, fp, fn, tn } = cellsOf(table, at(k));
    return [fp / (fp + tn), tp / (tp + fn)];
  };
  const sections = (id: string) => document.getElementById(id);
  const [roc, each, thresholds, measures] = [sections("roc"), sections("each"), sections("thresholds"), sections("measures")];
  if (roc) updates.push(mountCurves(roc, drawing.classes, set, { noun: "label", point }));
  if (each) updates.push(mountPicker(each, data.labels, drawing.classes, set));
  if (thresholds && drawing.classes.some((one) => one.table)) updates.push(mountThresholds(thresholds, document_, at, set));
  for (const one of [each, measures]) if (one) updates.push(mountNote(one));
  updates.forEach((update) => update(state));
  on(window, "resize", () => updates.forEach((update) => update(state)));
  on(window, "hashchange", () => {
    state = fromFragment(location.hash, data.labels.length);
    updates.forEach((update) => update(state));
  });
}

function mountPicker(section: HTMLElement, labels: readonly string[], classes: readonly ClassCurve[], set: (patch: Partial<LabelState>) => void): (state: LabelState) => void {
  const options = labels.map((label, k) => el("option", { value: k }, shortName(label, 40)));
  const pick = el("select", { "aria-label": "Label to show" }, el("option", { value: "" }, "all labels"), ...options);
  on(pick, "change", () => set({ chosen: pick.value === "" ? null : Number(pick.value) }));
  find(section, ".reading")?.after(el("p.pick", {}, "Show ", pick));
  return (state) => {
    pick.value = state.chosen === null ? "" : String(state.chosen);
    const one = state.chosen === null ? null : classes[state.chosen];
    for (const row of Array.from(section.querySelectorAll("tbody tr"))) row.classList.toggle("chosen", !!one && find(row, "th")?.textContent === shortName(one.label));
  };
}

/** The averages are computed from the cases, which the page does not have, so they are kept and marked. */
function mountNote(section: HTMLElement): (state: LabelState) => void {
  const note = el("p.saved-note", { hidden: true }, "Computed for the thresholds of the report; these measures do not follow the controls.");
  find(section, ".reading")?.after(note);
  return (state) => {
    note.hidden = !Object.keys(state.moved).length;
    section.classList.toggle("stale", !note.hidden);
  };
}

// ---- thresholds ----

function mountThresholds(section: HTMLElement, document_: LabelDocument, at: (k: number) => number, set: (patch: Partial<LabelState>) => void): (state: LabelState) => void {
  const { data, drawing } = document_;
  const picture = find(section, ".picture") as HTMLElement;
  const asked = RATIOS.map((ratio) =>
    button(ratio === 1 ? "the same" : `${ratio} ×`, { "data-ratio": ratio }, () => {
      const found = drawing.classes.flatMap((one, k): [number, number][] => (one.table ? [[k, cheapestThreshold(one.table, ratio)]] : []));
      set({ ratio, moved: Object.fromEntries(found) });
    }),
  );
  const reset = button("as evaluated", {}, () => set({ ratio: null, moved: {} }));
  const words = "What does a miss cost compared with a false alarm?";
  const said = el("p.reading", { "aria-live": "polite" });
  const rows = data.labels.map((label, k) => lineOf(label, k, drawing.classes[k]?.table ?? null, set, (place, threshold) => set({ moved: { ...moved, [place]: threshold }, ratio: null })));
  let moved: Readonly<Record<number, number>> = {};
  const heads = ["label", "threshold", "", "TP", "FP", "FN", "TN", "precision", "recall"];
  const head = el("tr", {}, ...heads.map((name, k) => el("th", { scope: "col", class: k > 0 && k !== 2 ? "right" : null }, name)));
  const table = el("table.evidence.movable", {}, el("thead", {}, head), el("tbody", {}, ...rows.map(({ line }) => line)));
  fill(picture, el("div.question", { ...group(words) }, el("p", {}, words), el("div.switch", {}, ...asked, reset), said), el("div.scroll.tall", { tabindex: 0 }, table));
  return (state) => {
    moved = state.moved;
    asked.forEach((one) => attrs(one, pressed(Number(one.dataset["ratio"]) === state.ratio)));
    attrs(reset, pressed(!Object.keys(state.moved).length));
    const held = rows.map(({ show }, k) => show(at(k), document_.labels[data.labels[k] as string]?.counts as Cells, drawing.level, k in state.moved, state.chosen === k));
    said.textContent = together(held, state.ratio);
  };
}

/** Counts summed over all labels. */
function together(all: readonly Cells[], ratio: number | null): string {
  const sum = (name: keyof Cells) => all.reduce((total, cells) => total + cells[name], 0);
  const [tp, fp, fn] = [sum("tp"), sum("fp"), sum("fn")];
  const micro = 2 * tp + fp + fn ? `micro F1 ${fixed((2 * tp) / (2 * tp + fp + fn))}` : "micro F1 not defined";
  const priced = ratio ? `At ${ratioText(1, ratio)} each label is at its cheapest threshold in these data, not corrected for selection. ` : "";
  return `${priced}Over all labels: ${count(tp)} found, ${count(fn)} missed, ${count(fp)} false alarms; ${micro}.`;
}

interface Line {
  line: HTMLElement;
  show: (threshold: number, counts: Cells, level: number, moved: boolean, chosen: boolean) => Cells;
}

function lineOf(label: string, k: number, table: LabelTable | null, set: (patch: Partial<LabelState>) => void, move: (k: number, threshold: number) => void): Line {
  const last = (table?.thresholds.length ?? 1) - 1;
  const slider = el("input", { type: "range", min: 1, max: Math.max(1, last), step: 1, "aria-label": `Threshold of ${label}`, disabled: !table });
  const value = el("td.right");
  const cells = Array.from({ length: 6 }, () => el("td.right"));
  const name = button(shortName(label), { class: "link", title: `Show ${label}` }, () => set({ chosen: k }));
  on(slider, "input", () => {
    // moving right raises the threshold and flags fewer
    const row = last + 1 - Number(slider.value);
    if (table) move(k, table.thresholds[row] as number);
  });
  const line = el("tr", {}, el("th", { scope: "row" }, name), value, el("td", {}, slider), ...cells);
  const show: Line["show"] = (threshold, counts, level, moved, chosen) => {
    const found = table && moved ? cellsOf(table, threshold) : counts;
    const { tp, fp, fn, tn } = found;
    line.classList.toggle("chosen", chosen);
    value.textContent = thresholdText(rounded(threshold, 4));
    if (table) {
      const { d, model } = tableOf(table);
      const row = rowAt(d, model, threshold);
      slider.value = String(last + 1 - Math.max(1, row));
      slider.style.setProperty("--at", `${((100 * (Number(slider.value) - 1)) / Math.max(1, last - 1)).toFixed(2)}%`);
      attrs(slider, { "aria-valuetext": `${thresholdText(threshold)}: ${count(tp)} found, ${count(fp)} false alarms` });
    }
    const share = (part: number, of: number): string => {
      if (!of) return "–";
      if (table?.weighted) return fixed(part / of);
      const [low, high] = wilson(part, of, level);
      return estimateText({ value: part / of, low, high });
    };
    [count(tp), count(fp), count(fn), count(tn), share(tp, tp + fp), share(tp, tp + fn)].forEach((text, i) => ((cells[i] as HTMLElement).textContent = text));
    return found;
  };
  return { line, show };
}

// ---- link ----

export function toFragment(state: LabelState): string {
  const moved = Object.entries(state.moved).map(([k, threshold]) => `${k},${threshold}`);
  return [state.chosen === null ? "" : `c=${state.chosen}`, state.zoom ? "zoom=1" : "", state.ratio ? `fn=${state.ratio}` : "", moved.length ? `t=${moved.join(";")}` : ""].filter(Boolean).join("&");
}

/** The state in a fragment; values that cannot be parsed, or are not labels of this report, are ignored. */
export function fromFragment(fragment: string, labels: number): LabelState {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const place = (text: string | null | undefined): number | null => {
    const found = text?.trim() ? Number(text) : NaN;
    return Number.isInteger(found) && found >= 0 && found < labels ? found : null;
  };
  const moved: Record<number, number> = {};
  for (const one of (given.get("t") ?? "").split(";").slice(0, labels)) {
    const [k, threshold] = one.split(",");
    if (place(k) !== null && threshold?.trim() && isFinite(Number(threshold))) moved[place(k) as number] = Number(threshold);
  }
  const ratio = Number(given.get("fn"));
  return { ...START, chosen: place(given.get("c")), zoom: given.get("zoom") === "1", moved, ratio: ratio > 0 && isFinite(ratio) ? ratio : null };
}

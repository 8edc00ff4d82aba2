// Measures at this threshold and over all thresholds; each row expands to its formula with the numbers filled in.

import type { App, View } from "../core/app.ts";
import { bound, type Estimate, type Measure } from "../core/data.ts";
import { attrs, button, el, fill, find, HIDDEN, on, part, text } from "../core/dom.ts";
import { count, fixed, limitsText, methodName, percent, shortName, significant, valueText } from "../core/format.ts";
import { textOf } from "../core/formula.ts";
import type { Interval } from "../core/interval.ts";
import { baselineOf, corrected, dataPrevalence, measureAt, treeOf, reportPrevalence } from "../core/model.ts";
import { spark, type Spark } from "../core/svg.ts";
import { extras } from "./parts/extras.ts";
import { said } from "./parts/said.ts";
import { figure, text as words, type Sheet } from "./parts/sheet.ts";

const USUAL = ["recall", "specificity", "precision", "negative_predictive_value", "f1", "mcc", "balanced_accuracy", "accuracy"];
const ALIASES: Record<string, string> = { npv: "negative_predictive_value", sensitivity: "recall" };
const SHORT: Record<string, string> = { negative_predictive_value: "NPV", mcc: "MCC", auc: "ROC AUC", brier: "Brier" };
const APPARENT = "apparent: not corrected for selection";
const AREAS = ["auc", "average_precision", "brier"];

interface Row {
  key: string;
  line: HTMLElement;
  value: HTMLElement;
  limits: HTMLElement;
  draw: Spark;
  toggle: HTMLButtonElement;
  detail: HTMLElement | null;
  low: number;
  high: number;
  /** Its current value and baseline. */
  read(app: App): { one: Interval; base: number };
  explain(app: App, one: Interval, base: number): (Node | string)[];
}

let body: HTMLElement;
let reading: HTMLElement | null;
let search: HTMLInputElement;
let rows: Row[] = [];
let label: HTMLElement;
let others: HTMLElement;
let over: HTMLElement;
let all = false;
let refresh = () => {};

export const measures: View = {
  id: "measures",
  mount(section, app) {
    const picture = part(section, ".picture", () => el("div.picture"));
    reading = find(section, "p.reading");
    body = el("tbody");
    search = el("input", { type: "search", placeholder: "find a measure", "aria-label": "Find a measure", hidden: true });
    on(search, "input", () => rebuild(app));
    const more = button("All measures", { class: "plain", "aria-expanded": "false" }, () => {
      all = !all;
      search.hidden = !all;
      attrs(more, { "aria-expanded": String(all) });
      text(more, all ? "Fewer measures" : "All measures");
      if (!all) search.value = "";
      // the catalog is a panel with its search field on top, so that the page neither grows nor jumps
      panel.classList.toggle("catalogue", all);
      attrs(panel, { tabindex: all ? 0 : null, role: all ? "region" : null, "aria-label": all ? "All measures" : null });
      if (all) panel.before(tools);
      else panel.after(tools);
      rebuild(app);
      if (all) search.focus({ preventScroll: true });
    });
    const head = el("tr", {}, el("th", { scope: "col" }, "measure"), el("th", { scope: "col", class: "value" }, "value"),
      el("th", { scope: "col", class: "draw" }, el("span.ends", { ...HIDDEN }, el("span", {}, "0"), el("span", {}, "1"))),
      el("th", { scope: "col", class: "interval" }, app.drawing.rates_only ? "" : percent(app.drawing.level)));
    const tools = el("div.all-measures", {}, more, search);
    const panel = el("div", {}, el("table.measures", {}, el("caption.visually-hidden", {}, "Measures with their intervals"), el("thead", {}, head), body));
    fill(picture, panel, tools);
    rebuild(app);
    refresh = extras(section, app, "Measures", () => sheetOf(app), 'ev.estimates["precision"]  # any measure by its name');
  },
  update(app, changed) {
    if (changed.has("model")) rebuild(app);
    else if (changed.has("open")) openRows(app);
    showRows(app);
    say(app);
    refresh();
  },
};

// ---- rows ----

function rebuild(app: App): void {
  const { drawing: d, now } = app;
  const byName = new Map(d.measures.map((one) => [one.name, one]));
  const usual = (d.usual ?? USUAL).map((name) => byName.get(name) ?? byName.get(ALIASES[name] ?? "")).filter((one): one is Measure => !!one);
  const wanted = search.value.trim().toLowerCase();
  const hit = (one: Measure) => `${one.title} ${one.name} ${(one.aka ?? []).join(" ")} ${one.says}`.toLowerCase().includes(wanted);
  const known = now.model.corrected?.measures ?? {};
  const found = all ? d.measures.filter((one) => treeOf(one) && (!wanted || hit(one))) : usual;
  const areas = now.model.areas.filter((one) => (all ? !wanted || `${one.title} ${one.name}`.toLowerCase().includes(wanted) : AREAS.includes(one.name ?? "")));
  // the measures that are corrected at the point are grouped, so that one heading applies to all of them
  const listed = [...found.filter((one) => one.name in known), ...found.filter((one) => !(one.name in known))];
  const first = listed.filter((one) => one.name in known).length;
  rows = [...listed.map((one) => countRow(app, one)), ...areas.map((one) => areaRow(app, one))];
  const heading = (words: string) => el("tr.group", {}, el("th", { colspan: 4, scope: "rowgroup" }, words));
  const split = listed.length;
  const lines = rows.map((row) => row.line);
  [label, others, over] = [heading(""), heading(APPARENT), heading("over all thresholds")];
  fill(body, first ? label : null, ...lines.slice(0, first), first && first < split ? others : null, ...lines.slice(first, split), areas.length ? over : null, ...lines.slice(split));
  if (!rows.length) body.append(el("tr", {}, el("td", { colspan: 4 }, `No measure matches \u201c${search.value.trim()}\u201d.`)));
  openRows(app);
  showRows(app);
}

function makeRow(app: App, key: string, title: string, rest: Pick<Row, "read" | "explain" | "low" | "high">): Row {
  const toggle = button(title, { "aria-expanded": "false" }, () => {
    const { open } = app.state;
    app.set({ open: open.includes(key) ? open.filter((one) => one !== key) : [...open, key] });
  });
  const draw = spark(app.now.model.slot);
  const [value, limits] = [el("td.value"), el("td.interval")];
  const line = el("tr", {}, el("th", { scope: "row", class: app.drawing.advised?.measures.includes(key) ? "advised" : null }, toggle), value, el("td.draw", {}, draw.node), limits);
  return { key, line, value, limits, draw, toggle, detail: null, ...rest };
}

function countRow(app: App, measure: Measure): Row {
  return makeRow(app, measure.name, SHORT[measure.name] ?? measure.title, {
    low: bound(measure.low, -Infinity),
    high: bound(measure.high, Infinity),
    read: ({ drawing, now }) => ({
      one: corrected(drawing, now)?.measures[measure.name] ? interval(corrected(drawing, now)?.measures[measure.name] as Estimate)
        : measureAt(drawing, measure, now.model, now.row, now.prevalence),
      base: baselineOf(measure, now.cells),
    }),
    explain: (inner, one, base) => [
      el("code", {}, worked(inner, measure, measureAt(inner.drawing, measure, inner.now.model, inner.now.row, inner.now.prevalence))),
      `${measure.says} `,
      isNaN(base) ? "" : `Chance level: ${significant(base)}${measure.name === "accuracy" ? " (the larger class)" : ""}. `,
      how(inner, one),
    ],
  });
}

const number = (x: number | null | undefined) => x ?? NaN;
const interval = (one: Estimate): Interval =>
  ({ value: number(one.value), low: number(one.low), high: number(one.high), method: one.method ?? "", why: one.why ?? "" });

function areaRow(app: App, area: Estimate): Row {
  const one = interval(area);
  return makeRow(app, area.name ?? "", SHORT[area.name ?? ""] ?? area.title ?? area.name ?? "", {
    low: 0,
    high: area.name === "log_loss" ? Infinity : 1,
    read: () => ({ one, base: number(area.baseline) }),
    explain: (inner, found, base) => [
      AREA_WORDS[area.name ?? ""] ?? "Computed from the whole curve.", " ",
      isNaN(base) ? "" : `Uninformative scores: ${significant(base)}. `, how(inner, found),
      area.name === "auc" ? "" : area.name === "average_precision" ? stale(inner, " At", ".") : sampled(inner, " At", "."),
    ],
  });
}

/** Average precision is computed for the prevalence of the report; says so when another one is selected. */
const stale = ({ now, drawing }: App, start: string, end = "") =>
  now.prevalence === reportPrevalence(drawing) ? "" : `${start} the prevalence of the report, ${percent(reportPrevalence(drawing))}${end}`;

/** Losses are those of the data; says so when another prevalence is selected. */
const sampled = ({ now, drawing }: App, start: string, end = "") =>
  now.off ? `${start} the prevalence of the data, ${percent(dataPrevalence(drawing))}${end}` : "";

const AREA_WORDS: Record<string, string> = {
  auc: "The probability that a random positive scores higher than a random negative; ties count one half.",
  average_precision: "Precision averaged over the positives, each at its own threshold.",
  brier: "The mean squared difference between the predicted probability and the outcome; lower is better.",
  log_loss: "The mean negative log-likelihood of a case, in nats; lower is better.",
};

function worked(app: App, measure: Measure, one: Interval): string {
  const tree = treeOf(measure);
  if (!tree) return measure.formula ?? "";
  const { now } = app;
  const per = now.off ? 1000 / (now.cells.tp + now.cells.fp + now.cells.fn + now.cells.tn) : 1;
  const shown = (x: number) => (now.off ? fixed(x * per, 1) : count(x).replace(/,/g, ""));
  return `${textOf(tree, (cell) => cell.toUpperCase())} = ${textOf(tree, (cell) => shown(now.cells[cell]))} = ${isNaN(one.value) ? "undefined" : valueText(one)}`;
}

const how = (app: App, one: Interval) =>
  one.why && (isNaN(one.value) || isNaN(one.low)) ? `${capital(one.why)}.` : one.method ? `Interval: ${methodName(one.method)}, ${percent(app.drawing.level)}.` : "";

const capital = (words: string) => words.charAt(0).toUpperCase() + words.slice(1);

/** Adds a detail row after each expanded row and removes the others. */
function openRows(app: App): void {
  for (const row of rows) {
    const open = app.state.open.includes(row.key);
    attrs(row.toggle, { "aria-expanded": String(open) });
    if (open && !row.detail) {
      row.detail = el("tr.formula-row", {}, el("td", { colspan: 4 }, el("div.formula")));
      row.line.after(row.detail);
    } else if (!open && row.detail) {
      row.detail.remove();
      row.detail = null;
    }
  }
}

// ---- updates ----

function showRows(app: App): void {
  const chosen = corrected(app.drawing, app.now);
  text(find(label, "th") as Element, chosen?.label ?? APPARENT);
  others.hidden = !chosen;
  const shown = (name: string) => rows.some((row) => row.key === name);
  const notes = [shown("average_precision") ? stale(app, "average precision at") : "", shown("brier") ? sampled(app, "Brier score at") : ""];
  text(find(over, "th") as Element, ["over all thresholds", ...notes.filter((one) => one)].join("; "));
  for (const row of rows) {
    const { one, base } = row.read(app);
    text(row.value, valueText(one));
    const limits = limitsText(one);
    // also replaces the drawing; the lack of intervals for rates is stated once above, not in every row
    const reason = !limits && !(app.drawing.rates_only && !isNaN(one.value)) && one.why;
    text(row.limits, limits || reason || "");
    attrs(row.limits, { class: reason ? "why" : "interval", colspan: reason ? 2 : null });
    attrs(row.draw.node.parentElement as Element, { hidden: !!reason });
    const [place, at] = axisOf(row, one);
    row.draw.move(place(one.value), place(one.low), place(one.high), place(base));
    attrs(row.draw.node, { "data-axis": at });
    if (row.detail) fill(find(row.detail, ".formula") as HTMLElement, ...row.explain(app, one, base));
  }
}

/** The position of a value: 0 to 1 for shares, -1 to 1 if it is negative, a log scale around 1 for ratios. */
function axisOf(row: Row, one: Interval): [(x: number) => number, string | null] {
  if (row.high === 1 && row.low >= 0) return [(x) => x, null];
  if (isFinite(row.high) && isFinite(row.low)) {
    if (row.low < 0 && one.low >= 0 && row.high === 1) return [(x) => x, null];
    return [(x) => (x - row.low) / (row.high - row.low), "own"];
  }
  if (row.low >= 0) return [(x) => (x > 0 ? 0.5 + Math.log10(x) / 6 : x === 0 ? 0 : NaN), "log"];
  return [(x) => 0.5 + Math.atan(x / 2) / Math.PI, "own"];
}

function say(app: App): void {
  const { drawing: d, now } = app;
  if (!reading) return;
  const accuracy = d.measures.find((one) => one.name === "accuracy");
  const nodes: (Node | string)[] = said(app, "measures");
  if (d.advised) nodes.push(" ", ...said(app, "measures_advised", { why: d.advised.why }));
  if (accuracy) {
    const value = corrected(d, now)?.measures["accuracy"]?.value ?? measureAt(d, accuracy, now.model, now.row, now.prevalence).value;
    const base = baselineOf(accuracy, now.cells);
    if (base >= 0.6 && value >= base && value - base < 0.5 * (1 - base)) {
      nodes.push(" ", ...said(app, "measures_accuracy", { accuracy: value, baseline: base }));
    }
  }
  fill(reading, ...nodes);
}

// ---- table of the data ----

function sheetOf(app: App): Sheet {
  const lines = rows.map((row) => {
    const { one, base } = row.read(app);
    const decimals = (x: number) => figure(isNaN(x) ? "\u2013" : significant(x, 4), x);
    return [words(row.toggle.textContent ?? ""), decimals(one.value), decimals(one.low), decimals(one.high), decimals(base), words(methodName(one.method) || one.why)];
  });
  const columns = ["measure", "value", "low", "high", "at random", "interval"].map((name, i) => ({ name, number: i > 0 && i < 5 }));
  return { caption: `${shortName(app.now.model.name)} at ${app.now.at}`, columns, rows: lines };
}

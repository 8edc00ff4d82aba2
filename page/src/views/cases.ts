// The confusion matrix, in counts or per 1,000, in either orientation, and a grid of 1,000 marks.

import type { App, View } from "../core/app.ts";
import { attrs, button, el, fill, find, HIDDEN, part, pressed, text } from "../core/dom.ts";
import { count, fixed, percent, perCases, shortName, whole } from "../core/format.ts";
import { CELLS, type Cell, type Cells } from "../core/formula.ts";
import { svg } from "../core/svg.ts";
import { showCases } from "./caselist.ts";
import { extras } from "./parts/extras.ts";
import { figure, numbers, text as words, type Sheet } from "./parts/sheet.ts";
import { apparent, said, wordsOf } from "./parts/said.ts";
import { COLUMNS, ROWS, mark, marksFor, marksOf, thousandths } from "./parts/thousand.ts";

const WORDS: Record<Cell, string> = { tp: "found", fn: "missed", fp: "false alarms", tn: "not flagged" };
const MEANS: Record<Cell, (d: App["drawing"]) => string> = {
  tp: (d) => `True positives: ${d.positive} and ${d.flagged}.`,
  fn: (d) => `False negatives: ${d.positive}, yet ${d.cleared}.`,
  fp: (d) => `False positives: ${d.negative}, yet ${d.flagged}.`,
  tn: (d) => `True negatives: ${d.negative} and ${d.cleared}.`,
};
const GRID = ["found", "missed", "alarm", "cleared"];

interface CellNodes {
  box: HTMLTableCellElement;
  count: HTMLElement;
  share: HTMLElement;
  outcome: HTMLElement;
  cost: HTMLElement;
}

let picture: HTMLElement;
let reading: HTMLElement | null;
let unitSwitch: [HTMLButtonElement, HTMLButtonElement];
let rowSwitch: [HTMLButtonElement, HTMLButtonElement];
let holder: HTMLElement;
let detail: HTMLElement;
let cells: Map<Cell, CellNodes>;
let totals: Map<string, HTMLElement>;
let paths: SVGPathElement[][];
let legend: HTMLElement[];
let scaleNote: HTMLElement;
let chosen: Cell | null = null;
let grid = "";
let refresh = () => {};

export const cases: View = {
  id: "cases",
  mount(section, app) {
    picture = part(section, ".picture", () => el("div.picture"));
    reading = find(section, "p.reading");
    unitSwitch = pair(app.drawing.weighted ? "weight" : "counts", "per 1,000", (first) => app.set({ unit: first ? "counts" : "thousand" }));
    rowSwitch = pair("rows: actual", "predicted", (first) => app.set({ rows: first ? "actual" : "predicted" }));
    holder = el("div");
    detail = el("div.formula", { hidden: true });
    fill(picture,
      el("div.switches", {}, group("Unit", unitSwitch), group("Orientation of the table", rowSwitch)),
      holder, detail, makeGrid());
    layOut(app);
    refresh = extras(section, app, "Confusion matrix", () => sheetOf(app), "ev.point.counts");
  },
  update(app, changed) {
    if (changed.has("rows") || changed.has("model")) layOut(app);
    show(app);
    refresh();
    if (chosen) explain(app, chosen);
  },
};

function pair(first: string, second: string, chosen_: (first: boolean) => void): [HTMLButtonElement, HTMLButtonElement] {
  return [button(first, { "aria-pressed": "true" }, () => chosen_(true)), button(second, { "aria-pressed": "false" }, () => chosen_(false))];
}

const group = (label: string, nodes: Node[]) => {
  const box = el("div.switch", { role: "group", "aria-label": label });
  box.append(...nodes);
  return box;
};

// ---- matrix ----

/** Builds the table for an orientation; the names of both axes are written out in either case. */
function layOut(app: App): void {
  const { drawing: d, state } = app;
  cells = new Map();
  totals = new Map();
  const actual = { axis: "actual", names: [d.positive, d.negative], of: ["actual positive", "actual negative"] };
  const predicted = { axis: "predicted", names: [d.flagged, d.cleared], of: ["flagged", "cleared"] };
  const [rows, columns] = state.rows === "actual" ? [actual, predicted] : [predicted, actual];
  const order: Cell[][] = state.rows === "actual" ? [["tp", "fn"], ["fp", "tn"]] : [["tp", "fp"], ["fn", "tn"]];
  const total = (key: string) => {
    const node = el("td.total");
    totals.set(key, node);
    return node;
  };
  const head = el("tr", {}, el("td.corner"),
    ...columns.names.map((name, i) => el("th", { scope: "col" }, i ? el("i", {}, "\u00a0") : el("i", {}, columns.axis), el("bdi", {}, name))),
    el("th", { scope: "col" }, el("i", {}, "\u00a0"), "all"));
  const body = order.map((line, i) => el("tr", {},
    el("th", { scope: "row" }, el("i", {}, rows.axis), el("bdi", {}, rows.names[i] as string)),
    ...line.map((name) => cellNode(app, name)), total(rows.of[i] as string)));
  const foot = el("tr", {}, el("th", { scope: "row" }, "all"), total(columns.of[0] as string), total(columns.of[1] as string), total("all"));
  fill(holder, el("table.matrix", {},
    el("caption.visually-hidden", {}, `Rows: ${rows.axis}; columns: ${columns.axis}`),
    el("colgroup", {}, el("col.head"), el("col"), el("col"), el("col.all")),
    el("thead", {}, head), el("tbody", {}, ...body, foot)));
}

function cellNode(app: App, name: Cell): HTMLElement {
  const wrong = name === "fp" || name === "fn";
  const kind = el("span.kind", {}, name.toUpperCase());
  const [number, share, outcome, cost] = [el("span.count"), el("span.line"), el("span.line"), el("span.line")];
  const open = button(number, { class: "cell", title: "Show the cases of this cell" }, () => {
    chosen = chosen === name ? null : name;
    if (chosen) explain(app, chosen);
    else detail.hidden = true;
  });
  open.append(el("span.visually-hidden", {}, ` ${name.toUpperCase()}, show the cases of this cell`));
  const box = el("td", { class: wrong ? "wrong" : "right" }, kind, open, share, outcome, cost);
  cells.set(name, { box, count: number, share, outcome, cost });
  return box;
}

// ---- updates ----

function show(app: App): void {
  const { now, state, drawing: d } = app;
  const perThousand = state.unit === "thousand" || now.off || !!d.rates_only;
  attrs(unitSwitch[0], { "aria-pressed": String(!perThousand), disabled: now.off || d.rates_only, title: d.rates_only ? "Rates were given without counts" : now.off ? "Counts cannot be shown at another prevalence" : null });
  attrs(unitSwitch[1], pressed(perThousand));
  attrs(rowSwitch[0], pressed(state.rows === "actual"));
  attrs(rowSwitch[1], pressed(state.rows === "predicted"));
  const per = perOf(now.cells);
  const thousand = thousandths(now.cells, per);
  const shown = perThousand ? thousand : now.counted;
  text(unitSwitch[1], `per ${count(per)}`);
  const written = (x: number) => (perThousand ? whole(x) : count(x));
  showCells(app, shown, perThousand ? per : 0, written);
  const sums: Record<string, number> = {
    "actual positive": shown.tp + shown.fn, "actual negative": shown.fp + shown.tn,
    flagged: shown.tp + shown.fp, cleared: shown.fn + shown.tn, all: shown.tp + shown.fp + shown.fn + shown.tn,
  };
  for (const [key, node] of totals) text(node, written(sums[key] as number));
  const longest = Math.max(...CELLS.map((name) => written(shown[name]).length));
  attrs(holder, { class: longest > 6 ? "large" : null }); // TP, FP, FN and TN then get a separate line
  if (d.weighted && !perThousand) attrs(totals.get("all") as HTMLElement, { title: "sums of weights" });
  showGrid(now.cells, thousand, per);
  say(app, thousand, per);
}

/** 1,000, or as many cases as needed for hits, misses and false alarms to be at least 1 each. */
const perOf = (cells_: Cells) => perCases([cells_.tp, cells_.fn, cells_.fp].map((cell) => cell / sum(cells_)));

/** The cells as counts, or `per` this many cases. */
function showCells(app: App, shown: Cells, per: number, written: (x: number) => string): void {
  const { now, drawing: d } = app;
  const scale = per ? per / sum(now.cells) : 1;
  const exact = per ? now.cells : now.counted;
  const costs = { fp: now.prices.fp * exact.fp * scale, fn: now.prices.fn * exact.fn * scale };
  const both = costs.fp + costs.fn;
  const priced = d.state.priced !== false || now.prices.fp !== now.prices.fn;
  for (const name of CELLS) {
    const node = cells.get(name) as CellNodes;
    const positive = name === "tp" || name === "fn";
    const all = positive ? now.counted.tp + now.counted.fn : now.counted.fp + now.counted.tn;
    text(node.count, written(shown[name]));
    node.count.classList.toggle("long", written(shown[name]).length > 5);
    text(node.share, all ? `${percent(now.counted[name] / all)} of ${positive ? d.positive : d.negative}` : "\u2013");
    if (name === "tp" || name === "tn") text(node.outcome, WORDS[name]);
    else {
      text(node.outcome, "");
      text(node.cost, priced ? `cost ${whole(costs[name])}` : "");
      const tint = both > 0 ? Math.min(7, Math.round((8 * costs[name]) / both)) : 0;
      attrs(node.box, { class: `wrong tint${tint}`, "data-tint": tint });
    }
  }
}

const sum = (one: Cells) => one.tp + one.fp + one.fn + one.tn;

function say(app: App, { tp, fp, fn }: Cells, per: number): void {
  const { now, drawing: d } = app;
  if (!reading) return;
  const slots = { per, flagged: tp + fp, found: tp, missed: fn };
  const priced = d.state.priced !== false || now.prices.fp !== now.prices.fn;
  fill(reading, ...said(app, "cases", slots), ...(priced ? [" ", ...said(app, "cases_cost", { cost: now.cost })] : []), ...apparent(app));
}

/** The contents of a cell: its cases if the document has them, otherwise what it means and how it is counted. */
function explain(app: App, name: Cell): void {
  const { now, state, drawing: d } = app;
  detail.hidden = false;
  const section = picture.closest("section") as HTMLElement;
  if (d.cases && showCases(section, d, { model: state.model, threshold: now.threshold, cell: name })) {
    detail.hidden = true;
    return;
  }
  const cells_ = now.counted;
  const formula = { tp: ["FN", d.positives, cells_.fn], fn: ["TP", d.positives, cells_.tp], fp: ["TN", d.negatives, cells_.tn], tn: ["FP", d.negatives, cells_.fp] }[name] as [string, number, number];
  const actual = name === "tp" || name === "fn" ? wordsOf(d).positives : wordsOf(d).negatives;
  fill(detail, el("code", {}, `${name.toUpperCase()} = ${actual} \u2212 ${formula[0]} = ${count(formula[1])} \u2212 ${count(formula[2])} = ${count(cells_[name])}`),
    MEANS[name](d), d.cases ? "" : " The cases themselves are not in this file.");
}

// ---- grid of 1,000 marks ----

/** The classes of the paths of a kind: a missed case is a ring. */
const looks = (kind: string) => (kind === "missed" ? ["k-missed", "k-hole"] : [`k-${kind}`]);

function makeGrid(): HTMLElement {
  paths = GRID.map((kind) => looks(kind).map((name) => svg("path", { class: name })));
  const drawing = svg("svg", { viewBox: `0 0 ${COLUMNS} ${ROWS}`, ...HIDDEN }, ...paths.flat());
  legend = GRID.map(() => el("span"));
  scaleNote = el("li.muted", { hidden: true });
  const items = legend.map((node, i) => el("li", {},
    svg("svg", { viewBox: "0 0 1 1", ...HIDDEN }, ...looks(GRID[i] as string).map((name) => svg("path", { class: name, d: mark(i, 0, 0) }))), node));
  return el("div", {}, el("div.thousand", {}, drawing), el("ul.legend", {}, ...items, scaleNote));
}

const ORDER: Cell[] = ["tp", "fn", "fp", "tn"];

function showGrid(exact: Cells, numbers: Cells, per: number): void {
  const marks = marksFor(exact);
  const key = ORDER.map((name) => `${marks[name]} ${numbers[name]}`).join(" ");
  if (key === grid) return;
  grid = key;
  marksOf(ORDER.map((name) => marks[name])).forEach((d, i) => paths[i]?.forEach((path) => path.setAttribute("d", d)));
  ORDER.forEach((name, i) => text(legend[i] as HTMLElement, `${count(numbers[name])} ${numbers[name] === 1 ? WORDS[name].replace(/s$/, "") : WORDS[name]}`));
  scaleNote.hidden = per === 1000;
  text(scaleNote, `of ${count(per)}; each mark stands for about ${count(per / 1000)}`);
}

// ---- table of the data ----

function sheetOf(app: App): Sheet {
  const { now } = app;
  const [all, per] = [sum(now.cells), perOf(now.cells)];
  const rows = ORDER.map((name) => {
    const share = (per * now.cells[name]) / all;
    return [words(name.toUpperCase()), words(WORDS[name]), now.off ? words("\u2013") : figure(count(now.counted[name]), now.counted[name]), figure(fixed(share, 1), share)];
  });
  const columns = [{ name: "cell" }, { name: "" }, ...numbers(app.drawing.weighted ? "weight" : "count", `per ${count(per)}`)];
  return { caption: `${shortName(now.model.name)} at ${now.at}`, columns, rows };
}

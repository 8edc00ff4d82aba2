// Interactive multiclass matrix: two orders, totals, and the contents and cost of a cell that is clicked.

import { attrs, button, el, fill, find, group, on, pressed } from "../core/dom.ts";
import { count, estimateText, percent, shortName, significant } from "../core/format.ts";
import { actualOf, confusions, costOf, naturalOrder, predictedOf, shareOf, sumOf, totalOf, type Matrix } from "./counts.ts";
import { tableOf } from "../views/table.ts";
import { visible } from "../core/names.ts";
import { figure, text } from "../views/parts/sheet.ts";
import type { ClassState } from "./state.ts";

export interface ClassReport {
  readonly labels: readonly string[];
  readonly cells: Matrix;
  /** The labels in an order that groups classes that are confused. */
  readonly order: readonly number[];
  readonly level: number;
  readonly unit: string;
  readonly units: string;
  readonly cases: ClassCases | null;
}

/** Cases of the file: actual and predicted class as positions among the labels, errors before correct ones. */
export interface ClassCases {
  readonly ids: readonly string[];
  readonly actual: readonly number[];
  readonly predicted: readonly number[];
  /** The score of the predicted class. */
  readonly scores: readonly number[] | null;
}

type Set = (patch: Partial<ClassState>) => void;
const WHOLE = 30; // maximum number of classes that are all shown on request

export function mountMatrix(section: HTMLElement, report: ClassReport, set: Set): (state: ClassState) => void {
  const picture = find(section, ".picture") as HTMLElement;
  const reading = find(section, ".reading") as HTMLElement;
  const orders = (["confused", "natural"] as const).map((order) => button(order === "confused" ? "similar classes together" : "natural order", { "data-order": order }, () => set({ order })));
  const switches = el("div.switch", { ...group("Order of the classes") }, ...orders);
  const holder = el("div.scroll.tall", { tabindex: 0 });
  const detail = el("div.formula", { "aria-live": "polite", hidden: true });
  fill(picture, el("div.switches", {}, switches), holder, detail);
  return (state) => {
    orders.forEach((one) => attrs(one, pressed(one.dataset["order"] === state.order)));
    fill(holder, table(report, state, set));
    fill(reading, ...readingOf(report, state));
    explain(detail, report, state, set);
  };
}

function shownOf({ labels, order }: ClassReport, state: ClassState): number[] {
  const all = state.order === "natural" ? naturalOrder(labels) : [...order];
  return all.slice(0, WHOLE);
}

function table(report: ClassReport, state: ClassState, set: Set): HTMLElement {
  const { labels, cells } = report;
  const shown = shownOf(report, state);
  const most = Math.max(1, ...confusions(cells).map((one) => one.count));
  const look = (k: number) => (state.chosen === k ? "chosen" : null);
  const name = (k: number) => button(shortName(labels[k] as string, 16), { class: "link", title: `Show ${labels[k]} against the rest`, "aria-pressed": String(state.chosen === k) }, () =>
    set({ chosen: state.chosen === k ? null : k }));
  const head = el("tr", {}, el("td"), ...shown.map((k) => el("th", { scope: "col", class: look(k) }, el("bdi", {}, shortName(labels[k] as string, 16)))), el("th", { scope: "col" }, "all"));
  const rows = shown.map((i) => el("tr", { class: look(i) },
    el("th", { scope: "row" }, name(i)),
    ...shown.map((j) => cellNode(report, state, i, j, most, set)),
    el("td.total", {}, count(actualOf(cells, i)))));
  const foot = el("tr", {}, el("th", { scope: "row" }, "all"), ...shown.map((j) => el("td.total", {}, count(predictedOf(cells, j)))), el("td.total", {}, count(totalOf(cells))));
  return el("table", { class: shown.length <= 5 ? "classes few" : "classes" }, el("caption.muted", {}, "rows: actual; columns: predicted"), el("thead", {}, head), el("tbody", {}, ...rows, foot));
}

function cellNode({ labels, cells }: ClassReport, state: ClassState, i: number, j: number, most: number, set: Set): HTMLElement {
  const value = cells[i]?.[j] ?? 0;
  const open = state.cell?.[0] === i && state.cell[1] === j;
  const tint = i === j ? null : `wrong tint${Math.min(7, Math.round((7 * value) / most))}`;
  const said = `actual ${labels[i]}, predicted ${labels[j]}: ${count(value)}`;
  const press = button(value ? count(value) : "", { class: "cell", "aria-label": said, title: said, "aria-pressed": String(open) }, () => set({ cell: open ? null : [i, j] }));
  const cross = state.chosen !== null && (state.chosen === i || state.chosen === j) ? " of-chosen" : "";
  return el("td", { class: `${tint ?? "right"}${cross}`, "data-tint": tint !== null }, press);
}

function readingOf({ labels, cells, units, cases }: ClassReport, state: ClassState): Node[] {
  const [worst] = confusions(cells);
  const wrong = sumOf(confusions(cells).map((one) => one.count));
  const parts: (Node | string)[] = [el("b", {}, `${labels.length} classes. `)];
  if (worst) parts.push("Most frequent confusion: ", el("b", {}, `${labels[worst.i]} mistaken for ${labels[worst.j]}`), `, ${count(worst.count)} of ${count(wrong)} errors. `);
  else parts.push("Every case is classified correctly. ");
  const priced = Object.values(state.costs).some((cost) => cost !== 1);
  parts.push(priced ? `The errors cost ${significant(costOf(cells, state.costs))} per 1,000 ${units}, each confusion at its own cost.` : `Select a cell to see its share${cases ? ", its cost and its cases" : " and its cost"}.`);
  return parts.map((one) => (typeof one === "string" ? document.createTextNode(one) : one));
}

/** The contents of a cell, and a field for the cost of its confusion. */
function explain(detail: HTMLElement, report: ClassReport, { cell, costs }: ClassState, set: Set): void {
  detail.hidden = !cell;
  if (!cell) return void fill(detail);
  const [i, j] = cell;
  const { labels, cells, level } = report;
  const share = shareOf(cells, i, j, level);
  const words = i === j ? `${percent(share.value)} of the actual ${labels[i]} are found` : `${percent(share.value)} of the actual ${labels[i]} are mistaken for ${labels[j]}`;
  const nodes: (Node | string)[] = [el("b", {}, `${count(cells[i]?.[j] ?? 0)} of ${count(actualOf(cells, i))}: `), `${words}, ${estimateText(share)}. `];
  if (i !== j) {
    const field = el("input", { type: "text", inputmode: "decimal", "aria-label": `Cost of taking ${labels[i]} for ${labels[j]}`, value: String(costs[`${i},${j}`] ?? 1) });
    on(field, "change", () => {
      const cost = Number(field.value.replace(",", "."));
      if (isFinite(cost) && cost >= 0) set({ costs: { ...costs, [`${i},${j}`]: cost } });
    });
    nodes.push(el("label.priced", {}, "Cost of this error: ", field, " (all others cost 1). "), `Total cost: ${significant(costOf(cells, costs))} per 1,000.`);
  }
  fill(detail, ...nodes, ...casesIn(report, i, j));
}

/** The cases in a cell, the most certain first; nothing if the report contains no cases. */
function casesIn({ cases, cells, labels, unit, units }: ClassReport, i: number, j: number): Node[] {
  if (!cases) return [];
  const sure = cases.scores;
  const rows = cases.ids.map((_, row) => row).filter((row) => cases.actual[row] === i && cases.predicted[row] === j);
  if (sure) rows.sort((a, b) => (sure[b] as number) - (sure[a] as number));
  const all = cells[i]?.[j] ?? 0;
  const many = all === rows.length ? count(all) : `${count(rows.length)} of ${count(all)}`;
  return [tableOf({
    caption: `${many} ${all === 1 ? unit : units}: actual ${shortName(labels[i] as string)}, predicted ${shortName(labels[j] as string)}`,
    columns: [{ name: unit }, ...(sure ? [{ name: "score", number: true }] : [])],
    rows: rows.map((row) => [text(visible(cases.ids[row] as string)), ...(sure ? [figure(String(sure[row]), sure[row])] : [])]),
  })];
}

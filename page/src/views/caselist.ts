// The cases in a cell or at a point, if the results document contains them.
import type { Drawing } from "../core/data.ts";
import { el, find, on } from "../core/dom.ts";
import { count } from "../core/format.ts";
import { cellsAt, rowAt } from "../core/model.ts";
import { tableOf } from "./table.ts";
import { brief, visible } from "./parts/names.ts";
import { figure, text, type Sheet } from "./parts/sheet.ts";

export type Kind = "tp" | "fp" | "fn" | "tn" | "near";

export interface Asked {
  readonly model: number;
  readonly threshold: number | null;
  readonly cell: Kind;
}

const NEAR = 20;
const WORDS: Readonly<Record<Kind, string>> = { tp: "found", fp: "false alarms", fn: "missed", tn: "not flagged", near: "nearest to the threshold" };

/** The rows of the embedded cases that are in a cell, most certain first, or closest to the threshold first. */
export function casesIn(drawing: Drawing, asked: Asked): { row: number; score: number }[] {
  const model = drawing.models[asked.model];
  const cases = drawing.cases;
  if (!model || !cases) return [];
  const scores = cases.scores[model.name] ?? [];
  const higher = drawing.rule === ">=";
  const cut = asked.threshold;
  const flagged = (score: number): boolean => cut !== null && (higher ? score >= cut : score <= cut);
  const found = cases.ids.map((_, row) => ({ row, score: scores[row] ?? NaN })).filter((one) => isFinite(one.score));
  if (asked.cell === "near") {
    const distance = (score: number): number => Math.abs(score - (cut ?? 0));
    return found.sort((a, b) => distance(a.score) - distance(b.score)).slice(0, NEAR);
  }
  const positive = asked.cell === "tp" || asked.cell === "fn";
  const wanted = asked.cell === "tp" || asked.cell === "fp";
  return found
    .filter((one) => isPositive(drawing, cases.label[one.row]) === positive && flagged(one.score) === wanted)
    .sort((a, b) => (higher ? b.score - a.score : a.score - b.score));
}

/** 1 is positive, 0 negative; text is compared with the name of the positive class. */
function isPositive(drawing: Drawing, label: unknown): boolean {
  if (typeof label !== "string") return Boolean(label);
  return label === drawing.positive || (drawing.positive === "positive" && /^(1|1\.0|true)$/i.test(label));
}

export function caseSheet(drawing: Drawing, asked: Asked): Sheet {
  const cases = drawing.cases;
  const rows = casesIn(drawing, asked).map(({ row, score }) => [
    text(visible(String(cases?.ids[row] ?? row))),
    text(isPositive(drawing, cases?.label[row]) ? visible(drawing.positive) : visible(drawing.negative)),
    figure(String(score), score),
  ]);
  const model = drawing.models[asked.model];
  const all = model && asked.cell !== "near" && !drawing.weighted ? cellsAt(drawing, model, rowAt(drawing, model, asked.threshold))[asked.cell] : rows.length;
  // the report may contain only some of the cases; the list then states of how many, as counted in the matrix
  const many = all === rows.length ? String(all) : `${count(rows.length)} of ${count(all)}`;
  return {
    caption: `${many} ${all === 1 ? drawing.unit : drawing.units} ${WORDS[asked.cell]}, ${brief(model?.name ?? "")}`,
    columns: [{ name: drawing.unit }, { name: "actual" }, { name: "score", number: true }],
    rows,
    note: cases && cases.more > 0 ? `The report contains ${cases.ids.length} of ${cases.ids.length + cases.more} ${drawing.units}.` : "",
  };
}

/** Lists the cases below a view; false if the document contains none. */
export function showCases(section: HTMLElement, drawing: Drawing, asked: Asked): boolean {
  if (!drawing.cases) return false;
  find(section, ":scope > .caselist")?.remove();
  const shut = el("button", { type: "button", class: "shut" }, "Close");
  const list = el("div.caselist", {}, tableOf(caseSheet(drawing, asked)), shut);
  on(shut, "click", () => list.remove());
  section.append(list);
  return true;
}

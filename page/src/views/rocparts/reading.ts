// Values from the ROC plot: thresholds on the curve, the closest point, the table.

import { rounded } from "../../core/small.ts";
import { thresholdAt, type App } from "../../core/app.ts";
import type { Scale } from "../../core/axis.ts";
import type { Model } from "../../core/data.ts";
import { fixed, shortName, whole } from "../../core/format.ts";
import { cellsAt, cellsFor, costPer1000, pointAt, precisionOf } from "../../core/model.ts";
import { figure, numbers, text as words, type Sheet } from "../parts/sheet.ts";

const WRITTEN = [0.9, 0.7, 0.5, 0.3, 0.1, 0.05, 0.02, 0.01];

/** The thresholds shown on the curve: round ones for probabilities, otherwise some of the scores. */
export function writtenThresholds(app: App): number[] {
  if (app.drawing.probabilities) return WRITTEN;
  const { thresholds } = app.now.model;
  return [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9].flatMap((share) => {
    const one = thresholds[Math.max(1, Math.round(share * (thresholds.length - 1)))];
    return typeof one === "number" ? [rounded(one, 3)] : [];
  });
}

/** The row of a model that is closest to a position in the plot, and its distance. */
export function nearestRow(app: App, model: Model, x: Scale, y: Scale, px: number, py: number): { row: number; away: number } {
  let [row, away] = [0, Infinity];
  for (let i = 0; i < model.tp.length; i += 1) {
    const p = pointAt(app.drawing, model, i);
    const far = Math.hypot(x(p.fpr) - px, y(p.tpr) - py);
    if (far < away) [row, away] = [i, far];
  }
  return { row, away };
}

/** The values of a row: its rates, its precision and its cost at the selected costs and prevalence. */
function readingOf({ drawing: d, now }: App, model: Model, row: number) {
  const point = pointAt(d, model, row);
  const precision = precisionOf(cellsFor(d, cellsAt(d, model, row), now.prevalence));
  return { ...point, precision, cost: costPer1000(d, point, now.prices, now.prevalence) };
}

/** A point as hover text. */
export function pointWords(app: App, model: Model, row: number): string {
  const { fpr, tpr, precision, cost } = readingOf(app, model, row);
  const at = model.labels_only ? "" : `, threshold ${thresholdAt(model, row)}`;
  return `${shortName(model.name)}${at}: recall ${fixed(tpr, 2)}, FPR ${fixed(fpr, 3)}, precision ${fixed(precision, 2)}, cost ${whole(cost)}`;
}

/** The data of the plot: every stored threshold of the selected model. */
export function sheetOf(app: App): Sheet {
  const { model } = app.now;
  const rows = model.thresholds.map((threshold, row) => {
    const { fpr, tpr, precision, cost } = readingOf(app, model, row);
    const shares = [fpr, tpr, precision].map((share) => figure(fixed(share, 4), share));
    return [threshold === null ? words("none") : figure(thresholdAt(model, row), threshold), ...shares, figure(whole(cost), cost)];
  });
  const names = ["threshold", "false positive rate", "true positive rate", "precision", "cost per 1,000"];
  return { caption: `ROC of ${shortName(model.name)}`, columns: numbers(...names), rows };
}

// The computations of the page: pure functions of a drawing and a setting. No DOM, no state; the node tests compare each of
// them with Python.

import { bound, type Drawing, type HullPoint, type Measure, type Model } from "./data.ts";
import { evaluate, parse, type Cells, type Node } from "./formula.ts";
import { carried, estimate, expectedCost, type Interval, type Prices } from "./interval.ts";

export { carried } from "./interval.ts";
export type { Cells } from "./formula.ts";
export type { Interval, Prices } from "./interval.ts";

/** The prevalence of the data. */
export const dataPrevalence = (d: Drawing) => d.positives / (d.positives + d.negatives);

/** The prevalence for which the report was computed. */
export const reportPrevalence = (d: Drawing) => d.state.prevalence ?? dataPrevalence(d);

/** Whether a prevalence differs from that of the data by more than rounding. */
export const isOff = (d: Drawing, prevalence: number) =>
  Math.abs(prevalence - dataPrevalence(d)) > 1e-9 * Math.max(prevalence, dataPrevalence(d));

// ---- counts at a threshold ----

/** The row of the table that applies at a threshold: the last stored score that is still flagged. null flags nothing. */
export function rowAt(d: Drawing, model: Model, threshold: number | null): number {
  if (threshold === null || isNaN(threshold)) return 0;
  const flags = (score: number) => (d.rule === "<=" ? score <= threshold : score >= threshold);
  let [low, high] = [0, model.thresholds.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (flags(model.thresholds[middle] as number)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What is left of a total; sums of weights that differ by their last bits leave nothing, not 1e-14. */
const left = (total: number, part: number) => (total - part > 1e-12 * total ? total - part : 0);

/** The four cells at a row. */
export function cellsAt(d: Drawing, model: Model, row: number): Cells {
  const [tp, fp] = [model.tp[row] ?? 0, model.fp[row] ?? 0];
  return { tp, fp, fn: left(d.positives, tp), tn: left(d.negatives, fp) };
}

/** The sums of squared weights of the four cells, or null for unweighted cases. */
export function squaresAt(model: Model, row: number): Cells | null {
  const [up, down] = [model.tp_squares, model.fp_squares];
  if (!up?.length || !down?.length) return null;
  const [tp, fp] = [up[row] as number, down[row] as number];
  return { tp, fp, fn: left(up.at(-1) as number, tp), tn: left(down.at(-1) as number, fp) };
}

export interface Point {
  fpr: number;
  tpr: number;
}

/** A row as a point in ROC space. */
export const pointAt = (d: Drawing, model: Model, row: number): Point => ({
  fpr: d.negatives ? (model.fp[row] ?? 0) / d.negatives : NaN,
  tpr: d.positives ? (model.tp[row] ?? 0) / d.positives : NaN,
});

/** The cells at the selected prevalence; those of the data if it is the same. */
export const cellsFor = (d: Drawing, cells: Cells, prevalence: number): Cells =>
  isOff(d, prevalence) && d.positives && d.negatives ? carried(cells, prevalence) : cells;

// ---- costs ----

/** The expected cost per 1,000 cases. */
export function costPer1000(d: Drawing, point: Point, prices: Prices, prevalence: number): number {
  if (!d.positives) return 1000 * prices.fp * point.fpr;
  if (!d.negatives) return 1000 * prices.fn * (1 - point.tpr);
  return 1000 * (prevalence * prices.fn * (1 - point.tpr) + (1 - prevalence) * prices.fp * point.fpr);
}

/** An estimate as far as it is known: without its limits if rates were given without counts. */
const known = (d: Drawing, one: Interval): Interval =>
  d.rates_only ? { ...one, low: NaN, high: NaN, method: "", why: one.why || "rates without counts have no interval" } : one;

/** The expected cost per 1,000 cases at a row, with its interval. */
export function costInterval(d: Drawing, model: Model, row: number, prices: Prices, prevalence: number): Interval {
  const moved = isOff(d, prevalence) ? prevalence : null;
  const found = known(d, expectedCost(cellsAt(d, model, row), squaresAt(model, row), prices, d.level, moved));
  return { ...found, value: 1000 * found.value, low: 1000 * found.low, high: 1000 * found.high };
}

/** Net benefit per 1,000 of acting at the odds w = pt / (1 - pt). */
export function netBenefit(point: Point, prevalence: number, pt: number): number {
  const net = 1000 * (prevalence * point.tpr - (1 - prevalence) * (pt / (1 - pt)) * point.fpr);
  return Math.abs(net) < 1e-9 ? 0 : net; // what rounding leaves of a difference of equal terms
}

/** The slope of iso-cost lines in ROC space. */
export const slopeOf = (prices: Prices, prevalence: number) =>
  ((prices.fp / prices.fn) * (1 - prevalence)) / prevalence;

/** The cost ratio FN / FP whose iso-cost lines have a given slope. */
export const ratioOf = (slope: number, prevalence: number) => (1 - prevalence) / prevalence / slope;

/** The corner at which an iso-cost line touches the hull; of two that tie, the one that flags fewer. */
export function touching(points: readonly HullPoint[], slope: number): { point: HullPoint; index: number } | null {
  let best = -1;
  let value = -Infinity;
  const known = isFinite(slope);
  const tie = 1e-8 * Math.max(1, known ? slope : 1); // corners are stored with nine digits, so smaller differences are ties
  for (let index = 0; index < points.length; index += 1) {
    const one = points[index] as HullPoint;
    const worth = known ? one.tpr - slope * one.fpr : -one.fpr + 1e-6 * one.tpr;
    if (worth > value + tie) [best, value] = [index, worth];
  }
  return best < 0 ? null : { point: points[best] as HullPoint, index: best };
}

/** The slopes of the segments of a hull from left to right, descending; infinite if vertical. */
export function slopes(points: readonly HullPoint[]): number[] {
  return points.slice(1).map((one, i) => {
    const before = points[i] as HullPoint;
    const run = one.fpr - before.fpr;
    return run > 0 ? (one.tpr - before.tpr) / run : Infinity;
  });
}

/** The range of cost ratios FN / FP at which each corner is cheapest, from few flagged to many. */
export function ranges(points: readonly HullPoint[], prevalence: number) {
  const falling = [Infinity, ...slopes(points), 0];
  return points
    .map((point, i) => ({
      point,
      from: ratioOf(falling[i] as number, prevalence),
      to: ratioOf(falling[i + 1] as number, prevalence),
    }))
    .filter(({ from, to }) => from < to);
}

export interface Choice {
  model: number;
  row: number;
  cost: number;
}

/** The cheapest row of a model; among ties, the one that flags the fewest. */
export function cheapestRow(d: Drawing, model: Model, prices: Prices, prevalence: number): Choice {
  const row = argmax(model, (i) => -costPer1000(d, pointAt(d, model, i), prices, prevalence));
  return { model: d.models.indexOf(model), row, cost: costPer1000(d, pointAt(d, model, row), prices, prevalence) };
}

/** The cheapest model at its cheapest threshold; among ties, the first model. */
export function cheapest(d: Drawing, prices: Prices, prevalence: number): Choice | null {
  let best: Choice | null = null;
  for (const model of d.models) {
    const one = cheapestRow(d, model, prices, prevalence);
    if (!best || one.cost < best.cost - 1e-12 * Math.max(1, best.cost)) best = one;
  }
  return best;
}

// ---- rules ----

export type Rule = "hand" | "cost" | "youden" | "closest" | "f1" | "precision" | "top";
export const RULES: readonly Rule[] = ["cost", "youden", "closest", "f1", "precision", "top"];

export interface Setting {
  prices: Prices;
  prevalence: number;
  precision: number;
  top: number;
}

/** The row that a rule chooses, and a message if none satisfies it. */
export interface Found {
  row: number;
  best?: number;
  met: boolean;
}

/** The threshold that a rule chooses for a model; among ties, the one that flags fewer. */
export function chosenBy(rule: Rule, d: Drawing, model: Model, setting: Setting): Found {
  const { prices, prevalence } = setting;
  const met = (row: number): Found => ({ row, met: true });
  switch (rule) {
    case "youden":
      return met(argmax(model, (i) => gap(pointAt(d, model, i))));
    case "closest":
      return met(argmax(model, (i) => -distance(pointAt(d, model, i))));
    case "f1":
      return met(argmax(model, (i) => f1(cellsFor(d, cellsAt(d, model, i), prevalence))));
    case "precision":
      return withPrecision(d, model, setting);
    case "top":
      return met(withinTop(d, model, setting));
    default:
      return met(cheapestRow(d, model, prices, prevalence).row);
  }
}

const gap = (p: Point) => p.tpr - p.fpr;
const distance = (p: Point) => p.fpr ** 2 + (1 - p.tpr) ** 2;
const f1 = ({ tp, fp, fn }: Cells) => (2 * tp) / (2 * tp + fp + fn);
export const precisionOf = ({ tp, fp }: Cells) => (tp + fp > 0 ? tp / (tp + fp) : NaN);

/** The highest recall among thresholds with at least the requested precision. */
function withPrecision(d: Drawing, model: Model, { precision, prevalence }: Setting): Found {
  const at = (row: number) => precisionOf(cellsFor(d, cellsAt(d, model, row), prevalence));
  const row = argmax(model, (i) => (at(i) >= precision - 1e-12 ? (model.tp[i] as number) : NaN));
  if (at(row) >= precision - 1e-12) return { row, met: true };
  const nearest = argmax(model, at);
  return { row: nearest, best: at(nearest), met: false };
}

/** The last threshold that flags no more than the requested share. */
function withinTop(d: Drawing, model: Model, { top, prevalence }: Setting): number {
  const all = d.positives + d.negatives;
  let row = 0;
  for (let i = 0; i < model.tp.length; i += 1) {
    const { tp, fp } = cellsFor(d, cellsAt(d, model, i), prevalence);
    if (tp + fp <= top * all * (1 + 1e-12)) row = i;
  }
  return row;
}

/** The first row with the largest value, up to rounding; NaN is never chosen. */
function argmax(model: Model, worth: (row: number) => number): number {
  let [row, best] = [0, -Infinity];
  for (let i = 0; i < model.tp.length; i += 1) {
    const value = worth(i);
    if (value > best + 1e-12 * Math.abs(best === -Infinity ? 0 : best)) [row, best] = [i, value];
  }
  return row;
}

// ---- measures ----

/** The measures at the point that are corrected for its choice, if the page is at that point; otherwise null. */
export const corrected = (d: Drawing, now: { model: Model; row: number; prevalence: number }) =>
  now.model.corrected && now.row === now.model.point && now.prevalence === d.state.prevalence ? now.model.corrected : null;

const trees = new Map<string, Node | null>();

/** The parsed formula of a measure; null for measures of a whole matrix. */
export function treeOf(measure: Measure): Node | null {
  const { formula } = measure;
  if (!formula) return null;
  const known = trees.get(formula);
  if (known !== undefined) return known;
  let tree: Node | null = null;
  try {
    tree = parse(formula);
  } catch {
    tree = null; // a formula of a later version: the row reports it instead of breaking the page
  }
  trees.set(formula, tree);
  return tree;
}

/** A measure at a row, at a prevalence, with its interval. */
export function measureAt(d: Drawing, measure: Measure, model: Model, row: number, prevalence: number): Interval {
  const tree = treeOf(measure);
  if (!tree) return { value: NaN, low: NaN, high: NaN, method: "", why: "no formula on four cells" };
  const target = { name: measure.name, tree, low: bound(measure.low, -Infinity), high: bound(measure.high, Infinity) };
  const moved = isOff(d, prevalence) && d.positives && d.negatives ? prevalence : null;
  return known(d, estimate(target, cellsAt(d, model, row), squaresAt(model, row), d.level, moved));
}

/** A measure if the same number of cases is flagged at random; for accuracy, if the majority class is always predicted. */
export function baselineOf(measure: Measure, cells: Cells): number {
  const [positives, negatives] = [cells.tp + cells.fn, cells.fp + cells.tn];
  const all = positives + negatives;
  if (measure.name === "accuracy") return Math.max(positives, negatives) / all;
  if (measure.name === "error_rate") return Math.min(positives, negatives) / all;
  const tree = treeOf(measure);
  if (!tree || !all) return NaN;
  const flagged = (cells.tp + cells.fp) / all;
  return evaluate(tree, {
    tp: positives * flagged,
    fp: negatives * flagged,
    fn: positives * (1 - flagged),
    tn: negatives * (1 - flagged),
  });
}

/** The nearest hull corner after or before a row in a model's own table, for PageUp and PageDown. */
export function nextCorner(model: Model, row: number, step: 1 | -1): number {
  const sorted = [...model.hull].sort((a, b) => a - b);
  const found = step > 0 ? sorted.find((one) => one > row) : sorted.reverse().find((one) => one < row);
  return found ?? row;
}

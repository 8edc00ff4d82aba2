// Intervals at a threshold, by the same default methods as in Python: Wilson for proportions of cases, its transformation
// for F1, the log scale for likelihood and odds ratios, the limits of both rates for measures of two rates, otherwise the
// delta method on the scale of the measure's range.

import { CELLS, evaluate, gradient, proportion, why, type Cell, type Cells, type Node } from "./formula.ts";
import { probit } from "./normal.ts";

export interface Interval {
  value: number;
  low: number;
  high: number;
  method: string;
  why: string;
}

/** The properties of a measure that its interval depends on. */
export interface Target {
  name: string;
  tree: Node;
  low: number;
  high: number;
}

export const undefinedBecause = (reason: string, method = ""): Interval => ({
  value: NaN,
  low: NaN,
  high: NaN,
  method,
  why: reason,
});

const quantiles = new Map<number, number>();

/** The z of a two-sided interval: 1.959964 for 0.95. */
export function normalQuantile(level: number): number {
  const known = quantiles.get(level) ?? probit(0.5 + level / 2);
  quantiles.set(level, known);
  return known;
}

// ---- proportions of cases ----

/** Wilson's limits for k of n, within [0, 1], including k / n, exact at the ends. */
export function wilson(k: number, n: number, level: number): [low: number, high: number] {
  if (!(n > 0)) return [NaN, NaN];
  const part = Math.min(k, n);
  const z = normalQuantile(level);
  const centre = part + (z * z) / 2;
  const half = z * Math.sqrt((part * (n - part)) / n + (z * z) / 4);
  const low = part === 0 ? 0 : Math.max(0, Math.min((centre - half) / (n + z * z), part / n));
  const high = part === n ? 1 : Math.min(1, Math.max((centre + half) / (n + z * z), part / n));
  return [low, high];
}

/** Wilson's limits for part / whole, with the effective number of cases for weights; see Python's share. */
function share(part: number, whole: number, squares: number, ofPart: number, level: number): [number, number] {
  let effective = squares === whole || !squares ? whole : (whole * whole) / squares;
  if (effective !== whole && part > 0 && part < whole) {
    const p = part / whole;
    const spread = ofPart * (1 - p) ** 2 + (squares - ofPart) * p ** 2;
    effective = Math.min(effective, (p * (1 - p) * whole * whole) / spread);
  }
  return wilson(part * (whole ? effective / whole : 1), effective, level);
}

const sumOf = (cells: Cells, names: Iterable<Cell>) => [...names].reduce((sum, name) => sum + cells[name], 0);
const total = (cells: Cells) => cells.tp + cells.fp + cells.fn + cells.tn;

// ---- limits on a scale ----

/** Limits value ± z se on the scale that maps the range to the real line, extended to `reach`. */
export function onScale(
  value: number, se: number, low: number, high: number, level: number, reach: number,
): [number, number] {
  // in Python a value at an end of the range is exact; here it may differ in the last digit
  if (!(value - low > 1e-15 && high - value > 1e-15) || !(se >= 0 && se < Infinity)) return [NaN, NaN];
  const [lower, upper] = scaled(value, normalQuantile(level) * se, low, high);
  return [Math.max(low, Math.min(lower, reach)), Math.min(high, Math.max(upper, reach))];
}

function scaled(value: number, step: number, low: number, high: number): [number, number] {
  const [below, above] = [value - low, high - value];
  if (isFinite(below) && isFinite(above)) {
    const ratio = Math.exp((-step * (high - low)) / (below * above));
    return [
      low + ((high - low) * below * ratio) / (below * ratio + above),
      low + ((high - low) * below) / (below + above * ratio),
    ];
  }
  if (isFinite(below)) return [low + below * Math.exp(-step / below), low + stretched(below, step / below)];
  if (isFinite(above)) return [high - stretched(above, step / above), high - above * Math.exp(-step / above)];
  return [value - step, value + step];
}

const stretched = (distance: number, exponent: number) =>
  exponent < 700 ? distance * Math.exp(exponent) : Infinity;

// ---- delta method ----

const NEGLIGIBLE = 1e-12;
const FLAT = 1e-12; // standard error attributed to rounding of slopes that are 0
const close = (a: number, b: number) => Math.abs(a - b) <= Math.max(1e-12 * Math.max(Math.abs(a), Math.abs(b)), 1e-12);

function standardError(tree: Node, cells: Cells, squares: Cells): number {
  const slopes = gradient(tree, cells);
  if (!slopes.every(isFinite)) return NaN;
  let [terms, inner] = [0, 0];
  CELLS.forEach((cell, i) => {
    const slope = slopes[i] as number;
    terms += squares[cell] * slope * slope;
    inner += cells[cell] * slope;
  });
  const [all, squared] = [total(cells), total(squares)];
  const variance = all ? terms - (inner / all) ** 2 * squared : NaN;
  if (isNaN(variance)) return NaN;
  const se = variance > NEGLIGIBLE * terms ? Math.sqrt(variance) : 0;
  return se > FLAT * Math.max(1, Math.abs(evaluate(tree, cells))) ? se : 0;
}

/** At an end of the range, or without a slope, center and variance come from the table with half a case added to each cell. */
function delta(target: Target, cells: Cells, squares: Cells, level: number): Interval {
  const value = evaluate(target.tree, cells);
  let [centre, se] = [value, standardError(target.tree, cells, squares)];
  const atEnd = [target.low, target.high].some((end) => isFinite(end) && close(value, end));
  if (atEnd || !(se > 0)) {
    const unit = total(cells) ? total(squares) / total(cells) : 1;
    const filled = mapCells(cells, (cell) => cell + unit / 2);
    const filledSquares = mapCells(squares, (square) => square + (unit * unit) / 2);
    [centre, se] = [evaluate(target.tree, filled), standardError(target.tree, filled, filledSquares)];
  }
  const [low, high] = onScale(centre, se, target.low, target.high, level, value);
  if (!(se > 0) || isNaN(low)) return { value, low: NaN, high: NaN, method: "", why: "no slope is known here; compute it in Python" };
  return { value, low, high, method: `delta, ${scaleName(target)} scale`, why: "" };
}

function scaleName({ low, high }: Target): string {
  if (isFinite(low) && isFinite(high)) return low === -high ? "atanh" : "logit";
  return isFinite(low) || isFinite(high) ? "log" : "plain";
}

export const mapCells = (cells: Cells, of: (cell: number, name: Cell) => number): Cells => ({
  tp: of(cells.tp, "tp"),
  fp: of(cells.fp, "fp"),
  fn: of(cells.fn, "fn"),
  tn: of(cells.tn, "tn"),
});

// ---- ratios ----

type Kind = "positive" | "negative";

function rates({ tp, fp, fn, tn }: Cells, kind: Kind): [number, number] {
  return kind === "positive" ? [tp / (tp + fn), fp / (fp + tn)] : [fn / (tp + fn), tn / (fp + tn)];
}

function logLikelihoodRatio(cells: Cells, kind: Kind): [log: number, se: number] {
  const { tp, fp, fn, tn } = cells;
  const [hit, other] = kind === "positive" ? [tp, fp] : [fn, tn];
  const [rate, otherRate] = rates(cells, kind);
  const variance = 1 / hit - 1 / (tp + fn) + 1 / other - 1 / (fp + tn);
  return [Math.log(rate) - Math.log(otherRate), Math.sqrt(variance)];
}

/** An interval that contains the value, whatever rounding did to its limits. */
const around = (value: number, low: number, high: number, method: string): Interval =>
  ({ value, low: Math.min(low, value), high: Math.max(high, value), method, why: "" });

const halfFilled = (cells: Cells) =>
  Math.min(cells.tp, cells.fp, cells.fn, cells.tn) > 0 ? cells : mapCells(cells, (cell) => cell + 0.5);

function emptyClass({ tp, fp, fn, tn }: Cells): string {
  if (tp + fn === 0) return "undefined: there are no positives";
  return fp + tn === 0 ? "undefined: there are no negatives" : "";
}

function onLog(value: number, centre: number, se: number, level: number, method: string): Interval {
  const step = normalQuantile(level) * se;
  const [low, high] = [Math.exp(centre - step), Math.exp(Math.min(700, centre + step))];
  if (isNaN(value)) return undefinedBecause("0/0: no case has this prediction", method);
  if (!isFinite(value)) {
    return { value: NaN, low, high: Infinity, method, why: "division by 0: the ratio has no upper limit" };
  }
  return around(value, low, high, method);
}

const quotient = (top: number, bottom: number) => (bottom > 0 ? top / bottom : top > 0 ? Infinity : NaN);

function likelihoodRatio(cells: Cells, kind: Kind, level: number): Interval {
  const method = kind === "positive" ? "log LR+ (Simel)" : "log LR- (Simel)";
  const reason = emptyClass(cells);
  if (reason) return undefinedBecause(reason, method);
  return onLog(quotient(...rates(cells, kind)), ...logLikelihoodRatio(halfFilled(cells), kind), level, method);
}

function oddsRatio(cells: Cells, level: number): Interval {
  const method = "log odds ratio (Woolf)";
  const reason = emptyClass(cells);
  if (reason) return undefinedBecause(reason, method);
  const { tp, fp, fn, tn } = halfFilled(cells);
  const centre = Math.log(tp) + Math.log(tn) - Math.log(fp) - Math.log(fn);
  const value = quotient(cells.tp * cells.tn, cells.fp * cells.fn);
  return onLog(value, centre, Math.sqrt(1 / tp + 1 / fp + 1 / fn + 1 / tn), level, method);
}

const RATIOS: Record<string, (cells: Cells, level: number) => Interval> = {
  lr_plus: (cells, level) => likelihoodRatio(cells, "positive", level),
  lr_minus: (cells, level) => likelihoodRatio(cells, "negative", level),
  diagnostic_odds_ratio: oddsRatio,
};

// ---- measures of two independent rates ----

type Rate = [part: Cell, rest: Cell, factor: number];

const PAIRS: Record<string, [Rate, Rate]> = {
  balanced_accuracy: [["tp", "fn", 0.5], ["tn", "fp", 0.5]],
  youden: [["tp", "fn", 1], ["fp", "tn", -1]],
  markedness: [["tp", "fp", 1], ["fn", "tn", -1]],
  gmean: [["tp", "fn", 0.5], ["tn", "fp", 0.5]],
};

interface Limits {
  value: number;
  low: number;
  high: number;
}

/** The limits of a sum of two parts, from the limits of each (MOVER); `correlation` is that of the parts. */
function mover(parts: Limits[], factors: number[], correlation = 0): [number, number] {
  const factor = (i: number) => factors[i] as number;
  const value = parts.reduce((sum, part, i) => sum + factor(i) * part.value, 0);
  const below = parts.map((part, i) => factor(i) * (part.value - (factor(i) > 0 ? part.low : part.high)));
  const above = parts.map((part, i) => factor(i) * ((factor(i) > 0 ? part.high : part.low) - part.value));
  const side = ([a = 0, b = 0]: number[]) =>
    Math.sqrt(Math.max(0, a * a + b * b + 2 * correlation * Math.sign(factor(0) * factor(1)) * Math.abs(a * b)));
  return [value - side(below), value + side(above)];
}

function rateOf(part: number, whole: number, ofWhole: number, ofPart: number, level: number): Limits {
  const [low, high] = share(part, whole, ofWhole, ofPart, level);
  return { value: part / whole, low, high };
}

const logsOf = (rates: Limits[]) =>
  rates.map((rate) => ({ value: Math.log(rate.value), low: Math.log(rate.low), high: Math.log(rate.high) }));

/** Precision over prevalence, on the log scale; the flagged cases are in both. */
function lift(target: Target, cells: Cells, squares: Cells, level: number): Interval {
  const [flagged, all] = [cells.tp + cells.fp, total(cells)];
  const precision = rateOf(cells.tp, flagged, squares.tp + squares.fp, squares.tp, level);
  const prevalence = rateOf(cells.tp + cells.fn, all, total(squares), squares.tp + squares.fn, level);
  const [a, b] = [precision, prevalence].map((one) => one.value * (1 - one.value)) as [number, number];
  const related = b > 0 ? Math.min(1, Math.sqrt(((flagged / all) * a) / b)) : 0;
  const [low, high] = precision.value === 0
    ? [0, precision.high / prevalence.low]
    : (mover(logsOf([precision, prevalence]), [1, -1], related).map(Math.exp) as [number, number]);
  const value = evaluate(target.tree, cells);
  return around(value, low, high, "wilson, mover");
}

function ofTwoRates(target: Target, cells: Cells, squares: Cells, level: number): Interval {
  const pair = PAIRS[target.name] as [Rate, Rate];
  const rates = pair.map(([part, rest]) =>
    rateOf(cells[part], cells[part] + cells[rest], squares[part] + squares[rest], squares[part], level));
  let [low, high] = mover(rates, pair.map((rate) => rate[2]));
  if (target.name === "gmean") {
    const [a, b] = rates as [Limits, Limits];
    [low, high] = Math.min(a.value, b.value) === 0
      ? [0, Math.sqrt(a.high * b.high)]
      : (mover(logsOf(rates), [0.5, 0.5]).map(Math.exp) as [number, number]);
  }
  const value = evaluate(target.tree, cells);
  [low, high] = [Math.max(target.low, Math.min(low, value)), Math.min(target.high, Math.max(high, value))];
  return { value, low, high, method: "wilson, mover", why: "" };
}

// ---- at another prevalence ----

/** The cells that the same rates give at another prevalence, with the same number of cases. */
export function carried(cells: Cells, prevalence: number): Cells {
  const [positives, negatives] = [cells.tp + cells.fn, cells.fp + cells.tn];
  const all = positives + negatives;
  const [up, down] = [(prevalence * all) / positives, ((1 - prevalence) * all) / negatives];
  return { tp: cells.tp * up, fp: cells.fp * down, fn: cells.fn * up, tn: cells.tn * down };
}

const PREDICTIVE: Record<string, Kind> = { precision: "positive", negative_predictive_value: "negative" };
const expit = (x: number) => (x >= 0 ? 1 / (1 + Math.exp(-x)) : Math.exp(x) / (1 + Math.exp(x)));

function predictiveValue(cells: Cells, prevalence: number, kind: Kind, level: number): Interval {
  const method = kind === "positive" ? "logit PPV (Mercaldo)" : "logit NPV (Mercaldo)";
  const [rate, other] = rates(cells, kind);
  const reason = emptyClass(cells) || (Math.max(rate, other) === 0 ? `undefined: there is no ${kind} prediction` : "");
  if (reason) return undefinedBecause(reason, method);
  const [log, se] = logLikelihoodRatio(halfFilled(cells), kind);
  const odds = Math.log(prevalence / (1 - prevalence)) + log;
  const step = normalQuantile(level) * se;
  const sign = kind === "positive" ? 1 : -1;
  const [first, second] = [prevalence * rate, (1 - prevalence) * other];
  const value = (kind === "positive" ? first : second) / (first + second);
  const [low, high] = [expit(sign * odds - step), expit(sign * odds + step)];
  return around(value, low, high, method);
}

function ratesSpread(target: Target, four: Cells, prevalence: number): [centre: number, se: number] {
  const [positives, negatives] = [four.tp + four.fn, four.fp + four.tn];
  const all = positives + negatives;
  const [hit, alarm] = [four.tp / positives, four.fp / negatives];
  const moved = carried(four, prevalence);
  const [tp, fp, fn, tn] = gradient(target.tree, moved);
  const [byHit, byAlarm] = [all * prevalence * (tp - fn), all * (1 - prevalence) * (fp - tn)];
  const variance =
    (byHit ** 2 * hit * (1 - hit)) / positives + (byAlarm ** 2 * alarm * (1 - alarm)) / negatives;
  return [evaluate(target.tree, moved), Math.sqrt(variance)];
}

/** The cells scaled to the effective number of cases of each class. */
function effective(cells: Cells, squares: Cells): Cells {
  const scale = (part: Cell, rest: Cell) => {
    const squared = squares[part] + squares[rest];
    return squared ? (cells[part] + cells[rest]) / squared : 1;
  };
  const [up, down] = [scale("tp", "fn"), scale("fp", "tn")];
  return { tp: cells.tp * up, fp: cells.fp * down, fn: cells.fn * up, tn: cells.tn * down };
}

function atPrevalence(target: Target, cells: Cells, squares: Cells, prevalence: number, level: number): Interval {
  const four = effective(cells, squares);
  const kind = PREDICTIVE[target.name];
  if (kind) return predictiveValue(four, prevalence, kind, level);
  if (!(four.tp + four.fn) || !(four.fp + four.tn)) {
    return undefinedBecause("changing the prevalence requires cases of both classes");
  }
  const moved = carried(cells, prevalence);
  const value = evaluate(target.tree, moved);
  if (isNaN(value)) return undefinedBecause(why(target.tree, moved));
  let [centre, se] = ratesSpread(target, four, prevalence);
  const atEnd = [target.low, target.high].some((end) => isFinite(end) && close(value, end));
  if (atEnd || !(se > 0)) [centre, se] = ratesSpread(target, mapCells(four, (cell) => cell + 0.5), prevalence);
  const method = "delta, rates by class";
  if (!(se > 0)) return { value, low: NaN, high: NaN, method, why: "the measure does not depend on the two rates" };
  const [low, high] = onScale(centre, se, target.low, target.high, level, value);
  const reason = isNaN(low) ? "no limits: the measure is undefined for nearby tables" : "";
  return { value, low, high, method, why: reason };
}

/** Whether a measure depends on the prevalence: a rate within one class does not, nor does a combination of two. */
export function mixesClasses({ name, tree }: Pick<Target, "name" | "tree">): boolean {
  if (name in PAIRS && name !== "markedness") return false;
  const found = proportion(tree);
  if (!found) return true;
  const inside = (one: Cell, other: Cell) => [...found.whole].every((cell) => cell === one || cell === other);
  return !inside("tp", "fn") && !inside("fp", "tn");
}

// ---- any measure ----

/**
 * A measure of four cells with its interval; `squares` are sums of squared weights (null for unweighted cases),
 * `prevalence` is null for that of the data.
 */
export function estimate(
  target: Target, cells: Cells, squares: Cells | null, level: number, prevalence: number | null = null,
): Interval {
  const { tree, name } = target;
  const units = squares ?? cells;
  if (prevalence !== null && mixesClasses(target)) return atPrevalence(target, cells, units, prevalence, level);
  const shares = proportion(tree);
  const reason = why(tree, cells);
  if (!shares && name in RATIOS && !squares) {
    const found = (RATIOS[name] as (typeof RATIOS)[string])(cells, level);
    return isNaN(found.value) && reason ? { ...found, why: reason } : found; // prefer the measure's own reason for being undefined
  }
  if (reason) return undefinedBecause(total(cells) ? reason : "there are no cases", shares ? "wilson" : "");
  const value = evaluate(tree, cells);
  if (shares) {
    const sums = [sumOf(cells, shares.part), sumOf(cells, shares.whole), sumOf(units, shares.whole)] as const;
    const [low, high] = share(...sums, sumOf(units, shares.part), level);
    return around(value, low, high, "wilson");
  }
  if (name === "f1") {
    const whole = ["tp", "fp", "fn"] as Cell[];
    const limits = share(cells.tp, sumOf(cells, whole), sumOf(units, whole), units.tp, level);
    const [low, high] = limits.map((x) => (2 * x) / (1 + x)) as [number, number];
    return around(value, low, high, "wilson, indirect");
  }
  if (name in PAIRS) return ofTwoRates(target, cells, units, level);
  if (name === "lift") return lift(target, cells, units, level);
  return delta(target, cells, units, level);
}

// ---- costs ----

export interface Prices {
  fp: number;
  fn: number;
}

/** The expected cost per case with its interval; see Python's intervals.expected_cost. */
export function expectedCost(
  cells: Cells, squares: Cells | null, prices: Prices, level: number, prevalence: number | null,
): Interval {
  const units = squares ?? cells;
  const [positives, negatives] = [cells.tp + cells.fn, cells.fp + cells.tn];
  if (prevalence !== null) return carriedCost(cells, units, prices, level, prevalence);
  const all = positives + negatives;
  const value = (prices.fn * cells.fn + prices.fp * cells.fp) / all;
  const method = "score, mean of costs";
  if (isNaN(value)) return undefinedBecause("there are no cases, so the expected cost is undefined", method);
  const price: Cells = { tp: 0, tn: 0, fp: prices.fp, fn: prices.fn };
  const width = Math.max(prices.fp, prices.fn);
  if (!width) return { value, low: value, high: value, method, why: "every outcome has the same cost" };
  const spread = CELLS.reduce((sum, cell) => sum + units[cell] * (price[cell] - value) ** 2, 0) / all ** 2;
  const atEnd = !(spread > 0) || value === 0 || value === width;
  const most = atEnd ? (all * all) / total(units) : Infinity;
  const [low, high] = scoreLimits(value / width, spread / width ** 2, most, level);
  return around(value, width * low, width * high, method);
}

/** Wilson's limits for a value in [0, 1] with a given variance: those of the number of cases with the same variance. */
function scoreLimits(value: number, spread: number, most: number, level: number): [number, number] {
  const cases = Math.min(spread > 0 && value > 0 && value < 1 ? (value * (1 - value)) / spread : Infinity, most);
  const [low, high] = wilson(value * cases, cases, level);
  return [Math.min(low, value), Math.max(high, value)];
}

function carriedCost(cells: Cells, units: Cells, prices: Prices, level: number, prevalence: number): Interval {
  const [hit, alarm] = [classRate(cells, units, "tp", "fn", level), classRate(cells, units, "fp", "tn", level)];
  const method = "newcombe, mover";
  if (!hit || !alarm) return undefinedBecause("a class has no cases, so the expected cost is undefined", method);
  const [byHit, byAlarm] = [prevalence * prices.fn, (1 - prevalence) * prices.fp];
  const value = byHit * (1 - hit.value) + byAlarm * alarm.value;
  const low = value - Math.hypot(byHit * (hit.high - hit.value), byAlarm * (alarm.value - alarm.low));
  const high = value + Math.hypot(byHit * (hit.value - hit.low), byAlarm * (alarm.high - alarm.value));
  return { value, low, high, method, why: "" };
}

function classRate(cells: Cells, units: Cells, part: Cell, rest: Cell, level: number) {
  const all = cells[part] + cells[rest];
  if (!all) return null;
  const cases = (all * all) / (units[part] + units[rest]);
  const [low, high] = wilson((cells[part] / all) * cases, cases, level);
  return { value: cells[part] / all, low, high };
}

/** Curves computed from a cumulative table: no drawing here, so that each can be compared with Python's. */

/** Counts flagged at each threshold, from nothing to everything. */
export interface Along {
  readonly tp: readonly number[];
  readonly fp: readonly number[];
}

/** A point of a curve and the row of the table it comes from; a point between two rows has the later one. */
export interface CurvePoint {
  readonly x: number;
  readonly y: number;
  readonly row: number;
}

export interface Base {
  readonly positives: number;
  readonly negatives: number;
  /** The prevalence at which the curve is shown. */
  readonly prevalence: number;
}

const rates = (along: Along, base: Base, row: number): { tpr: number; fpr: number } => ({
  tpr: (along.tp[row] ?? NaN) / base.positives,
  fpr: (along.fp[row] ?? NaN) / base.negatives,
});

/** Precision of two rates at a prevalence; NaN if nothing is flagged. */
export function precisionOf(tpr: number, fpr: number, prevalence: number): number {
  const hits = tpr * prevalence;
  const flagged = hits + fpr * (1 - prevalence);
  return flagged > 0 ? hits / flagged : NaN;
}

function points(along: Along, at: (row: number) => { x: number; y: number }): CurvePoint[] {
  return along.tp.map((_, row) => ({ ...at(row), row })).filter((p) => isFinite(p.x) && isFinite(p.y));
}

/** Precision against recall: one point for each threshold that flags at least one case. */
export function precisionRecall(along: Along, base: Base): CurvePoint[] {
  return points(along, (row) => {
    const { tpr, fpr } = rates(along, base, row);
    return { x: tpr, y: precisionOf(tpr, fpr, base.prevalence) };
  });
}

/**
 * The same with intermediate points: FP grows in proportion to TP within a step, so precision is not linear
 * (Davis & Goadrich 2006, ICML, 233-240). It begins at the first real point: nothing is invented at recall 0.
 */
export function precisionRecallDrawn(along: Along, base: Base, step = 0.01): CurvePoint[] {
  const drawn: CurvePoint[] = [];
  let before: { tpr: number; fpr: number } | null = null;
  along.tp.forEach((_, row) => {
    const here = rates(along, base, row);
    const y = precisionOf(here.tpr, here.fpr, base.prevalence);
    if (!isFinite(y)) return;
    if (before) drawn.push(...between(before, here, base.prevalence, step, row));
    drawn.push({ x: here.tpr, y, row });
    before = here;
  });
  return drawn;
}

function between(
  a: { tpr: number; fpr: number },
  b: { tpr: number; fpr: number },
  prevalence: number,
  step: number,
  row: number,
): CurvePoint[] {
  const pieces = Math.ceil((b.tpr - a.tpr) / step - 1e-9);
  return Array.from({ length: Math.max(0, pieces - 1) }, (_, k) => {
    const share = (k + 1) / pieces;
    const tpr = a.tpr + share * (b.tpr - a.tpr);
    return { x: tpr, y: precisionOf(tpr, a.fpr + share * (b.fpr - a.fpr), prevalence), row };
  });
}

/** Recall against the share of cases flagged. */
export function gain(along: Along, base: Base): CurvePoint[] {
  return points(along, (row) => {
    const { tpr, fpr } = rates(along, base, row);
    return { x: tpr * base.prevalence + fpr * (1 - base.prevalence), y: tpr };
  });
}

/** Precision as a multiple of the prevalence, against the share of cases flagged. */
export function lift(along: Along, base: Base): CurvePoint[] {
  return gain(along, base)
    .map((p) => ({ ...p, y: p.y / p.x }))
    .filter((p) => isFinite(p.y));
}

/** Misses against false alarms, each on the scale of the normal quantile, which excludes rates of 0 and 1. */
export function det(along: Along, base: Base): CurvePoint[] {
  return points(along, (row) => {
    const { tpr, fpr } = rates(along, base, row);
    return { x: probit(fpr), y: probit(1 - tpr) };
  });
}

/** Precision and recall on a scale where flagging everything is 0 (Flach & Kull 2015, NeurIPS 28). */
export function precisionRecallGain(along: Along, base: Base): CurvePoint[] {
  const odds = base.prevalence / (1 - base.prevalence);
  return points(along, (row) => {
    const { tpr, fpr } = rates(along, base, row);
    if (!(tpr > 0)) return { x: NaN, y: NaN };
    // FP / TP at the prevalence shown is (fpr / tpr) / odds
    return { x: 1 - odds * ((1 - tpr) / tpr), y: 1 - fpr / tpr };
  });
}

/** The lower envelope of the cost lines: PC on the x-axis, normalized cost on the y-axis (Drummond & Holte 2006). */
export function costEnvelope(corners: readonly { fpr: number; tpr: number }[]): { x: number; y: number }[] {
  const found: { x: number; y: number }[] = [];
  const add = (x: number, corner: { fpr: number; tpr: number }): void => {
    found.push({ x, y: (1 - corner.tpr) * x + corner.fpr * (1 - x) });
  };
  corners.forEach((corner, k) => {
    const before = corners[k - 1];
    if (!before) return add(0, corner);
    const run = corner.fpr - before.fpr;
    const rise = corner.tpr - before.tpr;
    if (run + rise > 0) add(run / (run + rise), corner);
  });
  const last = corners[corners.length - 1];
  if (last) add(1, last);
  return found;
}

/** The position of costs and prevalence on the x-axis of cost curves. */
export function probabilityCost(prevalence: number, fp: number, fn: number): number {
  return (prevalence * fn) / (prevalence * fn + (1 - prevalence) * fp);
}

/** Net true positives per case when acting from probability `risk` on (Vickers & Elkin 2006). */
export function netBenefit(tpr: number, fpr: number, prevalence: number, risk: number): number {
  return tpr * prevalence - fpr * (1 - prevalence) * (risk / (1 - risk));
}

/** The number of rows of descending (or ascending) thresholds flagged at a value: the row of the cumulative table. */
export function rowAt(thresholds: readonly (number | null)[], value: number, higher: boolean): number {
  let low = 0;
  let high = thresholds.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    const here = thresholds[middle] as number;
    if (higher ? here >= value : here <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The decision curve from risk 0 to `most`: the probability itself is the threshold. */
export function decisionCurve(
  along: Along,
  thresholds: readonly (number | null)[],
  base: Base,
  higher: boolean,
  most: number,
  steps: number,
): CurvePoint[] {
  return Array.from({ length: steps + 1 }, (_, k) => {
    const risk = (most * k) / steps;
    const row = rowAt(thresholds, risk, higher);
    const { tpr, fpr } = rates(along, base, row);
    return { x: risk, y: netBenefit(tpr, fpr, base.prevalence, risk), row };
  });
}

/** The inverse of the normal distribution function (Wichura 1988, algorithm AS 241, to double precision). */
export function probit(p: number): number {
  if (!(p > 0 && p < 1)) return NaN;
  const q = p - 0.5;
  if (Math.abs(q) <= 0.425) {
    const r = 0.180625 - q * q;
    return (q * polynomial(CENTRE_UP, r)) / polynomial(CENTRE_DOWN, r);
  }
  const r = Math.sqrt(-Math.log(q < 0 ? p : 1 - p));
  const far = r > 5;
  const x = r - (far ? 5 : 1.6);
  const value = polynomial(far ? TAIL_UP : MIDDLE_UP, x) / polynomial(far ? TAIL_DOWN : MIDDLE_DOWN, x);
  return q < 0 ? -value : value;
}

const polynomial = (terms: readonly number[], x: number): number => terms.reduceRight((sum, term) => sum * x + term, 0);

const CENTRE_UP = [
  3.387132872796366608, 133.14166789178437745, 1971.5909503065514427, 13731.693765509461125, 45921.953931549871457,
  67265.770927008700853, 33430.575583588128105, 2509.0809287301226727,
];
const CENTRE_DOWN = [
  1, 42.313330701600911252, 687.1870074920579083, 5394.1960214247511077, 21213.794301586595867, 39307.89580009271061,
  28729.085735721942674, 5226.495278852545925,
];
const MIDDLE_UP = [
  1.42343711074968357734, 4.6303378461565452959, 5.7694972214606914055, 3.64784832476320460504, 1.27045825245236838258,
  0.24178072517745061177, 0.0227238449892691845833, 7.7454501427834140764e-4,
];
const MIDDLE_DOWN = [
  1, 2.05319162663775882187, 1.6763848301838038494, 0.68976733498510000455, 0.14810397642748007459,
  0.0151986665636164571966, 5.475938084995344946e-4, 1.05075007164441684324e-9,
];
const TAIL_UP = [
  6.6579046435011037772, 5.4637849111641143699, 1.7848265399172913358, 0.29656057182850489123, 0.026532189526576123093,
  0.0012426609473880784386, 2.71155556874348757815e-5, 2.01033439929228813265e-7,
];
const TAIL_DOWN = [
  1, 0.59983220655588793769, 0.13692988092273580531, 0.0148753612908506148525, 7.868691311456132591e-4,
  1.8463183175100546818e-5, 1.4215117583164458887e-7, 2.04426310338993978564e-15,
];


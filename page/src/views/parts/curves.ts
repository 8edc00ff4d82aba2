/** Curves computed from a cumulative table: no drawing here, so that each can be compared with Python's. */

import { range } from "../../core/small.ts";
import { probit } from "../../core/normal.ts";

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
  return range(Math.max(0, pieces - 1), (k) => {
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

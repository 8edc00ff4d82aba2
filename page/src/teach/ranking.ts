// A ranked list and its curve in integers and fractions: the data of the lesson, without the DOM.

import { range, rounded } from "../core/small.ts";
export interface Case {
  readonly score: number;
  readonly positive: boolean;
}

export type Move = "start" | "up" | "right" | "diagonal";

/** The state after a block of cases with the same score; step 0 flags nothing. */
export interface Step {
  readonly threshold: number | null;
  readonly move: Move;
  /** Positives and negatives of this block. */
  readonly p: number;
  readonly n: number;
  readonly tp: number;
  readonly fp: number;
  /** The area so far and the area added by this block, in pairs of a positive and a negative (ties count one half). */
  readonly pairs: number;
  readonly added: number;
  /** Number of rows of the list so far. */
  readonly rows: number;
}

export interface Ranking {
  readonly cases: readonly Case[];
  readonly steps: readonly Step[];
  readonly positives: number;
  readonly negatives: number;
  /** Numbers of pairs: in the correct order, tied, and total. */
  readonly right: number;
  readonly tied: number;
  readonly all: number;
}

/** The list in descending order of scores, processed block by block. */
export function rank(list: readonly Case[]): Ranking {
  const cases = [...list].sort((a, b) => b.score - a.score);
  const positives = cases.filter((one) => one.positive).length;
  const negatives = cases.length - positives;
  const steps: Step[] = [{ threshold: null, move: "start", p: 0, n: 0, tp: 0, fp: 0, pairs: 0, added: 0, rows: 0 }];
  let [tied, twice] = [0, 0];
  for (let at = 0; at < cases.length; ) {
    const before = steps[steps.length - 1] as Step;
    const { score } = cases[at] as Case;
    let end = at;
    while (end < cases.length && (cases[end] as Case).score === score) end += 1;
    const p = cases.slice(at, end).filter((one) => one.positive).length;
    const n = end - at - p;
    const added = n * before.tp + (p * n) / 2;
    twice += 2 * added;
    tied += p * n;
    const move = p && n ? "diagonal" : p ? "up" : "right";
    steps.push({ threshold: score, move, p, n, tp: before.tp + p, fp: before.fp + n, pairs: twice / 2, added, rows: end });
    at = end;
  }
  return { cases, steps, positives, negatives, right: (twice - tied) / 2, tied, all: positives * negatives };
}

/** The area under the curve; NaN with a single class. */
export const auc = (r: Ranking): number => (r.all ? (r.right + r.tied / 2) / r.all : NaN);

/** A point of the curve: false and true positive rate. */
export const pointOf = (r: Ranking, step: Step): [number, number] => [share(step.fp, r.negatives), share(step.tp, r.positives)];

const share = (part: number, of: number): number => (of ? part / of : 0);

/** The corners of the convex hull, from (0, 0) to (1, 1), computed in integers. */
export function hullOf(r: Ranking): [number, number][] {
  const kept: Step[] = [];
  for (const step of r.steps) {
    while (kept.length > 1 && !turnsRight(kept[kept.length - 2] as Step, kept[kept.length - 1] as Step, step)) kept.pop();
    kept.push(step);
  }
  return kept.map((step) => pointOf(r, step));
}

const turnsRight = (a: Step, b: Step, c: Step): boolean =>
  (b.fp - a.fp) * (c.tp - a.tp) - (b.tp - a.tp) * (c.fp - a.fp) < 0;

/** Recall and precision after each step; within a tie the curve bends, because both counts grow together. */
export function prOf(r: Ranking, from = 0, to = r.steps.length - 1): [number, number][] {
  const found: [number, number][] = [];
  for (let i = Math.max(1, from); i <= to; i += 1) {
    const [before, step] = [r.steps[i - 1] as Step, r.steps[i] as Step];
    const parts = before.rows && step.move === "diagonal" ? 8 : 1;
    for (let part = 1; part <= parts; part += 1) {
      const tp = before.tp + (step.p * part) / parts;
      found.push([share(tp, r.positives), tp / (before.rows + ((step.p + step.n) * part) / parts)]);
    }
  }
  return found;
}

/** Average precision: the sum of the increases in recall, each times its precision. */
export function averagePrecision(r: Ranking): number {
  const rises = r.steps.filter((step) => step.rows).map((step) => (step.p / r.positives) * (step.tp / step.rows));
  return r.positives ? rises.reduce((a, b) => a + b, 0) : NaN;
}

/** The list with the label at one position moved to another; the scores stay in place. */
export function moved(list: readonly Case[], from: number, to: number): Case[] {
  const sorted = [...list].sort((a, b) => b.score - a.score);
  const labels = sorted.map((one) => one.positive);
  const [label] = labels.splice(from, 1);
  labels.splice(Math.max(0, Math.min(labels.length, to)), 0, label as boolean);
  return sorted.map(({ score }, i) => ({ score, positive: labels[i] as boolean }));
}

/** "3/10", or "0" and "1" at the ends. */
export function fraction(part: number, of: number): string {
  if (!of) return "0";
  return part === 0 ? "0" : part === of ? "1" : `${part}/${of}`;
}

/** A count that may be a multiple of one half: "55", "½", "55½". */
export function halves(x: number): string {
  const whole = Math.floor(x);
  return x === whole ? String(whole) : `${whole || ""}\u00bd`;
}

// ---- initial lists ----

const SCORES = [0.95, 0.91, 0.86, 0.8, 0.74, 0.68, 0.61, 0.61, 0.55, 0.47, 0.42, 0.38, 0.31, 0.25, 0.2, 0.14, 0.07];
const LABELS = "11011010010010000";

/** Seven positives and ten negatives, with one tie. */
export const sample = (): Case[] => SCORES.map((score, i) => ({ score, positive: LABELS[i] === "1" }));

export interface Preset {
  readonly name: string;
  readonly says: string;
  readonly cases: readonly Case[];
}

/** The lists of the strip at the bottom: the reader's own, and its perfect, random, inverted and tied variants. */
export function presets(own: readonly Case[]): Preset[] {
  const sorted = [...own].sort((a, b) => b.score - a.score);
  const distinct = sorted.map((_, i) => Number((1 - (i + 0.5) / sorted.length).toFixed(3)));
  const positives = sorted.filter((one) => one.positive).length;
  const dealt = (labels: readonly boolean[]) => distinct.map((score, i) => ({ score, positive: labels[i] as boolean }));
  const perfect = dealt(sorted.map((_, i) => i < positives));
  const inverted = sorted.map((one) => ({ ...one, score: rounded(1 - one.score, 12) }));
  return [
    { name: "This list", says: `${positives} positives, ${sorted.length - positives} negatives`, cases: sorted },
    { name: "Perfect", says: "every positive first", cases: perfect },
    { name: "Random", says: "random labels: AUC 0.5 on average", cases: dealt(shuffled(sorted.map((one) => one.positive))) },
    { name: "Inverted", says: "reversing the scores gives 1 minus this AUC", cases: inverted },
    { name: "All tied", says: "the same score for all: the diagonal", cases: sorted.map((one) => ({ ...one, score: 0.5 })) },
  ];
}

/** A deterministic shuffle, so that the page looks the same each time it is opened. */
function shuffled(labels: readonly boolean[]): boolean[] {
  const out = [...labels];
  let seed = 20;
  for (let i = out.length - 1; i > 0; i -= 1) {
    seed = (seed * 48271) % 2147483647;
    const j = Math.floor((seed / 2147483647) * (i + 1));
    [out[i], out[j]] = [out[j] as boolean, out[i] as boolean];
  }
  return out;
}

/** At most this many cases of a large table, evenly spread over the ranks of each class; the prevalence is kept. */
export function sampled(thresholds: readonly (number | null)[], tp: readonly number[], fp: readonly number[], most = 60): Case[] {
  const [positives, negatives] = [tp[tp.length - 1] ?? 0, fp[fp.length - 1] ?? 0];
  const total = positives + negatives;
  const factor = total > most ? most / total : 1;
  const wanted = (n: number) => (n ? Math.max(Math.min(5, n), Math.round(n * factor)) : 0);
  const pick = (sums: readonly number[], count: number, positive: boolean): Case[] => {
    const all = sums[sums.length - 1] ?? 0;
    return range(count, (i) => {
      const place = ((i + 0.5) / count) * all;
      const row = sums.findIndex((sum) => sum >= place);
      return { score: thresholds[row] ?? 0, positive };
    });
  };
  return [...pick(tp, wanted(positives), true), ...pick(fp, wanted(negatives), false)].sort((a, b) => b.score - a.score);
}

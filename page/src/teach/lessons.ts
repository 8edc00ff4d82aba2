// Lessons that need two lists or a point of view: curves that cross, and where "closest to the corner" fails.

import { fixed, significant } from "../core/format.ts";
import { auc, pointOf, rank, type Case, type Ranking, type Step } from "./ranking.ts";

export interface Lesson {
  readonly name: string;
  readonly title: string;
  readonly cases: readonly Case[];
  readonly rival: readonly Case[];
  readonly lines: readonly string[];
}

const listOf = (labels: string): Case[] =>
  [...labels].map((label, i) => ({ score: Number((1 - (i + 0.5) / labels.length).toFixed(3)), positive: label === "1" }));

// the first list finds its positives early or not at all, the second finds all of them a little later
const EARLY = "11111110000100000010000001000000";
const LATE = "00110110111011010000000000000000";

/** The step closest to the corner (0, 1), and the cheapest one at a given cost of a miss, with a false alarm costing 1. */
export function nearest(r: Ranking): Step {
  return least(r, (step) => {
    const [fpr, tpr] = pointOf(r, step);
    return fpr ** 2 + (1 - tpr) ** 2;
  });
}

export const cheapest = (r: Ranking, miss: number): Step => least(r, (step) => costOf(r, step, miss));

export const costOf = (r: Ranking, step: Step, miss: number): number => step.fp + miss * (r.positives - step.tp);

const least = (r: Ranking, worth: (step: Step) => number): Step => r.steps.reduce((best, step) => (worth(step) < worth(best) ? step : best));

/** Two rankings whose curves cross, and what that means for choosing. */
export function crossing(): Lesson {
  const [a, b] = [rank(listOf(EARLY)), rank(listOf(LATE))];
  const [corner, rare] = [nearest(a), cheapest(a, 0.4)];
  const text = (step: Step) => significant(step.threshold ?? 1, 3);
  return {
    name: "Crossing curves",
    title: "Two curves that cross",
    cases: a.cases,
    rival: b.cases,
    lines: [
      `The areas are ${fixed(auc(a), 3)} (solid) and ${fixed(auc(b), 3)} (dashed), but neither curve lies above the other everywhere.`,
      `The solid curve is cheaper where false alarms are costly, the dashed one where misses are costly: if a miss costs 0.4 false alarms, they cost ${fixed(costOf(a, rare, 0.4), 1)} and ${fixed(costOf(b, cheapest(b, 0.4), 0.4), 1)}; if it costs 4, they cost ${fixed(costOf(a, cheapest(a, 4), 4), 1)} and ${fixed(costOf(b, cheapest(b, 4), 4), 1)}.`,
      `The rule \u201cclosest to the corner\u201d ignores costs: on the solid curve it picks threshold ${text(corner)}, which costs ${fixed(costOf(a, corner, 0.4), 1)} if a miss costs 0.4; threshold ${text(rare)} costs ${fixed(costOf(a, rare, 0.4), 1)}.`,
    ],
  };
}

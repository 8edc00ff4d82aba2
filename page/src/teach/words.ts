// The text of the card next to the curve at each step.

import { fixed, significant } from "../core/format.ts";
import { auc, fraction, halves, type Ranking, type Step } from "./ranking.ts";

export interface Card {
  readonly title: string;
  readonly lines: readonly string[];
  /** The arithmetic, line by line. */
  readonly sums: readonly string[];
}

const several = (count: number, one: string): string => (count === 1 ? `one ${one}` : `${count} ${one}s`);
const Several = (count: number, one: string): string => several(count, one).replace(/^./, (letter) => letter.toUpperCase());

/** The step in words: the new cases, where the curve goes, why, and the fraction. */
export function cardOf(r: Ranking, index: number): Card {
  const step = r.steps[index] as Step;
  const before = r.steps[Math.max(0, index - 1)] as Step;
  if (step.move === "start") {
    return {
      title: "No case is flagged yet",
      lines: ["The threshold is above every score: no positive is found, and no negative is flagged.", "The curve begins at (0, 0)."],
      sums: [],
    };
  }
  const score = significant(step.threshold as number, 6);
  return step.move === "up" ? upwards(r, step, score) : step.move === "right" ? rightwards(r, step, before, score) : slanted(r, step, before, score);
}

function upwards(r: Ranking, step: Step, score: string): Card {
  const who = step.p === 1 ? `The case with score **${score}** is positive` : `${Several(step.p, "positive")} share the score **${score}**`;
  return {
    title: "A positive moves the curve up",
    lines: [`${who}; ${step.p === 1 ? "it is" : "they are"} flagged from here on. One step up is ${fraction(1, r.positives)}.`, "The false positive rate stays the same, so the area does not grow."],
    sums: [`recall ${fraction(step.tp, r.positives)} = ${fixed(step.tp / r.positives, 3)}`],
  };
}

function rightwards(r: Ranking, step: Step, before: Step, score: string): Card {
  const who = step.n === 1 ? `The case with score **${score}** is negative` : `${Several(step.n, "negative")} share the score **${score}**`;
  return {
    title: "A negative moves the curve right",
    lines: [
      `${who}: ${step.n === 1 ? "a false alarm" : "false alarms"}. One step right is ${fraction(1, r.negatives)}.`,
      `${Several(before.tp, "positive")} rank${before.tp === 1 ? "s" : ""} above ${step.n === 1 ? "it" : "each of them"}: this is the number of pairs in the right order.`,
    ],
    sums: grown(r, step, before, `${fraction(before.tp, r.positives)}`),
  };
}

function slanted(r: Ranking, step: Step, before: Step, score: string): Card {
  return {
    title: "A tie moves diagonally",
    lines: [
      `${Several(step.p, "positive")} and ${several(step.n, "negative")} share the score **${score}**. No threshold can separate them, so the curve takes both steps at once.`,
      "The area grows by a trapezoid: a tied pair counts one half, neither right nor wrong.",
    ],
    sums: grown(r, step, before, `(${fraction(before.tp, r.positives)} + ${fraction(step.tp, r.positives)}) / 2`),
  };
}

function grown(r: Ranking, step: Step, before: Step, height: string): string[] {
  if (!r.all) return ["only one class: there is no area"];
  const [added, was, now] = [step.added, before.pairs, step.pairs].map((pairs) => fixed(pairs / r.all, 3));
  return [`width ${fraction(step.n, r.negatives)} \u00d7 ${height} = ${added}`, `area ${was} + ${added} = ${now}`];
}

/** The result of the whole list, in pairs. */
export function ending(r: Ranking): string {
  if (!r.all) return "With only one class there is no complete curve and no area.";
  const tie = r.tied ? ` and ${r.tied === 1 ? "one is" : `${r.tied} are`} tied, (${r.right} + ${halves(r.tied / 2)}) / ${r.all}` : `, ${r.right} / ${r.all}`;
  const order = r.right === 1 ? "1 is" : `${r.right} are`;
  return `At the end the area is ${fixed(auc(r), 3)}: of the ${r.all} pairs of a positive and a negative, ${order} in the right order${tie}.`;
}

// Measures, intervals, costs and rules against Python's numbers (tools/page_cells.py), to 1e-12.

import assert from "node:assert/strict";
import { test } from "node:test";
import type { Drawing, HullPoint, Model } from "../src/core/data.ts";
import type { Cells } from "../src/core/formula.ts";
import { estimate, expectedCost } from "../src/core/interval.ts";
import { carried, chosenBy, costPer1000, rowAt, slopeOf, touching } from "../src/core/model.ts";
import { close, documents, target, type Row } from "./support.ts";

interface CellCase {
  cells: number[];
  squares: number[] | null;
  prevalence: number | null;
  measures: Record<string, Row>;
  prices: [number, number][];
  costs: Row[];
}

interface TableCase {
  thresholds: (number | null)[];
  tp: number[];
  fp: number[];
  positives: number;
  negatives: number;
  hull: [number, number][];
  rules: Record<string, number[]>;
  priced: { fp: number; fn: number; prevalence: number | null; tied: number[]; touches: [number, number] }[];
  precise: Record<string, number[]>;
  top: Record<string, number>;
}

const { cells: cellCases, tables } = documents<{ cells: CellCase[]; tables: TableCase[] }>("cells");
const four = ([tp, fp, fn, tn]: number[]): Cells => ({ tp, fp, fn, tn }) as Cells;

test("every measure of the catalogue with its interval", () => {
  let compared = 0;
  for (const one of cellCases) {
    for (const [name, [value, low, high, method, why]] of Object.entries(one.measures)) {
      const words = `${name} at ${one.cells} squares ${one.squares} prevalence ${one.prevalence}`;
      const found = estimate(target(name), four(one.cells), one.squares && four(one.squares), 0.95, one.prevalence);
      close(found.value, value, words);
      if (method === "jeffreys") continue; // draws from NumPy's generator: the page says that it has no limits there
      close(found.low, low, `${words}, low`);
      close(found.high, high, `${words}, high`);
      // Python adds words to a bare equation where the measure is one of a whole matrix too
      if (value === null) assert.ok(found.why && String(why).includes(found.why), `${words}: "${found.why}", Python "${why}"`);
      else if (value !== null && low !== null) assert.equal(found.method, method, words);
      compared += 1;
    }
  }
  assert.ok(compared > 2000, `${compared} compared`);
});

test("expected cost with its interval", () => {
  for (const one of cellCases) {
    one.prices.forEach(([fp, fn], i) => {
      const [value, low, high] = one.costs[i] as Row;
      const found = expectedCost(four(one.cells), one.squares && four(one.squares), { fp, fn }, 0.95, one.prevalence);
      const words = `cost ${fp} : ${fn} at ${one.cells} prevalence ${one.prevalence}`;
      close(found.value, value, words);
      close(found.low, low, `${words}, low`);
      close(found.high, high, `${words}, high`);
    });
  }
});

function drawingOf(one: TableCase): { d: Drawing; model: Model } {
  const model = { name: "m", slot: 1, thresholds: one.thresholds, tp: one.tp, fp: one.fp, hull: [], areas: [] } as unknown as Model;
  const d = { rule: ">=", level: 0.95, positives: one.positives, negatives: one.negatives, models: [model] } as unknown as Drawing;
  return { d, model };
}

test("rules choose the thresholds that Python's rules choose", () => {
  for (const one of tables) {
    const { d, model } = drawingOf(one);
    const own = one.positives / (one.positives + one.negatives);
    const setting = { prices: { fp: 1, fn: 1 }, prevalence: own, precision: 0.5, top: 0.05 };
    for (const [rule, tied] of Object.entries(one.rules)) {
      assert.equal(chosenBy(rule as "youden", d, model, setting).row, tied[0], rule);
    }
    for (const { fp, fn, prevalence, tied } of one.priced) {
      const found = chosenBy("cost", d, model, { ...setting, prices: { fp, fn }, prevalence: prevalence ?? own });
      assert.equal(found.row, tied[0], `cost ${fp} : ${fn} at ${prevalence}`);
    }
    for (const [limit, tied] of Object.entries(one.precise)) {
      assert.equal(chosenBy("precision", d, model, { ...setting, precision: Number(limit) }).row, tied[0], `precision ${limit}`);
    }
    for (const [share, row] of Object.entries(one.top)) {
      assert.equal(chosenBy("top", d, model, { ...setting, top: Number(share) }).row, row, `top ${share}`);
    }
  }
});

test("a precision that nothing reaches is said, with the nearest", () => {
  const one = { thresholds: [null, 0.9, 0.8, 0.7], tp: [0, 0, 2, 4], fp: [0, 1, 2, 6], positives: 4, negatives: 6 } as TableCase;
  const { d, model } = drawingOf(one);
  const found = chosenBy("precision", d, model, { prices: { fp: 1, fn: 1 }, prevalence: 0.4, precision: 0.95, top: 0.1 });
  assert.deepEqual([found.met, found.best, found.row], [false, 0.5, 2]);
});

test("the line of equal cost touches the corner that Python's hull names", () => {
  for (const one of tables) {
    const points = one.hull.map(([fpr, tpr]) => ({ fpr, tpr, model: "m", threshold: null }) as HullPoint);
    const own = one.positives / (one.positives + one.negatives);
    for (const { fp, fn, prevalence, touches } of one.priced) {
      const found = touching(points, slopeOf({ fp, fn }, prevalence ?? own));
      assert.deepEqual([found?.point.fpr, found?.point.tpr], touches, `${fp} : ${fn} at ${prevalence}`);
    }
  }
});

test("counts at a threshold: binary search equals counting", () => {
  for (const one of tables) {
    const { d, model } = drawingOf(one);
    for (let t = -0.05; t <= 1.05; t += 0.013) {
      const counted = one.thresholds.filter((score) => score !== null && score >= t).length;
      assert.equal(rowAt(d, model, t), counted);
    }
    assert.equal(rowAt(d, model, null), 0);
    const falling = { ...d, rule: "<=" } as Drawing;
    const turned = { ...model, thresholds: [null, ...one.thresholds.slice(1).reverse()] } as Model;
    assert.equal(rowAt(falling, turned, 0.5), one.thresholds.filter((score) => score !== null && score <= 0.5).length);
  }
});

test("re-basing keeps the rates and the total, and cost follows", () => {
  const moved = carried(four([7, 7, 3, 13]), 0.02);
  close(moved.tp / (moved.tp + moved.fn), 0.7, "recall");
  close(moved.fp / (moved.fp + moved.tn), 0.35, "fpr");
  close(moved.tp / (moved.tp + moved.fp), 2 / 51, "precision");
  const d = { positives: 10, negatives: 20 } as Drawing;
  const prices = { fp: 1, fn: 5 };
  close(costPer1000(d, { fpr: 0.35, tpr: 0.7 }, prices, 0.02), (1000 * (prices.fn * moved.fn + prices.fp * moved.fp)) / 30, "cost");
});

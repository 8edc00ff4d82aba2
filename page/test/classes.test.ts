// Several classes: orders, totals, confusions and their costs; the state in the link.

import assert from "node:assert/strict";
import { test } from "node:test";
import { actualOf, againstRest, confusions, costOf, naturalOrder, predictedOf, shareOf, totalOf } from "../src/classes/counts.ts";
import { START, fromFragment, toFragment } from "../src/classes/state.ts";
import { cheapestAt } from "../src/classes/validation.ts";

const cells = [[50, 3, 7], [0, 40, 2], [5, 1, 92]];

test("labels are ordered as people count", () => {
  assert.deepEqual(naturalOrder(["class 10", "class 2", "class 1"]), [2, 1, 0]);
  assert.deepEqual(naturalOrder(["b", "a", "C"]), [1, 0, 2]);
});

test("totals, one class against the rest, the most frequent confusion", () => {
  assert.deepEqual([actualOf(cells, 0), predictedOf(cells, 0), totalOf(cells)], [60, 55, 200]);
  assert.deepEqual(againstRest(cells, 0), { tp: 50, fn: 10, fp: 5, tn: 135 });
  assert.deepEqual(confusions(cells)[0], { i: 0, j: 2, count: 7 });
});

test("the share of a cell has Wilson's interval", () => {
  const one = shareOf(cells, 0, 2, 0.95);
  assert.ok(Math.abs(one.value - 7 / 60) < 1e-15);
  assert.ok(Math.abs(one.low - 0.0577) < 5e-5 && Math.abs(one.high - 0.2218) < 5e-5);
});

test("each confusion costs 1 unless it is priced", () => {
  assert.equal(costOf(cells, {}), 90);
  assert.equal(costOf(cells, { "0,2": 10 }), (1000 * (18 + 7 * 9)) / 200);
});

test("the state goes into the link and comes back", () => {
  const state = { chosen: 2, order: "natural", zoom: true, cell: [0, 2], costs: { "0,2": 10 } } as const;
  assert.deepEqual(fromFragment(toFragment(state), 3), state);
  assert.deepEqual(fromFragment("#c=9&cell=1&order=x&cost=0,0,-1;z", 3), START);
});

test("the cheapest at a cost is that of the interval which holds its slope", () => {
  const one = (from: number, to: number | string, model: string) => ({ slope_from: from, slope_to: to, model, threshold: 0.5, fpr: 0.1, tpr: 0.9 });
  const intervals = [one(2, "Infinity", "a"), one(0, 2, "b")];
  assert.equal(cheapestAt(intervals, 0.5, 0.25)?.model, "a");
  assert.equal(cheapestAt(intervals, 0.5, 5)?.model, "b");
});

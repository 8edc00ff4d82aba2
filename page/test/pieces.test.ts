// Small parts of the views that are pure: the rolling line, 1,000 marks, what people type.

import assert from "node:assert/strict";
import { test } from "node:test";
import { logOdds, linear, logarithmic, ticks } from "../src/core/axis.ts";
import type { HullPoint } from "../src/core/data.ts";
import { ranges, slopes, touching } from "../src/core/model.ts";
import { say } from "../src/core/words.ts";
import { asShare, numberIn, ratioIn } from "../src/views/parts/typed.ts";
import { tangent } from "../src/views/parts/tangent.ts";
import { marksFor, marksOf, thousandths } from "../src/views/parts/thousand.ts";

const corner = (fpr: number, tpr: number, model: string | null = null): HullPoint => ({ fpr, tpr, model, threshold: null });
// the two-point example: C4.5 and SVM
const two = [corner(0, 0), corner(0.2, 0.7, "C4.5"), corner(0.5, 0.95, "SVM"), corner(1, 1)];

test("the two-point example: C4.5 at ratio 1, SVM at 1/4", () => {
  assert.equal(touching(two, 1)?.point.model, "C4.5");
  assert.equal(touching(two, 0.25)?.point.model, "SVM");
  assert.equal(touching(two, 10)?.point.model, null);
});

test("the line through a place touches the hull", () => {
  for (const [fpr, tpr] of [[0.1, 0.9], [0.3, 0.95], [0.05, 0.4], [0.9, 1.2], [0.6, 1.1]] as const) {
    const slope = tangent(two, fpr, tpr);
    const found = touching(two, slope)?.point as HullPoint;
    const above = two.every((one) => tpr - slope * (fpr - one.fpr) >= one.tpr - 1e-9);
    assert.ok(above, `through ${fpr}, ${tpr}`);
    assert.ok(Math.abs(tpr - slope * (fpr - found.fpr) - found.tpr) < 1e-9, `touches at ${found.model}`);
  }
});

test("inside the hull the slope of the segment above is taken", () => {
  assert.equal(tangent(two, 0.3, 0.4), slopes(two)[1]);
});

test("ranges of cost ratios cover everything without gaps", () => {
  const found = ranges(two, 0.5);
  assert.equal(found[0]?.from, 0);
  assert.equal(found.at(-1)?.to, Infinity);
  found.slice(1).forEach((one, i) => assert.equal(one.from, found[i]?.to));
});

test("a thousand marks always add up", () => {
  for (let i = 0; i < 200; i += 1) {
    const cells = { tp: Math.random() * 50, fp: Math.random() * 900, fn: Math.random(), tn: Math.random() * 5000 };
    const found = thousandths(cells);
    assert.equal(found.tp + found.fp + found.fn + found.tn, 1000);
    const all = cells.tp + cells.fp + cells.fn + cells.tn;
    for (const name of ["tp", "fp", "fn", "tn"] as const) assert.ok(Math.abs(found[name] - (1000 * cells[name]) / all) <= 1);
  }
  assert.deepEqual(marksOf([3, 1, 0, 2]).map((path) => path.split("M").length - 1), [3, 1, 0, 2]);
});

test("rare cases are counted per 10,000 or more, and none that is there is without a mark", () => {
  const fraud = { tp: 40, fn: 10, fp: 255, tn: 49_695 };
  const found = thousandths(fraud, 10_000);
  assert.deepEqual(found, { tp: 8, fn: 2, fp: 51, tn: 9_939 });
  const marks = marksFor(fraud);
  assert.equal(marks.tp + marks.fp + marks.fn + marks.tn, 1000);
  assert.ok(marks.fn >= 1 && marks.tp >= 1);
});

test("what people type", () => {
  assert.deepEqual([numberIn(" 0,5"), numberIn("5 %"), numberIn("1e-3"), numberIn("\u22122")], [0.5, 5, 0.001, -2]);
  assert.ok(Number.isNaN(numberIn("none")));
  assert.deepEqual([asShare(5, "5 %"), asShare(5, "5"), asShare(0.05, "0.05")], [0.05, 0.05, 0.05]);
  assert.deepEqual([ratioIn("1 : 5"), ratioIn("2:1"), ratioIn("7"), ratioIn("x"), ratioIn("0:1")], [{ fp: 1, fn: 5 }, { fp: 1, fn: 0.5 }, { fp: 1, fn: 7 }, null, null]);
});

test("scales go there and back", () => {
  for (const scale of [linear([2, 7], [10, 90]), logarithmic([0.5, 100], [0, 300]), logOdds([0.001, 0.9], [0, 1])]) {
    for (const share of [0, 0.2, 0.9, 1]) {
      const pixel = scale.range[0] + share * (scale.range[1] - scale.range[0]);
      assert.ok(Math.abs(scale(scale.invert(pixel)) - pixel) < 1e-9);
    }
  }
  assert.deepEqual(ticks(0, 1, 4), [0, 0.25, 0.5, 0.75, 1]);
});

test("slots are filled once: braces and asterisks in names stay", () => {
  assert.equal(say("Use **{model}** at {threshold}.", { model: "{threshold}**", threshold: "0.5" }), "Use {threshold}** at 0.5.");
});

test("numbers and estimates are written by the format of their slot", () => {
  const slots = { share: 0.625, ratio: 1, cost: { value: 159.2, low: 114, high: 221, level: 0.95 } };
  assert.equal(say("{share:percent}, {ratio:alarms}, {cost:cost}", slots), "62\u00a0%, 1 false alarm, 159 (95\u00a0% CI 114\u2013221)");
});

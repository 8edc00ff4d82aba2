// The cost strip as arithmetic.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Drawing } from "../src/core/data.ts";
import { segments, shareBands, stepped, switches } from "../src/views/parts/strips.ts";

// C4.5 (0.2, 0.7) and SVM (0.5, 0.95) at prevalence 1/2: slopes 3.5, 5/6 and 0.1, so ratios 2/7, 6/5 and 10
const points = [
  { fpr: 0, tpr: 0, model: null, threshold: null },
  { fpr: 0.2, tpr: 0.7, model: "C4.5", threshold: 1 },
  { fpr: 0.5, tpr: 0.95, model: "SVM", threshold: 1 },
  { fpr: 1, tpr: 1, model: null, threshold: null },
];

const close = (found: number[], expected: number[]) =>
  found.forEach((value, k) => assert.ok(Math.abs(value - (expected[k] as number)) < 1e-12, `${value}`));

test("from ratio to ratio the cheapest model, the trivial ends included", () => {
  const all = segments(points, 0.5, 0, Infinity, false);
  assert.deepEqual(all.map((one) => one.model), [null, "C4.5", "SVM", null]);
  assert.deepEqual(all.map((one) => one.everybody), [false, false, false, true]);
  close(switches(all), [2 / 7, 6 / 5, 10]);
});

test("prevalence shifts the ratios by its odds, and the axis cuts them", () => {
  close(switches(segments(points, 1 / 3, 0, Infinity, false)), [4 / 7, 12 / 5, 20]);
  const cut = segments(points, 0.5, 0.5, 5, false);
  assert.deepEqual(cut.map((one) => one.model), ["C4.5", "SVM"]);
  close(cut.map((one) => one.from), [0.5, 6 / 5]);
  assert.equal(segments(points, 0.5, 10, 100, false).length, 1, "a border on the edge is no stretch");
});

test("thresholds of one model join, or stand each for itself", () => {
  const own = points.map((one) => ({ ...one, model: null, threshold: one.model ? one.fpr : null }));
  assert.equal(segments(own, 0.5, 0, Infinity, false, "only").length, 3);
  assert.equal(segments(own, 0.5, 0, Infinity, true, "only").length, 4);
});

test("shares are stacked and shift with the prevalence", () => {
  const drawing = {
    positives: 1, negatives: 1, models: [{ name: "a" }, { name: "b" }],
    strip: { ratios: [0.5, 5, 100], shares: { a: [1, 0.5, 0], b: [0, 0.5, 1] }, resamples: 10, why: "" },
  } as unknown as Drawing;
  const [b, a] = shareBands(drawing, 0.5, 0.5, 100);
  assert.deepEqual(b!.points.map((p) => p.high), [0, 0.5, 1]);
  assert.deepEqual(a!.points.map((p) => p.low), [0, 0.5, 1]);
  assert.deepEqual(a!.points.map((p) => p.high), [1, 1, 1]);
  const moved = shareBands(drawing, 1 / 3, 0.5, 100)[0]!.points;
  close(moved.map((p) => p.ratio), [0.5, 1, 10, 100]);
});

test("keys step along the ratio", () => {
  assert.equal(stepped("ArrowRight", false, 5, 0.5, 100, []), 5.3);
  assert.ok((stepped("ArrowRight", true, 5, 0.5, 100, []) as number) > 8);
  assert.ok((stepped("ArrowLeft", false, 5, 0.5, 100, []) as number) < 5);
  assert.equal(stepped("ArrowLeft", true, 0.6, 0.5, 100, []), 0.5);
  assert.equal(stepped("Home", false, 5, 0.5, 100, []), 0.5);
  assert.equal(stepped("End", false, 5, 0.5, 100, []), 100);
  assert.ok(Math.abs((stepped("PageUp", false, 5, 0.5, 100, [2, 7]) as number) - 7) < 0.01);
  assert.ok(Math.abs((stepped("PageDown", false, 5, 0.5, 100, [2, 7]) as number) - 2) < 0.01);
  assert.equal(stepped("x", false, 5, 0.5, 100, []), null);
});

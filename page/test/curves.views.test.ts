// The curves of the views, beside what Python's curves give for the same twelve cases (rocscope.curves).
import assert from "node:assert/strict";
import { test } from "node:test";

import {
  costEnvelope, det, gain, lift, precisionRecall, precisionRecallDrawn, precisionRecallGain, probabilityCost,
} from "../src/views/parts/curves";
import type { Drawing, Model } from "../src/core/data";
import { netBenefit, pointAt, rowAt } from "../src/core/model";
import { probit } from "../src/core/normal";

const thresholds = [null, 0.95, 0.9, 0.8, 0.6, 0.5, 0.45, 0.4, 0.3, 0.2, 0.1];
const along = { tp: [0, 1, 1, 3, 3, 4, 4, 4, 4, 5, 5], fp: [0, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7] };
const base = { positives: 5, negatives: 7, prevalence: 5 / 12 };

function close(found: readonly number[], expected: readonly number[], within = 1e-12): void {
  assert.equal(found.length, expected.length);
  found.forEach((value, k) => assert.ok(Math.abs(value - (expected[k] as number)) <= within, `${k}: ${value}`));
}

test("precision and recall begin at the first real point", () => {
  const found = precisionRecall(along, base);
  close(found.map((p) => p.x), [0.2, 0.2, 0.6, 0.6, 0.8, 0.8, 0.8, 0.8, 1, 1]);
  close(found.map((p) => p.y), [1, 0.5, 0.6, 0.5, 4 / 7, 0.5, 4 / 9, 0.4, 5 / 11, 5 / 12]);
});

test("between two thresholds precision bends as Python's pr_points does", () => {
  const found = precisionRecallDrawn(along, base, 0.1);
  close(
    found.map((p) => p.y),
    [
      1, 0.5, 0.5454545454545454, 0.5714285714285714, 0.5882352941176471, 0.6, 0.5, 0.5384615384615384, 0.5714285714285714,
      0.5, 0.4444444444444444, 0.4, 0.42857142857142855, 0.45454545454545453, 0.4166666666666667,
    ],
  );
});

test("gain and lift", () => {
  close(gain(along, base).map((p) => p.x), [0, 1, 2, 5, 6, 7, 8, 9, 10, 11, 12].map((k) => k / 12));
  close(lift(along, base).map((p) => p.y), [2.4, 1.2, 1.44, 1.2, 48 / 35, 1.2, 16 / 15, 0.96, 12 / 11, 1]);
});

test("precision-recall-gain", () => {
  const found = precisionRecallGain(along, base);
  close(found.map((p) => p.x), [-13 / 7, -13 / 7, 11 / 21, 11 / 21, 23 / 28, 23 / 28, 23 / 28, 23 / 28, 1, 1]);
  close(found.map((p) => p.y), [1, 2 / 7, 11 / 21, 2 / 7, 13 / 28, 2 / 7, 3 / 28, -1 / 14, 1 / 7, 0]);
});

test("DET leaves out rates of 0 and 1, which have no normal quantile", () => {
  const found = det(along, base);
  assert.deepEqual(found.map((p) => p.row), [2, 3, 4, 5, 6, 7, 8]);
  close([found[0]!.x, found[0]!.y], [-1.0675705238781414, 0.8416212335729143]);
});

test("the normal quantile has the digits of SciPy's", () => {
  const found = [1e-300, 1e-12, 0.001, 0.02, 0.1, 0.3, 0.8, 0.99].map(probit);
  close(found, [
    -37.0470962993612, -7.034483825301131, -3.090232306167813, -2.053748910631823, -1.2815515655446004,
    -0.5244005127080409, 0.8416212335729143, 2.3263478740408408,
  ]);
});

test("the cost envelope has the corners of Python's cost curve", () => {
  const corners = [{ fpr: 0, tpr: 0 }, { fpr: 0, tpr: 0.2 }, { fpr: 3 / 7, tpr: 0.8 }, { fpr: 6 / 7, tpr: 1 }, { fpr: 1, tpr: 1 }];
  const found = costEnvelope(corners);
  close(found.map((p) => p.x), [0, 0, 0.4166666666666666, 0.6818181818181818, 1, 1]);
  close(found.map((p) => p.y), [0, 0, 0.33333333333333337, 0.27272727272727276, 0, 0]);
  assert.equal(probabilityCost(0.5, 1, 1), 0.5);
  assert.equal(probabilityCost(0.2, 1, 4), 0.5);
});

test("the decision curve, without what rounding leaves", () => {
  const model = { thresholds, ...along } as unknown as Model;
  const d = { positives: 5, negatives: 7, rule: ">=" } as unknown as Drawing;
  const net = (risk: number) => netBenefit(pointAt(d, model, rowAt(d, model, risk)), 5 / 12, risk) / 1000;
  const expected = [0.4166666666666667, 0.34523809523809523, 0.16666666666666666, 0.08333333333333331, 0.08333333333333331];
  close([0, 0.125, 0.25, 0.375, 0.5].map(net), expected);
  close([netBenefit({ fpr: 1, tpr: 1 }, 5 / 12, 0.25) / 1000], [0.22222222222222224]);
  for (const risk of [0.1, 0.3, 0.4, 0.5]) assert.equal(netBenefit({ fpr: 1, tpr: 1 }, risk, risk), 0);
});

test("the row at a threshold, in both directions", () => {
  const model = { thresholds } as unknown as Model;
  const row = (scores: readonly (number | null)[], value: number, rule: string) => rowAt({ rule } as Drawing, { ...model, thresholds: scores } as Model, value);
  assert.deepEqual([0.97, 0.8, 0.79, -1].map((value) => row(thresholds, value, ">=")), [0, 3, 3, 10]);
  assert.deepEqual([2, 0.5].map((value) => row([null, 1, 2, 3], value, "<=")), [2, 0]);
});

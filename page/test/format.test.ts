// Numbers as they are written, and names that could do harm.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  costSentence, costText, count, decimalsFor, estimateSentence, estimateText, fixed, pText, perCases, percent, ratioText, shortName, shortest, significant, thresholdText, whole,
} from "../src/core/format.ts";
import { visible } from "../src/core/names.ts";

test("decimals follow the half-width of the interval", () => {
  assert.deepEqual([0.0305, 0.11, 0.00021, 12, 0.0996, Infinity, NaN].map(decimalsFor), [3, 2, 4, 2, 2, 2, 3]);
  assert.equal(estimateText({ value: 0.651, low: 0.6201, high: 0.6812 }), "0.651 [0.620, 0.681]");
  assert.equal(estimateText({ value: 0.5, low: null, high: null }), "0.500");
  assert.equal(estimateText({ value: null, low: null, high: null }), "\u2013");
});

test("fixed: commas, real minus, no minus zero, ties to even as in Python", () => {
  assert.deepEqual([fixed(0.125, 2), fixed(0.8525), fixed(0.8545)], ["0.12", "0.853", "0.855"]); // ties, and what only looks like one
  assert.equal(fixed(1234.5678, 2), "1,234.57");
  assert.equal(fixed(-0.0001, 2), "0.00");
  assert.equal(fixed(-1.5, 1), "\u22121.5");
  assert.deepEqual([fixed(0.125, 2), fixed(0.375, 2), fixed(2.5, 0), fixed(0.145, 2)], ["0.12", "0.38", "2", "0.14"]);
  assert.deepEqual([fixed(NaN), fixed(Infinity), fixed(-Infinity)], ["\u2013", "\u221e", "\u2212\u221e"]);
  assert.equal(count(10650), "10,650");
});

test("costs, shares, ratios, p-values", () => {
  assert.deepEqual([172.4, 9.96, 2.4, 0.123, 0].map(whole), ["172", "10", "2.4", "0.12", "0"]);
  assert.equal(costText({ value: 172, low: 160.2, high: 185 }), "172 [160, 185]");
  const shown = (...shares: number[]) => shares.map((one) => percent(one).replace("\u00a0%", ""));
  assert.deepEqual(shown(0.0825, 0.654, 0.996, 0.9996, 0.08, 0.0004, 0, 1), ["8.2", "65", "99.6", "99.96", "8", "0.04", "0", "100"]);
  assert.deepEqual(shown(0.625, 0.375, 0.725, 0.275, 0.0535, 0.9465), ["62", "38", "72", "28", "5.4", "94.6"]);
  assert.deepEqual([perCases([0.05, 0.2]), perCases([0.0003, 0.5]), perCases([0, 1e-9])], [1000, 10_000, 1_000_000]);
  const estimate = { value: 0.847, low: 0.7801, high: 0.8938, level: 0.95 };
  assert.equal(estimateSentence(estimate), "0.847 (95\u00a0% CI 0.780\u20130.894)");
  assert.equal(costSentence({ value: 24, low: -33, high: 81, level: 0.9 }), "24 (90\u00a0% CI \u221233 to 81)");
  assert.deepEqual([ratioText(1, 5), ratioText(2, 1), ratioText(1, 6.64), ratioText(1, 1)], ["1 : 5", "2 : 1", "1 : 6.64", "1 : 1"]);
  assert.deepEqual([0.164, 0.0386, 1e-9, 1].map(pText), ["0.16", "0.039", "< 0.001", "1.00"]);
  assert.deepEqual([6.6432, 0.083333, 1234.5].map((x) => significant(x)), ["6.64", "0.0833", "1,230"]);
});

test("a threshold is the shortest decimal that decides the same", () => {
  assert.equal(shortest(0.28038809, 0.27911), 0.28);
  assert.equal(shortest(0.29, 0.28), 0.29);
  assert.equal(shortest(12.5, 3), 12);
  assert.equal(shortest(0.27911, 0.28038809), 0.28); // low scores mean positive: upwards
  for (let i = 0; i < 500; i += 1) {
    const [a, b] = [Math.random(), Math.random()].sort((x, y) => y - x) as [number, number];
    const short = shortest(a, b);
    assert.ok(short <= a && short > b, `${short} decides as ${a} before ${b}`);
  }
  assert.equal(thresholdText(null), "none");
});

test("names: harmful letters are made visible, long ones cut in the middle", () => {
  assert.equal(visible("a\u202eb"), "a\\u202eb");
  assert.equal(visible("a\nb\u0000"), "a\\nb\\x00");
  const long = "a very long model name, indeed";
  assert.equal([...shortName(long)].length, 24);
  assert.ok(shortName(long).startsWith("a very long ") && shortName(long).endsWith("indeed"));
  assert.equal(shortName("short"), "short");
});

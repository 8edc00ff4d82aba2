// The lesson in numbers: steps, areas, hull and pairs against their definitions.
import assert from "node:assert/strict";
import { test } from "node:test";
import { cheapest, costOf, crossing, nearest } from "../src/teach/lessons.ts";
import { auc, averagePrecision, fraction, halves, hullOf, moved, pointOf, presets, prOf, rank, sample, sampled, type Case } from "../src/teach/ranking.ts";
import { casesOf, fromFragment, toFragment } from "../src/teach/classroom.ts";
import { cardOf, ending } from "../src/teach/words.ts";

const close = (a: number, b: number) => assert.ok(Math.abs(a - b) < 1e-12, `${a} is not ${b}`);

/** The share of pairs in the right order, ties one half, pair by pair. */
function byPairs(cases: readonly Case[]): number {
  let [won, all] = [0, 0];
  for (const a of cases) for (const b of cases) if (a.positive && !b.positive) [won, all] = [won + (a.score > b.score ? 1 : a.score === b.score ? 0.5 : 0), all + 1];
  return won / all;
}

const list = (labels: string, scores: readonly number[]): Case[] => [...labels].map((one, i) => ({ positive: one === "1", score: scores[i] as number }));

test("the list of the page: sixteen steps, area 55.5 of 70 pairs", () => {
  const r = rank(sample());
  assert.equal(r.steps.length - 1, 16);
  assert.deepEqual([r.right, r.tied, r.all], [55, 1, 70]);
  close(auc(r), byPairs(sample()));
  const tie = r.steps[7];
  assert.deepEqual([tie?.move, tie?.tp, tie?.fp], ["diagonal", 5, 3]);
  close((tie?.pairs ?? 0) / r.all, 10.5 / 70);
});

test("areas of random lists with ties are shares of pairs", () => {
  let seed = 3;
  const next = (n: number) => (seed = (seed * 16807) % 2147483647) % n;
  for (let run = 0; run < 200; run += 1) {
    const cases = Array.from({ length: 2 + next(12) }, () => ({ positive: next(2) === 1, score: next(6) / 5 }));
    const r = rank(cases);
    if (r.all) close(auc(r), byPairs(cases));
    else assert.ok(Number.isNaN(auc(r)));
    assert.equal(r.steps.at(-1)?.rows, cases.length);
  }
});

test("the hull of Fawcett's list", () => {
  const scores = [0.9, 0.8, 0.7, 0.6, 0.55, 0.54, 0.53, 0.52, 0.51, 0.505, 0.4, 0.39, 0.38, 0.37, 0.36, 0.35, 0.34, 0.33, 0.3, 0.1];
  const r = rank(list("11011100101010001010", scores));
  assert.deepEqual(hullOf(r), [[0, 0], [0, 0.2], [0.1, 0.5], [0.5, 0.8], [0.9, 1], [1, 1]]);
  close(auc(r), 0.68);
  close(Number(averagePrecision(r).toFixed(6)), 0.735748);
});

test("moving a row moves its label and keeps the scores", () => {
  const r = moved(list("10", [0.9, 0.1]), 0, 1);
  assert.deepEqual(r, list("01", [0.9, 0.1]));
  const same = moved(sample(), 3, 3);
  assert.deepEqual(same, [...sample()].sort((a, b) => b.score - a.score));
});

test("presets: perfect is 1, inverted turns the area round, tied is one half", () => {
  const [own, perfect, , inverted, tied] = presets(sample()).map((one) => auc(rank(one.cases)));
  close(perfect as number, 1);
  close((own as number) + (inverted as number), 1);
  close(tied as number, 0.5);
});

test("a large table is sampled evenly and keeps its share", () => {
  const n = 1000;
  const thresholds = [null, ...Array.from({ length: n }, (_, i) => 1 - i / n)];
  const tp = thresholds.map((_, i) => Math.floor(i / 4));
  const fp = thresholds.map((_, i) => i - Math.floor(i / 4));
  const cases = sampled(thresholds, tp, fp);
  assert.equal(cases.length, 60);
  assert.equal(cases.filter((one) => one.positive).length, 15);
  assert.ok(Math.abs(auc(rank(cases)) - 0.5) < 0.03);
});

test("crossing curves: the greater area is dearer where misses are dear, and the corner knows no costs", () => {
  const two = crossing();
  const [a, b] = [rank(two.cases), rank(two.rival)];
  assert.ok(auc(a) > auc(b));
  assert.ok(costOf(a, cheapest(a, 4), 4) > costOf(b, cheapest(b, 4), 4));
  assert.ok(costOf(a, cheapest(a, 0.4), 0.4) < costOf(b, cheapest(b, 0.4), 0.4));
  assert.ok(costOf(a, nearest(a), 0.4) > costOf(a, cheapest(a, 0.4), 0.4));
});

test("words and fractions", () => {
  const r = rank(sample());
  assert.equal(cardOf(r, 7).title, "A tie moves diagonally");
  assert.deepEqual(cardOf(r, 7).sums, ["width 1/10 \u00d7 (4/7 + 5/7) / 2 = 0.064", "area 0.086 + 0.064 = 0.150"]);
  assert.match(ending(r), /55 are in the right order and one is tied, \(55 \+ \u00bd\) \/ 70\./);
  assert.deepEqual([fraction(0, 7), fraction(7, 7), fraction(3, 7), halves(2.5), halves(0.5)], ["0", "1", "3/7", "2\u00bd", "\u00bd"]);
  assert.equal(prOf(r).length, 16 + 7);
  assert.deepEqual(pointOf(r, r.steps[16] as never), [1, 1]);
});

test("a list of one's own is read in either order, and refused in words", () => {
  assert.deepEqual(casesOf("score label\n0.9 p\n0, 0.8\n0.7;yes"), [{ score: 0.9, positive: true }, { score: 0.8, positive: false }, { score: 0.7, positive: true }]);
  assert.match(String(casesOf("0.9 p\n0.8 x")), /Line 2/);
  assert.match(String(casesOf("0.9 p\n0.8 p")), /one positive and one negative/);
  assert.match(String(casesOf("")), /one case per line/);
});

test("a link holds the list and the step", () => {
  const held = fromFragment(`#${toFragment(sample(), 4)}`);
  assert.deepEqual(held, { cases: sample(), step: 4 });
  assert.equal(fromFragment("#x=1"), null);
});

// Which embedded cases are in a cell.
import assert from "node:assert/strict";
import { test } from "node:test";

import type { Drawing } from "../src/core/data.ts";
import { caseSheet, casesIn } from "../src/views/caselist.ts";

const drawing = {
  rule: ">=", positive: "yes", negative: "no", unit: "loan", units: "loans", positives: 5, negatives: 7,
  models: [{ name: "a", thresholds: [null, 0.9, 0.5, 0.2], tp: [0, 1, 3, 5], fp: [0, 0, 1, 7] }],
  cases: { ids: ["p", "q", "r", "s", "t"], label: [1, 0, 1, 0, 1], scores: { a: [0.9, 0.79, 0.3, 0.2, 0.5] }, more: 7 },
} as unknown as Drawing;

const ids = (cell: "tp" | "fp" | "fn" | "tn" | "near", threshold: number | null = 0.5) =>
  casesIn(drawing, { model: 0, threshold, cell }).map(({ row }) => drawing.cases!.ids[row]);

test("each cell holds its cases, the surest first", () => {
  assert.deepEqual(ids("tp"), ["p", "t"]);
  assert.deepEqual(ids("fp"), ["q"]);
  assert.deepEqual(ids("fn"), ["r"]);
  assert.deepEqual(ids("tn"), ["s"]);
  assert.deepEqual(ids("tp", null), []);
  assert.deepEqual(ids("near"), ["t", "r", "q", "s", "p"]);
});

test("with the other direction low scores are flagged", () => {
  const turned = { ...drawing, rule: "<=" } as Drawing;
  assert.deepEqual(casesIn(turned, { model: 0, threshold: 0.3, cell: "tp" }).map(({ row }) => row), [2]);
});

test("labels as text are compared with the name of the positive class", () => {
  const named = { ...drawing, cases: { ...drawing.cases!, label: ["yes", "no", "yes", "no", "yes"] } } as Drawing;
  assert.equal(casesIn(named, { model: 0, threshold: 0.5, cell: "tp" }).length, 2);
});

test("the list says how many cases are not in the file", () => {
  const sheet = caseSheet(drawing, { model: 0, threshold: 0.5, cell: "tp" });
  assert.equal(sheet.caption, "2 of 3 loans found, a", "the matrix counts three");
  assert.equal(caseSheet(drawing, { model: 0, threshold: 0.5, cell: "fp" }).caption, "1 loan false alarms, a");
  assert.equal(sheet.note, "The report contains 5 of 12 loans.");
});

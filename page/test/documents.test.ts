// The stored documents: what the page computes from them equals what Python computed, to 1e-12.

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { test } from "node:test";
import { derive } from "../src/core/app.ts";
import type { Document, Drawing, Model } from "../src/core/data.ts";
import { CELLS } from "../src/core/formula.ts";
import { cellsAt, cheapestRow, chosenBy, costInterval, costPer1000, dataPrevalence, isOff, measureAt, pointAt, rowAt, slopeOf, touching } from "../src/core/model.ts";
import { initial, type State } from "../src/core/state.ts";
import { close, folder, report } from "./support.ts";

interface Expected {
  rows: {
    model: string;
    row: number;
    threshold: number | null;
    counts: Record<string, number>;
    measures: Record<string, number | null>;
    estimates: Record<string, { value: number | null; low: number | null; high: number | null; method: string }>;
    costs: { fp: number; fn: number; prevalence: number | null; per_1000: Record<"value" | "low" | "high", number | null> }[];
  }[];
  best: { fp: number; fn: number; prevalence: number | null; fpr: number; tpr: number; rows: Record<string, number | null> }[];
}

const names = readdirSync(folder).filter((name) => name.endsWith(".json") && name !== "cells.json").map((name) => name.replace(".json", ""));
const stored = names.map((name) => ({ name, document: report(name) as Document & { expected?: Expected } }));
const expected = stored.filter((one) => one.document.expected);
const modelOf = (d: Drawing, name: string) => d.models.find((one) => one.name === name) as Model;

test("there are documents of every state", () => {
  assert.ok(expected.length >= 10, names.join(" "));
});

for (const { name, document } of expected) {
  const { drawing: d, expected: found } = document as Document & { expected: Expected };
  const own = dataPrevalence(d);

  test(`${name}: counts, measures and intervals at thresholds`, () => {
    for (const one of found.rows) {
      const model = modelOf(d, one.model);
      assert.equal(rowAt(d, model, one.threshold), one.row, `row of ${one.threshold}`);
      const cells = cellsAt(d, model, one.row);
      for (const cell of CELLS) close(cells[cell], one.counts[cell] as number, `${cell} at ${one.threshold}`);
      for (const measure of d.measures) {
        close(measureAt(d, measure, model, one.row, own).value, one.measures[measure.name] ?? null, `${measure.name} at ${one.threshold}`);
      }
      for (const [measure, estimate] of Object.entries(one.estimates)) {
        const declared = d.measures.find((other) => other.name === measure);
        assert.ok(declared);
        const mine = measureAt(d, declared, model, one.row, own);
        close(mine.low, estimate.low, `${measure}, low`);
        close(mine.high, estimate.high, `${measure}, high`);
      }
    }
  });

  test(`${name}: costs with their intervals, at other prevalences too`, () => {
    for (const one of found.rows) {
      const model = modelOf(d, one.model);
      for (const { fp, fn, prevalence, per_1000 } of one.costs) {
        if (prevalence !== null && !isOff(d, prevalence)) continue; // the data's own share, which the page takes as not set
        const mine = costInterval(d, model, one.row, { fp, fn }, prevalence ?? own);
        // 1e-12 of the scale that the page writes: per 1,000 cases
        for (const side of ["value", "low", "high"] as const) {
          const wanted = per_1000[side];
          close(mine[side] / 1000, wanted === null ? null : wanted / 1000, `${side} of ${fp} : ${fn} at ${prevalence}, row ${one.row}`);
        }
        close(costPer1000(d, pointAt(d, model, one.row), { fp, fn }, prevalence ?? own) / 1000, (per_1000.value as number) / 1000, "without interval");
      }
    }
  });

  test(`${name}: the cheapest threshold of each model, and the corner of the hull`, () => {
    for (const { fp, fn, prevalence, fpr, tpr, rows } of found.best) {
      const share = prevalence ?? own;
      for (const [model, row] of Object.entries(rows)) {
        const mine = cheapestRow(d, modelOf(d, model), { fp, fn }, share);
        assert.equal(mine.row, row, `${model}, ${fp} : ${fn} at ${prevalence}`);
      }
      const corner = touching(d.hull?.points ?? [], slopeOf({ fp, fn }, share))?.point;
      const gap = Math.hypot((corner?.fpr ?? NaN) - fpr, (corner?.tpr ?? NaN) - tpr);
      assert.ok(gap < 1e-8, `${fp} : ${fn} at ${prevalence}: ${gap}`); // corners are for drawing: nine digits
    }
  });

  test(`${name}: rules choose the rows that the document names`, () => {
    if (!d.positives || !d.negatives) return;
    const start = initial(d);
    const setting = { prices: { fp: start.fp, fn: start.fn }, prevalence: own, precision: 0.5, top: 0.05 };
    for (const model of d.models) {
      for (const rule of ["youden", "closest", "f1"] as const) {
        if (model.best?.[rule] == null) continue;
        assert.equal(chosenBy(rule, d, model, setting).row, model.best[rule], `${model.name}, ${rule}`);
      }
    }
  });
}

test("every document gives an operating point, whatever the state asks", () => {
  for (const { document } of stored) {
    const d = document.drawing;
    if (!d.models.length) continue;
    const start = initial(d);
    const asked: Partial<State>[] = [{}, { rule: "hand", threshold: null }, { rule: "precision", precision: 1 }, { rule: "top", top: 0 }, { fn: 1000 }, { prevalence: 0.0001 }, { rule: "f1" }];
    for (const patch of asked) {
      const now = derive(d, { ...start, ...patch });
      assert.ok(now.row >= 0 && now.row < now.model.tp.length);
      assert.equal(typeof now.at, "string");
    }
  }
});

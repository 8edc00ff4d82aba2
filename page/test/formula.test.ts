// The formula grammar: what Python reads is read, everything else is refused.

import assert from "node:assert/strict";
import { test } from "node:test";
import { evaluate, gradient, parse, proportion, textOf, why } from "../src/core/formula.ts";
import { report } from "./support.ts";

const cells = { tp: 7, fp: 7, fn: 3, tn: 13 };

test("every formula of the catalogue is read", () => {
  for (const one of report("demo").drawing.measures) assert.doesNotThrow(() => parse(one.formula as string), one.name);
});

test("precedence as in Python", () => {
  const value = (text: string) => evaluate(parse(text), cells);
  assert.equal(value("-tp**2"), -49);
  assert.equal(value("2 * tp - fp / fn"), 14 - 7 / 3);
  assert.equal(value("tp - (fp - fn) - tn"), 7 - 4 - 13);
  assert.equal(value("max(tp, tn) / min(fp, fn)"), 13 / 3);
  assert.ok(Number.isNaN(value("tp / (tp - fp)")) && Number.isNaN(value("log(tp - fp)")) && Number.isNaN(value("sqrt(fn - tp)")));
});

test("anything else is refused", () => {
  for (const text of ["", "tp +", "x / y", "alert(1)", "tp; fp", "tp[0]", "constructor", "tp.constructor", "sqrt(tp, fp)", "__proto__", "1 2"]) {
    assert.throws(() => parse(text), text);
  }
});

test("gradients equal differences", () => {
  for (const text of ["tp / (tp + fp)", "(tp * tn - fp * fn) / sqrt((tp + fp) * (tp + fn) * (fp + tn) * (fn + tn))", "abs(fp - fn) / tn", "log(tp / fn)**2"]) {
    const tree = parse(text);
    const slopes = gradient(tree, cells);
    (["tp", "fp", "fn", "tn"] as const).forEach((cell, i) => {
      const step = 1e-5;
      const [up, down] = [1, -1].map((sign) => evaluate(tree, { ...cells, [cell]: cells[cell] + sign * step })) as [number, number];
      assert.ok(Math.abs((up - down) / (2 * step) - (slopes[i] as number)) < 1e-8, `${text} by ${cell}`);
    });
  }
});

test("as text, with no more brackets than needed, and filled in", () => {
  const shown = (text: string) => textOf(parse(text), (cell) => cell.toUpperCase());
  assert.equal(shown("tp / (tp + fp)"), "TP / (TP + FP)");
  assert.equal(shown("((tp)) + (fp * fn)"), "TP + FP * FN");
  assert.equal(textOf(parse("tp / (tp + fp)"), (cell) => String(cells[cell])), "7 / (7 + 7)");
});

test("shares and reasons", () => {
  assert.deepEqual(proportion(parse("tp / (tp + fp)")), { part: new Set(["tp"]), whole: new Set(["tp", "fp"]) });
  assert.equal(proportion(parse("2 * tp / (2 * tp + fp + fn)")), null);
  assert.equal(why(parse("tp / (tp + fp)"), { tp: 0, fp: 0, fn: 3, tn: 4 }), "nothing was predicted positive (TP + FP = 0)");
});

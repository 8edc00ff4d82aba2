// What the tests share: stored documents, measures by name, and how near is near enough.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { bound, checked, type Document, type Measure } from "../src/core/data.ts";
import { parse } from "../src/core/formula.ts";
import type { Target } from "../src/core/interval.ts";

export type Row = [value: number | null, low: number | null, high: number | null, method: string, why?: string];

export const folder = join(process.cwd(), "test/documents");

/** A stored document by its name. */
export const documents = <T>(name: string): T => JSON.parse(readFileSync(join(folder, `${name}.json`), "utf8")) as T;
export const report = (name: string): Document => checked(documents<unknown>(name));

const catalogue = new Map((report("demo").drawing.measures as Measure[]).map((one) => [one.name, one]));

/** A measure of the shipped catalogue as the intervals need it. */
export function target(name: string): Target {
  const one = catalogue.get(name);
  assert.ok(one?.formula, `no formula for ${name}`);
  return { name, tree: parse(one.formula), low: bound(one.low, -Infinity), high: bound(one.high, Infinity) };
}

/** Equal to 1e-12, relative or absolute; null is "not a finite number". */
export function close(found: number, expected: number | null, words: string): void {
  if (expected === null) return assert.ok(!Number.isFinite(found), `${words}: expected none, got ${found}`);
  const gap = Math.abs(found - expected);
  assert.ok(gap <= 1e-12 * Math.max(1, Math.abs(expected)), `${words}: expected ${expected}, got ${found}`);
}

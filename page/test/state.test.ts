// The state in the address: what differs is written, what cannot be read is ignored, what is too much is clamped.

import assert from "node:assert/strict";
import { test } from "node:test";
import { fromFragment, initial, storeOf, toFragment, type Changed, type State } from "../src/core/state.ts";
import { report } from "./support.ts";

const start = initial(report("demo").drawing);

test("a link gives the state back", () => {
  const changed: State = { ...start, model: 1, rule: "hand", threshold: 0.31, fn: 12.5, prevalence: 0.02, rows: "predicted", unit: "thousand", zoom: true, open: ["f1", "precision"], precision: 0.8, top: 0.1 };
  assert.deepEqual(fromFragment(`#${toFragment(changed, start)}`, start, 3), changed);
  assert.deepEqual(fromFragment(toFragment({ ...start, rule: "hand", threshold: null }, start), start, 3).threshold, null);
});

test("the saved state needs no fragment", () => {
  assert.equal(toFragment(start, start), "");
  assert.deepEqual(fromFragment("", start, 3), start);
});

test("nonsense is ignored, too much is clamped", () => {
  const found = fromFragment("#m=99&rule=evil&fn=-3&fp=abc&p=7&rows=<b>&open=<script>,f1&what=1&t=NaN&top=&lang=%00", start, 3);
  assert.equal(found.model, 2);
  assert.equal(found.fp, start.fp);
  assert.ok(found.fn > 0 && found.prevalence < 1);
  assert.deepEqual(found.open, ["f1"]);
  assert.deepEqual([found.rows, found.top, found.lang, found.threshold], [start.rows, start.top, start.lang, start.threshold]);
  assert.equal(fromFragment("#t=0.4", start, 3).rule, "hand");
});

test("changes are told once per frame, the link is written at the end of a gesture", () => {
  const frames: (() => void)[] = [];
  const links: string[] = [];
  const told: Changed[] = [];
  const store = storeOf(start, start, (run) => frames.push(run), (fragment) => links.push(fragment));
  store.subscribe((changed) => told.push(changed));
  for (const fn of [6, 7, 8]) store.set({ fn }, false);
  assert.equal(frames.length, 1);
  frames.pop()?.();
  assert.deepEqual(told.map((one) => [...one]), [["fn"]]);
  assert.deepEqual(links, []);
  store.set({});
  assert.deepEqual(links, ["fn=8"]);
  assert.equal(frames.length, 0);
});

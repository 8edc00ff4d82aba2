// Where names stand, and how far a model is off.
import assert from "node:assert/strict";
import { test } from "node:test";

import { dense, placeFor, spread } from "../src/views/parts/labels.ts";

const frame = { left: 0, right: 300, top: 0, bottom: 200, width: 300, height: 200 };

test("names at the ends of curves keep their order, their distance and their frame", () => {
  assert.deepEqual(spread([10, 12, 100], 15, 0, 200), [10, 25, 100]);
  assert.deepEqual(spread([195, 198], 15, 0, 200), [185, 200]);
  assert.deepEqual(spread([50, 20], 15, 0, 200), [50, 20]);
});

test("a long straight piece counts as crossed", () => {
  const line = dense([[0, 100], [300, 100]], 7);
  assert.ok(line.length > 40);
  assert.ok(line.every(([, y]) => y === 100));
});

test("a name stands beside its own curve and off the others", () => {
  const own = dense([[0, 100], [300, 100]]);
  const other = dense([[0, 88], [300, 88]]);
  const found = placeFor(own, other, [], 60, frame);
  assert.ok(found);
  assert.ok(found.box.y >= 100, "below, since the other curve runs above");
  const taken = placeFor(own, other, [found.box], 60, frame);
  assert.ok(taken && (taken.box.x + 60 <= found.box.x || taken.box.x >= found.box.x + 60), "not on another name");
  const crowd = Array.from({ length: 60 }, (_, k) => dense([[0, 4 * k], [300, 4 * k]], 3)).flat();
  assert.equal(placeFor(own, crowd, [], 60, frame), null, "no place is no name");
});

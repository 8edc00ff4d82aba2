// The line of equal cost through a place, as it rolls around the hull.

import type { HullPoint } from "../../core/data.ts";
import { slopes } from "../../core/model.ts";

/** The slope of the line through a place that touches the hull to its left. */
export function tangent(points: readonly HullPoint[], fpr: number, tpr: number): number {
  const left = points.filter((one) => one.fpr < fpr - 1e-9);
  const above = left.length ? Math.min(...left.map((one) => (tpr - one.tpr) / (fpr - one.fpr))) : Infinity;
  const right = points.filter((one) => one.fpr > fpr + 1e-9);
  const needed = right.length ? Math.max(...right.map((one) => (one.tpr - tpr) / (one.fpr - fpr))) : 0;
  // inside the hull no line through the place touches it: the slope of the hull above the place is taken
  const found = above >= needed ? above : segmentSlope(points, fpr);
  return Math.max(found, 1e-6);
}

function segmentSlope(points: readonly HullPoint[], fpr: number): number {
  const index = points.findIndex((one) => one.fpr >= fpr);
  return slopes(points)[Math.max(0, index - 1)] ?? 1;
}

// The iso-cost line through a point, as it rolls around the hull.

import type { HullPoint } from "../../core/data.ts";
import { slopes } from "../../core/model.ts";

/** The slope of the line through a point that touches the hull to its left. */
export function tangent(points: readonly HullPoint[], fpr: number, tpr: number): number {
  const left = points.filter((one) => one.fpr < fpr - 1e-9);
  const above = left.length ? Math.min(...left.map((one) => (tpr - one.tpr) / (fpr - one.fpr))) : Infinity;
  const right = points.filter((one) => one.fpr > fpr + 1e-9);
  const needed = right.length ? Math.max(...right.map((one) => (one.tpr - tpr) / (one.fpr - fpr))) : 0;
  // inside the hull no line through the point is a tangent, so the slope of the hull above the point is used
  const found = above >= needed ? above : segmentSlope(points, fpr);
  return Math.max(found, 1e-6);
}

function segmentSlope(points: readonly HullPoint[], fpr: number): number {
  const index = points.findIndex((one) => one.fpr >= fpr);
  return slopes(points)[Math.max(0, index - 1)] ?? 1;
}

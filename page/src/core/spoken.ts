// The sentence that a screen reader announces after a change.

import type { App } from "./app.ts";
import { percent, shortName, whole } from "./format.ts";
import { precisionOf } from "./model.ts";

export function spoken(app: App): string {
  const { now, drawing } = app;
  const name = shortName(now.model.name);
  const where = now.model.labels_only || drawing.points ? name : `${name} at ${now.at}`;
  return `${where}: recall ${percent(now.point.tpr)}, precision ${percent(precisionOf(now.cells))}, cost ${whole(now.cost)} per 1,000.`;
}

/** The value text of a threshold slider. */
export function thresholdValue(app: App): string {
  const { now } = app;
  return `threshold ${now.at}, recall ${percent(now.point.tpr)}, precision ${percent(precisionOf(now.cells))}`;
}

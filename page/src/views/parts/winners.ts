// The cheapest model along a slider: segments between 0 and 1.

import type { App } from "../../core/app.ts";
import type { Model } from "../../core/data.ts";
import { touching } from "../../core/model.ts";

export interface Segment {
  from: number;
  to: number;
  model: Model | null;
}

const STEPS = 240;

/** Corners without a model (flag none, flag all) have none. */
export function winners(app: App, slopeAt: (place: number) => number): Segment[] {
  const { drawing: d } = app;
  const points = d.hull?.points ?? [];
  const byName = new Map(d.models.map((model) => [model.name, model]));
  const found: Segment[] = [];
  for (let i = 0; i < STEPS; i += 1) {
    const corner = touching(points, slopeAt((i + 0.5) / STEPS))?.point;
    const model = (corner?.model && byName.get(corner.model)) || null;
    const last = found.at(-1);
    if (last && last.model === model) last.to = (i + 1) / STEPS;
    else found.push({ from: i / STEPS, to: (i + 1) / STEPS, model });
  }
  return found;
}

// The handles of the ROC plot: their appearance and keyboard control.

import { rounded } from "../../core/small.ts";
import type { App } from "../../core/app.ts";
import { steppedRatio } from "../../core/keys.ts";
import { nextCorner, ratioOf, slopes } from "../../core/model.ts";
import { LIMITS, clamp, type State } from "../../core/state.ts";
import { svg } from "../../core/svg.ts";

/** A slider in the plot: a small mark with a touch target of 44 pixels. */
export const handle = (name: string, label: string, r: number) =>
  svg("g.slider", { role: "slider", tabindex: 0, "aria-label": label },
    svg("circle.grip-area", { r: 22 }),
    svg("circle", { class: name === "cost" ? "grip" : "point", r }),
    name === "cost" ? svg("circle.grip-dot", { r: 2 }) : null);

/** The row for a key press: right and up flag more. */
export function rowForKey(app: App, event: KeyboardEvent): number | null {
  const { model, row } = app.now;
  const step = event.shiftKey ? 10 : 1;
  const rows: Record<string, number> = {
    ArrowRight: row + step, ArrowUp: row + step, ArrowLeft: row - step, ArrowDown: row - step,
    PageUp: nextCorner(model, row, 1), PageDown: nextCorner(model, row, -1), Home: 0, End: model.thresholds.length - 1,
  };
  return rows[event.key] ?? null;
}

/** The costs for a key press; PageUp and PageDown go just past the next switch. */
export function ratioForKey(app: App, event: KeyboardEvent): Partial<State> | null {
  const { state, now, drawing } = app;
  const step = event.shiftKey ? 10 : 1;
  const steps: Record<string, number> = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step };
  if (event.key in steps) return steppedRatio(state, steps[event.key] as number);
  const to = (ratio: number) => ({ fn: rounded(clamp(ratio, ...LIMITS.ratio) * state.fp, 3) });
  if (event.key === "Home") return to(LIMITS.ratio[0]);
  if (event.key === "End") return to(LIMITS.ratio[1]);
  if (event.key !== "PageUp" && event.key !== "PageDown") return null;
  // just past the next switch, where another corner is cheapest
  const turns = slopes(drawing.hull?.points ?? []).map((slope) => ratioOf(slope, now.prevalence)).filter((one) => one > 0 && isFinite(one)).sort((a, b) => a - b);
  const ratio = state.fn / state.fp;
  const next = event.key === "PageUp" ? turns.find((one) => one * 1.01 > ratio * 1.005) : turns.reverse().find((one) => one / 1.01 < ratio / 1.005);
  return next === undefined ? null : to(event.key === "PageUp" ? next * 1.01 : next / 1.01);
}

// Computations of the strip: ranges of the cost ratio with the same cheapest model, and shares of resamples over them.
import { rounded } from "../../core/small.ts";
import type { Drawing, HullPoint } from "../../core/data.ts";
import { dataPrevalence, ranges } from "../../core/model.ts";

/** A range of cost ratios FN / FP in which the same model is cheapest; null if no model is needed. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly model: string | null;
  readonly everybody: boolean;
  /** The thresholds in the range, from few flagged to many. */
  readonly first: number | null;
  readonly last: number | null;
}

/**
 * The ranges between two ratios; `each` keeps every threshold separate instead of merging those of a model. A corner with a
 * threshold and no name belongs to the only model.
 */
export function segments(
  points: readonly HullPoint[], prevalence: number, low: number, high: number, each: boolean, only: string | null = null,
): Segment[] {
  const found: Segment[] = [];
  for (const { point, from, to } of ranges(points, prevalence)) {
    if (to <= low * (1 + 1e-9) || from >= high * (1 - 1e-9)) continue; // a boundary at the edge is not a range
    const nobody = point.fpr === 0 && point.tpr === 0;
    const model = nobody ? null : (point.model ?? (point.threshold === null ? null : only));
    const one: Segment = {
      from: Math.max(from, low), to: Math.min(to, high), model, everybody: model === null && !nobody, first: point.threshold, last: point.threshold,
    };
    const before = found.at(-1);
    const joins = before && !each && before.model === one.model && before.everybody === one.everybody;
    if (joins) found[found.length - 1] = { ...before, to: one.to, last: one.last };
    else found.push(one);
  }
  return found;
}

/** The ratios at which one range ends and another begins. */
export const switches = (all: readonly Segment[]): number[] => all.slice(0, -1).map((one) => one.to);

export interface ShareBand {
  readonly model: number;
  readonly points: readonly { readonly ratio: number; readonly low: number; readonly high: number }[];
}

/**
 * The stacked shares, with the first model on top. Shares were resampled at the prevalence of the data; at another one the
 * same slope corresponds to another ratio, so the plot shifts along the axis.
 */
export function shareBands(drawing: Drawing, prevalence: number, low: number, high: number): ShareBand[] {
  const strip = drawing.strip;
  if (!strip?.shares) return [];
  const shares = strip.shares;
  const odds = (p: number): number => p / (1 - p);
  const shift = odds(dataPrevalence(drawing)) / odds(prevalence);
  const at = strip.ratios.map((ratio) => ratio * shift);
  const models = drawing.models.map((_, k) => k).filter((k) => shares[drawing.models[k]?.name ?? ""]);
  const base = strip.ratios.map(() => 0);
  return models
    .reverse()
    .map((model) => {
      const own = shares[drawing.models[model]?.name ?? ""] as number[];
      const points = at.map((ratio, i) => {
        const from = base[i] as number;
        base[i] = from + (own[i] ?? 0);
        return { ratio, low: from, high: base[i] as number };
      });
      return { model, points: cut(points, low, high) };
    })
    .filter((band) => band.points.some((p) => p.high > p.low));
}

type Edge = { ratio: number; low: number; high: number };

/** The points between two ratios; constant at the ends, where the resampled ratios do not reach. */
function cut(points: readonly Edge[], low: number, high: number): Edge[] {
  const first = points[0] as Edge;
  const last = points[points.length - 1] as Edge;
  const at = (ratio: number): Edge => {
    const after = points.findIndex((p) => p.ratio >= ratio);
    if (after <= 0) return { ...(after < 0 ? last : first), ratio };
    const [a, b] = [points[after - 1] as Edge, points[after] as Edge];
    const share = Math.log(ratio / a.ratio) / Math.log(b.ratio / a.ratio);
    return { ratio, low: a.low + share * (b.low - a.low), high: a.high + share * (b.high - a.high) };
  };
  return [at(low), ...points.filter((p) => p.ratio > low && p.ratio < high), at(high)];
}

/** A ratio with two significant digits. */
export const ratioStep = (ratio: number): number => rounded(ratio, 2);

const STEP = 10 ** (1 / 40);

/** The ratio after a key press: arrows one step, with Shift ten, PageUp and PageDown to the next switch, Home and End. */
export function stepped(
  key: string, shift: boolean, ratio: number, low: number, high: number, borders: readonly number[],
): number | null {
  const step = (times: number): number => {
    const next = ratioStep(ratio * STEP ** times);
    return next === ratio ? rounded(ratio + Math.sign(times) * 10 ** Math.floor(Math.log10(ratio) - 1), 3) : next;
  };
  const many = shift ? 10 : 1;
  if (key === "ArrowRight" || key === "ArrowUp") return Math.min(high, step(many));
  if (key === "ArrowLeft" || key === "ArrowDown") return Math.max(low, step(-many));
  if (key === "Home") return low;
  if (key === "End") return high;
  if (key === "PageUp") return borders.map((b) => b * 1.001).find((b) => b > ratio * 1.0001) ?? high;
  if (key === "PageDown") return [...borders].reverse().map((b) => b / 1.001).find((b) => b < ratio / 1.0001) ?? low;
  return null;
}

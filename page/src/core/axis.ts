// Scales and axes.

import { rounded } from "./small.ts";
import { svg } from "./svg.ts";

export interface Scale {
  (value: number): number;
  invert(pixel: number): number;
  domain: readonly [number, number];
  range: readonly [number, number];
}

function scale(
  domain: readonly [number, number], range: readonly [number, number],
  to: (x: number) => number, back: (x: number) => number,
): Scale {
  const [from, until] = [to(domain[0]), to(domain[1])];
  const run = until - from || 1;
  const place = (value: number) => range[0] + ((to(value) - from) / run) * (range[1] - range[0]);
  const invert = (pixel: number) => back(from + ((pixel - range[0]) / (range[1] - range[0] || 1)) * run);
  return Object.assign(place, { invert, domain, range });
}

const same = (x: number) => x;
export const logit = (p: number) => Math.log(p / (1 - p));
export const expit = (x: number) => 1 / (1 + Math.exp(-x));

export const linear = (domain: readonly [number, number], range: readonly [number, number]) =>
  scale(domain, range, same, same);
export const logarithmic = (domain: readonly [number, number], range: readonly [number, number]) =>
  scale(domain, range, Math.log, Math.exp);
export const logOdds = (domain: readonly [number, number], range: readonly [number, number]) =>
  scale(domain, range, logit, expit);

/** Round ticks, approximately this many. */
export function ticks(low: number, high: number, about = 5): number[] {
  if (!(high > low)) return [low];
  const raw = (high - low) / about;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = ([1, 2, 2.5, 5, 10].find((one) => one * power >= raw) ?? 10) * power;
  const found: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; i += 1) found.push(rounded(i * step, 12));
  return found;
}

/** 0, 0.25, 0.5: without trailing zeros. */
export const plain = (x: number) => String(rounded(x, 6)).replace("-", "\u2212");

export interface Frame {
  left: number;
  right: number;
  top: number;
  bottom: number;
  width: number;
  height: number;
}

export interface AxisOptions {
  at: readonly number[];
  label?: string;
  text?: (tick: number) => string;
  grid?: boolean;
}

/** Grid lines, tick labels and the axis name at the right end, for a horizontal axis at the bottom of a frame. */
export function xAxis(frame: Frame, x: Scale, options: AxisOptions): SVGGElement {
  const { at, label, text = plain, grid = true } = options;
  const group = svg("g");
  for (const tick of at) {
    if (grid) group.append(svg("line.grid", { x1: x(tick), x2: x(tick), y1: frame.top, y2: frame.bottom }));
    group.append(svg("text", { x: x(tick), y: frame.bottom + 16, "text-anchor": "middle" }, text(tick)));
  }
  if (label) group.append(svg("text", { x: frame.right, y: frame.bottom + 33, "text-anchor": "end" }, `${label} \u2192`));
  return group;
}

/** The same for a vertical axis at the left of a frame; its name is above it. */
export function yAxis(frame: Frame, y: Scale, options: AxisOptions): SVGGElement {
  const { at, label, text = plain, grid = true } = options;
  const group = svg("g");
  for (const tick of at) {
    if (grid) group.append(svg("line.grid", { x1: frame.left, x2: frame.right, y1: y(tick), y2: y(tick) }));
    group.append(svg("text", { x: frame.left - 7, y: y(tick) + 4, "text-anchor": "end" }, text(tick)));
  }
  if (label) group.append(svg("text", { x: Math.max(0, frame.left - 30), y: frame.top - 9 }, `\u2191 ${label}`));
  return group;
}

// The growing curve: the path so far is solid, the path ahead dotted, the newest trapezoid darker.

import { range } from "../core/small.ts";
import { attrs, fill, HIDDEN } from "../core/dom.ts";
import { fixed, significant } from "../core/format.ts";
import { linear, plain, xAxis, yAxis, type Frame, type Scale } from "../core/axis.ts";
import { areaPath, linePath, svg } from "../core/svg.ts";
import { fraction, hullOf, pointOf, prOf, type Ranking, type Step } from "./ranking.ts";

type Point = [number, number];
const QUARTERS = [0, 0.25, 0.5, 0.75, 1];
const FINEST = 24; // maximum number of steps with grid lines; more would fill the plot with gray

export interface Options {
  readonly hull: boolean;
  /** A second list for comparison, drawn dashed. */
  readonly rival?: Ranking | undefined;
  readonly name?: string;
}

/** Draws the curve up to a step into an SVG of the given width. */
export function drawRoc(node: SVGSVGElement, width: number, r: Ranking, index: number, options: Options): void {
  const frame: Frame = { left: 40, right: width - 10, top: 28, bottom: width - 22, width, height: width + 22 };
  const x = linear([0, 1], [frame.left, frame.right]);
  const y = linear([0, 1], [frame.bottom, frame.top]);
  const at = ([a, b]: Point): Point => [x(a), y(b)];
  const points = r.steps.map((step) => at(pointOf(r, step)));
  const walked = points.slice(0, index + 1);
  attrs(node, { viewBox: `0 0 ${width} ${frame.height}`, width, height: frame.height });
  fill(
    node,
    grid(frame, x, y, r),
    xAxis(frame, x, { at: QUARTERS, grid: false, label: `false positive rate: one step = ${fraction(1, r.negatives)}` }),
    yAxis(frame, y, { at: QUARTERS, grid: false, label: `true positive rate: one step = ${fraction(1, r.positives)}` }),
    svg("line.chance", { x1: x(0), y1: y(0), x2: x(1), y2: y(1) }),
    svg("path.teach-area.teach-answer", { d: under(walked, y(0)) }),
    newest(r, index, points, y(0)),
    options.rival ? svg("path.curve.teach-rival", { "data-m": 2, d: linePath(options.rival.steps.map((step) => at(pointOf(options.rival as Ranking, step)))) }) : null,
    options.hull ? svg("path.hull", { d: linePath(hullOf(r).map(at)) }) : null,
    svg("path.teach-ahead.teach-answer", { d: linePath(points.slice(index)) }),
    svg("path.curve.chosen", { "data-m": 1, d: linePath(walked) }),
    ...(r.cases.length <= 60 ? walked.map(([cx, cy]) => svg("circle.teach-node", { "data-m": 1, cx, cy, r: 3.2 })) : []),
    here(r, index, points, frame),
  );
}

function grid(frame: Frame, x: Scale, y: Scale, r: Ranking): SVGPathElement {
  const cut = (n: number) => (n && n <= FINEST ? range(n + 1, (i) => i / n) : QUARTERS);
  const lines = [
    ...cut(r.negatives).map((at) => `M${x(at).toFixed(1)},${frame.top}V${frame.bottom}`),
    ...cut(r.positives).map((at) => `M${frame.left},${y(at).toFixed(1)}H${frame.right}`),
  ];
  return svg("path.grid", { d: lines.join("") });
}

const under = (points: readonly Point[], base: number): string =>
  points.length > 1 ? areaPath(points, points.map(([x]): Point => [x, base])) : "";

/** The area added by this step, with its value if there is room. */
function newest(r: Ranking, index: number, points: readonly Point[], base: number): SVGGElement | null {
  const step = r.steps[index] as Step;
  if (!index || !step.n || !r.all) return null;
  const [from, to] = [points[index - 1] as Point, points[index] as Point];
  const group = svg("g.teach-answer", {}, svg("path.teach-new", { d: under([from, to], base) }));
  if (step.added && to[0] - from[0] < 0.9 * (base - 20)) {
    const label = svg("text.teach-added", { x: (from[0] + to[0]) / 2, y: (base + Math.max(from[1], to[1])) / 2 + 4, "text-anchor": "middle" });
    label.append(`+${fixed(step.added / r.all, 3)}`);
    group.append(label);
  }
  return group;
}

function here(r: Ranking, index: number, points: readonly Point[], frame: Frame): SVGGElement {
  const step = r.steps[index] as Step;
  const [cx, cy] = points[index] as Point;
  const left = cx > frame.left + 0.62 * (frame.right - frame.left);
  const side = { x: cx + (left ? -12 : 14), "text-anchor": left ? "end" : "start" };
  const low = cy + 34 > frame.bottom ? -44 : 0; // near the bottom the text goes above the point, away from the axis
  const [fpr, tpr] = pointOf(r, step);
  const title = step.threshold === null ? "above every score" : `threshold ${significant(step.threshold, 6)}`;
  const place = `(${fraction(step.fp, r.negatives)}, ${fraction(step.tp, r.positives)}) = (${fixed(fpr, 2)}, ${fixed(tpr, 3)})`;
  return svg(
    "g",
    {},
    svg("circle.point", { "data-m": 1, cx, cy, r: 6 }),
    svg("text.teach-here", { ...side, y: cy + 18 + low }, title),
    svg("text.teach-answer", { ...side, y: cy + 35 + low }, place),
  );
}

/** A small precision-recall curve of the same ranking. */
export function drawPr(node: SVGSVGElement, width: number, r: Ranking, index: number): void {
  const height = Math.round(width * 0.62);
  const frame: Frame = { left: 34, right: width - 8, top: 24, bottom: height - 34, width, height };
  const x = linear([0, 1], [frame.left, frame.right]);
  const y = linear([0, 1], [frame.bottom, frame.top]);
  const pixels = (points: Point[]) => points.map(([a, b]): Point => [x(a), y(b)]);
  const [walked, ahead] = [pixels(prOf(r, 0, index)), pixels(prOf(r, index))];
  const base = r.cases.length ? r.positives / r.cases.length : 0;
  const now = walked[walked.length - 1];
  attrs(node, { viewBox: `0 0 ${width} ${height}`, width, height });
  fill(
    node,
    xAxis(frame, x, { at: [0, 0.5, 1], label: "recall", text: plain }),
    yAxis(frame, y, { at: [0, 0.5, 1], label: "precision" }),
    svg("line.chance", { x1: x(0), x2: x(1), y1: y(base), y2: y(base) }),
    svg("path.teach-ahead.teach-answer", { d: linePath(ahead) }),
    svg("path.curve.chosen", { "data-m": 1, d: linePath(walked) }),
    now ? svg("circle.point", { "data-m": 1, cx: now[0], cy: now[1], r: 4.5 }) : null,
  );
}

/** A thumbnail of 50 pixels for the strip of lists. */
export function thumbnail(r: Ranking, size = 50): SVGSVGElement {
  const at = ([a, b]: Point): Point => [1 + a * (size - 2), size - 1 - b * (size - 2)];
  return svg(
    "svg",
    { class: "teach-thumb", viewBox: `0 0 ${size} ${size}`, width: size, height: size, ...HIDDEN },
    svg("rect.teach-frame", { x: 0.5, y: 0.5, width: size - 1, height: size - 1 }),
    svg("line.chance", { x1: 1, y1: size - 1, x2: size - 1, y2: 1 }),
    svg("path.curve.chosen", { "data-m": 1, d: linePath(r.steps.map((step) => at(pointOf(r, step)))) }),
  );
}

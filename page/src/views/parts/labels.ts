// Names next to their curves, placed where no curve and no other name is in the way.
import { attrs } from "../../core/dom.ts";
import { svg } from "../../core/svg.ts";
import type { Frame } from "../../core/axis.ts";
import { lengthOf } from "./plot.ts";

export type Pixel = readonly [number, number];

export interface Named {
  readonly words: string;
  readonly slot: number;
  readonly strong: boolean;
  readonly points: readonly Pixel[];
}

interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

const HEIGHT = 14;
const GAP = 5;

const overlap = (a: Box, b: Box): number =>
  Math.max(0, Math.min(a.x + a.width, b.x + b.width) - Math.max(a.x, b.x)) *
  Math.max(0, Math.min(a.y + a.height, b.y + b.height) - Math.max(a.y, b.y));

const inside = (box: Box, [x, y]: Pixel, pad = 2): boolean =>
  x > box.x - pad && x < box.x + box.width + pad && y > box.y - pad && y < box.y + box.height + pad;

/** A curve as points a few pixels apart, so that a crossing of a box is detected on long straight segments. */
export function dense(points: readonly Pixel[], step = 9): Pixel[] {
  const found: Pixel[] = [];
  points.forEach((point, k) => {
    const before = points[k - 1];
    if (before) {
      const pieces = Math.ceil(Math.hypot(point[0] - before[0], point[1] - before[1]) / step);
      for (let i = 1; i < pieces; i += 1) {
        found.push([before[0] + ((point[0] - before[0]) * i) / pieces, before[1] + ((point[1] - before[1]) * i) / pieces]);
      }
    }
    found.push(point);
  });
  return found;
}

/** A curve without points that are indistinguishable: checking each of a thousand would take longer than drawing. */
function sparse(points: readonly Pixel[], least = 3): Pixel[] {
  const kept: Pixel[] = [];
  for (const point of points) {
    const last = kept[kept.length - 1];
    if (!last || Math.abs(point[0] - last[0]) + Math.abs(point[1] - last[1]) >= least) kept.push(point);
  }
  return kept;
}

/** The number of points in a box; counting stops when there are too many. */
function crossings(box: Box, points: readonly Pixel[], pad: number, most: number): number {
  let found = 0;
  for (let k = 0; k < points.length && found < most; k += 1) if (inside(box, points[k] as Pixel, pad)) found += 1;
  return found;
}

/** The best box for a name of a given width next to its own curve; null if every position is crowded. */
export function placeFor(
  own: readonly Pixel[], others: readonly Pixel[], taken: readonly Box[], width: number, frame: Frame,
): { box: Box; anchor: "start" | "end" } | null {
  let best: { box: Box; anchor: "start" | "end" } | null = null;
  let least = 4; // maximum number of points of other curves below a name, or the equivalent
  const every = Math.max(1, Math.floor(own.length / 30));
  for (let k = 0; k < own.length; k += every) {
    const [x, y] = own[k] as Pixel;
    for (const [anchor, up] of [["start", -1], ["end", -1], ["start", 1], ["end", 1]] as const) {
      const box = {
        x: anchor === "start" ? x + GAP : x - GAP - width,
        y: up < 0 ? y - GAP - HEIGHT : y + GAP,
        width, height: HEIGHT,
      };
      if (box.x < frame.left + 2 || box.x + width > frame.right || box.y < frame.top || box.y + HEIGHT > frame.bottom - 2) continue;
      const edge = 0.4 * Math.abs((x - frame.left) / frame.width - 0.55); // the middle is easiest to read
      let cost = edge + taken.reduce((sum, other) => sum + overlap(box, other), 0);
      cost += crossings(box, own, 1, least - cost);
      cost += crossings(box, others, 3, least - cost);
      if (cost < least) [best, least] = [{ box, anchor }, cost];
    }
  }
  return best;
}

/** Writes the names next to their curves; those without a free position are only in the legend and the table. */
export function nameCurves(
  layer: SVGGElement, curves: readonly Named[], frame: Frame, avoid: readonly Box[] = [], unnamed: readonly (readonly Pixel[])[] = [],
): void {
  const nameless = unnamed.flatMap((points) => dense(sparse(points)));
  const paths = curves.map((curve) => dense(sparse(curve.points)));
  const taken: Box[] = [...avoid];
  const order = curves.map((_, k) => k).sort((a, b) => Number(curves[b]?.strong) - Number(curves[a]?.strong));
  for (const k of order) {
    const curve = curves[k] as Named;
    const words = svg("text", { class: curve.strong ? "name strong halo" : "name halo", "data-m": curve.slot }, curve.words);
    layer.append(words);
    const width = lengthOf(words);
    const others = paths.flatMap((points, i) => (i === k ? [] : points));
    // if faint curves are everywhere, a name may cover one of them
    const found = placeFor(paths[k] as Pixel[], [...others, ...nameless], taken, width, frame) ?? placeFor(paths[k] as Pixel[], others, taken, width, frame);
    if (!found) {
      words.remove();
      continue;
    }
    taken.push({ ...found.box, x: found.box.x - GAP, width: width + 2 * GAP });
    attrs(words, { x: found.box.x, y: found.box.y + 11 });
  }
}

/** Heights for names at the right ends of curves: in order, at least `apart` pixels from each other, within the frame. */
export function spread(heights: readonly number[], apart: number, low: number, high: number): number[] {
  const order = heights.map((_, k) => k).sort((a, b) => (heights[a] as number) - (heights[b] as number));
  const placed = new Array<number>(heights.length);
  let last = low - apart;
  for (const k of order) last = placed[k] = Math.max(heights[k] as number, last + apart);
  let next = high + apart;
  for (const k of [...order].reverse()) next = placed[k] = Math.min(placed[k] as number, next - apart);
  return placed;
}

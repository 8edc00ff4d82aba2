// SVG elements and paths. Presentation attributes only: the page's content security policy forbids style attributes.

import { attrs, filled, HIDDEN, on, page, set, type Attributes, type Child, type Name } from "./dom.ts";

const SVG = "http://www.w3.org/2000/svg";

export function svg<K extends keyof SVGElementTagNameMap>(
  name: Name<K>, attributes: Attributes = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  return filled(name, attributes, children, (tag) => document.createElementNS(SVG, tag as K));
}

const at = (x: number) => String(Math.round(x * 100) / 100); // a hundredth of a pixel is precise enough, and short

/** A line through points in pixels. */
export function linePath(points: readonly (readonly [number, number])[]): string {
  return points.map(([x, y], i) => `${i ? "L" : "M"}${at(x)},${at(y)}`).join("");
}

/** The area between two lines with the same x values. */
export function areaPath(upper: readonly (readonly [number, number])[], lower: readonly (readonly [number, number])[]): string {
  return upper.length ? `${linePath(upper)}${linePath([...lower].reverse()).replace(/^M/, "L")}Z` : "";
}

/** The points without those on the same pixel as the previous one, so that outlines of thousands of steps stay light. */
export function thinned(points: readonly (readonly [number, number])[], apart = 0.4): [number, number][] {
  const kept: [number, number][] = [];
  points.forEach(([x, y], i) => {
    const last = kept.at(-1);
    const far = !last || Math.abs(x - last[0]) + Math.abs(y - last[1]) >= apart;
    if (far || i === points.length - 1) kept.push([x, y]);
  });
  return kept;
}

/** A dot with its whisker on a horizontal scale: caps, line, dot; moved with `moveWhisker`. */
export function whisker(attributes: Attributes = {}): SVGGElement {
  return svg("g.estimate", { ...attributes }, svg("path.whisker"), svg("circle.dot", { r: 3 }));
}

export function moveWhisker(node: SVGGElement, y: number, value: number, low: number, high: number, cap = 3): void {
  const line = node.firstChild as SVGPathElement;
  const dot = node.lastChild as SVGCircleElement;
  const known = isFinite(low) && isFinite(high);
  set(line, "d", known ? `M${at(low)},${y - cap}v${2 * cap}m0,${-cap}H${at(high)}m0,${-cap}v${2 * cap}` : "");
  attrs(dot, { cx: isFinite(value) ? at(value) : null, cy: y, visibility: isFinite(value) ? null : "hidden" });
}

/** Pointer drags that start on a handle, with one call per move; the page still scrolls elsewhere. */
export function drag(
  grip: Element, moved: (x: number, y: number, event: PointerEvent) => void, ended: () => void,
): void {
  on(grip, "pointerdown", (event) => {
    const start = event as PointerEvent;
    if (start.button !== 0) return;
    start.preventDefault();
    page.toggleAttribute("data-pointer", true); // a focus ring would frame what the mouse holds
    (grip as SVGElement).focus?.();
    grip.setPointerCapture(start.pointerId);
    const move = (next: Event) => moved((next as PointerEvent).clientX, (next as PointerEvent).clientY, next as PointerEvent);
    const stop = () => {
      grip.removeEventListener("pointermove", move);
      ended();
    };
    on(grip, "pointermove", move);
    on(grip, "pointerup", stop, { once: true });
    on(grip, "pointercancel", stop, { once: true });
  });
}

/** A dot with a capped whisker in a table cell, positioned in percent, so that it scales without measuring. */
export interface Spark {
  node: SVGSVGElement;
  /** Positions between 0 and 1; NaN hides. `tick` is the baseline. */
  move(value: number, low: number, high: number, tick?: number): void;
}

export function spark(slot: number | string, { open = false, square = false } = {}): Spark {
  const line = (name: string) => svg("line", { class: name });
  const [rail, tick, bar, first, last] = [line("rail"), line("base"), line("whisker"), line("whisker"), line("whisker")];
  const dot = square ? svg("rect.dot", { width: 6, height: 6, y: 5 }) : svg("circle", { class: open ? "dot open" : "dot", r: 3.2, cy: 8 });
  const node = svg("svg.whiskers", { height: 16, ...HIDDEN, "data-m": slot }, rail, tick, bar, first, last, dot);
  attrs(rail, { x1: "0%", x2: "100%", y1: 8, y2: 8 });
  const share = (x: number) => `${Math.round(1e4 * Math.min(1, Math.max(0, x))) / 100}%`;
  const place = (one: SVGLineElement, x: number, until: number, top: number, bottom: number) =>
    attrs(one, isNaN(x) ? { visibility: "hidden" } : { x1: share(x), x2: share(until), y1: top, y2: bottom, visibility: null });
  return {
    node,
    move(value, low, high, base = NaN) {
      const known = !isNaN(low) && !isNaN(high);
      place(bar, known ? low : NaN, high, 8, 8);
      place(first, known ? low : NaN, low, 4.5, 11.5);
      place(last, known ? high : NaN, high, 4.5, 11.5);
      place(tick, base, base, 1, 15);
      attrs(dot, isNaN(value) ? { visibility: "hidden" } : { [square ? "x" : "cx"]: share(value), visibility: null });
    },
  };
}

let pen: CanvasRenderingContext2D | null = null;
let family = "";

/** The width of a text in pixels, measured on a canvas without a page layout, unlike getBBox. */
export function textWidth(words: string, weight = 400, size = 12): number {
  pen ??= document.createElement("canvas").getContext("2d");
  family ||= getComputedStyle(document.body).fontFamily;
  if (!pen) return 7 * words.length;
  pen.font = `${weight} ${page.hasAttribute("data-paper") ? size - 2 : size}px ${family}`; // printed text is smaller
  return pen.measureText(words).width + 1;
}

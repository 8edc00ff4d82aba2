// A plot in a view: an SVG at the width of its container, a static layer and a dynamic one, and its hover text.
import { attrs, el, fill, find, HIDDEN, on, page, part } from "../../core/dom.ts";
import type { Frame } from "../../core/axis.ts";
import { svg } from "../../core/svg.ts";

export interface Plot {
  readonly root: SVGSVGElement;
  readonly frame: Frame;
  /** Drawn once per model, prevalence and size. */
  readonly still: SVGGElement;
  /** The layer that changes with the threshold and the costs. */
  readonly moving: SVGGElement;
  /** Clips to the frame, for curves that extend beyond it. */
  readonly clip: string;
}

export interface Margins {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

export const MARGINS: Margins = { left: 36, right: 8, top: 22, bottom: 40 };

/** The parts of a section that a view writes into. */
export interface Parts {
  readonly picture: HTMLElement;
  readonly reading: HTMLElement;
}

export function partsOf(section: HTMLElement): Parts {
  const reading = part(section, ":scope > .reading", () => el("p.reading"));
  const picture = part(section, ":scope > .picture", () => el("div.picture"));
  const title = find(section, "h2");
  if (title && !title.id) title.id = `${section.id}-title`;
  if (!reading.id) reading.id = `${section.id}-reading`;
  return { picture, reading };
}

let widths = new WeakMap<HTMLElement, number>();

/** After a resize every width is measured again. */
export const forgetWidths = (): void => void (widths = new WeakMap());

/** The width of the container; reading it causes a layout, so it is read once per size. */
export function widthOf(holder: HTMLElement, otherwise = 380): number {
  const known = widths.get(holder) ?? (Math.floor(holder.clientWidth) || otherwise);
  widths.set(holder, known);
  return known;
}

/** A new SVG in a container; `height` is that of the frame. */
export function plotIn(holder: HTMLElement, name: string, frameHeight: (inner: number) => number, margins = MARGINS): Plot {
  const width = widthOf(holder);
  const inner = Math.max(40, width - margins.left - margins.right);
  const paper = page.hasAttribute("data-paper") ? 0.74 : 1; // a comparison should fit on three printed pages
  const height = Math.round(frameHeight(inner) * paper);
  const total = height + margins.top + margins.bottom;
  const frame = {
    left: margins.left, right: margins.left + inner, top: margins.top, bottom: margins.top + height, width: inner, height,
  };
  const clip = `clip-${name}`;
  const box = svg("clipPath", { id: clip }, svg("rect", { x: frame.left, y: frame.top, width: frame.width, height: frame.height }));
  const still = svg("g.still");
  const moving = svg("g.moving");
  const root = svg("svg.plot", { width, height: total, viewBox: `0 0 ${width} ${total}` }, box, still, moving);
  attrs(root, { role: "img", "aria-labelledby": `${name}-title ${name}-reading` });
  fill(holder, root);
  return { root, frame, still, moving, clip: `url(#${clip})` };
}

const lengths = new Map<string, number>();

/** The length of a text; cached (digits have equal widths), because measuring causes a layout. */
export function lengthOf(node: SVGTextElement): number {
  const key = `${node.getAttribute("class")} ${(node.textContent ?? "").replace(/\d/g, "0")}`;
  const known = lengths.get(key) ?? node.getComputedTextLength();
  lengths.set(key, known);
  return known;
}

interface Under {
  readonly x: number;
  readonly y: number;
  readonly words: string;
  readonly model?: number;
}

/** Text next to the pointer about the item under it. It is never the only place where a fact is given. */
export function hover<T extends Under>(
  plot: Plot, read: (x: number, y: number) => T | null, clicked?: (found: T) => void,
): void {
  const dot = svg("circle.dot", { r: 3.5, visibility: "hidden", "aria-hidden": true });
  const tip = el("div.tip", { hidden: true, ...HIDDEN });
  plot.root.append(dot);
  plot.root.after(tip);
  const show = (found: Under | null): void => {
    attrs(dot, { visibility: found ? null : "hidden", "data-m": found?.model ?? null, cx: found?.x ?? 0, cy: found?.y ?? 0 });
    tip.hidden = !found;
    if (!found) return;
    tip.textContent = found.words;
    const most = plot.root.clientWidth - tip.offsetWidth;
    tip.style.left = `${Math.max(0, Math.min(found.x + 12, most))}px`;
    tip.style.top = `${found.y > plot.frame.top + 40 ? found.y - 12 - tip.offsetHeight : found.y + 12}px`;
  };
  let asked = false;
  on(plot.root, "pointermove", (event) => {
    if (asked || event.buttons) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      const box = plot.root.getBoundingClientRect();
      show(read(event.clientX - box.left, event.clientY - box.top));
    });
  });
  on(plot.root, "pointerleave", () => show(null));
  if (!clicked) return;
  on(plot.root, "click", (event) => {
    const box = plot.root.getBoundingClientRect();
    const found = read(event.clientX - box.left, event.clientY - box.top);
    if (found) clicked(found);
  });
}

/** The point closest to the pointer among several curves, within `reach` pixels. */
export function nearest<T extends { x: number; y: number }>(points: Iterable<T>, x: number, y: number, reach = 40): T | null {
  let best: T | null = null;
  let least = reach * reach;
  for (const one of points) {
    const far = (one.x - x) ** 2 + (one.y - y) ** 2;
    if (far < least) [best, least] = [one, far];
  }
  return best;
}

import { on } from "./dom.ts";
// During a drag, the dragged element keeps its position on the screen. The text above may gain or lose a line: each block
// keeps its maximum height until the drag ends, and if one grows, the page scrolls accordingly.

const GRIPS = '[role="slider"], input[type="range"]';
const BLOCKS = ".verdict, .answer, .headline, .lead, .columns, .controls, .reading, .picture";

interface Held {
  /** The element that must not move. */
  readonly node: Element;
  readonly heights: Map<HTMLElement, number>;
}

let held: Held | null = null;

/** Listens on the document, so that every handle and slider is covered, including one that is redrawn during a drag. */
export function installSteady(): void {
  on(document, "pointerdown", (event) => {
    const grip = (event.target as Element).closest(GRIPS);
    if (grip && event.button === 0) hold(grip);
  });
  for (const type of ["pointerup", "pointercancel"] as const) on(document, type, release);
}

/** Draws, then restores the position of the dragged element. */
export function steady(draw: () => void): void {
  if (!held) return draw();
  const { node, heights } = held;
  keepPlace(node, () => {
    draw();
    grow(heights);
  });
}

function hold(grip: Element): void {
  if (held) letGo(held);
  const node = standing(grip);
  if (!node) return;
  held = { node, heights: new Map(Array.from(document.querySelectorAll<HTMLElement>(BLOCKS), (one) => [one, 0])) };
  grow(held.heights);
  // the browser's scroll anchoring would keep a sentence in place that should move
  document.body.style.setProperty("overflow-anchor", "none");
}

/** The controls are sticky, so the element after them is kept in place. */
function standing(grip: Element): Element | null {
  return grip.closest(".picture") ?? grip.closest(".controls")?.nextElementSibling ?? null;
}

function grow(heights: Map<HTMLElement, number>): void {
  const now = Array.from(heights.keys(), (block) => [block, block.getBoundingClientRect().height] as const);
  for (const [block, height] of now) {
    if (height <= (heights.get(block) ?? 0)) continue;
    heights.set(block, height);
    block.style.minHeight = `${height}px`;
  }
}

/** Waits until the last drawing and the click at the end of a drag, both of which refer to the position under the pointer. */
function release(): void {
  const last = held;
  if (last) requestAnimationFrame(() => last === held && letGo(last));
}

function letGo({ node, heights }: Held): void {
  held = null;
  keepPlace(node, () => heights.forEach((_, block) => block.style.removeProperty("min-height")));
  document.body.style.removeProperty("overflow-anchor");
}

function keepPlace(node: Element, change: () => void): void {
  const before = node.getBoundingClientRect().top;
  change();
  const moved = node.getBoundingClientRect().top - before;
  // elements below the viewport may move unnoticed
  if (moved && before < window.innerHeight) window.scrollBy({ top: moved, behavior: "instant" });
}

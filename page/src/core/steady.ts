import { on } from "./dom.ts";
// While a hand drags, what it holds stays where it is on the screen. The sentences above may take a line more or less:
// each block keeps the most height it had until the hand lets go, and where one grows, the page scrolls along.

const GRIPS = '[role="slider"], input[type="range"]';
const BLOCKS = ".verdict, .answer, .headline, .lead, .columns, .controls, .reading, .picture";

interface Held {
  /** What must not move. */
  readonly node: Element;
  readonly heights: Map<HTMLElement, number>;
}

let held: Held | null = null;

/** Listens on the document, so that every grip and slider is held, also one that is drawn anew under the hand. */
export function installSteady(): void {
  on(document, "pointerdown", (event) => {
    const grip = (event.target as Element).closest(GRIPS);
    if (grip && event.button === 0) hold(grip);
  });
  for (const type of ["pointerup", "pointercancel"] as const) on(document, type, release);
}

/** Draws; what the hand holds is then where it was before. */
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
  // the browser would keep a sentence in its place that is meant to move
  document.body.style.setProperty("overflow-anchor", "none");
}

/** The controls stick to the screen by themselves: there, what follows them is kept. */
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

/** After the last drawing, and after the click that a drag ends with: both still mean the place under the hand. */
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
  // what is below the screen may go further down: nobody sees it
  if (moved && before < window.innerHeight) window.scrollBy({ top: moved, behavior: "instant" });
}

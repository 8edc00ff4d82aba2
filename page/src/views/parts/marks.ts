// Marks shared by several plots: the operating point with its crosshairs.
import { attrs, set } from "../../core/dom.ts";
import type { Frame } from "../../core/axis.ts";
import { svg } from "../../core/svg.ts";

export interface PointMark {
  readonly node: SVGGElement;
  move(x: number, y: number, slot: number): void;
  hide(): void;
}

/** The operating point: a dot, and thin lines to both axes. */
export function pointMark(frame: Frame, hairs = true): PointMark {
  const lines = svg("path.reach");
  const dot = svg("circle.point", { r: 5.5 });
  const node = svg("g.operating", {}, ...(hairs ? [lines] : []), dot);
  return {
    node,
    move(x, y, slot) {
      attrs(node, { "data-m": slot, visibility: null });
      set(lines, "d", `M${frame.left},${y}H${x}V${frame.bottom}`);
      attrs(dot, { cx: x, cy: y });
    },
    hide() {
      attrs(node, { visibility: "hidden" });
    },
  };
}

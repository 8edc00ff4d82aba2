// Calibration of every class in one plot, in the colors of the ROC curves, the selected class in front with its intervals.

import { linear, xAxis, yAxis } from "../core/axis.ts";
import { fill, find, on } from "../core/dom.ts";
import { estimateText, shortName, type Shown } from "../core/format.ts";
import { linePath, svg } from "../core/svg.ts";
import { byRecall, slotOf, type ClassCurve } from "./curves.ts";
import type { ClassState } from "./state.ts";

export interface ClassBins extends ClassCurve {
  readonly bins?: readonly { count: number; mean: number | null; observed: number | null; low95: number | null; high95: number | null }[] | null;
}

/** Draws the lines; `errors` are the calibration errors by class, the order of the names. */
export function mountLines(section: HTMLElement, classes: readonly ClassBins[], errors: Readonly<Record<string, Shown>>, set: (patch: Partial<ClassState>) => void): (state: ClassState) => void {
  const picture = find(section, ".picture") as HTMLElement;
  const reading = find(section, ".reading") as HTMLElement;
  const general = reading.textContent ?? "";
  const worth = (label: string) => errors[label]?.value ?? 0;
  const colored = byRecall(classes).map(({ place }) => place);
  const ranked = classes.map((one, place) => ({ one, place, slot: slotOf(colored.indexOf(place)) })).filter(({ one }) => one.bins?.length).sort((a, b) => worth(b.one.label) - worth(a.one.label));
  return (state) => {
    fill(picture, draw(ranked, state, Math.min(420, Math.max(260, Math.floor(picture.clientWidth) || 378)), set));
    const one = state.chosen === null ? undefined : classes[state.chosen];
    const error = one ? errors[one.label] : undefined;
    reading.textContent = one && error ? `${one.label}: calibration error ${estimateText(error)}; bars are the intervals of the observed frequencies.` : general;
  };
}

function draw(ranked: { one: ClassBins; place: number; slot: number }[], state: ClassState, width: number, set: (patch: Partial<ClassState>) => void): SVGSVGElement {
  const [left, top, right] = [38, 26, width - 84]; // names go next to the frame, where there are no lines
  const bottom = top + Math.min(right - left + 40, 264);
  const frame = { left, right, top, bottom, width: right - left, height: bottom - top };
  const [x, y] = [linear([0, 1], [left, right]), linear([0, 1], [bottom, top])];
  const at = [0, 0.25, 0.5, 0.75, 1];
  const root = svg("svg.plot", { width, height: bottom + 40, viewBox: `0 0 ${width} ${bottom + 40}`, role: "img", "aria-labelledby": "class-lines-title class-lines-reading" });
  root.append(xAxis(frame, x, { at, label: "predicted probability" }), yAxis(frame, y, { at, label: "observed frequency" }));
  root.append(svg("line.chance", { x1: x(0), y1: y(0), x2: x(1), y2: y(1) }));
  const entries = ranked.map((entry) => ({ ...entry, chosen: entry.place === state.chosen }));
  for (const { one, slot, chosen } of [...entries].reverse().sort((a, b) => Number(a.chosen) - Number(b.chosen))) {
    const held = (one.bins ?? []).filter((bin) => bin.count && bin.mean !== null && bin.observed !== null);
    const look = chosen ? "curve chosen" : state.chosen === null && slot ? "curve" : "curve faint";
    const color = chosen && !slot ? 1 : slot;
    root.append(svg("path", { class: look, "data-m": color, d: linePath(held.map((bin): [number, number] => [x(bin.mean as number), y(bin.observed as number)])) }));
    if (!chosen) continue;
    for (const bin of held) {
      if (bin.low95 !== null && bin.high95 !== null) root.append(svg("line.curve", { "data-m": color, x1: x(bin.mean as number), x2: x(bin.mean as number), y1: y(bin.low95), y2: y(bin.high95) }));
      root.append(svg("circle.dot", { "data-m": color, r: 3.6, cx: x(bin.mean as number), cy: y(bin.observed as number) }));
    }
  }
  entries.filter(({ slot, chosen }) => slot || chosen).forEach(({ one, place, slot, chosen }, k) => {
    const line = top + 14 + 16 * k;
    const name = svg("text", { class: chosen ? "name strong halo" : "name halo", "data-m": slot || 1, x: right + 10, y: line }, shortName(one.label, 10));
    const hit = svg("rect.hit", { x: right + 6, y: line - 12, width: 78, height: 16 });
    on(hit, "click", () => set({ chosen: chosen ? null : place }));
    root.append(name, hit);
  });
  return root;
}

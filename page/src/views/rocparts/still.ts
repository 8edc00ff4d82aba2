// The static part of the ROC plot: drawn once per model, size and zoom.

import type { App } from "../../core/app.ts";
import type { Frame, Scale } from "../../core/axis.ts";
import { el, fill } from "../../core/dom.ts";
import { count, estimateText, shortName } from "../../core/format.ts";
import { wilson } from "../../core/interval.ts";
import { cellsAt, pointAt } from "../../core/model.ts";
import { areaPath, linePath, svg, thinned } from "../../core/svg.ts";

/** Clips to the frame, because the zoom cuts curves off. */
export function clipTo(frame: Frame): SVGDefsElement {
  const box = { x: frame.left - 1, y: frame.top - 1, width: frame.right - frame.left + 2, height: frame.bottom - frame.top + 2 };
  return svg("defs", {}, svg("clipPath", { id: "roc-frame" }, svg("rect", box)));
}

/** The chance line, with its name if there is room. */
export function chance(frame: Frame, x: Scale, y: Scale): SVGElement[] {
  const end = Math.min(1, x.domain[1]);
  const line = svg("line.chance", { x1: x(0), y1: y(0), x2: x(end), y2: y(end) });
  if (end < 1) return [line, svg("text", { x: x(end / 5), y: y(end / 3) - 4 }, "chance")]; // left of the key
  const [cx, cy] = [x(0.62), y(0.62)]; // away from the threshold labels, which are dense at the upper end of the curve
  const words = svg("text", { x: cx, y: cy + 14, "text-anchor": "middle", transform: `rotate(-45 ${cx} ${cy})` }, "chance");
  return frame.width < 300 ? [line] : [line, words];
}

/** Gray models first, the selected one last, so that it is on top. */
export function curves(app: App, x: Scale, y: Scale): SVGElement[] {
  const { drawing: d, now } = app;
  const order = [...d.models].sort((a, b) => Number(a === now.model) - Number(b === now.model) || Number(a.slot > 0) - Number(b.slot > 0));
  const found: SVGElement[] = [];
  const band = now.model.band;
  if (band?.fpr.length) {
    const at = (side: number[]) => band.fpr.map((fpr, i) => [x(fpr), y(side[i] as number)] as const);
    found.push(svg("path.band", { "data-m": now.model.slot, d: areaPath(at(band.high), at(band.low)) }));
  }
  if (backwards(app)) found.push(...turned(app, x, y));
  for (const model of order) {
    const name = ["curve", model === now.model && !model.labels_only && "chosen", model.labels_only && "chord", !model.slot && model !== now.model && "faint"].filter(Boolean).join(" ");
    const points = model.tp.map((_, i) => pointAt(d, model, i)).map((p) => [x(p.fpr), y(p.tpr)] as const);
    found.push(svg("path", { class: name, "data-m": model.slot, d: linePath(thinned(points)) }));
  }
  return found;
}

/** Whether the AUC of the selected model is significantly below 0.5. */
export const backwards = ({ now }: App) => (now.model.areas.find((one) => one.name === "auc")?.high ?? 1) < 0.5;

/** The curve if low scores meant positive. */
function turned(app: App, x: Scale, y: Scale): SVGElement[] {
  const { drawing: d, now } = app;
  const points = now.model.tp.map((_, i) => pointAt(d, now.model, i)).map((p) => [x(1 - p.fpr), y(1 - p.tpr)] as const);
  return [
    svg("path.turned", { d: linePath(thinned([...points].reverse())) }),
    svg("text.halo", { x: x(0.3), y: y(0.78) }, "if the direction were reversed"),
  ];
}

/** The hull of all models with its corners. */
export function hull(app: App, x: Scale, y: Scale): SVGElement[] {
  const points = app.drawing.hull?.points ?? [];
  const places = points.map((one) => [x(one.fpr), y(one.tpr)] as const);
  const dots = places.map(([cx, cy]) => `M${cx.toFixed(1)},${cy.toFixed(1)}h0`).join("");
  return [svg("path.hull", { d: linePath(places) }), svg("path.vertex", { d: dots })];
}

/** Models with labels only: crosses with both intervals; classifiers given as a single point: the point and its name. */
export function crosses(app: App, x: Scale, y: Scale): SVGGElement {
  const group = svg("g");
  for (const model of app.drawing.points ? app.drawing.models.filter((one) => one !== app.now.model) : []) {
    const point = pointAt(app.drawing, model, 1);
    group.append(
      svg("circle.dot", { "data-m": model.slot, r: 3.5, cx: x(point.fpr), cy: y(point.tpr) }),
      svg("text.name.halo", { "data-m": model.slot, x: x(point.fpr) + 9, y: y(point.tpr) + 16 }, shortName(model.name)),
    );
  }
  for (const model of app.drawing.models.filter((one) => one.labels_only)) {
    const row = Math.min(1, model.tp.length - 1);
    const cells = cellsAt(app.drawing, model, row);
    const point = pointAt(app.drawing, model, row);
    const [left, right] = wilson(cells.fp, cells.fp + cells.tn, app.drawing.level);
    const [low, high] = wilson(cells.tp, cells.tp + cells.fn, app.drawing.level);
    const d = `M${x(left)},${y(point.tpr)}H${x(right)}M${x(point.fpr)},${y(low)}V${y(high)}`;
    const chosen = model === app.now.model;
    group.append(
      svg("path.cross", { "data-m": model.slot, d }),
      svg("circle.dot", { "data-m": model.slot, r: chosen ? 5 : 3.5, cx: x(point.fpr), cy: y(point.tpr) }),
      svg("text", { class: chosen ? "strong halo" : "name halo", "data-m": model.slot, x: x(point.fpr) + 10, y: y(point.tpr) + 18 }, shortName(model.name)),
      chosen ? svg("text.halo", { x: x(point.fpr) + 10, y: y(point.tpr) + 34 }, `recall ${estimateText({ value: point.tpr, low, high })}`) : "",
    );
  }
  return group;
}

/** The text over the empty axes if there is only one class, updated when the threshold moves. */
export function oneClass(app: App, panel: HTMLElement): void {
  const { drawing: d, now } = app;
  const { tp, tn } = cellsAt(d, now.model, now.row);
  const [k, n] = d.positives ? [tp, d.positives] : [tn, d.negatives];
  const [low, high] = wilson(k, n, d.level);
  const label = (app.document["data"] as { labels?: { positive?: string } } | undefined)?.labels?.positive ?? d.positive;
  fill(panel,
    el("b", {}, `There is no ${d.positives ? d.negative : d.positive} case in these data.`),
    el("p", {}, `${count(d.negatives)} ${d.negative}, ${count(d.positives)} ${d.positive}.`),
    el("p", {}, `${d.positives ? "Recall" : "Specificity"} ${estimateText({ value: k / n, low, high })} is defined.`),
    el("p", {}, `The positive class was assumed to be ${label}.`),
  );
}

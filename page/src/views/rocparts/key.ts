// The legend of the ROC plot, in the triangle that is always empty: sorted by area, and used to select a model.

import { on, page } from "../../core/dom.ts";
import type { App } from "../../core/app.ts";
import type { Frame } from "../../core/axis.ts";
import type { Model } from "../../core/data.ts";
import { estimateText, fixed, percent, shortName, significant } from "../../core/format.ts";
import { svg, textWidth } from "../../core/svg.ts";

/** Whether there is a hull for an iso-cost line to touch, and a single price for all cases. */
export const hasCostLine = (app: App) => !app.drawing.state.own_costs && (app.drawing.hull?.points.length ?? 0) > 1;

/** Nothing can be dragged on paper. */
export const dragHint = (): string => (page.hasAttribute("data-paper") ? "" : " (drag)");

interface KeyRow {
  name: string;
  value: string;
  sample: SVGElement;
  slot: number | null;
  click?: () => void;
  bold?: boolean;
}

/** Draws the legend; returns the text node of the slope, which changes. */
export function drawKey(app: App, key: SVGGElement, frame: Frame): SVGTextElement | null {
  const rows = keyRows(app, frame.width < 400);
  const step = 18;
  const right = frame.right - 6;
  const top = frame.bottom - 12 - step * (rows.length - 1);
  const names = rows.map((row, i) => {
    const name = svg("text", { class: row.slot === null ? "" : row.bold ? "name strong" : "name", "data-m": row.slot, y: top + i * step }, row.name);
    const value = svg("text.ink", { x: right, y: top + i * step, "text-anchor": "end" }, row.value);
    key.append(name, value);
    return { row, name, value };
  });
  const head = svg("text", { x: right, y: top - step, "text-anchor": "end" }, app.drawing.rates_only ? "AUC" : `AUC, ${percent(app.drawing.level)} interval`);
  key.append(head);
  // widths are measured, because fonts differ
  const widest = (nodes: SVGTextElement[]) => Math.max(0, ...nodes.map((node) => textWidth(node.textContent ?? "", node.classList.contains("strong") ? 650 : 400)));
  const values = widest(names.filter(({ row }) => row.value).map(({ value }) => value));
  const listed = widest(names.filter(({ row }) => row.value).map(({ name }) => name));
  const free = widest(names.filter(({ row }) => !row.value).map(({ name }) => name));
  const left = Math.max(frame.left + 30, right - Math.max(values + 10 + listed, free));
  names.forEach(({ row, name }, i) => {
    const y = top + i * step;
    name.setAttribute("x", String(left));
    row.sample.setAttribute("transform", `translate(${left - 30},${y - 4})`);
    key.append(row.sample);
    if (!row.click) return;
    const hit = svg("rect.hit", { x: left - 32, y: y - 13, width: right - left + 34, height: step });
    on(hit, "click", row.click);
    key.append(hit);
  });
  return names.at(-1)?.row.slot === null && hasCostLine(app) ? (names.at(-1)?.name ?? null) : null;
}

function keyRows(app: App, narrow: boolean): KeyRow[] {
  const { drawing: d, now } = app;
  const area = (model: Model) => model.areas.find((one) => one.name === "auc");
  const shown = d.models.filter((model) => model.slot > 0 || model === now.model);
  const sorted = [...shown].sort((a, b) => (area(b)?.value ?? -1) - (area(a)?.value ?? -1));
  const rows: KeyRow[] = sorted.map((model) => ({
    name: shortName(model.name, narrow ? 12 : 18),
    value: model.labels_only ? "one point" : area(model) ? estimateText(area(model) as never) : "",
    slot: model.slot,
    bold: model === now.model,
    sample: svg("line", { class: model === now.model ? "curve chosen" : "curve", "data-m": model.slot, x1: 0, x2: 24, y1: 0, y2: 0 }),
    click: () => app.set({ model: d.models.indexOf(model) }),
  }));
  const rest = d.models.filter((model) => !shown.includes(model));
  if (rest.length) {
    const all = rest.every((model) => model.dominated) ? `, ${rest.length > 1 ? "all " : ""}dominated` : "";
    rows.push({ name: `${rest.length} more${all}`, value: "", slot: 0, sample: svg("line.curve.faint", { "data-m": 0, x1: 0, x2: 24, y1: 0, y2: 0 }) });
  }
  if (!hasCostLine(app)) return rows;
  const of = d.models.length === 1 ? "hull" : d.models.length === 2 ? "hull of both" : `hull of all ${["", "", "", "three", "four", "five"][d.models.length] ?? d.models.length}`;
  const sample = svg("g", {}, svg("line.hull", { x1: 0, x2: 24, y1: 0, y2: 0 }), svg("path.vertex", { d: "M2,0h0M12,0h0M22,0h0" }));
  rows.push({ name: `${of}, area ${fixed(d.hull?.area, 3)}`, value: "", slot: null, sample });
  rows.push({ name: `equal cost, slope ${significant(now.slope)}${dragHint()}`, value: "", slot: null, sample: svg("line.cost", { x1: 0, x2: 24, y1: 0, y2: 0 }) });
  return rows;
}

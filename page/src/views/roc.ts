// ROC: curves, shared hull, the band of the chosen model, thresholds written on its curve, the line of equal cost that
// touches the hull, and the operating point. The first part is drawn once per model and size; a change of threshold
// moves the second part only.

import { thresholdAt, type App, type View } from "../core/app.ts";
import { linear, xAxis, yAxis, type Frame, type Scale } from "../core/axis.ts";
import type { Model } from "../core/data.ts";
import { attrs, button, el, fill, find, part, text } from "../core/dom.ts";
import { estimateText, fixed, percent, shortName, significant, whole } from "../core/format.ts";
import { wilson } from "../core/interval.ts";
import { steppedRatio } from "../core/keys.ts";
import {
  cellsAt, cellsFor, costPer1000, nextCorner, pointAt, precisionOf, ratioOf, rowAt, slopes,
} from "../core/model.ts";
import { LIMITS, clamp } from "../core/state.ts";
import { areaPath, drag, linePath, svg, textWidth, thinned } from "../core/svg.ts";
import { modelName, said } from "./parts/said.ts";
import { tangent } from "./parts/tangent.ts";
import { extras } from "./parts/extras.ts";
import { figure, text as words, type Sheet } from "./parts/sheet.ts";

const TICKS = [0, 0.25, 0.5, 0.75, 1];
const ZOOMED = [0, 0.05, 0.1, 0.15, 0.2];
const WRITTEN = [0.9, 0.7, 0.5, 0.3, 0.1, 0.05, 0.02, 0.01];
const APART = 20; // pixels between two thresholds on the curve
const REACH = 62; // pixels from the corner to the grip of the cost line

interface Drawn {
  frame: Frame;
  x: Scale;
  y: Scale;
  root: SVGSVGElement;
  crosshair: SVGPathElement;
  line: SVGLineElement;
  grip: SVGGElement;
  point: SVGGElement;
  label: SVGTextElement;
  slope: SVGTextElement | null;
  marks: SVGGElement;
}

let drawn: Drawn | null = null;
let picture: HTMLElement;
let reading: HTMLElement | null;
let tip: HTMLElement;
let refresh = () => {};
let zoom: HTMLButtonElement;
let zoomBox: HTMLElement;

export const roc: View = {
  id: "roc",
  mount(section, app) {
    picture = part(section, ".picture", () => el("div", { class: "picture" }));
    reading = find(section, "p.reading");
    zoom = button("left fifth", { "aria-pressed": "false", title: "Show false positive rates from 0 to 0.2" }, () =>
      app.set({ zoom: !app.state.zoom }),
    );
    zoomBox = el("div", { class: "switches zoom" }, el("span", { class: "switch" }, zoom));
    refresh = extras(section, app, "ROC, hull and cost line", () => sheetOf(app), "ev.roc()  # .fpr, .tpr, .thresholds");
    tip = el("div", { class: "tip", hidden: true, "aria-hidden": "true" });
  },
  update(app, changed) {
    const anew = !drawn || changed.has("size") || changed.has("model") || changed.has("zoom");
    if (anew) draw(app);
    move(app, anew);
    if (anew || changed.has("point") || changed.has("costs")) say(app);
    if (anew || changed.has("costs")) refresh();
    attrs(zoom, { "aria-pressed": String(app.state.zoom) });
    hide();
  },
};

// ---- the still part ----

function frameOf(width: number): Frame {
  const [left, right, top, below] = [40, 12, 24, 40];
  const side = Math.max(160, width - left - right);
  return { left, right: left + side, top, bottom: top + side, width, height: top + side + below };
}

function draw(app: App): void {
  const { drawing: d, now } = app;
  const frame = frameOf(picture.clientWidth || 440);
  const ticks = app.state.zoom ? ZOOMED : TICKS;
  const x = linear([0, ticks.at(-1) as number], [frame.left, frame.right]);
  const y = linear([0, 1], [frame.bottom, frame.top]);
  const root = svg("svg", { class: "roc", width: frame.width, height: frame.height, viewBox: `0 0 ${frame.width} ${frame.height}`, role: "group", "aria-label": "ROC curves with operating point and cost line" });
  const still = svg("g", { "aria-hidden": "true" });
  const clip = clipTo(frame);
  still.append(
    clip,
    xAxis(frame, x, { at: ticks, label: "false positive rate" }),
    yAxis(frame, y, { at: TICKS, label: "true positive rate (recall)" }),
    ...chance(frame, x, y),
  );
  const inside = svg("g", { "clip-path": "url(#roc-frame)" });
  if (d.positives && d.negatives) inside.append(...curves(app, x, y), ...hull(app, x, y));
  still.append(inside, marks(app, frame, x, y));
  const key = svg("g", { class: "key", "aria-hidden": "true" });
  const [crosshair, line] = [svg("path", { class: "reach", "aria-hidden": "true" }), svg("line", { class: "cost", "clip-path": "url(#roc-frame)", "aria-hidden": "true" })];
  const marksOn = svg("g", { "aria-hidden": "true" });
  const label = svg("text", { class: "strong halo", "aria-hidden": "true" });
  const grip = makeGrip(app);
  const point = makePoint(app);
  root.append(still, key, crosshair, marksOn, line, label, grip, point);
  fill(picture, zoomBox, root, tip);
  drawn = { frame, x, y, root, crosshair, line, grip, point, label, slope: null, marks: marksOn };
  if (!d.positives || !d.negatives) picture.append(oneClass(app));
  // a curve that runs backwards needs the key's place, and its reading line says the area
  else if (d.models.length > 1 || !(backwards(app) || now.model.labels_only)) drawn.slope = drawKey(app, key, frame);
  hover(app, root);
  for (const one of [line, grip]) one.setAttribute("visibility", hasCostLine(app) ? "visible" : "hidden");
  if (now.model.labels_only || !(d.positives && d.negatives)) attrs(point, { visibility: "hidden", tabindex: null });
}

const hasCostLine = (app: App) => (app.drawing.hull?.points.length ?? 0) > 1;

function clipTo(frame: Frame): SVGDefsElement {
  const box = { x: frame.left - 1, y: frame.top - 1, width: frame.right - frame.left + 2, height: frame.bottom - frame.top + 2 };
  return svg("defs", {}, svg("clipPath", { id: "roc-frame" }, svg("rect", box)));
}

function chance(frame: Frame, x: Scale, y: Scale): SVGElement[] {
  const end = Math.min(1, x.domain[1]);
  const line = svg("line", { class: "chance", x1: x(0), y1: y(0), x2: x(end), y2: y(end) });
  if (end < 1) return [line, svg("text", { x: x(end) - 4, y: y(end) - 6, "text-anchor": "end" }, "chance")];
  const [cx, cy] = [x(0.88), y(0.88)];
  const words = svg("text", { x: cx, y: cy - 6, "text-anchor": "middle", transform: `rotate(-45 ${cx} ${cy})` }, "chance");
  return frame.width < 300 ? [line] : [line, words];
}

/** Grey models first, the chosen one last, so that it lies on top. */
function curves(app: App, x: Scale, y: Scale): SVGElement[] {
  const { drawing: d, now } = app;
  const order = [...d.models].sort((a, b) => Number(a === now.model) - Number(b === now.model) || Number(a.slot > 0) - Number(b.slot > 0));
  const found: SVGElement[] = [];
  const band = now.model.band;
  if (band?.fpr.length) {
    const at = (side: number[]) => band.fpr.map((fpr, i) => [x(fpr), y(side[i] as number)] as const);
    found.push(svg("path", { class: "band", "data-m": now.model.slot, d: areaPath(at(band.high), at(band.low)) }));
  }
  if (backwards(app)) found.push(...turned(app, x, y));
  for (const model of order) {
    const name = ["curve", model === now.model && !model.labels_only && "chosen", model.labels_only && "chord", !model.slot && model !== now.model && "faint"].filter(Boolean).join(" ");
    const points = model.tp.map((_, i) => pointAt(d, model, i)).map((p) => [x(p.fpr), y(p.tpr)] as const);
    found.push(svg("path", { class: name, "data-m": model.slot, d: linePath(thinned(points)) }));
  }
  return found;
}

/** Whether the chosen model surely ranks the wrong way round. */
const backwards = ({ now }: App) => (now.model.areas.find((one) => one.name === "auc")?.high ?? 1) < 0.5;

/** What the curve would be if low scores meant positive. */
function turned(app: App, x: Scale, y: Scale): SVGElement[] {
  const { drawing: d, now } = app;
  const points = now.model.tp.map((_, i) => pointAt(d, now.model, i)).map((p) => [x(1 - p.fpr), y(1 - p.tpr)] as const);
  return [
    svg("path", { class: "turned", d: linePath(thinned([...points].reverse())) }),
    svg("text", { class: "halo", x: x(0.3), y: y(0.78) }, "if the direction were turned"),
  ];
}

function hull(app: App, x: Scale, y: Scale): SVGElement[] {
  const points = app.drawing.hull?.points ?? [];
  const places = points.map((one) => [x(one.fpr), y(one.tpr)] as const);
  const dots = places.map(([cx, cy]) => `M${(cx - 1.6).toFixed(1)},${cy.toFixed(1)}a1.6,1.6 0 1,0 3.2,0a1.6,1.6 0 1,0 -3.2,0`).join("");
  return [svg("path", { class: "hull", d: linePath(places) }), svg("path", { class: "vertex", d: dots })];
}

/** Models that only have labels: crosses with both intervals. */
function marks(app: App, _frame: Frame, x: Scale, y: Scale): SVGGElement {
  const group = svg("g", { class: "marks" });
  for (const model of app.drawing.models.filter((one) => one.labels_only)) {
    const row = Math.min(1, model.tp.length - 1);
    const cells = cellsAt(app.drawing, model, row);
    const point = pointAt(app.drawing, model, row);
    const [left, right] = wilson(cells.fp, cells.fp + cells.tn, app.drawing.level);
    const [low, high] = wilson(cells.tp, cells.tp + cells.fn, app.drawing.level);
    const d = `M${x(left)},${y(point.tpr)}H${x(right)}M${x(point.fpr)},${y(low)}V${y(high)}`;
    const chosen = model === app.now.model;
    group.append(
      svg("path", { class: "cross", "data-m": model.slot, d }),
      svg("circle", { class: "dot", "data-m": model.slot, r: chosen ? 5 : 3.5, cx: x(point.fpr), cy: y(point.tpr) }),
      svg("text", { class: chosen ? "strong halo" : "name halo", "data-m": model.slot, x: x(point.fpr) + 10, y: y(point.tpr) + 18 }, shortName(model.name)),
      chosen ? svg("text", { class: "halo", x: x(point.fpr) + 10, y: y(point.tpr) + 34 }, `recall ${estimateText({ value: point.tpr, low, high })}`) : "",
    );
  }
  return group;
}

// ---- the key, in the triangle that is always empty ----

interface KeyRow {
  name: string;
  value: string;
  sample: SVGElement;
  slot: number | null;
  click?: () => void;
  bold?: boolean;
}

function drawKey(app: App, key: SVGGElement, frame: Frame): SVGTextElement | null {
  const rows = keyRows(app);
  const step = 18;
  const right = frame.right - 6;
  const top = frame.bottom - 12 - step * (rows.length - 1);
  const names = rows.map((row, i) => {
    const name = svg("text", { class: row.slot === null ? "" : row.bold ? "name strong" : "name", "data-m": row.slot, y: top + i * step }, row.name);
    const value = svg("text", { class: "ink", x: right, y: top + i * step, "text-anchor": "end" }, row.value);
    key.append(name, value);
    return { row, name, value };
  });
  const head = svg("text", { x: right, y: top - step, "text-anchor": "end" }, `AUC, ${percent(app.drawing.level)} interval`);
  key.append(head);
  // widths are measured, never guessed: fonts differ
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
    const hit = svg("rect", { class: "hit", x: left - 32, y: y - 13, width: right - left + 34, height: step });
    hit.addEventListener("click", row.click);
    key.append(hit);
  });
  return names.at(-1)?.row.slot === null && hasCostLine(app) ? (names.at(-1)?.name ?? null) : null;
}

function keyRows(app: App): KeyRow[] {
  const { drawing: d, now } = app;
  const area = (model: Model) => model.areas.find((one) => one.name === "auc");
  const shown = d.models.filter((model) => model.slot > 0 || model === now.model);
  const sorted = [...shown].sort((a, b) => (area(b)?.value ?? -1) - (area(a)?.value ?? -1));
  const rows: KeyRow[] = sorted.map((model) => ({
    name: shortName(model.name, 18),
    value: model.labels_only ? "one point" : area(model) ? estimateText(area(model) as never) : "",
    slot: model.slot,
    bold: model === now.model,
    sample: svg("line", { class: model === now.model ? "curve chosen" : "curve", "data-m": model.slot, x1: 0, x2: 24, y1: 0, y2: 0 }),
    click: () => app.set({ model: d.models.indexOf(model) }),
  }));
  const rest = d.models.filter((model) => !shown.includes(model));
  if (rest.length) {
    const all = rest.every((model) => model.dominated) ? ", all dominated" : "";
    rows.push({ name: `${rest.length} more${all}`, value: "", slot: 0, sample: svg("line", { class: "curve faint", "data-m": 0, x1: 0, x2: 24, y1: 0, y2: 0 }) });
  }
  if (!hasCostLine(app)) return rows;
  const of = d.models.length === 1 ? "hull" : d.models.length === 2 ? "hull of both" : `hull of all ${["", "", "", "three", "four", "five"][d.models.length] ?? d.models.length}`;
  const sample = svg("g", {}, svg("line", { class: "hull", x1: 0, x2: 24, y1: 0, y2: 0 }), svg("path", { class: "vertex", d: "M2,-1.6a1.6,1.6 0 1,0 .01,0M12,-1.6a1.6,1.6 0 1,0 .01,0M22,-1.6a1.6,1.6 0 1,0 .01,0" }));
  rows.push({ name: `${of}, area ${fixed(d.hull?.area, 3)}`, value: "", slot: null, sample });
  rows.push({ name: `equal cost, slope ${significant(now.slope)}: drag it`, value: "", slot: null, sample: svg("line", { class: "cost", x1: 0, x2: 24, y1: 0, y2: 0 }) });
  return rows;
}

// ---- the moving part ----

function move(app: App, anew: boolean): void {
  if (!drawn) return;
  const { x, y, frame, point, label, crosshair } = drawn;
  const { now } = app;
  const [cx, cy] = [x(now.point.fpr), y(now.point.tpr)];
  const seen = isFinite(cx) && isFinite(cy) && cx <= frame.right + 1;
  for (const one of [point, label]) if (!now.model.labels_only) one.setAttribute("visibility", seen ? "visible" : "hidden");
  if (seen && !now.model.labels_only) {
    point.setAttribute("transform", `translate(${cx.toFixed(2)},${cy.toFixed(2)})`);
    crosshair.setAttribute("d", `M${frame.left},${cy.toFixed(2)}H${cx.toFixed(2)}V${frame.bottom}`);
    attrs(crosshair, { "data-m": now.model.slot });
    text(label, now.threshold === null ? `${shortName(now.model.name)}: flags nobody` : `${shortName(now.model.name)} at ${now.at}`);
    placeLabel(label, cx, cy, frame);
  } else crosshair.setAttribute("d", "");
  attrs(point, { "data-m": now.model.slot, "aria-valuenow": now.row, "aria-valuetext": pointText(app) });
  costLine(app);
  writeThresholds(app, anew);
}

function placeLabel(label: SVGTextElement, cx: number, cy: number, frame: Frame): void {
  const width = textWidth(label.textContent ?? "", 600);
  const fits = cx + 12 + width <= frame.right;
  attrs(label, { x: (fits ? cx + 12 : cx - 12).toFixed(1), y: (cy + (fits ? 5 : 22)).toFixed(1), "text-anchor": fits ? null : "end" });
}

function costLine(app: App): void {
  if (!drawn || !hasCostLine(app) || !app.now.corner) return;
  const { x, y, frame, line, grip, slope: written } = drawn;
  const { corner, slope } = app.now;
  const [cx, cy] = [x(corner.fpr), y(corner.tpr)];
  const [run, rise] = [x(1) - x(0), y(1) - y(0)]; // rise is negative: up
  const length = Math.hypot(run, slope * rise);
  const [dx, dy] = [run / length, (slope * rise) / length];
  const far = 4 * (frame.right - frame.left);
  attrs(line, { x1: cx - far * dx, y1: cy - far * dy, x2: cx + far * dx, y2: cy + far * dy });
  // where the line leaves the frame before the grip, the grip goes to the other side
  const up = Math.min(REACH, room(cx, dx, frame.left, frame.right), room(cy, dy, frame.top, frame.bottom));
  const down = Math.min(REACH, room(cx, -dx, frame.left, frame.right), room(cy, -dy, frame.top, frame.bottom));
  const away = up >= 24 || up >= down ? Math.max(up, 0) : -down;
  grip.setAttribute("transform", `translate(${(cx + away * dx).toFixed(2)},${(cy + away * dy).toFixed(2)})`);
  const ratio = app.state.fn / app.state.fp;
  attrs(grip, { "aria-valuenow": Number(ratio.toPrecision(4)), "aria-valuetext": `a miss costs ${significant(ratio)} false alarms, slope ${significant(slope)}` });
  if (written) text(written, `equal cost, slope ${significant(slope)}: drag it`);
}

const room = (at: number, direction: number, low: number, high: number) =>
  direction > 1e-9 ? (high - at) / direction : direction < -1e-9 ? (low - at) / direction : Infinity;

let lastWritten = "";

/** Thresholds on the chosen curve; one that would crowd another, or the operating point, is left out. */
function writeThresholds(app: App, anew: boolean): void {
  if (!drawn) return;
  const { x, y, frame, marks: group } = drawn;
  const { drawing: d, now } = app;
  if (now.model.labels_only || !d.positives || !d.negatives) return void fill(group);
  const taken: [number, number][] = [[x(now.point.fpr), y(now.point.tpr)]];
  const labels: [number, number][] = [];
  const kept = writtenThresholds(app).flatMap((threshold) => {
    const p = pointAt(d, now.model, rowAt(d, now.model, threshold));
    const [cx, cy] = [x(p.fpr), y(p.tpr)];
    if (cx > frame.right || taken.some(([a, b]) => Math.hypot(a - cx, b - cy) < APART)) return [];
    const at = cx > frame.right - 34 ? cx - 34 : cx + 7;
    if (labels.some(([a, b]) => Math.abs(a - at) < 30 && Math.abs(b - cy) < 13)) return [];
    labels.push([at, cy]);
    taken.push([cx, cy]);
    return [{ threshold, cx, cy }];
  });
  const said = `${now.model.name} ${kept.map((one) => one.threshold).join(" ")}`;
  if (!anew && said === lastWritten) return;
  lastWritten = said;
  fill(group, ...kept.flatMap(({ threshold, cx, cy }) => [
    svg("circle", { class: "tick", "data-m": now.model.slot, r: 2.6, cx, cy }),
    svg("text", { class: "tick halo", "data-m": now.model.slot, x: cx > frame.right - 34 ? cx - 5 : cx + 7, y: cy + 13, "text-anchor": cx > frame.right - 34 ? "end" : null }, String(threshold)),
  ]));
}

function writtenThresholds(app: App): number[] {
  if (app.drawing.probabilities) return WRITTEN;
  const { thresholds } = app.now.model;
  return [0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9].flatMap((share) => {
    const one = thresholds[Math.max(1, Math.round(share * (thresholds.length - 1)))];
    return typeof one === "number" ? [Number(one.toPrecision(3))] : [];
  });
}

// ---- grips ----

const handle = (name: string, label: string, r: number) =>
  svg("g", { class: "slider", role: "slider", tabindex: 0, "aria-label": label },
    svg("circle", { class: "grip-area", r: 22 }),
    svg("circle", { class: name === "cost" ? "grip" : "point", r }),
    name === "cost" ? svg("circle", { class: "grip-dot", r: 2 }) : null);

function makePoint(app: App): SVGGElement {
  const node = handle("point", "operating point: threshold", 6);
  attrs(node, { "aria-valuemin": 0, "aria-valuemax": app.now.model.thresholds.length - 1 });
  drag(node, (clientX, clientY) => app.hold(nearestRow(app, app.now.model, ...inPicture(clientX, clientY)).row, false), () => app.hold(app.now.row));
  node.addEventListener("keydown", (event) => {
    const row = rowForKey(app, event);
    if (row === null) return;
    event.preventDefault();
    app.hold(row);
  });
  return node;
}

/** The row that a key asks for: right and up flag more. */
function rowForKey(app: App, event: KeyboardEvent): number | null {
  const { model, row } = app.now;
  const step = event.shiftKey ? 10 : 1;
  const rows: Record<string, number> = {
    ArrowRight: row + step, ArrowUp: row + step, ArrowLeft: row - step, ArrowDown: row - step,
    PageUp: nextCorner(model, row, 1), PageDown: nextCorner(model, row, -1), Home: 0, End: model.thresholds.length - 1,
  };
  return rows[event.key] ?? null;
}

function makeGrip(app: App): SVGGElement {
  const node = handle("cost", "line of equal cost: what a miss costs", 8);
  const [low, high] = LIMITS.ratio;
  attrs(node, { "aria-valuemin": low, "aria-valuemax": high });
  drag(node, (clientX, clientY) => app.set(rolled(app, ...inPicture(clientX, clientY)), false), () => app.set({}));
  node.addEventListener("keydown", (event) => {
    const patch = ratioForKey(app, event);
    if (!patch) return;
    event.preventDefault();
    app.set(patch);
  });
  return node;
}

function ratioForKey(app: App, event: KeyboardEvent) {
  const { state, now, drawing } = app;
  const step = event.shiftKey ? 10 : 1;
  const steps: Record<string, number> = { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step };
  if (event.key in steps) return steppedRatio(state, steps[event.key] as number);
  const to = (ratio: number) => ({ fn: Number((clamp(ratio, ...LIMITS.ratio) * state.fp).toPrecision(3)) });
  if (event.key === "Home") return to(LIMITS.ratio[0]);
  if (event.key === "End") return to(LIMITS.ratio[1]);
  if (event.key !== "PageUp" && event.key !== "PageDown") return null;
  // just past the next switch: there another corner is the cheapest
  const turns = slopes(drawing.hull?.points ?? []).map((slope) => ratioOf(slope, now.prevalence)).filter((one) => one > 0 && isFinite(one)).sort((a, b) => a - b);
  const ratio = state.fn / state.fp;
  const next = event.key === "PageUp" ? turns.find((one) => one * 1.01 > ratio * 1.005) : turns.reverse().find((one) => one / 1.01 < ratio / 1.005);
  return next === undefined ? null : to(event.key === "PageUp" ? next * 1.01 : next / 1.01);
}

/** The costs whose line goes through a place and touches the hull: it rolls around the hull as the place moves. */
function rolled(app: App, px: number, py: number) {
  const { x, y } = drawn as Drawn;
  const points = app.drawing.hull?.points ?? [];
  const [fpr, tpr] = [clamp(x.invert(px), 1e-6, 1), y.invert(py)];
  const slope = tangent(points, fpr, tpr);
  const ratio = clamp(ratioOf(slope, app.now.prevalence), ...LIMITS.ratio);
  return { fn: Number((ratio * app.state.fp).toPrecision(3)) };
}

const inPicture = (clientX: number, clientY: number): [number, number] => {
  const box = (drawn as Drawn).root.getBoundingClientRect();
  return [clientX - box.left, clientY - box.top];
};

// ---- hover ----

function nearestRow(app: App, model: Model, px: number, py: number): { row: number; away: number } {
  const { x, y } = drawn as Drawn;
  const { drawing: d } = app;
  let [row, away] = [0, Infinity];
  for (let i = 0; i < model.tp.length; i += 1) {
    const p = pointAt(d, model, i);
    const far = Math.hypot(x(p.fpr) - px, y(p.tpr) - py);
    if (far < away) [row, away] = [i, far];
  }
  return { row, away };
}

function hover(app: App, root: SVGSVGElement): void {
  let asked = false;
  root.addEventListener("pointermove", (event) => {
    if (asked || event.buttons) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      show(app, ...inPicture(event.clientX, event.clientY));
    });
  });
  root.addEventListener("pointerleave", hide);
}

function hide(): void {
  tip.hidden = true;
}

function show(app: App, px: number, py: number): void {
  const { drawing: d, now } = app;
  if (!drawn || !d.positives || !d.negatives) return;
  const near = d.models.map((model) => ({ model, ...nearestRow(app, model, px, py) })).sort((a, b) => a.away - b.away)[0];
  if (!near || near.away > 26) return hide();
  const point = pointAt(d, near.model, near.row);
  const precision = precisionOf(cellsFor(d, cellsAt(d, near.model, near.row), now.prevalence));
  const cost = costPer1000(d, point, now.prices, now.prevalence);
  const at = near.model.labels_only ? "" : `, threshold ${thresholdAt(near.model, near.row)}`;
  text(tip, `${shortName(near.model.name)}${at}: recall ${fixed(point.tpr, 2)}, FPR ${fixed(point.fpr, 3)}, precision ${fixed(precision, 2)}, cost ${whole(cost)}`);
  tip.hidden = false;
  const { x, y, frame } = drawn;
  const [cx, cy] = [x(point.fpr), y(point.tpr)];
  tip.style.left = `${clamp(cx + 14, 0, Math.max(0, frame.width - tip.offsetWidth))}px`;
  tip.style.top = `${clamp(cy + 14, 0, frame.height - tip.offsetHeight)}px`;
}

const pointText = (app: App) =>
  `threshold ${app.now.at}, recall ${percent(app.now.point.tpr)}, false positive rate ${percent(app.now.point.fpr)}`;

// ---- words ----

function say(app: App): void {
  const { drawing: d, now } = app;
  if (!reading || !d.positives || !d.negatives || now.model.labels_only) return; // Python's sentence stands
  if (backwards(app)) return;
  const slots = { model: modelName(now.model), threshold: now.at, recall: percent(now.point.tpr), fpr: percent(now.point.fpr) };
  const below = d.models.filter((model) => model.dominated && model !== now.model).slice(0, 2);
  const rest = below.flatMap((model) => [" ", ...said(app, "roc_dominated", { model: modelName(model) })]);
  fill(reading, ...said(app, "roc", slots), ...rest);
}

function oneClass(app: App): HTMLElement {
  const { drawing: d, now } = app;
  const missing = d.positives ? d.negative : d.positive;
  const rate = d.positives ? "Recall" : "Specificity";
  const cells = cellsAt(d, now.model, now.row);
  const [k, n] = d.positives ? [cells.tp, d.positives] : [cells.tn, d.negatives];
  const [low, high] = wilson(k, n, d.level);
  return el("div", { class: "panel over" },
    el("b", {}, `No ${missing} case in this file.`),
    el("p", {}, `${d.negatives.toLocaleString("en")} ${d.negative}, ${d.positives.toLocaleString("en")} ${d.positive}.`),
    el("p", {}, `${rate} ${estimateText({ value: k / n, low, high })} is defined.`),
    el("p", {}, `Was the positive label meant: ${d.positive}?`),
  );
}

// ---- the table ----

function sheetOf(app: App): Sheet {
  const { drawing: d, now } = app;
  const rows = now.model.thresholds.map((threshold, row) => {
    const point = pointAt(d, now.model, row);
    const precision = precisionOf(cellsFor(d, cellsAt(d, now.model, row), now.prevalence));
    const cost = costPer1000(d, point, now.prices, now.prevalence);
    return [
      threshold === null ? words("none") : figure(thresholdAt(now.model, row), threshold), figure(fixed(point.fpr, 4), point.fpr),
      figure(fixed(point.tpr, 4), point.tpr), figure(fixed(precision, 4), precision), figure(whole(cost), cost),
    ];
  });
  const names = ["threshold", "false positive rate", "true positive rate", "precision", "cost per 1,000"];
  return { caption: `ROC of ${shortName(now.model.name)}`, columns: names.map((name) => ({ name, number: true })), rows };
}

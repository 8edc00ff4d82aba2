// ROC: curves, common hull, the band of the selected model, thresholds along its curve, the iso-cost line that touches the
// hull, and the operating point. The static part is drawn once per model and size; a change of threshold only updates the
// dynamic part.

import { rounded } from "../core/small.ts";
import type { App, View } from "../core/app.ts";
import { linear, xAxis, yAxis, type Frame, type Scale } from "../core/axis.ts";
import { attrs, button, el, fill, find, HIDDEN, on, part, pressed, text } from "../core/dom.ts";
import { alarms, percent, shortName, significant } from "../core/format.ts";
import { pointAt, ratioOf, rowAt } from "../core/model.ts";
import { LIMITS, clamp } from "../core/state.ts";
import { drag, svg, textWidth } from "../core/svg.ts";
import { showCases } from "./caselist.ts";
import { extras } from "./parts/extras.ts";
import { apparent, modelName, said } from "./parts/said.ts";
import { tangent } from "./parts/tangent.ts";
import { handle, ratioForKey, rowForKey } from "./rocparts/grips.ts";
import { dragHint, drawKey, hasCostLine } from "./rocparts/key.ts";
import { nearestRow, pointWords, sheetOf, writtenThresholds } from "./rocparts/reading.ts";
import { backwards, chance, clipTo, crosses, curves, hull, oneClass } from "./rocparts/still.ts";

const TICKS = [0, 0.25, 0.5, 0.75, 1];
const ZOOMED = [0, 0.05, 0.1, 0.15, 0.2];
const APART = 20; // minimum distance in pixels between two thresholds on the curve
const LEVER = 52; // distance in pixels from the corner to the handle if the line does not fit in the frame
let lever = false;
const REACH = 62; // distance in pixels from the corner to the handle of the cost line

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
const panel = el("div.panel.over");
let reach = REACH;

export const roc: View = {
  id: "roc",
  mount(section, app) {
    picture = part(section, ".picture", () => el("div.picture"));
    reading = find(section, "p.reading");
    zoom = button("zoom in", { "aria-pressed": "false", title: "Show false positive rates from 0 to 0.2" }, () =>
      app.set({ zoom: !app.state.zoom }),
    );
    zoomBox = el("div.switches.zoom", {}, el("span.switch", {}, zoom));
    refresh = extras(section, app, "ROC, hull and cost line", () => sheetOf(app), "ev.roc()  # .fpr, .tpr, .thresholds");
    tip = el("div.tip", { hidden: true, ...HIDDEN });
  },
  update(app, changed) {
    const anew = !drawn || changed.has("size") || changed.has("model") || changed.has("zoom");
    if (anew) draw(app);
    move(app, anew);
    if (panel.isConnected) oneClass(app, panel);
    if (anew || changed.has("point") || changed.has("costs")) say(app);
    if (anew || changed.has("costs")) refresh();
    attrs(zoom, pressed(app.state.zoom));
    hide();
  },
};

// ---- static part ----

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
  const root = svg("svg.roc", { width: frame.width, height: frame.height, viewBox: `0 0 ${frame.width} ${frame.height}`, role: "group", "aria-label": "ROC curves with operating point and cost line" });
  const still = svg("g", { ...HIDDEN });
  const clip = clipTo(frame);
  still.append(
    clip,
    xAxis(frame, x, { at: ticks, label: "false positive rate" }),
    yAxis(frame, y, { at: TICKS, label: `true positive rate (recall of ${shortName(app.drawing.positive, 18)})` }),
    ...chance(frame, x, y),
  );
  const inside = svg("g", { "clip-path": "url(#roc-frame)" });
  if (d.positives && d.negatives) inside.append(...curves(app, x, y), ...hull(app, x, y));
  still.append(inside, crosses(app, x, y));
  const key = svg("g.key", { ...HIDDEN });
  const [crosshair, line] = [svg("path.reach", { ...HIDDEN }), svg("line.cost", { "clip-path": "url(#roc-frame)", ...HIDDEN })];
  const marksOn = svg("g", { ...HIDDEN });
  const label = svg("text.strong.halo", { ...HIDDEN });
  const grip = makeGrip(app);
  const point = makePoint(app);
  root.append(still, key, crosshair, marksOn, line, label, grip, point);
  fill(picture, zoomBox, root, tip);
  drawn = { frame, x, y, root, crosshair, line, grip, point, label, slope: null, marks: marksOn };
  if (!d.positives || !d.negatives) picture.append(panel);
  // a curve below the diagonal needs the space of the legend, and its caption states the area
  else if (d.models.length > 1 || !(backwards(app) || now.model.labels_only)) drawn.slope = drawKey(app, key, frame);
  hover(app, root);
  if (!hasCostLine(app)) for (const one of [line, grip]) one.setAttribute("visibility", "hidden");
  if (now.model.labels_only || !(d.positives && d.negatives)) attrs(point, { visibility: "hidden", tabindex: null });
}

// ---- dynamic part ----

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
    text(label, app.drawing.points ? shortName(now.model.name) : now.threshold === null ? `${shortName(now.model.name)}: nothing flagged` : `${shortName(now.model.name)} at ${now.at}`);
  } else crosshair.setAttribute("d", "");
  attrs(point, { "data-m": now.model.slot, "aria-valuenow": now.row, "aria-valuetext": pointText(app) });
  const held = costLine(app);
  if (seen) placeLabel(label, cx, cy, frame, held);
  writeThresholds(app, anew);
}

/** If a name does not fit on either side, only the threshold is shown: "at 0.31". */
function shorten(label: SVGTextElement, again: () => void): void {
  const words = (label.textContent ?? "").replace(/^.* (?=at \S+$)/, "");
  if (words === label.textContent) return;
  text(label, words);
  again();
}

/** Next to the point; below it at the top, where the curve would cross the text; away from the handle. */
function placeLabel(label: SVGTextElement, cx: number, cy: number, frame: Frame, held: readonly [number, number] | null): void {
  const width = textWidth(label.textContent ?? "", 600);
  const fits = cx + 12 + width <= frame.right;
  if (!fits && cx - 12 - width < 0) return shorten(label, () => placeLabel(label, cx, cy, frame, held));
  const beside = fits && cy - frame.top > 14;
  const [left, high] = [fits ? cx + 12 : cx - 12 - width, cy + (beside ? 5 : 22)];
  const under = held && held[0] > left - 10 && held[0] < left + width + 10 && Math.abs(held[1] - high + 5) < 16;
  attrs(label, { x: (fits ? left : cx - 12).toFixed(1), y: (under ? held[1] + 26 : high).toFixed(1), "text-anchor": fits ? null : "end" });
}

/** Moves the line and its handle; returns the position of the handle. */
function costLine(app: App): [number, number] | null {
  if (!drawn || !hasCostLine(app) || !app.now.corner) return null;
  const { x, y, frame, line, grip, slope: written } = drawn;
  const { corner, slope } = app.now;
  const [cx, cy] = [x(corner.fpr), y(corner.tpr)];
  const [run, rise] = [x(1) - x(0), y(1) - y(0)]; // rise is negative: upward
  const length = Math.hypot(run, slope * rise);
  const [dx, dy] = [run / length, (slope * rise) / length];
  const far = 4 * (frame.right - frame.left);
  attrs(line, { x1: cx - far * dx, y1: cy - far * dy, x2: cx + far * dx, y2: cy + far * dy });
  const inside = cx <= frame.right + 1;
  // the corner may be outside the zoomed range
  for (const one of [line, grip]) one.setAttribute("visibility", inside ? "visible" : "hidden");
  // if the line leaves the frame before the handle, the handle moves to the other side
  const up = Math.min(reach, room(cx, dx, frame.left, frame.right), room(cy, dy, frame.top, frame.bottom));
  const down = Math.min(reach, room(cx, -dx, frame.left, frame.right), room(cy, -dy, frame.top, frame.bottom));
  const away = up >= 24 || up >= down ? Math.max(up, 0) : -down;
  // at a corner of the frame the line does not fit on either side: the handle becomes a lever across it, away from the point
  lever = Math.max(up, down) < 24;
  const [gx, gy] = lever ? [cx - LEVER * dy, cy + LEVER * dx] : [cx + away * dx, cy + away * dy];
  grip.setAttribute("transform", `translate(${gx.toFixed(2)},${gy.toFixed(2)})`);
  const ratio = app.state.fn / app.state.fp;
  attrs(grip, { "aria-valuenow": rounded(ratio, 4), "aria-valuetext": `a miss costs ${alarms(ratio)}, slope ${significant(slope)}` });
  if (written) text(written, `equal cost, slope ${significant(slope)}${dragHint()}`);
  return inside ? [gx, gy] : null;
}

const room = (at: number, direction: number, low: number, high: number) =>
  direction > 1e-9 ? (high - at) / direction : direction < -1e-9 ? (low - at) / direction : Infinity;

let lastWritten = "";

/** Thresholds on the selected curve; one that is too close to another, or to the operating point, is left out. */
function writeThresholds(app: App, anew: boolean): void {
  if (!drawn) return;
  const { x, y, frame, marks: group } = drawn;
  const { drawing: d, now } = app;
  if (d.points || now.model.labels_only || !d.positives || !d.negatives) return void fill(group);
  const taken: [number, number][] = [[x(now.point.fpr), y(now.point.tpr)]];
  const labels: [number, number][] = [];
  const kept = writtenThresholds(app).flatMap((threshold) => {
    const p = pointAt(d, now.model, rowAt(d, now.model, threshold));
    const [cx, cy] = [x(p.fpr), y(p.tpr)];
    if (cx > frame.right || taken.some(([a, b]) => Math.hypot(a - cx, b - cy) < APART)) return [];
    const at = Math.min(cx + 7, frame.right - 18); // below the curve and to its right, where there is no curve
    if (labels.some(([a, b]) => Math.abs(a - at) < 30 && Math.abs(b - cy) < 13)) return [];
    // position of the label of the operating point
    if (taken[0] && cx > taken[0][0] && cx < taken[0][0] + 150 && Math.abs(cy + 8 - taken[0][1]) < 13) return [];
    if (Math.hypot(at + 14 - x(0.64), cy + 9 - y(0.6)) < 34) return []; // position of the label of the chance line
    labels.push([at, cy]);
    taken.push([cx, cy]);
    return [{ threshold, cx, cy, at }];
  });
  const said = `${now.model.name} ${kept.map((one) => one.threshold).join(" ")}`;
  if (!anew && said === lastWritten) return;
  lastWritten = said;
  fill(group, ...kept.flatMap(({ threshold, cx, cy, at }) => [
    svg("circle.tick", { "data-m": now.model.slot, r: 2.6, cx, cy }),
    svg("text.tick.halo", { "data-m": now.model.slot, x: at, y: cy + 13 > frame.bottom ? cy - 6 : cy + 13 }, String(threshold)),
  ]));
}

// ---- handles ----

function makePoint(app: App): SVGGElement {
  const node = handle("point", "operating point: threshold", 6);
  attrs(node, { "aria-valuemin": 0, "aria-valuemax": app.now.model.thresholds.length - 1 });
  drag(node, (clientX, clientY) => app.hold(nearestTo(app, clientX, clientY), false), () => app.set({}));
  on(node, "keydown", (event) => {
    const row = rowForKey(app, event);
    if (row === null) return;
    event.preventDefault();
    app.hold(row);
  });
  return node;
}

function makeGrip(app: App): SVGGElement {
  const node = handle("cost", "line of equal cost: what a miss costs", 8);
  const [low, high] = LIMITS.ratio;
  attrs(node, { "aria-valuemin": low, "aria-valuemax": high });
  drag(node, (clientX, clientY) => app.set(rolled(app, ...inPicture(clientX, clientY)), false), () => app.set({}));
  on(node, "keydown", (event) => {
    const patch = ratioForKey(app, event);
    if (!patch) return;
    event.preventDefault();
    app.set(patch);
  });
  return node;
}

/** The costs whose iso-cost line passes through a position and touches the hull. */
function rolled(app: App, px: number, py: number) {
  const { x, y } = drawn as Drawn;
  const points = app.drawing.hull?.points ?? [];
  const held = app.now.corner;
  if (lever && held) {
    // the line is perpendicular to the lever: farther right it is steeper, farther down flatter
    const [right, down] = [Math.max(1, px - x(held.fpr)), Math.max(1, py - y(held.tpr))];
    const slope_ = ((right / down) * (x(1) - x(0))) / (y(0) - y(1));
    return { fn: rounded(clamp(ratioOf(slope_, app.now.prevalence), ...LIMITS.ratio) * app.state.fp, 3) };
  }
  const [fpr, tpr] = [clamp(x.invert(px), 1e-6, 1), y.invert(py)];
  const slope = tangent(points, fpr, tpr);
  // the handle stays as far from the corner as the pointer
  const corner = app.now.corner;
  if (corner) reach = clamp(Math.hypot(px - x(corner.fpr), py - y(corner.tpr)), 36, 160);
  const ratio = clamp(ratioOf(slope, app.now.prevalence), ...LIMITS.ratio);
  return { fn: rounded(ratio * app.state.fp, 3) };
}

const inPicture = (clientX: number, clientY: number): [number, number] => {
  const box = (drawn as Drawn).root.getBoundingClientRect();
  return [clientX - box.left, clientY - box.top];
};

/** The row of the selected model that is closest to the pointer. */
function nearestTo(app: App, clientX: number, clientY: number): number {
  const { x, y } = drawn as Drawn;
  return nearestRow(app, app.now.model, x, y, ...inPicture(clientX, clientY)).row;
}

// ---- hover and click ----

function hover(app: App, root: SVGSVGElement): void {
  let asked = false;
  on(root, "pointermove", (event) => {
    if (asked || event.buttons) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      show(app, ...inPicture(event.clientX, event.clientY));
    });
  });
  on(root, "pointerleave", hide);
  on(root, "click", (event) => {
    const { drawing: d, state, now } = app;
    const threshold = now.model.thresholds[nearestTo(app, event.clientX, event.clientY)] ?? null;
    if (d.cases && !(event.target as Element).closest(".hit")) {
      showCases(picture.closest("section") as HTMLElement, d, { model: state.model, threshold, cell: "near" });
    }
  });
}

function hide(): void {
  tip.hidden = true;
}

function show(app: App, px: number, py: number): void {
  const { drawing: d } = app;
  if (!drawn || !d.positives || !d.negatives) return;
  const { x, y, frame } = drawn;
  const near = d.models.map((model) => ({ model, ...nearestRow(app, model, x, y, px, py) })).sort((a, b) => a.away - b.away)[0];
  if (!near || near.away > 26) return hide();
  text(tip, pointWords(app, near.model, near.row));
  tip.hidden = false;
  const point = pointAt(d, near.model, near.row);
  tip.style.left = `${clamp(x(point.fpr) + 14, 0, Math.max(0, frame.width - tip.offsetWidth))}px`;
  tip.style.top = `${clamp(y(point.tpr) + 14, 0, frame.height - tip.offsetHeight)}px`;
}

const pointText = (app: App) =>
  `threshold ${app.now.at}, recall ${percent(app.now.point.tpr)}, false positive rate ${percent(app.now.point.fpr)}`;

// ---- text ----

function say(app: App): void {
  const { drawing: d, now } = app;
  if (!reading || !d.positives || !d.negatives || now.model.labels_only) return; // Python's sentence is kept
  if (backwards(app)) return;
  const slots = { model: modelName(now.model), threshold: now.at, recall: now.point.tpr, fpr: now.point.fpr };
  const many = d.models.length > 5;
  const first = many ? [...said(app, "roc_many", { models: d.models.length, hull: d.models.filter((model) => !model.dominated).length }), " "] : [];
  fill(reading, ...first, ...said(app, "roc", slots), ...apparent(app), ...(many ? [] : below(app)));
}

/** The models below the hull. */
function below(app: App): (Node | string)[] {
  const names = app.drawing.models.filter((model) => model.dominated).map(modelName);
  if (names.length < 2) return names.flatMap((model) => [" ", ...said(app, "roc_dominated", { model })]);
  const listed = names.flatMap((name, k) => [k === 0 ? "" : k === names.length - 1 ? " and " : ", ", name]);
  return [" ", ...said(app, "roc_dominated_many", { models: el("span", {}, ...listed) })];
}

// Every threshold at once: precision, recall, F1 and the share flagged against the threshold, with their intervals. A click
// anywhere in the plot moves the threshold there.
import { range } from "../core/small.ts";
import { thresholdAt, type App, type View } from "../core/app.ts";
import { linear, ticks, xAxis, yAxis, type Scale } from "../core/axis.ts";
import type { Measure } from "../core/data.ts";
import { estimateText, fixed, percent, thresholdText } from "../core/format.ts";
import { cellsAt, cellsFor, measureAt, rowAt } from "../core/model.ts";
import { areaPath, linePath, svg, thinned } from "../core/svg.ts";
import { extras } from "./parts/extras.ts";
import { nameCurves } from "./parts/labels.ts";
import { hover, partsOf, plotIn, type Parts, type Plot } from "./parts/plot.ts";
import { apparent, said } from "./parts/said.ts";
import { figure, numbers, text, type Sheet } from "./parts/sheet.ts";
import { missingClass, read, reason, redraws } from "./parts/shared.ts";
import { attrs } from "../core/dom.ts";

const LINES = ["precision", "recall", "f1"] as const;
const BANDED = 60; // maximum number of rows with an interval; more are not visible
const ROWS = 40; // maximum number of rows in the table

interface Drawn {
  readonly plot: Plot;
  readonly x: Scale;
  readonly y: Scale;
  readonly rule: SVGLineElement;
  readonly dots: SVGCircleElement[];
}

export function thresholdsView(): View {
  let parts: Parts;
  let drawn: Drawn | null = null;
  let refresh = (): void => undefined;

  return {
    id: "thresholds",
    mount(section, app) {
      parts = partsOf(section);
      refresh = extras(section, app, "Measures against the threshold", () => sheetOf(app), "ev.at(0.3).precision  # any measure, at any threshold");
    },
    update(app, changed) {
      const why = missingClass(app) || (app.now.model.labels_only ? "There are only predicted labels, so there is one threshold." : "");
      if (why) {
        drawn = null;
        return reason(parts.picture, why);
      }
      if (!drawn || redraws(changed)) drawn = draw(parts.picture, app);
      move(drawn, app);
      read(parts.reading, ...readingOf(app));
      refresh();
    },
  };
}

const measureOf = (app: App, name: string): Measure | undefined => app.drawing.measures.find((one) => one.name === name);

/** A measure at a row, with its interval; NaN if it is undefined. */
function estimateAt(app: App, name: string, row: number) {
  const measure = measureOf(app, name);
  return measure ? measureAt(app.drawing, measure, app.now.model, row, app.now.prevalence) : { value: NaN, low: NaN, high: NaN, method: "", why: "" };
}

/** The share of cases that a row flags, at the selected prevalence. */
export function flaggedAt(app: App, row: number): number {
  const { tp, fp, fn, tn } = cellsFor(app.drawing, cellsAt(app.drawing, app.now.model, row), app.now.prevalence);
  return (tp + fp) / (tp + fp + fn + tn);
}

const finite = (row: number, app: App): boolean => isFinite(app.now.model.thresholds[row] ?? NaN);

/** At most this many rows of the selected model, evenly spaced, including both ends; row 0 flags nothing and has no threshold. */
function rowsOf(app: App, most: number): number[] {
  const last = app.now.model.thresholds.length - 1;
  const all = range(last, (k) => k + 1).filter((row) => finite(row, app));
  if (all.length <= most) return all;
  return range(most, (k) => all[Math.round((k * (all.length - 1)) / (most - 1))] as number);
}

// ---- drawing ----

/** Scores on the x-axis; on the square-root scale of the slider if probabilities are concentrated near 0. */
function scaleOf(app: App, left: number, right: number): { x: Scale; at: number[] } {
  const { probabilities, scale } = app.drawing;
  const known = app.now.model.thresholds.filter((one): one is number => typeof one === "number" && isFinite(one));
  const [low, high] = probabilities ? [0, 1] : [Math.min(...known), Math.max(...known)];
  if (!(probabilities && scale === "root")) return { x: linear([low, high], [left, right]), at: probabilities ? [0, 0.25, 0.5, 0.75, 1] : ticks(low, high, 6) };
  const root = linear([0, 1], [left, right]);
  const x = Object.assign((value: number) => root(Math.sqrt(Math.max(0, value))), { invert: (px: number) => root.invert(px) ** 2, domain: [0, 1] as const, range: [left, right] as const });
  return { x: x as Scale, at: [0, 0.01, 0.05, 0.1, 0.2, 0.5, 1] };
}

function draw(picture: HTMLElement, app: App): Drawn {
  const plot = plotIn(picture, "thresholds", () => 240);
  const { frame } = plot;
  const { x, at } = scaleOf(app, frame.left, frame.right);
  const y = linear([0, 1], [frame.bottom, frame.top]);
  const { slot, thresholds } = app.now.model;
  const place = (row: number, value: number): [number, number] => [x(thresholds[row] as number), y(value)];
  plot.still.append(xAxis(frame, x, { at, label: "threshold" }), yAxis(frame, y, { at: [0, 0.25, 0.5, 0.75, 1], label: "value" }));
  const banding = rowsOf(app, BANDED);
  for (const name of LINES) {
    const banded = banding.map((row) => ({ row, one: estimateAt(app, name, row) })).filter(({ one }) => isFinite(one.low));
    if (banded.length > 1) {
      const side = (key: "low" | "high") => banded.map(({ row, one }) => place(row, one[key]));
      plot.still.append(svg("path.band", { "data-m": slot, d: areaPath(side("high"), side("low")) }));
    }
  }
  const all = rowsOf(app, Infinity).map((row) => ({ row, values: valuesAt(app, row) }));
  const curves = ([...LINES, "flagged"] as const).map((name, k) => {
    const points = thinned(all.map(({ row, values }) => place(row, values[k] as number)).filter(([, py]) => isFinite(py)));
    plot.still.append(svg("path", { class: `curve of-${name}`, "data-m": slot, d: linePath(points) }));
    return { words: NAMES[name], slot: name === "flagged" ? 0 : slot, strong: false, points };
  });
  const names = svg("g");
  const rule = svg("line.cost", { y1: frame.top, y2: frame.bottom });
  const dots = [...LINES, "flagged"].map(() => svg("circle.dot", { "data-m": slot, r: 4 }));
  plot.moving.append(rule, ...dots, names);
  const now = app.now.threshold === null ? NaN : x(app.now.threshold);
  nameCurves(names, curves, frame, isFinite(now) ? [{ x: now - 7, y: frame.top, width: 14, height: frame.height }] : []);
  hover(plot, (px, py) => readAt(app, x, y, px, py), ({ row }) => app.hold(row));
  return { plot, x, y, rule, dots };
}

const NAMES = { precision: "precision", recall: "recall", f1: "F1", flagged: "share flagged" } as const;

/** Precision, recall, F1 and the share flagged at a row, without intervals: the points of the lines. */
function valuesAt(app: App, row: number): [number, number, number, number] {
  const { tp, fp, fn, tn } = cellsFor(app.drawing, cellsAt(app.drawing, app.now.model, row), app.now.prevalence);
  return [tp / (tp + fp), tp / (tp + fn), (2 * tp) / (2 * tp + fp + fn), (tp + fp) / (tp + fp + fn + tn)];
}

function readAt(app: App, x: Scale, y: Scale, px: number, py: number) {
  const { model } = app.now;
  const row = rowAt(app.drawing, model, x.invert(px));
  if (row < 1 || !finite(row, app)) return null;
  const values = valuesAt(app, row);
  const near = values.filter(isFinite).reduce((a, b) => (Math.abs(y(b) - py) < Math.abs(y(a) - py) ? b : a), 0);
  const [precision, recall, f1] = values.map((one) => fixed(one, 2));
  const words = `threshold ${thresholdAt(model, row)}: precision ${precision}, recall ${recall}, F1 ${f1}, ${percent(flaggedAt(app, row))} flagged`;
  return { x: x(model.thresholds[row] as number), y: y(near), words, model: model.slot, row };
}

function move({ x, y, rule, dots, plot }: Drawn, app: App): void {
  const { threshold, row } = app.now;
  const shown = threshold !== null && isFinite(threshold) && row > 0;
  const at = shown ? Math.min(plot.frame.right, Math.max(plot.frame.left, x(threshold))) : 0;
  attrs(rule, { x1: at, x2: at, visibility: shown ? null : "hidden" });
  const values = valuesAt(app, row);
  dots.forEach((dot, k) => {
    const value = values[k] as number;
    attrs(dot, { cx: at, cy: isFinite(value) ? y(value) : 0, visibility: shown && isFinite(value) ? null : "hidden" });
  });
}

// ---- text and table ----

function readingOf(app: App): (Node | string)[] {
  const { now } = app;
  if (!now.row || now.threshold === null) return ["Nothing is flagged at this threshold."];
  const [precision, recall, f1] = valuesAt(app, now.row);
  return [...said(app, "thresholds", { threshold: now.at, precision, recall, f1: fixed(f1, 2), flagged: flaggedAt(app, now.row) }), ...apparent(app)];
}

function sheetOf(app: App): Sheet {
  const { model } = app.now;
  const rows = rowsOf(app, ROWS).map((row) => [
    figure(thresholdText(model.thresholds[row]), model.thresholds[row]),
    ...LINES.map((name) => estimateAt(app, name, row)).map((one) => (isFinite(one.value) ? figure(estimateText(one), one.value) : text("–"))),
    figure(percent(flaggedAt(app, row)), flaggedAt(app, row)),
  ]);
  const names = ["threshold", "precision", "recall", "F1", "share flagged"];
  return { caption: "Measures against the threshold", columns: numbers(...names), rows };
}

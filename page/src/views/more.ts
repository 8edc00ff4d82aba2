// More curves: gain, lift, DET, cost curve, PR gain, both distributions, any measure against the threshold or another
// measure. Drawn when opened.
import { thresholdAt, type App, type View } from "../core/app.ts";
import { linear, plain, ticks, xAxis, yAxis, type Scale } from "../core/axis.ts";
import { bound, type Measure, type Model } from "../core/data.ts";
import { el, fill, find, on } from "../core/dom.ts";
import { fixed, percent } from "../core/format.ts";
import { evaluate } from "../core/formula.ts";
import { probit } from "../core/normal.ts";
import { cellsAt, cellsFor, measureAt, pointAt, precisionOf, treeOf } from "../core/model.ts";
import { linePath, svg, thinned } from "../core/svg.ts";
import { extras } from "./parts/extras.ts";
import { costEnvelope, det, gain, lift, precisionRecallGain, probabilityCost, type CurvePoint } from "./parts/curves.ts";
import { nameCurves } from "./parts/labels.ts";
import { pointMark, type PointMark } from "./parts/marks.ts";
import { brief, visible } from "./parts/names.ts";
import { hover, nearest, plotIn } from "./parts/plot.ts";
import { figure, numbers, type Sheet } from "./parts/sheet.ts";
import { baseOf, classOf, drawnModels, missingClass, reason, type Drawn, redraws } from "./parts/shared.ts";

type XY = { x: number; y: number; row?: number };

/** A chart: its axes, its curve for a model, and the position of the operating point. */
interface Chart {
  readonly id: string;
  readonly title: string;
  readonly reading: (app: App) => string;
  readonly across: string;
  readonly up: string;
  readonly domain: (app: App) => { x: [number, number]; y: [number, number]; atX?: number[]; atY?: number[] };
  readonly text?: (tick: number) => string;
  readonly curve: (app: App, one: Drawn) => XY[];
  readonly point: (app: App) => XY | null;
  readonly chance?: (app: App) => XY[];
  /** Lines of the selected model instead of one per model, and a mark between them. */
  readonly lines?: (app: App) => { words: string; points: XY[] }[];
  readonly gap?: (app: App) => XY[];
  readonly python: string;
}

const UNIT = [0, 0.25, 0.5, 0.75, 1];
const DET_RATES = [0.001, 0.01, 0.05, 0.2, 0.5, 0.8, 0.95, 0.99];

const flaggedShare = (app: App): number => {
  const { cells } = app.now;
  return (cells.tp + cells.fp) / (cells.tp + cells.fp + cells.fn + cells.tn);
};

const liftTop = (app: App): number => {
  const most = Math.max(...drawnModels(app).flatMap((one) => lift(one.model, baseOf(app)).filter((p) => p.x > 0.005).map((p) => p.y)), 1);
  return Math.min(most * 1.05, 1.05 / app.now.prevalence);
};

const CHARTS: readonly Chart[] = [
  {
    id: "gain", title: "Gain", across: "share flagged", up: "recall", python: "rs.curves.gain(ev.table)",
    reading: (app) => `Flagging ${percent(flaggedShare(app))} of ${app.drawing.units} finds ${percent(app.now.point.tpr)} of the positives.`,
    domain: () => ({ x: [0, 1], y: [0, 1], atX: UNIT, atY: UNIT }),
    curve: (app, one) => gain(one.model, baseOf(app)),
    point: (app) => ({ x: flaggedShare(app), y: app.now.point.tpr }),
    chance: () => [{ x: 0, y: 0 }, { x: 1, y: 1 }],
  },
  {
    id: "lift", title: "Lift", across: "share flagged", up: "lift, relative to a random sample", python: "rs.curves.lift(ev.table)",
    reading: (app) => `Among the flagged there are ${fixed(precisionOf(app.now.cells) / app.now.prevalence, 1)} times as many positives as in a random sample.`,
    domain: (app) => ({ x: [0, 1], y: [0, liftTop(app)], atX: UNIT }),
    curve: (app, one) => lift(one.model, baseOf(app)),
    point: (app) => ({ x: flaggedShare(app), y: precisionOf(app.now.cells) / app.now.prevalence }),
    chance: () => [{ x: 0, y: 1 }, { x: 1, y: 1 }],
  },
  {
    id: "det", title: "DET", across: "false positive rate", up: "miss rate (both on a normal-quantile scale)", python: "rs.curves.det(ev.table)",
    reading: (app) => `Misses ${percent(1 - app.now.point.tpr)} of the positives and flags ${percent(app.now.point.fpr)} of the negatives.`,
    domain: () => ({ x: [probit(0.0005), probit(0.995)], y: [probit(0.0005), probit(0.995)], atX: DET_RATES.map(probit), atY: DET_RATES.map(probit) }),
    text: (tick) => rateText(tick),
    curve: (app, one) => det(one.model, baseOf(app)),
    point: (app) => ({ x: probit(app.now.point.fpr), y: probit(1 - app.now.point.tpr) }),
    chance: () => [{ x: probit(0.0005), y: probit(0.9995) }, { x: probit(0.9995), y: probit(0.0005) }],
  },
  {
    id: "cost", title: "Cost curve", across: "probability cost (prevalence and costs combined)", up: "normalized expected cost", python: "rs.curves.cost(ev.table)",
    reading: (app) => `At a probability cost of ${fixed(weightHere(app), 2)}, your setting has a normalized expected cost of ${fixed(costHere(app))}.`,
    domain: () => ({ x: [0, 1], y: [0, 0.5], atX: UNIT }),
    curve: (app, one) => costEnvelope(one.model.hull.map((row) => pointAt(app.drawing, one.model, row))),
    point: (app) => ({ x: weightHere(app), y: costHere(app) }),
    chance: () => [{ x: 0, y: 0 }, { x: 0.5, y: 0.5 }, { x: 1, y: 0 }],
  },
  {
    id: "prgain", title: "Precision-recall-gain curve", across: "recall gain", up: "precision gain", python: "rs.curves.pr_gain(ev.table)",
    reading: () => "0 is no better than flagging all, 1 is perfect; linear interpolation between thresholds is valid here.",
    domain: () => ({ x: [0, 1], y: [0, 1], atX: UNIT, atY: UNIT }),
    curve: (app, one) => precisionRecallGain(one.model, baseOf(app)),
    point: (app) => at(precisionRecallGain(app.now.model, baseOf(app)), app.now.row),
  },
  {
    id: "ks", title: "Kolmogorov-Smirnov plot", across: "threshold", up: "share of the class flagged", python: "rs.curves.ks(ev.table)",
    reading: (app) => {
      const { row, gap } = widest(app);
      return `The two classes differ most at threshold ${thresholdAt(app.now.model, row)}, by ${fixed(Math.abs(gap))} (Kolmogorov-Smirnov statistic).`;
    },
    domain: (app) => {
      const xs = byThreshold(app, "tpr").map((p) => p.x);
      return { x: app.drawing.probabilities ? [0, 1] : [lowest(xs), highest(xs)], y: [0, 1], atY: UNIT };
    },
    curve: (app, one) => (one.chosen ? byThreshold(app, "tpr") : []),
    lines: (app) => [{ words: "positives", points: byThreshold(app, "tpr") }, { words: "negatives", points: byThreshold(app, "fpr") }],
    gap: (app) => {
      const [at, { row }] = [app.now.model.thresholds, widest(app)];
      const { tpr, fpr } = pointAt(app.drawing, app.now.model, row);
      return row ? [{ x: at[row] as number, y: fpr }, { x: at[row] as number, y: tpr }] : [];
    },
    point: (app) => (app.now.threshold === null ? null : { x: app.now.threshold, y: app.now.point.tpr }),
  },
];

/** A rate of the selected model against the threshold. */
const byThreshold = ({ drawing, now: { model } }: App, rate: "tpr" | "fpr"): XY[] =>
  model.thresholds.flatMap((x, row) => (x === null || !isFinite(x) ? [] : [{ x, y: pointAt(drawing, model, row)[rate], row }]));

/** The point at which the two distributions are furthest apart. */
export function widest({ drawing, now: { model } }: App): { row: number; gap: number } {
  const gaps = model.tp.map((_, row) => pointAt(drawing, model, row)).map(({ tpr, fpr }) => tpr - fpr);
  const row = gaps.reduce((best, gap, k) => (Math.abs(gap) > Math.abs(gaps[best] as number) + 1e-12 ? k : best), 0);
  return { row, gap: gaps[row] as number };
}

const costHere = ({ now }: App): number => (1 - now.point.tpr) * weightOf(now) + now.point.fpr * (1 - weightOf(now));
const weightOf = (now: App["now"]): number => probabilityCost(now.prevalence, now.prices.fp, now.prices.fn);
const weightHere = (app: App): number => weightOf(app.now);
const at = (points: readonly CurvePoint[], row: number): XY | null => points.find((p) => p.row === row) ?? null;

/** The rate at a normal quantile, among those on the axis. */
function rateText(tick: number): string {
  const rate = DET_RATES.find((one) => Math.abs(probit(one) - tick) < 1e-9);
  return rate === undefined ? "" : plain(rate);
}

// ---- any measure against the threshold, or against another ----

const BY_THRESHOLD = "threshold";

function measureChart(app: App, name: string, against: string): Chart {
  const named = (one: string) => app.drawing.measures.find(({ name: own }) => own === one) as Measure;
  const [measure, other] = [named(name), against === BY_THRESHOLD ? null : named(against)];
  const value = (of: Measure, model: Model, row: number): number => {
    const tree = treeOf(of);
    return tree ? evaluate(tree, cellsFor(app.drawing, cellsAt(app.drawing, model, row), app.now.prevalence)) : NaN;
  };
  const place = (model: Model, row: number): XY => ({ x: other ? value(other, model, row) : (model.thresholds[row] ?? NaN), y: value(measure, model, row), row });
  const along = (model: Model): XY[] => model.thresholds.map((_, row) => place(model, row)).filter((p) => isFinite(p.x) && isFinite(p.y));
  const range = (of: Measure, values: readonly number[]): [number, number] => {
    const [low, high] = [bound(of.low, -Infinity), bound(of.high, Infinity)];
    const [bottom, top] = [isFinite(low) && low >= 0 ? low : lowest(values), isFinite(high) ? high : highest(values)];
    return [bottom, top > bottom ? top : bottom + 1];
  };
  const span = (): { x: [number, number]; y: [number, number] } => {
    const all = drawnModels(app).flatMap((one) => along(one.model));
    const [xs, ys] = [all.map((p) => p.x), all.map((p) => p.y)];
    return { x: other ? range(other, xs) : app.drawing.probabilities ? [0, 1] : [lowest(xs), highest(xs)], y: range(measure, ys) };
  };
  return {
    id: "measure", title: "Any measure", across: other ? visible(other.title) : BY_THRESHOLD, up: visible(measure.title),
    python: other ? `rs.curves.trade(ev.table, "${other.name}", "${measure.name}")` : `ev.at(threshold).${measure.name}`,
    reading: () => {
      const found = measureAt(app.drawing, measure, app.now.model, app.now.row, app.now.prevalence);
      return isFinite(found.value) ? `${measure.title} ${fixed(found.value)} at ${app.now.at}. ${measure.says}` : `${measure.title} is not defined here: ${found.why}.`;
    },
    domain: span,
    curve: (_, one) => along(one.model),
    point: () => (app.now.threshold === null ? null : other ? place(app.now.model, app.now.row) : { x: app.now.threshold, y: value(measure, app.now.model, app.now.row) }),
  };
}

const lowest = (values: readonly number[]): number => values.reduce((a, b) => Math.min(a, b), Infinity);
const highest = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), -Infinity);

// ---- view ----

interface Live {
  readonly chart: Chart;
  readonly holder: HTMLElement;
  readonly reading: HTMLElement;
  readonly point: PointMark;
  readonly x: Scale;
  readonly y: Scale;
}

export function moreView(): View {
  let details: HTMLDetailsElement | null = null;
  let charts: HTMLElement;
  let live: Live[] = [];
  let measure = "";
  let against = BY_THRESHOLD;

  const build = (app: App): void => {
    const all = [...CHARTS, ...(measure ? [measureChart(app, measure, against)] : [])];
    const boxes = all.map((chart) => boxOf(chart, chart.id === "measure" ? pickers(app) : null));
    fill(charts, ...boxes);
    live = all.map((chart, k) => drawChart(app, chart, boxes[k] as HTMLElement));
  };
  const pickers = (app: App): HTMLElement =>
    el("p.pick", {},
      picker(app, "Measure on the vertical axis", measure, [], (name) => choose(app, name, against)), " against ",
      picker(app, "Measure on the horizontal axis", against, [BY_THRESHOLD], (name) => choose(app, measure, name)));
  const choose = (app: App, name: string, across: string): void => {
    [measure, against] = [name, across];
    const last = charts.lastElementChild as HTMLElement;
    const chart = measureChart(app, name, across);
    live[live.length - 1] = drawChart(app, chart, last);
    live.forEach((one) => moveOne(one, app));
  };

  const show = (app: App, anew: boolean): void => {
    if (!details?.open) return;
    const why = missingClass(app) || (drawnModels(app).length ? "" : "Predicted labels give one point, not curves.");
    if (why) return reason(charts, why);
    if (!live.length || anew) build(app);
    live.forEach((one) => moveOne(one, app));
  };

  return {
    id: "more",
    mount(section, app) {
      details = foldOf(section);
      charts = details.appendChild(el("div.charts"));
      measure = firstMeasure(app);
      on(details, "toggle", () => show(app, true));
    },
    update(app, changed) {
      show(app, redraws(changed));
    },
  };
}

/** The section as a collapsible element whose summary is its title; Python's content for readers without scripts is removed. */
function foldOf(section: HTMLElement): HTMLDetailsElement {
  const title = find(section, "h2") ?? el("h2", {}, "More curves");
  const fold = el("details.more", {}, el("summary", {}, title));
  fill(section, fold);
  return fold;
}

function firstMeasure(app: App): string {
  const usable = app.drawing.measures.filter((one) => treeOf(one));
  return (usable.find((one) => one.name === "f1") ?? usable[0])?.name ?? "";
}

function picker(app: App, label: string, chosen: string, more: readonly string[], choose: (name: string) => void): HTMLElement {
  const known = app.drawing.measures.filter((one) => treeOf(one)).map((one) => [one.name, visible(one.title)]);
  const options = [...more.map((one) => [one, one]), ...known].map(([name, title]) => el("option", { value: name, selected: name === chosen }, title));
  const select = el("select", { "aria-label": label }, ...options);
  on(select, "change", () => choose(select.value));
  return select;
}

function boxOf(chart: Chart, extra: HTMLElement | null): HTMLElement {
  const title = el("h3", { id: `more-${chart.id}-title` }, chart.title);
  const head = el("div.head", {}, title);
  const reading = el("p.reading", { id: `more-${chart.id}-reading` });
  return el("div.chart.view", { id: `more-${chart.id}` }, head, extra, reading, el("div.picture"), el("div.behind"));
}

function drawChart(app: App, chart: Chart, box: HTMLElement): Live {
  const holder = find(box, ".picture") as HTMLElement;
  const plot = plotIn(holder, `more-${chart.id}`, (inner) => Math.min(inner, 280));
  const { frame } = plot;
  const domain = chart.domain(app);
  const x = linear(domain.x, [frame.left, frame.right]);
  const y = linear(domain.y, [frame.bottom, frame.top]);
  const text = chart.text;
  plot.still.append(
    xAxis(frame, x, { at: domain.atX ?? ticks(...domain.x, 4), label: chart.across, ...(text ? { text } : {}) }),
    yAxis(frame, y, { at: domain.atY ?? ticks(...domain.y, 5), label: chart.up, ...(text ? { text } : {}) }),
  );
  if (chart.chance) plot.still.append(svg("path.chance", { d: pathOf(chart.chance(app), x, y), "clip-path": plot.clip }));
  const shown = drawnModels(app);
  const { slot } = app.now.model;
  const own = chart.lines?.(app).map(({ words, points }, k) => ({ words, points, look: k ? "curve of-recall" : "curve of-precision", slot, strong: false }));
  const lines = own ?? shown.map((one) => ({ words: brief(one.model.name), points: chart.curve(app, one), look: classOf(one), slot: one.model.slot, strong: one.chosen }));
  const names = lines.map((one) => {
    const points = thinned(one.points.map((p): [number, number] => [x(p.x), y(p.y)]));
    plot.still.append(svg("path", { class: one.look, "data-m": one.slot, d: linePath(points), "clip-path": plot.clip }));
    const inside = points.filter(([px, py]) => px >= frame.left && px <= frame.right && py >= frame.top && py <= frame.bottom);
    return { ...one, points: inside };
  });
  if (chart.gap) plot.still.append(svg("path.cost", { d: pathOf(chart.gap(app), x, y) }));
  if (names.length > 1) nameCurves(plot.still, names.filter((one) => one.points.length > 1 && (one.slot || one.strong)), frame);
  const point = pointMark(frame);
  plot.moving.append(point.node);
  hover(plot, (px, py) => readAt(app, chart, shown, x, y, px, py));
  behind(app, chart, box);
  return { chart, holder: box, reading: find(box, ".reading") as HTMLElement, point, x, y };
}

const pathOf = (points: readonly XY[], x: Scale, y: Scale): string => linePath(points.map((p): [number, number] => [x(p.x), y(p.y)]));

function behind(app: App, chart: Chart, box: HTMLElement): void {
  extras(box, app, chart.title, () => sheetOf(app, chart), chart.python);
}

function readAt(app: App, chart: Chart, shown: readonly Drawn[], x: Scale, y: Scale, px: number, py: number) {
  const points = shown.flatMap((one) => chart.curve(app, one).map((p) => ({ x: x(p.x), y: y(p.y), p, one })));
  const found = nearest(points, px, py, 24);
  if (!found) return null;
  const row = found.p.row;
  const where = row === undefined ? "" : `, threshold ${thresholdAt(found.one.model, row)}`;
  const shownAs = (v: number): string => (chart.text ? percent(normal(v)) : fixed(v));
  const words = `${brief(found.one.model.name)}${where}: ${chart.across} ${shownAs(found.p.x)}, ${chart.up} ${shownAs(found.p.y)}`;
  return { x: found.x, y: found.y, words, model: found.one.model.slot };
}

/** The normal distribution function by bisection; used only for the hover text of DET. */
function normal(z: number): number {
  let [low, high] = [1e-9, 1 - 1e-9];
  for (let k = 0; k < 50; k += 1) {
    const middle = (low + high) / 2;
    if (probit(middle) < z) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

function moveOne({ chart, reading, point, x, y }: Live, app: App): void {
  reading.textContent = chart.reading(app);
  const here = chart.point(app);
  const inside = here && within(here.x, x.domain) && within(here.y, y.domain) && !app.now.model.labels_only;
  if (here && inside) point.move(x(here.x), y(here.y), app.now.model.slot);
  else point.hide();
}

const within = (value: number, [low, high]: readonly [number, number]): boolean => value >= low - 1e-9 && value <= high + 1e-9;

function sheetOf(app: App, chart: Chart): Sheet {
  const shown = drawnModels(app).find((one) => one.chosen);
  const points = shown ? chart.curve(app, shown) : [];
  const rates = chart.text ? (v: number): number => normal(v) : (v: number): number => v;
  return {
    caption: `${chart.title} of ${brief(app.now.model.name)}`,
    columns: numbers("threshold", chart.across, chart.up.split(",")[0] as string),
    rows: points.map((p) => [
      p.row === undefined ? figure("–", null) : figure(thresholdAt(app.now.model, p.row), app.now.model.thresholds[p.row] ?? null),
      figure(fixed(rates(p.x)), rates(p.x)),
      figure(fixed(rates(p.y)), rates(p.y)),
    ]),
  };
}

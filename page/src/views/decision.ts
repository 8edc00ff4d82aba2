// The decision curve: net true positives per 1,000 by threshold probability, compared with acting on all or none.
import { range, rounded } from "../core/small.ts";
import type { App, View } from "../core/app.ts";
import { linear, ticks, xAxis, yAxis, type Frame, type Scale } from "../core/axis.ts";
import { attrs } from "../core/dom.ts";
import { fixed, percent, shortName } from "../core/format.ts";
import { netBenefit, pointAt, rowAt } from "../core/model.ts";
import { initial, type Change } from "../core/state.ts";
import { linePath, svg, thinned } from "../core/svg.ts";
import { extras } from "./parts/extras.ts";
import { dense, placeFor, spread, type Pixel } from "./parts/labels.ts";
import { pointMark, type PointMark } from "./parts/marks.ts";
import { brief, visible } from "./parts/names.ts";
import { hover, lengthOf, nearest, partsOf, plotIn, MARGINS, type Parts, type Plot } from "./parts/plot.ts";
import { keptNote, said, saidPlain } from "./parts/said.ts";
import { figure, numbers, type Sheet } from "./parts/sheet.ts";
import { classOf, drawnModels, missingClass, read, reason, type Drawn, redraws } from "./parts/shared.ts";

const USUAL = 0.5;
const STEPS = 100;
const HEIGHTS = range(8, (k) => 11 + 25 * k); // y positions of the text next to the line, from the top; the first with the fewest crossings is used

interface Drawing {
  readonly plot: Plot;
  readonly x: Scale;
  readonly y: Scale;
  readonly most: number;
  readonly line: SVGLineElement;
  readonly words: SVGTextElement;
  readonly point: PointMark;
  /** The line of flagging all, its name, and what the name should not lie on. */
  readonly all: readonly Pixel[];
  readonly name: SVGTextElement;
  readonly others: readonly Pixel[];
}

export function decisionView(): View {
  let parts: Parts;
  let drawn: Drawing | null = null;
  let refresh = (): void => undefined;

  return {
    id: "decision",
    mount(section, app) {
      parts = partsOf(section);
      refresh = extras(section, app, "Decision curve", () => sheetOf(app), () => `rs.curves.net_benefit(ev.table, pt=[${round(riskOf(app))}])`);
    },
    update(app, changed) {
      const why = reasonNot(app);
      if (why) {
        drawn = null;
        return reason(parts.picture, why);
      }
      if (drawn && !["costs", "model", "size"].some((one) => changed.has(one as Change))) return;
      const stale = redraws(changed) || drawn?.most !== mostOf(app);
      if (!drawn || stale) drawn = draw(parts.picture, app);
      move(drawn, app);
      read(parts.reading, ...readingOf(app));
      refresh();
    },
  };
}

const round = (x: number): number => rounded(x, 4);

/** The risk above which acting pays off: there a false alarm costs as much as is saved. */
const riskOf = (app: App): number => app.state.fp / (app.state.fp + app.state.fn);

/** 0 to 50 % is the usual range; more expensive false alarms need more of the axis. */
const mostOf = (app: App): number => (riskOf(app) > USUAL ? 0.95 : USUAL);

function reasonNot(app: App): string {
  if (!app.drawing.probabilities) return "The scores are not probabilities, so there is no risk to act on.";
  if (app.drawing.models.every((model) => model.labels_only)) return "There are only predicted labels, so there is no risk to act on.";
  return missingClass(app);
}

/** Net true positives per 1,000 at a risk; the probability itself is the threshold. */
function netAt(app: App, one: Drawn, risk: number): number {
  const row = rowAt(app.drawing, one.model, risk);
  return netBenefit(pointAt(app.drawing, one.model, row), app.now.prevalence, risk);
}

const everybody = (app: App, risk: number): number => netBenefit({ fpr: 1, tpr: 1 }, app.now.prevalence, risk);

function draw(picture: HTMLElement, app: App): Drawing {
  const shown = drawnModels(app);
  const plot = plotIn(picture, "decision", (inner) => Math.min(inner, 268), { ...MARGINS, right: beside(shown) || 16 });
  const { frame } = plot;
  const most = mostOf(app);
  const top = 1000 * app.now.prevalence;
  const x = linear([0, most], [frame.left, frame.right]);
  const y = linear([-0.15 * top, 1.02 * top], [frame.bottom, frame.top]);
  plot.still.append(
    xAxis(frame, x, { at: ticks(0, most, frame.width < 260 ? 3 : 5), label: "threshold probability: act above this risk", text: (risk) => (risk ? percent(risk) : "0") }),
    yAxis(frame, y, { at: ticks(0, top, 5), label: "net true positives per 1,000" }),
    svg("line.flat", { x1: frame.left, x2: frame.right, y1: y(0), y2: y(0) }),
  );
  const every = range(STEPS + 1, (k) => (most * k) / STEPS).map((risk): Pixel => [x(risk), y(everybody(app, risk))]);
  plot.still.append(svg("path.flat", { d: linePath(every), "clip-path": plot.clip }));
  const others: Pixel[] = dense([[frame.left, y(0)], [frame.right, y(0)]]);
  for (const one of shown) {
    const points = curveOf(app, one, most).map((p): [number, number] => [x(p.x), y(p.y)]);
    if (one.model.slot || one.chosen) others.push(...dense(points));
    const d = linePath(thinned(points));
    plot.still.append(svg("path", { class: classOf(one), "data-m": one.model.slot, d, "clip-path": plot.clip }));
  }
  names(plot.still, app, shown, y, frame, most);
  const line = svg("line.cost", { y1: frame.top, y2: frame.bottom });
  const words = svg("text.strong.halo", { y: frame.top + 11 });
  const point = pointMark(frame, false);
  const name = svg("text.halo", {}, "flag all");
  plot.moving.append(line, name, words, point.node);
  hover(plot, (px, py) => readAt(app, shown, x, y, most, px, py));
  return { plot, x, y, most, line, words, point, all: dense(every).filter(([, py]) => py < frame.bottom), name, others };
}

const curveOf = (app: App, one: Drawn, most: number) =>
  range(STEPS + 1, (k) => (most * k) / STEPS).map((risk) => ({ x: risk, y: netAt(app, one, risk) }));

const namedOf = (shown: readonly Drawn[]): Drawn[] => (shown.length > 1 ? shown.filter((one) => one.model.slot || one.chosen) : []);

/** The space next to the plot for the names of several curves, which would cover the curves. */
const beside = (shown: readonly Drawn[]): number => (namedOf(shown).length ? 98 : 0);

/** Names at the right end, spaced apart. */
function names(layer: SVGGElement, app: App, shown: readonly Drawn[], y: Scale, frame: Frame, most: number): void {
  const named = namedOf(shown);
  const outside = beside(shown) > 0;
  const kept = named.map((one) => ({ one, net: netAt(app, one, most * (outside ? 1 : 0.9)) })).filter(({ net }) => y(net) < frame.bottom);
  const rows = [...kept.map(({ one, net }) => ({ words: outside ? shortName(one.model.name, 12) : brief(one.model.name), slot: one.model.slot, strong: one.chosen, at: y(net) + (outside ? 4 : -7) })),
    { words: "flag nobody", slot: -1, strong: false, at: y(0) + (outside ? 4 : 13) }];
  const placed = spread(rows.map((row) => row.at), 15, frame.top + 26, frame.bottom - 3);
  rows.forEach((row, k) => {
    const look = row.slot < 0 ? "halo" : row.strong ? "name strong halo" : "name halo";
    layer.append(
      svg("text", { class: look, "data-m": row.slot < 0 ? null : row.slot, x: outside ? frame.right + 6 : frame.right - 5, y: placed[k], "text-anchor": outside ? "start" : "end" }, row.words),
    );
  });
}

function readAt(app: App, shown: readonly Drawn[], x: Scale, y: Scale, most: number, px: number, py: number) {
  const points = shown.flatMap((one) => curveOf(app, one, most).map((p) => ({ x: x(p.x), y: y(p.y), risk: p.x, net: p.y, one })));
  const found = nearest(points, px, py);
  if (!found) return null;
  const words = `${brief(found.one.model.name)}, acting above ${percent(found.risk)}: ${fixed(found.net, 1)} net true positives per 1,000`;
  return { x: found.x, y: found.y, words, model: found.one.model.slot };
}

/** "flag all" next to its line, where no curve and nothing about the costs is in the way; otherwise the table has it. */
function nameAll({ plot: { frame }, all, name, others }: Drawing, cost: readonly Pixel[], taken: { x: number; y: number; width: number; height: number }[]): void {
  const found = placeFor(all, [...others, ...dense(cost, 2)], taken, lengthOf(name), frame)?.box;
  attrs(name, { x: found?.x, y: (found?.y ?? 0) + 11, visibility: found ? null : "hidden" });
}

function move(drawn: Drawing, app: App): void {
  const { plot, x, y, line, words, point } = drawn;
  if (app.drawing.state.own_costs) {
    line.remove(); // no one ratio to mark
    nameAll(drawn, [], []);
    return point.hide();
  }
  const { frame } = plot;
  const risk = riskOf(app);
  const at = x(risk);
  attrs(line, { x1: at, x2: at });
  const slots = { ratio: app.state.fn / app.state.fp, risk };
  words.textContent = saidPlain(app, "decision_line", slots);
  const shown = drawnModels(app);
  const width = lengthOf(words);
  const right = at + 6 + width <= frame.right + (beside(shown) || 8);
  const chosen = shown.find((one) => one.chosen);
  const left = right ? at : at - 6 - width;
  const crossings = (high: number) => drawn.others.filter(([px, py]) => px > left && px < left + width + 6 && py > high - 16 && py < high + 7).length;
  const high = HEIGHTS.map((down) => frame.top + down).sort((a, b) => crossings(a) - crossings(b))[0] as number;
  attrs(words, { x: right ? at + 6 : at - 6, y: high, "text-anchor": right ? "start" : "end" });
  nameAll(drawn, [[at, frame.top], [at, frame.bottom]], [{ x: left, y: high - 11, width: width + 6, height: 14 }]);
  const net = chosen ? netAt(app, chosen, risk) : NaN;
  const inside = y(net) >= frame.top - 1 && y(net) <= frame.bottom + 1;
  if (chosen && inside) point.move(at, y(net), chosen.model.slot);
  else point.hide();
}

function readingOf(app: App): (Node | string)[] {
  const risk = riskOf(app);
  const chosen = drawnModels(app).find((one) => one.chosen);
  if (!chosen) return ["There are only predicted labels, so there is no risk to act on."];
  const everyone = everybody(app, risk);
  const own = app.drawing.state.own_costs;
  const words: (Node | string)[] = own ? said(app, "decision_own", { unit: app.drawing.unit }) : said(app, "decision", {
    net: netAt(app, chosen, risk), per: 1000,
    other: everyone > 0 ? "flagging all" : "flagging all or none",
    rest: everyone > 0 ? everyone : "0 or less",
  });
  const slope = chosen.model.calibration?.slope?.value;
  if (slope != null && !(slope >= 0.8 && slope <= 1.25)) words.push(" Net benefit uses the probabilities as given; see Calibration.");
  const start = initial(app.drawing);
  const exact = Math.abs(100 * risk - Math.round(100 * risk)) < 1e-9 || Math.abs(risk - start.fp / (start.fp + start.fn)) < 1e-12;
  const note = own ? "" : keptNote(app, exact);
  return note ? [...words, " ", note] : words;
}

function sheetOf(app: App): Sheet {
  const shown = drawnModels(app).sort((a, b) => a.index - b.index);
  const risks = [0.01, 0.02, 0.05, ...range(10, (k) => (k + 1) / 20), ...(mostOf(app) > USUAL ? [0.6, 0.7, 0.8, 0.9] : [])];
  const every = [...new Set([...risks, round(riskOf(app))])].sort((a, b) => a - b);
  return {
    caption: `Net true positives per 1,000, at ${percent(app.now.prevalence)} positive`,
    columns: numbers("threshold probability", ...shown.map((one) => visible(one.model.name)), "flag all"),
    rows: every.map((risk) => [
      figure(percent(risk), risk),
      ...shown.map((one) => figure(fixed(netAt(app, one, risk), 1), netAt(app, one, risk))),
      figure(fixed(everybody(app, risk), 1), everybody(app, risk)),
    ]),
  };
}

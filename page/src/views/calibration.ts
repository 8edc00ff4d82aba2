// Calibration: observed frequency of positives against predicted probability.
import type { App, View } from "../core/app.ts";
import { linear, logOdds, xAxis, yAxis, type Frame, type Scale } from "../core/axis.ts";
import type { Bin, Calibration, Model } from "../core/data.ts";
import { attrs, button, el, group, pressed, set } from "../core/dom.ts";
import { count, fixed, limitsText, percent } from "../core/format.ts";
import { linePath, svg } from "../core/svg.ts";
import { extras } from "./parts/extras.ts";
import { nameCurves } from "./parts/labels.ts";
import { brief } from "./parts/names.ts";
import { hover, nearest, partsOf, plotIn, type Parts, type Plot } from "./parts/plot.ts";
import { said, saidPlain } from "./parts/said.ts";
import { figure, numbers, text, type Sheet } from "./parts/sheet.ts";
import { read, reason, redraws } from "./parts/shared.ts";

const QUARTERS = [0, 0.25, 0.5, 0.75, 1];
const ODDS = [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999];

interface Drawing {
  readonly plot: Plot;
  readonly x: Scale;
  readonly cut: SVGPathElement;
}

export function calibrationView(): View {
  let parts: Parts;
  let drawn: Drawing | null = null;
  let odds: boolean | null = null;
  let refresh = (): void => undefined;
  let switches: HTMLElement;

  const again = (app: App): void => {
    drawn = draw(parts.picture, app, odds === true);
    parts.picture.prepend(switches);
    move(drawn, app);
    for (const one of Array.from(switches.children)) attrs(one, pressed((one.textContent === "log-odds") === odds));
  };

  return {
    id: "calibration",
    mount(section, app) {
      parts = partsOf(section);
      const choose = (log: boolean) => (): void => {
        odds = log;
        again(app);
      };
      switches = el("div.switch.corner", { ...group("Scale of the probabilities") });
      switches.append(button("linear", {}, choose(false)), button("log-odds", {}, choose(true)));
      refresh = extras(section, app, "Calibration", () => sheetOf(app), 'rs.curves.calibration(ev.table, bins=10, by="count")');
    },
    update(app, changed) {
      const found = app.now.model.calibration;
      if (!found || !found.bins.some(filled)) {
        drawn = null;
        read(parts.reading, reasonNot(app));
        return reason(parts.picture, "Only the ranking views apply: ROC, precision and recall, costs.");
      }
      odds ??= (found as Calibration & { log_odds?: boolean }).log_odds ?? false;
      if (!drawn || changed.has("model") || changed.has("size")) again(app);
      else move(drawn, app);
      if (!redraws(changed)) return;
      read(parts.reading, ...readingOf(app, found));
      refresh();
    },
  };
}

function reasonNot(app: App): string {
  if (app.now.model.labels_only) return "There are only predicted labels, so there are no probabilities to assess.";
  if (!app.drawing.probabilities) return saidPlain(app, "calibration_none");
  return "Calibration is not defined for these cases.";
}

type Filled = Bin & { mean: number; observed: number };
const filled = (bin: Bin): bin is Filled => bin.count > 0 && bin.mean !== null && bin.observed !== null;

// ---- drawing ----

interface Place {
  readonly x: Scale;
  readonly y: Scale;
  readonly kept: (p: number) => number;
}

function placeOf(frame: Frame, odds: boolean): Place {
  if (!odds) return { x: linear([0, 1], [frame.left, frame.right]), y: linear([0, 1], [frame.bottom, frame.top]), kept: (p) => p };
  const ends = [0.0005, 0.9995] as const;
  const kept = (p: number): number => Math.min(ends[1], Math.max(ends[0], p));
  return { x: logOdds(ends, [frame.left, frame.right]), y: logOdds(ends, [frame.bottom, frame.top]), kept };
}

function draw(picture: HTMLElement, app: App, odds: boolean): Drawing {
  const plot = plotIn(picture, "calibration", (inner) => Math.min(inner, 268));
  const { frame } = plot;
  const place = placeOf(frame, odds);
  const { x, y, kept } = place;
  const at = odds ? (frame.width < 300 ? [0.001, 0.1, 0.9, 0.999] : ODDS) : QUARTERS;
  plot.still.append(
    xAxis(frame, x, { at, label: "predicted probability" }),
    yAxis(frame, y, { at, label: `observed frequency of ${brief(app.drawing.positive)}` }),
    ...bars(app.now.model, frame, place, odds),
    svg("line.chance", { x1: frame.left, y1: frame.bottom, x2: frame.right, y2: frame.top }),
    svg("text.halo", { x: frame.right - 4, y: frame.bottom - 8, "text-anchor": "end" }, "bars: number of cases"),
  );
  const others = othersOf(app);
  for (const model of others) plot.still.append(ghost(model, place));
  const bins = (app.now.model.calibration?.bins ?? []).filter(filled);
  const slot = app.now.model.slot;
  const line = bins.map((bin): [number, number] => [x(kept(bin.mean)), y(kept(bin.observed))]);
  plot.still.append(svg("path.curve.chosen", { "data-m": slot, d: linePath(line) }));
  for (const bin of bins) plot.still.append(binNode(bin, slot, place));
  if (others.length) {
    const note = { x: frame.right - 150, y: frame.bottom - 22, width: 150, height: 20 };
    const named = others.filter((model) => model.slot || others.length < 5).map((model) => ({ words: brief(model.name), slot: model.slot, strong: false, points: lineOf(model, place) }));
    nameCurves(plot.still, [{ words: brief(app.now.model.name), slot, strong: true, points: line }, ...named], frame, [note]);
  }
  const cut = svg("path.cut");
  plot.moving.append(cut);
  hover(plot, (px, py) => readAt(bins, slot, place, px, py));
  return { plot, x: Object.assign((p: number) => x(kept(p)), { invert: x.invert, domain: x.domain, range: x.range }), cut };
}

function binNode(bin: Filled, slot: number, { x, y, kept }: Place): SVGGElement {
  const [px, py] = [x(kept(bin.mean)), y(kept(bin.observed))];
  const node = svg("g.bin", { "data-m": slot });
  if (bin.low95 !== null && bin.high95 !== null) {
    node.append(svg("line.whisker", { x1: px, x2: px, y1: y(kept(bin.low95)), y2: y(kept(bin.high95)) }));
  }
  node.append(svg("circle.dot", { cx: px, cy: py, r: 3.5 }));
  return node;
}

/** Faint bars for the number of cases at each score, at most a seventh of the height. */
function bars(model: Model, frame: Frame, { x, kept }: Place, odds: boolean): SVGElement[] {
  const found = model.histogram;
  if (!found) return [];
  const total = found.edges.slice(1).map((_, k) => (found.pos[k] ?? 0) + (found.neg[k] ?? 0));
  // a bar is as wide as its score range, so its area, not its height, represents the number of cases
  const place = (k: number): number => x(kept(odds ? Math.max(found.edges[k] as number, 1e-4) : (found.edges[k] as number)));
  const density = total.map((n, k) => n / Math.max(1, place(k + 1) - place(k)));
  const most = Math.max(...density);
  return total.flatMap((n, k) => {
    const width = place(k + 1) - place(k);
    if (!n || width <= 0 || !(most > 0)) return [];
    const height = Math.max(1, ((density[k] as number) / most) * (frame.height / 7));
    return [svg("rect.bars", { x: place(k), y: frame.bottom - height, width: Math.max(0.5, width - 0.5), height })];
  });
}

const lineOf = (model: Model, { x, y, kept }: Place): [number, number][] =>
  (model.calibration?.bins ?? []).filter(filled).map((bin) => [x(kept(bin.mean)), y(kept(bin.observed))]);

/** Another model: its line without the bars. */
function ghost(model: Model, place: Place): SVGGElement {
  const look = model.slot ? "curve" : "curve faint";
  return svg("g", { "data-m": model.slot }, svg("path", { class: look, "data-m": model.slot, d: linePath(lineOf(model, place)) }), svg("title", {}, brief(model.name)));
}

const othersOf = (app: App): Model[] =>
  app.drawing.models.filter((model) => model !== app.now.model && model.calibration?.bins.some(filled)).slice(0, 12);

function readAt(bins: readonly Filled[], slot: number, { x, y, kept }: Place, px: number, py: number) {
  const found = nearest(bins.map((bin) => ({ x: x(kept(bin.mean)), y: y(kept(bin.observed)), bin })), px, py);
  if (!found) return null;
  const { bin } = found;
  const limits = limitsText({ value: bin.observed, low: bin.low95, high: bin.high95 });
  return { x: found.x, y: found.y, model: slot, words: `predicted ${percent(bin.mean)}, observed ${percent(bin.observed)} ${limits}, ${count(bin.count)} cases` };
}

/** The threshold as a mark on the axis. */
function move({ plot, x, cut }: Drawing, app: App): void {
  const { threshold } = app.now;
  const inside = threshold !== null && threshold >= 0 && threshold <= 1;
  set(cut, "d", inside ? `M${x(threshold)},${plot.frame.bottom}l-4,-7h8z` : "");
}

// ---- text and table ----

function readingOf(app: App, found: Calibration): (Node | string)[] {
  const words: (Node | string)[] = [];
  const area = (name: string) => app.now.model.areas.find((one) => one.name === name);
  const { slope } = found;
  if (slope?.value != null) {
    // from the slope and its interval, if the ranking is better than chance
    const known = slope.low != null && slope.high != null && (area("auc")?.low ?? 0) > 0.5;
    const kind = known && (slope.high as number) < 1 ? "extreme" : known && (slope.low as number) > 1 ? "moderate" : "slope";
    words.push(...said(app, `calibration_${kind}`, { slope }), " ");
  }
  const shift = found.in_the_large;
  if (!app.now.off && shift?.low != null && shift.high != null && (shift.low > 0 || shift.high < 0)) {
    words.push(...said(app, `calibration_${shift.low > 0 ? "low" : "high"}`, { shift }), " ");
  }
  const brier = area("brier");
  if (brier) words.push(...said(app, "calibration_brier", { brier }));
  if (app.now.off) words.push(" Shown at the prevalence of the data: calibration does not follow the controls.");
  return words;
}

function sheetOf(app: App): Sheet {
  const bins = app.now.model.calibration?.bins ?? [];
  const number = (value: number | null): ReturnType<typeof figure> => figure(fixed(value), value);
  const empty = bins.filter((bin) => bin.count === 0).length;
  return {
    caption: `Calibration of ${brief(app.now.model.name)}`,
    columns: numbers("scores from", "to", "mean score", "observed", "from", "to", "cases"),
    rows: bins.map((bin) => [
      number(bin.low), number(bin.high), number(bin.mean), number(bin.observed), number(bin.low95), number(bin.high95),
      bin.count ? figure(count(bin.count), bin.count) : { ...text("0, empty"), exact: 0 },
    ]),
    note: empty ? `${empty} of ${bins.length} bins are empty.` : "",
  };
}


// Precision and recall: the curve with its exact interpolation, the baseline, the operating point.
import { thresholdAt, type App, type View } from "../core/app.ts";
import { linear, xAxis, yAxis, type Scale } from "../core/axis.ts";
import { fixed, percent } from "../core/format.ts";
import { precisionOf, reportPrevalence } from "../core/model.ts";
import { linePath, svg, thinned } from "../core/svg.ts";
import { showCases } from "./caselist.ts";
import { extras } from "./parts/extras.ts";
import { precisionRecall, precisionRecallDrawn } from "./parts/curves.ts";
import { nameCurves } from "./parts/labels.ts";
import { pointMark, type PointMark } from "./parts/marks.ts";
import { brief, visible } from "./parts/names.ts";
import { hover, nearest, partsOf, plotIn, type Parts, type Plot } from "./parts/plot.ts";
import { apparent, said } from "./parts/said.ts";
import { figure, numbers, text, type Sheet } from "./parts/sheet.ts";
import { baseOf, classOf, drawnModels, missingClass, read, reason, redraws } from "./parts/shared.ts";

const QUARTERS = [0, 0.25, 0.5, 0.75, 1];

interface Drawing {
  readonly plot: Plot;
  readonly x: Scale;
  readonly y: Scale;
  readonly point: PointMark;
}

export function prView(): View {
  let parts: Parts;
  let drawn: Drawing | null = null;
  let refresh = (): void => undefined;

  return {
    id: "pr",
    mount(section, app) {
      parts = partsOf(section);
      refresh = extras(section, app, "Precision and recall", () => sheetOf(app), "ev.pr()  # .recall, .precision, .thresholds");
    },
    update(app, changed) {
      const why = reasonNot(app);
      if (why) {
        drawn = null;
        return reason(parts.picture, why);
      }
      if (!drawn || redraws(changed)) drawn = draw(parts.picture, app);
      move(drawn, app);
      readingOf(parts.reading, app);
      refresh();
    },
  };
}

function reasonNot(app: App): string {
  if (app.drawing.models.every((model) => model.labels_only)) return "Predicted labels give one point, not a curve.";
  return missingClass(app);
}

function draw(picture: HTMLElement, app: App): Drawing {
  const plot = plotIn(picture, "pr", (inner) => Math.min(inner, 268));
  const { frame } = plot;
  const x = linear([0, 1], [frame.left, frame.right]);
  const y = linear([0, 1], [frame.bottom, frame.top]);
  const base = baseOf(app);
  plot.still.append(
    xAxis(frame, x, { at: QUARTERS, label: `recall of ${brief(app.drawing.positive)}` }),
    yAxis(frame, y, { at: QUARTERS, label: `precision of ${brief(app.drawing.positive)}` }),
    svg("line.chance", { x1: frame.left, x2: frame.right, y1: y(base.prevalence), y2: y(base.prevalence) }),
    svg(
      "text",
      { class: "halo", x: frame.left + 6, y: base.prevalence > 0.85 ? y(base.prevalence) + 14 : y(base.prevalence) - 6 },
      `chance level: ${percent(base.prevalence)}`,
    ),
  );
  const curves = drawnModels(app).map((one) => {
    const points = precisionRecallDrawn(one.model, base).map((p): [number, number] => [x(p.x), y(p.y)]);
    const path = thinned(points);
    plot.still.append(svg("path", { class: classOf(one), "data-m": one.model.slot, d: linePath(path), "clip-path": plot.clip }));
    return { words: brief(one.model.name), slot: one.model.slot, strong: one.chosen, points: path, chosen: one.chosen };
  });
  if (curves.length > 1) {
    const note = { x: frame.left, y: y(base.prevalence) - 20, width: 130, height: 18 };
    const [named, faint] = [curves.filter((one) => one.slot || one.chosen), curves.filter((one) => !one.slot && !one.chosen)];
    nameCurves(plot.still, named, frame, [note], faint.map((one) => one.points));
  }
  const point = pointMark(frame);
  plot.moving.append(point.node);
  hover(plot, (px, py) => readAt(app, x, y, px, py), (found) => {
    const section = picture.closest<HTMLElement>("section");
    if (section) showCases(section, app.drawing, { model: found.index, threshold: found.threshold, cell: "near" });
  });
  return { plot, x, y, point };
}

function readAt(app: App, x: Scale, y: Scale, px: number, py: number) {
  const base = baseOf(app);
  const points = drawnModels(app).flatMap(({ model }) =>
    precisionRecall(model, base).map((p) => ({ x: x(p.x), y: y(p.y), model, recall: p.x, precision: p.y, row: p.row })),
  );
  const found = nearest(points, px, py);
  if (!found) return null;
  const at = thresholdAt(found.model, found.row);
  const words = `${brief(found.model.name)}, threshold ${at}: recall ${fixed(found.recall)}, precision ${fixed(found.precision)}`;
  const threshold = found.model.thresholds[found.row] ?? null;
  return { x: found.x, y: found.y, words, model: found.model.slot, index: app.drawing.models.indexOf(found.model), threshold };
}

function move({ point, x, y }: Drawing, app: App): void {
  const precision = precisionOf(app.now.cells);
  if (app.now.model.labels_only || !isFinite(precision)) point.hide();
  else point.move(x(app.now.point.tpr), y(precision), app.now.model.slot);
}

function readingOf(node: HTMLElement, app: App): void {
  const { now, drawing } = app;
  const precision = precisionOf(now.cells);
  const positive = visible(drawing.positive);
  const first = isFinite(precision)
    ? [...said(app, "pr", { precision, positive, share: now.prevalence }), ...apparent(app)]
    : ["Nothing is flagged at this threshold: precision is not defined."];
  const share = reportPrevalence(drawing);
  if (now.prevalence !== share) return read(node, ...first, ` The areas are those at the prevalence of the report, ${percent(share)}.`);
  const average = now.model.areas.find((area) => area.name === "average_precision");
  if (average?.value == null || now.model.pr_area == null) return read(node, ...first);
  const areas = said(app, "pr_areas", { ap: average, area: now.model.pr_area });
  read(node, ...first, " ", ...areas);
}

function sheetOf(app: App): Sheet {
  const { now } = app;
  const rows = precisionRecall(now.model, baseOf(app)).map((p) => [
    figure(thresholdAt(now.model, p.row), now.model.thresholds[p.row]),
    figure(fixed(p.x), p.x),
    figure(fixed(p.y), p.y),
  ]);
  return {
    caption: `Precision and recall of ${brief(now.model.name)} at ${percent(now.prevalence)} positive`,
    columns: numbers("threshold", "recall", "precision"),
    rows: rows.length ? rows : [[text("–"), text("–"), text("–")]],
  };
}

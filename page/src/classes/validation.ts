// Interactive validation report: the folds of any model, one fold in front, the leftmost fifth enlarged, and the cheapest
// model on the pooled test cases at a given cost of a miss.

import { rounded } from "../core/small.ts";
import { linear, xAxis, yAxis } from "../core/axis.ts";
import { attrs, button, el, fill, find, group, nameNode, on, pressed } from "../core/dom.ts";
import { fixed, ratioText, shortName, thresholdText } from "../core/format.ts";
import { areaPath, linePath, svg } from "../core/svg.ts";
import { writeLink } from "./link.ts";

interface Curve {
  fpr: number[];
  tpr: number[];
}
interface Interval {
  slope_from: number | string;
  slope_to: number | string;
  model: string | null;
  threshold: number | string | null;
  fpr: number;
  tpr: number;
}
export interface ValidationDocument {
  models: string[];
  recommended: string;
  folds: { model: string; name: string; measures: Record<string, number | null> }[];
  roc: Record<string, { folds: Curve[]; vertical: { fpr: number[]; tpr: number[]; low: (number | null)[]; high: (number | null)[] } | null }> | null;
  settings: { costs: { fp: number; fn: number } | null };
  pooled: { data: { prevalence: number }; hull: { intervals: Interval[] } } | null;
  drawing: { slots: Record<string, number> };
}

interface Shown {
  model: string;
  fold: number | null;
  zoom: boolean;
  ratio: number | null;
}

const RATIOS = [1, 2, 5, 10, 20, 50];
const infinite = (x: number | string): number => (typeof x === "number" ? x : x === "Infinity" ? Infinity : -Infinity);

/** The cheapest model and threshold on the pooled cases if a miss costs this many false alarms. */
export function cheapestAt(intervals: readonly Interval[], prevalence: number, ratio: number): Interval | null {
  const slope = (1 - prevalence) / prevalence / ratio;
  return intervals.find((one) => infinite(one.slope_from) <= slope && slope <= infinite(one.slope_to)) ?? null;
}

export function mountValidation(document_: ValidationDocument): void {
  const section = document.getElementById("roc");
  const curves = document_.roc;
  if (!section || !curves) return;
  const given = new URLSearchParams(location.hash.replace(/^#/, ""));
  const { costs } = document_.settings;
  const reported = costs && costs.fp > 0 ? costs.fn / costs.fp : null;
  let state: Shown = {
    model: document_.models[Number(given.get("m") ?? NaN)] ?? document_.recommended,
    fold: given.has("fold") ? Number(given.get("fold")) : null,
    zoom: given.get("zoom") === "1",
    ratio: Number(given.get("fn")) || reported,
  };
  const set = (patch: Partial<Shown>): void => {
    state = { ...state, ...patch };
    const parts = [`m=${document_.models.indexOf(state.model)}`, state.fold === null ? "" : `fold=${state.fold}`, state.zoom ? "zoom=1" : "", state.ratio ? `fn=${state.ratio}` : ""];
    writeLink(parts.filter(Boolean).join("&"));
    show();
  };
  const [picture, reading] = [find(section, ".picture") as HTMLElement, find(section, ".reading") as HTMLElement];
  const models = el("select", { "aria-label": "Model whose folds are drawn" }, ...document_.models.map((name) => el("option", { value: name }, shortName(name, 40))));
  on(models, "change", () => set({ model: models.value, fold: null }));
  const folds = el("select", { "aria-label": "Highlighted fold" });
  on(folds, "change", () => set({ fold: folds.value === "" ? null : Number(folds.value) }));
  const zoom = button("zoom in", { title: "Show false positive rates from 0 to 0.2" }, () => set({ zoom: !state.zoom }));
  const drawing = el("div");
  const answer = el("p.reading", { "aria-live": "polite" });
  const asked = RATIOS.map((ratio) => button(ratio === 1 ? "the same" : `${ratio} ×`, { "data-ratio": ratio }, () => set({ ratio })));
  const pooled = document_.pooled;
  const question = pooled
    ? el("div.question", { ...group("What does a miss cost compared with a false alarm?") }, el("p", {}, "What does a miss cost compared with a false alarm?"), el("div.switch", {}, ...asked), answer)
    : null;
  fill(picture, el("p.pick", {}, "Folds of ", models, " ", folds, " ", el("span.switch", {}, zoom)), drawing, question);

  // the costs of the folds are not computed anew: what was said about them stays, and says for which costs
  const kept = reported ? ["#verdict .lead", "#differences .reading"].map((place) => {
    const note = el("p.saved-note", { hidden: true }, `Computed for the costs of the report, ${ratioText(1, reported)}.`);
    document.querySelector(place)?.after(note);
    return note;
  }) : [];

  const show = (): void => {
    kept.forEach((note) => (note.hidden = state.ratio === reported));
    const own = document_.folds.filter((one) => one.model === state.model);
    models.value = state.model;
    fill(folds, el("option", { value: "" }, "all folds"), ...own.map((one, k) => el("option", { value: k }, one.name)));
    folds.value = state.fold === null || !own[state.fold] ? "" : String(state.fold);
    attrs(zoom, pressed(state.zoom));
    asked.forEach((one) => attrs(one, pressed(Number(one.dataset["ratio"]) === state.ratio)));
    fill(drawing, draw(document_, state, Math.min(560, Math.max(260, Math.floor(picture.clientWidth) || 470))));
    const slot = (name: string) => document_.drawing.slots[name] ?? 0;
    const named = nameNode(state.model, slot(state.model), shortName(state.model));
    const fold = state.fold === null ? undefined : own[state.fold];
    const few = fold ? Object.entries(fold.measures).filter(([name]) => ["auc", "error_rate", "recall", "precision"].includes(name)).map(([name, value]) => `${name.replace("_", " ").replace("auc", "AUC")} ${fixed(value)}`) : [];
    fill(reading, named, fold ? `, ${fold.name}: ${few.join(", ")}.` : `: ${own.length} folds are drawn as thin lines and their mean as a thick line with a shaded band; other models are shown by their means only.`);
    if (!pooled || !state.ratio) return;
    const best = cheapestAt(pooled.hull.intervals, pooled.data.prevalence, state.ratio);
    const at = typeof best?.threshold === "number" ? ` at threshold ${thresholdText(rounded(best.threshold, 3))}` : "";
    fill(answer, `At ${ratioText(1, state.ratio)} `, best?.model ? nameNode(best.model, slot(best.model), shortName(best.model)) : best && best.tpr > 0 ? "flagging all" : "flagging none",
      `${best?.model ? at : ""} is the cheapest on the pooled test cases, not corrected for selection.`);
  };
  show();
  on(window, "resize", show);
}

function draw({ roc, drawing: { slots }, models }: ValidationDocument, state: Shown, width: number): SVGSVGElement {
  const [left, top, right] = [38, 26, width - 8];
  const bottom = top + right - left;
  const frame = { left, right, top, bottom, width: right - left, height: bottom - top };
  const most = state.zoom ? 0.2 : 1;
  const [x, y] = [linear([0, most], [left, right]), linear([0, 1], [bottom, top])];
  const at = [0, 0.25, 0.5, 0.75, 1];
  const clip = { "clip-path": "url(#fan-frame)" };
  const root = svg("svg.plot", { width, height: bottom + 40, viewBox: `0 0 ${width} ${bottom + 40}`, role: "img", "aria-labelledby": "roc-title roc-reading" });
  root.append(svg("defs", {}, svg("clipPath", { id: "fan-frame" }, svg("rect", { x: left, y: top - 1, width: frame.width, height: frame.height + 2 }))));
  root.append(xAxis(frame, x, { at: at.map((one) => one * most), label: "false positive rate" }), yAxis(frame, y, { at, label: "true positive rate" }));
  root.append(svg("line.chance", { x1: x(0), y1: y(0), x2: x(most), y2: y(most) }));
  const pathOf = (one: Curve) => linePath(one.fpr.map((fpr, k): [number, number] => [x(fpr), y(one.tpr[k] as number)]));
  const own = roc?.[state.model];
  const slot = slots[state.model] ?? 0;
  const band = own?.vertical;
  if (band && band.low.every((one) => one !== null) && band.high.every((one) => one !== null)) {
    const side = (values: (number | null)[]) => values.map((one, k): [number, number] => [x(band.fpr[k] as number), y(one as number)]);
    root.append(svg("path.band", { "data-m": slot, d: areaPath(side(band.high), side(band.low)), ...clip }));
  }
  own?.folds.forEach((one) => root.append(svg("path.fold", { "data-m": slot, d: pathOf(one), ...clip })));
  for (const name of models) {
    const mean = roc?.[name]?.vertical;
    if (mean) root.append(svg("path", { class: name === state.model && state.fold === null ? "curve chosen" : "curve", "data-m": slots[name] ?? 0, d: pathOf(mean), ...clip }));
  }
  const front = state.fold === null ? undefined : own?.folds[state.fold];
  if (front) root.append(svg("path.curve.chosen", { "data-m": slot, d: pathOf(front), ...clip }));
  models.slice(0, 6).forEach((name, k) => {
    const line = bottom - 12 - 18 * (Math.min(6, models.length) - 1 - k);
    root.append(svg("line.curve", { "data-m": slots[name] ?? 0, x1: right - 170, x2: right - 146, y1: line - 4, y2: line - 4 }), svg("text.name.halo", { "data-m": slots[name] ?? 0, x: right - 138, y: line }, shortName(name, 18)));
  });
  return root;
}

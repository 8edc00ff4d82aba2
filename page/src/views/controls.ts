// The controls: model, rule, threshold, costs, prevalence. On phones the same element is a dock that "change" expands.

import { rounded } from "../core/small.ts";
import type { App, View } from "../core/app.ts";
import { logOdds, logarithmic, linear, plain, type Scale } from "../core/axis.ts";
import type { Model } from "../core/data.ts";
import { attrs, button, el, fill, find, group, HIDDEN, on, pressed, text } from "../core/dom.ts";
import { alarms, percent, ratioText, shortName } from "../core/format.ts";
import { dataPrevalence, rowAt, type Rule } from "../core/model.ts";
import { visible } from "../core/names.ts";
import { thresholdValue } from "../core/spoken.ts";
import { LIMITS, clamp } from "../core/state.ts";
import { svg } from "../core/svg.ts";
import { keptNote, modelName, said, saidPlain } from "./parts/said.ts";
import { asShare, numberIn, ratioIn } from "./parts/typed.ts";
import { winners } from "./parts/winners.ts";

const RULES: readonly [Rule, string][] = [
  ["cost", "Least cost"], ["youden", "Youden"], ["closest", "Closest"], ["f1", "Best F1"], ["precision", "Precision \u2265"], ["top", "Top"],
];
const NAMES: Record<Rule, string> = {
  hand: "by hand", cost: "least cost", youden: "Youden", closest: "closest", f1: "best F1", precision: "precision", top: "top",
};
const RATIO = logarithmic([0.5, 100], [0, 1]);
const PREVALENCE = logOdds([0.001, 0.9], [0, 1]);
const MANY = 5; // number of models from which a search field is shown

interface Parts {
  hand: HTMLButtonElement;
  rules: Map<Rule, HTMLButtonElement>;
  models: HTMLElement;
  threshold: Slider;
  dockSlider: Slider;
  cost: Slider;
  prevalence: Slider;
  precision: HTMLInputElement;
  top: HTMLInputElement;
  message: HTMLElement;
  chip: HTMLElement;
  chipText: HTMLElement;
  dock: HTMLElement;
  histogram: Histogram | null;
}

let parts: Parts;
let root: HTMLElement;

export const controls: View = {
  id: "controls",
  mount(section, app) {
    root = section;
    parts = make(app);
    const heading = find(section, "h2") ?? el("h2.visually-hidden", {}, "Controls");
    // the line of settings is kept for printing, where nothing can be moved
    const settings = find(section, ".settings") ?? el("p.settings");
    fill(section, heading, settings, ...layout(app));
  },
  update(app, changed) {
    if (changed.has("model") || changed.has("size")) showModels(app);
    if (changed.has("costs") || changed.has("size")) showBars(app);
    showRules(app);
    showThreshold(app);
    showCosts(app);
    showDock(app);
  },
};

// ---- created once ----

function make(app: App): Parts {
  const rules = new Map(RULES.map(([rule, label]) => [rule, button(label, { class: "rule", "aria-pressed": "false" }, () => app.set({ rule }))]));
  const hand = button("By hand", { class: "rule", "aria-pressed": "true" }, () => undefined);
  const chipText = el("span");
  const chip = el("span.chip", { hidden: true }, chipText, button("reset", { class: "link" }, () => app.set({ prevalence: dataPrevalence(app.drawing) })));
  return {
    hand, rules, chip, chipText,
    models: el("div.models", { ...group("Model") }),
    threshold: makeThreshold(app, "threshold"),
    dockSlider: makeDockSlider(app),
    cost: makeCost(app),
    prevalence: makePrevalence(app),
    precision: smallField(app, "precision at least", (value) => app.set({ rule: "precision", precision: clamp(value, 0, 1) })),
    top: smallField(app, "share to flag", (value, text_) => app.set({ rule: "top", top: clamp(asShare(value, text_), 0, 1) })),
    message: el("p.message.warn", { role: "status" }),
    dock: el("p.dock-line"),
    histogram: null,
  };
}

function layout(app: App): HTMLElement[] {
  const labelsOnly = app.drawing.points || app.drawing.models.every((model) => model.labels_only);
  const oneClass = !app.drawing.positives || !app.drawing.negatives;
  const ruleRow = el("div.rules", { ...group("Rule that chooses the threshold") }, parts.hand);
  for (const [rule, node] of parts.rules) {
    if (rule === "cost" && app.drawing.state.own_costs) continue;
    const field = rule === "precision" ? parts.precision : rule === "top" ? parts.top : null;
    ruleRow.append(field ? el("span.field", {}, node, field) : node);
  }
  const top = el("div.control-top", {}, parts.models, labelsOnly || oneClass ? null : ruleRow);
  const sliders = el("div.control-row", {},
    app.drawing.points ? el("p.reason", {}, "Each model is a single point: there is no threshold to move.")
      : labelsOnly ? el("p.reason", {}, "There are labels but no scores, so there is no threshold to move.") : parts.threshold.box,
    oneClass ? el("p.reason", {}, "There is only one class, so costs and prevalence do not apply.")
      : app.drawing.state.own_costs ? el("p.reason.own-costs", {}, saidPlain(app, "own_costs", { unit: app.drawing.unit })) : parts.cost.box,
    oneClass ? null : parts.prevalence.box);
  const more = button("change", { class: "link change", "aria-expanded": "false" }, () => {
    const open = root.classList.toggle("open");
    attrs(more, { "aria-expanded": String(open) });
    text(more, open ? "done" : "change");
  });
  parts.dock.append(el("span.dock-text"), more);
  return [el("div.dock", {}, parts.dock, parts.dockSlider.box), el("div.full", {}, top, parts.message, sliders)];
}

/** The dock's own threshold slider: the main one is hidden on phones until "change" expands the dock. */
function makeDockSlider(app: App): Slider {
  const one = makeThreshold(app, "short");
  one.box.replaceChildren(el("span", {}, "Threshold"), one.input, one.field);
  return one;
}

function smallField(app: App, label: string, changed: (value: number, text: string) => void): HTMLInputElement {
  const node = el("input", { type: "text", inputmode: "decimal", "aria-label": label, size: 5 });
  on(node, "change", () => {
    const value = numberIn(node.value);
    if (!isNaN(value)) changed(value, node.value);
  });
  tidied(app, node);
  return node;
}

/** Rewrites the input as it was interpreted when the field loses the focus. */
function tidied(app: App, field: HTMLInputElement): void {
  on(field, "keydown", (event) => event.key === "Enter" && field.blur());
  on(field, "focus", () => field.select());
  on(field, "blur", () => app.store.touch("typed"));
}

// ---- sliders ----

interface Slider {
  box: HTMLElement;
  input: HTMLInputElement;
  field: HTMLInputElement;
  note: HTMLElement;
  second: HTMLElement;
  above: HTMLElement;
  scale: HTMLElement;
}

function slider(id: string, title: string, label: string): Slider {
  const input = el("input", { type: "range", min: 0, max: 1, step: "any", id: `set-${id}`, "aria-label": label });
  const field = el("input", { type: "text", inputmode: "decimal", "aria-label": `${label}, as text`, size: 8 });
  const [note, above, scale] = [el("span.note"), el("div.above", { ...HIDDEN }), el("div.scale", { ...HIDDEN })];
  const second = el("p.note");
  const head = el("div.head", {}, el("span", {}, el("label", { for: `set-${id}` }, title), note), el("span.now", {}, field));
  return { box: el("div", { class: `control ${id}` }, head, second, above, input, scale), input, field, note, second, above, scale };
}

/** Marks below a slider at positions between 0 and 1. */
function marks(node: HTMLElement, at: readonly (readonly [place: number, text: string])[]): void {
  fill(node, ...at.map(([place, words]) => {
    const mark = el("span", {}, words);
    mark.style.left = `${(100 * place).toFixed(2)}%`;
    return mark;
  }));
}

/** Moves a slider's handle, and the dark part of its track, to a position between 0 and 1. */
function place({ input }: Slider, at: number): void {
  const share = clamp(at, 0, 1);
  if (document.activeElement !== input || Math.abs(Number(input.value) - share) > 1e-6) input.value = String(share);
  input.style.setProperty("--at", `${(100 * share).toFixed(2)}%`);
}

function wire(app: App, one: Slider, moved: (place: number, done: boolean) => void, typed: (value: number, text: string) => void, keyed: (event: KeyboardEvent) => boolean): void {
  on(one.input, "input", () => moved(Number(one.input.value), false));
  on(one.input, "change", () => moved(Number(one.input.value), true));
  on(one.input, "keydown", (event) => keyed(event) && event.preventDefault());
  on(one.field, "change", () => {
    const value = numberIn(one.field.value);
    if (!isNaN(value)) typed(value, one.field.value);
  });
  tidied(app, one.field);
}

const stepsOf = (event: KeyboardEvent): number => {
  const step = event.shiftKey ? 10 : 1;
  return { ArrowRight: step, ArrowUp: step, ArrowLeft: -step, ArrowDown: -step }[event.key] ?? 0;
};

function makeThreshold(app: App, id: string): Slider {
  const { drawing: d } = app;
  const one = slider(id, "Threshold", "Threshold");
  text(one.note, ` \u00b7 above: ${d.positive}, below: ${d.negative}`);
  const scale = () => scoreScale(app, app.now.model);
  const set = (threshold: number, done: boolean) => {
    const row = rowAt(d, app.now.model, threshold);
    if (app.now.model.whole) app.set({ rule: "hand", threshold: tidy(threshold, scale()) }, done);
    else app.hold(row, done);
  };
  wire(app, one, (at, done) => set(scale().invert(at), done), (value, written) => set(written.includes("%") ? value / 100 : value, true), (event) => {
    const rising = d.rule === "<=" ? 1 : -1; // rows are ordered from the most positive score
    const steps = stepsOf(event);
    if (steps) app.hold(app.now.row + rising * steps);
    return steps !== 0;
  });
  return one;
}

/** A threshold from a slider, with no more digits than the slider's resolution. */
function tidy(threshold: number, { domain }: Scale): number {
  const digits = Math.max(0, 3 - Math.floor(Math.log10(domain[1] - domain[0] || 1)));
  return Number(threshold.toFixed(Math.min(digits, 12)));
}

/** Scores from the left end of the slider to the right, on the scale of the histogram. */
function scoreScale(app: App, model: Model): Scale {
  const scores = model.thresholds.filter((one): one is number => one !== null);
  const edges = model.histogram?.edges;
  const low = edges?.[0] ?? Math.min(...scores);
  const high = edges?.at(-1) ?? Math.max(...scores);
  if (app.drawing.scale !== "root") return linear([low, high], [0, 1]);
  const run = high - low;
  const at = (score: number) => Math.sqrt(clamp((score - low) / run, 0, 1));
  return Object.assign(at, { invert: (u: number) => low + run * u * u, domain: [low, high] as const, range: [0, 1] as const });
}

function makeCost(app: App): Slider {
  const one = slider("cost", "Cost of a false alarm : cost of a miss", "What a miss costs, in false alarms");
  marks(one.scale, ([[0.5, "2 : 1"], [1, "1 : 1"], [5, "1 : 5"], [20, "1 : 20"], [100, "1 : 100"]] as const).map(([ratio, words]) => [RATIO(ratio), words]));
  const set = (ratio: number, done: boolean) => {
    const fn = rounded(clamp(ratio, ...LIMITS.ratio) * app.state.fp, 3);
    app.set({ fn }, done);
  };
  wire(app, one, (at, done) => set(RATIO.invert(at), done), (_, written) => {
    const patch = ratioIn(written);
    if (patch) app.set(patch);
  }, (event) => {
    const steps = stepsOf(event);
    if (steps) set((app.state.fn / app.state.fp) * 2 ** (steps / 12), true);
    return steps !== 0;
  });
  return one;
}

function makePrevalence(app: App): Slider {
  const one = slider("prevalence", "Prevalence", "Prevalence where the model will be used");
  const data = dataPrevalence(app.drawing);
  const written = [[0.001, "0.1 %"], [0.01, "1 %"], [data, percent(data)], [0.9, "90 %"]] as const;
  const kept = written.filter(([share], i) => i === 2 || Math.abs(PREVALENCE(share) - PREVALENCE(data)) > 0.14);
  marks(one.scale, kept.map(([share, words]) => [clamp(PREVALENCE(share), 0, 1), words]));
  const set = (share: number, done: boolean) => {
    // the handle snaps to the prevalence of the data, where counts are the observed ones
    const near = Math.abs(PREVALENCE(share) - PREVALENCE(data)) < 0.006;
    const [low, high] = LIMITS.prevalence;
    app.set({ prevalence: near ? data : clamp(rounded(share, 2), low, high) }, done);
  };
  wire(app, one, (at, done) => set(PREVALENCE.invert(at), done), (value, text_) => {
    const [low, high] = LIMITS.prevalence;
    app.set({ prevalence: clamp(asShare(value, text_), low, high) });
  }, (event) => {
    const steps = stepsOf(event);
    if (steps) {
      const next = PREVALENCE.invert(clamp(PREVALENCE(app.state.prevalence) + steps / 100, 0, 1));
      app.set({ prevalence: clamp(rounded(next, 3), ...LIMITS.prevalence) });
    }
    return steps !== 0;
  });
  return one;
}

// ---- updates ----

function showModels(app: App): void {
  const { drawing: d, state } = app;
  const shown = d.models.length > MANY ? d.models.filter((model, i) => model.slot > 0 || i === state.model) : d.models;
  const buttons = shown.map((model) => {
    const index = d.models.indexOf(model);
    const chosen = index === state.model;
    const node = button(modelName(model), { class: "model", "aria-pressed": String(chosen) }, () => app.set({ model: index }));
    node.prepend(svg("svg.dash", { width: 28, height: 8, ...HIDDEN },
      svg("line", { class: chosen ? "curve chosen" : "curve", "data-m": model.slot, x1: 1, x2: 27, y1: 4, y2: 4 })));
    return node;
  });
  const focused = parts.models.contains(document.activeElement) ? shown.indexOf(d.models[state.model] as Model) : -1;
  fill(parts.models, ...buttons, d.models.length > shown.length ? searchField(app, d.models.length - shown.length) : null);
  if (focused >= 0) buttons[focused]?.focus();
  parts.histogram = makeHistogram(app, parts.threshold.above);
  marks(parts.threshold.scale, thresholdMarks(app));
}

function searchField(app: App, more: number): HTMLElement {
  const names = app.drawing.models.map((model) => visible(model.name));
  const list = el("datalist", { id: "all-models" }, ...names.map((name) => el("option", { value: visible(name) })));
  const input = el("input", { type: "search", list: "all-models", placeholder: `search ${more} more models`, "aria-label": "Find a model" });
  on(input, "change", () => {
    const wanted = input.value.trim().toLowerCase();
    const index = names.findIndex((name) => name.toLowerCase() === wanted);
    const near = index >= 0 ? index : names.findIndex((name) => wanted && name.toLowerCase().includes(wanted));
    if (near >= 0) app.set({ model: near });
  });
  return el("span.find-model", {}, input, list);
}

function thresholdMarks(app: App): [number, string][] {
  const scale = scoreScale(app, app.now.model);
  const [low, high] = scale.domain;
  const at = app.drawing.scale === "root" ? [0, 0.05, 0.2, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
  return at.map((share) => {
    const score = low + share * (high - low);
    return [scale(score), plain(rounded(score, 3))];
  });
}

interface Histogram {
  flagged: SVGRectElement;
  width: number;
}

/** Positives above, negatives below; the flagged part solid, the rest pale. */
function makeHistogram(app: App, holder: HTMLElement): Histogram | null {
  const { histogram, slot } = app.now.model;
  if (!histogram || histogram.edges.length < 2) return fill(holder), null;
  const [width, height] = [480, 34]; // stretched to the width of the slider, which is fine for bars but not for text
  const scale = scoreScale(app, app.now.model);
  const middle = 18;
  const most = Math.max(...histogram.pos, ...histogram.neg, 1);
  const bars = (counts: readonly number[], direction: 1 | -1) => counts.map((n, i) => {
    const [left, right] = [histogram.edges[i], histogram.edges[i + 1]].map((edge) => scale(edge as number) * width) as [number, number];
    // square roots keep a few positives visible next to many negatives
    const tall = n ? Math.max(1, Math.sqrt(n / most) * 15) : 0;
    return tall ? `M${left.toFixed(1)},${middle}v${(-direction * tall).toFixed(1)}h${Math.max(0.6, right - left - 0.6).toFixed(1)}v${(direction * tall).toFixed(1)}z` : "";
  }).join("");
  const [above, below] = [bars(histogram.pos, 1), bars(histogram.neg, -1)];
  const flagged = svg("rect", { y: 0, height });
  const both = (name: string, clip: string | null) => svg("g", { "clip-path": clip },
    svg("path", { class: `hist-pos ${name}`, "data-m": slot, d: above }), svg("path", { class: `hist-neg ${name}`, d: below }));
  fill(holder, svg("svg.histogram", { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", height },
    svg("defs", {}, svg("clipPath", { id: "flagged-part" }, flagged)), both("pale", null), both("", "url(#flagged-part)")));
  return { flagged, width };
}

function showBars(app: App): void {
  const { drawing: d, now } = app;
  if (!d.hull?.points.length || d.models.length < 2) {
    return;
  }
  bar(app, parts.cost.above, (u) => ratioToSlope(RATIO.invert(u), now.prevalence));
  bar(app, parts.prevalence.above, (u) => ratioToSlope(now.prices.fn / now.prices.fp, PREVALENCE.invert(u)));
}

const ratioToSlope = (ratio: number, prevalence: number) => (1 - prevalence) / prevalence / ratio;

/** The 6 px bar along a slider in the color of the cheapest model. */
function bar(app: App, holder: HTMLElement, slopeAt: (place: number) => number): void {
  const node = find(holder, ".which") ?? holder.appendChild(el("div.which"));
  fill(node, ...winners(app, slopeAt).map(({ from, to, model }) => {
    const piece = el("i", { "data-m": model?.slot ?? 0, title: model ? shortName(model.name) : null });
    piece.style.flex = `0 0 ${(100 * (to - from)).toFixed(2)}%`;
    return piece;
  }));
}

function showRules(app: App): void {
  const { state, now } = app;
  parts.hand.hidden = state.rule !== "hand";
  attrs(parts.hand, pressed(state.rule === "hand"));
  for (const [rule, node] of parts.rules) attrs(node, pressed(rule === state.rule));
  write(parts.precision, state.precision.toFixed(2));
  write(parts.top, percent(state.top));
  const best = now.found.best;
  const unmet = now.found.met ? "" : saidPlain(app, "none_reaches",
    { asked: state.precision.toFixed(2), best: best === undefined || isNaN(best) ? "none" : best.toFixed(2) });
  // all hull corners are stored, so the choices by cost, J, distance and F1 are exact
  const kept = keptNote(app, !["precision", "top"].includes(state.rule));
  text(parts.message, [unmet, kept].filter(Boolean).join(". "));
  parts.message.hidden = !unmet && !kept;
}

/** Updates a field unless the user is typing in it. */
function write(field: HTMLInputElement, value: string): void {
  if (document.activeElement !== field && field.value !== value) field.value = value;
}

function showThreshold(app: App): void {
  const { now } = app;
  const { histogram } = parts;
  const scale = scoreScale(app, now.model);
  const up = app.drawing.rule === ">=";
  const at = now.threshold === null ? (up ? 1 : 0) : clamp(scale(now.threshold), 0, 1);
  for (const one of [parts.threshold, parts.dockSlider]) {
    place(one, at);
    attrs(one.input, { "aria-valuetext": thresholdValue(app) });
    write(one.field, now.at);
  }
  if (histogram) attrs(histogram.flagged, up ? { x: at * histogram.width, width: (1 - at) * histogram.width + 1 } : { x: 0, width: at * histogram.width });
}

function showCosts(app: App): void {
  const { state, now, drawing: d } = app;
  const ratio = state.fn / state.fp;
  place(parts.cost, RATIO(ratio));
  attrs(parts.cost.input, { "aria-valuetext": `a miss costs ${alarms(ratio)}` });
  write(parts.cost.field, ratioText(state.fp, state.fn));
  place(parts.prevalence, PREVALENCE(state.prevalence));
  attrs(parts.prevalence.input, { "aria-valuetext": `${percent(state.prevalence)} are ${d.positive}` });
  write(parts.prevalence.field, percent(state.prevalence));
  text(parts.chipText, saidPlain(app, "prevalence_chip", { data: dataPrevalence(d), set: state.prevalence }));
  parts.chip.hidden = !now.off;
  const many = d.models.length > 1 && d.hull?.points.length;
  text(parts.cost.second, many ? "Color: the cheapest model at each ratio" : "What a miss costs, in false alarms");
  const { second } = parts.prevalence;
  if (now.off) second.contains(parts.chip) || fill(second, parts.chip);
  else text(second, app.drawing.rates_only ? "Not known from rates; set what you expect" : "Share of positives; set what you expect in use");
}

function showDock(app: App): void {
  const { state, now } = app;
  const line = find(parts.dock, ".dock-text");
  if (!line) return;
  const rule = state.rule === "precision" ? `precision \u2265 ${state.precision.toFixed(2)}` : state.rule === "top" ? `top ${percent(state.top)}` : NAMES[state.rule];
  const settings = find(root, ".settings");
  const slots = {
    model: shortName(now.model.name), rule, threshold: now.at, ratio: state.fn / state.fp, share: state.prevalence,
    unit: app.drawing.unit, where: now.off ? "set by hand" : "as in the data",
  };
  if (settings && !app.drawing.points) fill(settings, ...said(app, app.drawing.state.own_costs ? "settings_own" : app.drawing.models.length > 1 ? "settings" : "settings_single", slots));
  fill(line, el("b", {}, shortName(now.model.name, 18)), ` \u00b7 ${rule} \u00b7 ${app.drawing.state.own_costs ? "own costs" : ratioText(state.fp, state.fn)} \u00b7 ${percent(state.prevalence)}`);
}

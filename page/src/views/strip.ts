// The cheapest model by cost ratio, and how often resamples agree.
import { rounded } from "../core/small.ts";
import type { App, View } from "../core/app.ts";
import { logarithmic, type Scale } from "../core/axis.ts";
import type { Model } from "../core/data.ts";
import { attrs, find, on } from "../core/dom.ts";
import { alarms, percent, ratioText, thresholdText } from "../core/format.ts";
import { clamp } from "../core/state.ts";
import { areaPath, drag, svg } from "../core/svg.ts";
import { extras } from "./parts/extras.ts";
import { brief, visible } from "./parts/names.ts";
import { lengthOf, partsOf, widthOf, type Parts } from "./parts/plot.ts";
import { figure, numbers, text, type Sheet } from "./parts/sheet.ts";
import { said, saidPlain } from "./parts/said.ts";
import { missingClass, nameOf, read, reason, strong } from "./parts/shared.ts";
import { ratioStep, segments, shareBands, stepped, switches, type Segment } from "./parts/strips.ts";
import { fill } from "../core/dom.ts";

const MIN = 0.5;
const MAX = 100;
const TICKS = [0.5, 1, 2, 5, 10, 20, 50, 100];
const FEW_TICKS = [1, 2, 5, 20, 100];
const MANY = 24; // maximum number of thresholds drawn one by one
const BAND = { top: 28, height: 32, gap: 6, shares: 40 };

interface Drawn {
  readonly x: Scale;
  readonly handle: SVGGElement;
  readonly line: SVGLineElement;
  readonly words: SVGTextElement;
  readonly found: readonly Segment[];
}

export function stripView(): View {
  let parts: Parts;
  let drawn: Drawn | null = null;
  let refresh = (): void => undefined;

  return {
    id: "strip",
    mount(section, app) {
      parts = partsOf(section);
      const [what, call] = single(app) ? ["threshold", "ev"] : ["model", "cmp"];
      refresh = extras(section, app, `Cheapest ${what} by cost ratio`, () => sheetOf(app), `${call}.hull().intervals  # slopes from, to, model, threshold`);
    },
    update(app, changed) {
      const why = missingClass(app) || (app.drawing.hull?.points.length ? "" : "Without a hull, costs cannot be compared.");
      if (why) {
        drawn = null;
        return reason(parts.picture, why);
      }
      if (drawn && !changed.has("costs") && !changed.has("size")) return;
      if (!drawn || changed.has("prevalence") || changed.has("size")) drawn = draw(parts.picture, app);
      move(drawn, app);
      read(parts.reading, ...readingOf(app, drawn.found));
      refresh();
    },
  };
}

const ratioNow = (app: App): number => app.state.fn / app.state.fp;

const single = (app: App): boolean => app.drawing.models.length === 1;

function found(app: App, low = MIN, high = MAX, each = single(app)): Segment[] {
  const only = single(app) ? (app.drawing.models[0]?.name ?? null) : null;
  return segments(app.drawing.hull?.points ?? [], app.now.prevalence, low, high, each, only);
}

const modelNamed = (app: App, name: string | null): Model | undefined => app.drawing.models.find((model) => model.name === name);

function titleOf(app: App, one: Segment): string {
  if (one.model !== null) return !single(app) ? brief(one.model) : `threshold ${thresholdText(one.first)}`;
  return one.everybody ? "flag all" : "flag nobody";
}

function rangeOf(one: Segment): string {
  const [a, b] = [thresholdText(one.first), thresholdText(one.last)];
  return a === b ? `threshold ${a}` : `thresholds ${a} → ${b}`;
}

// ---- drawing ----

function draw(picture: HTMLElement, app: App): Drawn {
  const width = widthOf(picture, 1200);
  const shares = app.drawing.strip?.shares ?? null;
  const bottom = BAND.top + BAND.height + (shares ? BAND.gap + BAND.shares : 0);
  const height = bottom + 24;
  const x = logarithmic([MIN, MAX], [1, width - 1]);
  const all = found(app);
  const marks = svg("g", { "aria-hidden": true });
  const ticks = width < 560 ? FEW_TICKS : TICKS;
  if (single(app) && all.length > MANY) marks.append(manyNode(app, all, x, ticks));
  else all.forEach((one, k) => marks.append(segmentNode(app, one, x, k)));
  if (shares) marks.append(sharesNode(app, x));
  for (const tick of ticks) marks.append(tickNode(x(tick), bottom, width, ratioText(1, tick)));
  const now = svg("text.strong", { y: 13 });
  const line = svg("line.handleline", { y1: 16, y2: bottom });
  const handle = handleNode(app, x);
  const root = svg("svg.plot.strip", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group" });
  attrs(root, { "aria-labelledby": "strip-title strip-reading" });
  const names = svg("g", { "aria-hidden": true });
  root.append(marks, names, now, line, handle);
  fill(picture, root);
  fitTexts(marks);
  if (!single(app)) switchNames(names, app, all, x, width); // with a single model each threshold is a switch, which is labeled itself
  return { x, handle, line, words: now, found: all };
}

function segmentNode(app: App, one: Segment, x: Scale, k: number): SVGGElement {
  const [from, to] = [x(one.from), x(one.to)];
  const model = modelNamed(app, one.model);
  const look = model ? (single(app) && k % 2 ? "segment second" : "segment") : "segment trivial";
  const box = svg("rect", { x: from + 1, y: BAND.top, width: Math.max(0.5, to - from - 2), height: BAND.height, rx: 3 });
  const title = titleOf(app, one);
  const name = svg("text.segmentname", { x: from + 13, y: BAND.top + 21, "data-room": to - from - 20 });
  name.append(svg("tspan.strong", {}, title));
  if (model && !single(app) && !app.drawing.points) name.append(svg("tspan.range", { dx: 14 }, rangeOf(one)));
  const group = svg("g", { class: look, "data-m": model?.slot ?? null }, box, name);
  group.append(svg("title", {}, `${title}: ${ratioText(1, one.from)} to ${ratioText(1, one.to)}${model && !single(app) && !app.drawing.points ? `, ${rangeOf(one)}` : ""}`));
  return group;
}

/** More thresholds than can be told apart: one band, with the cheapest threshold above each tick. */
function manyNode(app: App, all: readonly Segment[], x: Scale, ticks: readonly number[]): SVGGElement {
  const group = svg("g.segment.many", { "data-m": app.drawing.models[0]?.slot }, svg("rect", { x: x(MIN) + 1, y: BAND.top, width: x(MAX) - x(MIN) - 2, height: BAND.height, rx: 3 }));
  for (const tick of ticks) {
    const here = all.find((one) => tick <= one.to) ?? all.at(-1);
    const words = svg("tspan.strong", {}, here?.model === null ? "–" : thresholdText(here?.first ?? null));
    group.append(svg("text.segmentname", tick === MAX ? { x: x(tick) - 8, y: BAND.top + 21, "text-anchor": "end" } : { x: x(tick) + 8, y: BAND.top + 21 }, words)); // beside the line of the handle
  }
  return group;
}

/** Names that do not fit lose their range, then are removed; the hover text and the table still have them. */
function fitTexts(marks: SVGGElement): void {
  for (const name of Array.from(marks.querySelectorAll<SVGTextElement>("[data-room]"))) {
    const room = Number(name.getAttribute("data-room"));
    if (lengthOf(name) + 16 > room) find(name, ".range")?.remove(); // the measured length does not include the gap before the range
    if (lengthOf(name) > room) name.remove();
  }
}

function sharesNode(app: App, x: Scale): SVGGElement {
  const { drawing, now } = app;
  const top = BAND.top + BAND.height + BAND.gap;
  const group = svg("g.shares");
  const bands = shareBands(drawing, now.prevalence, MIN, MAX);
  for (const band of bands) {
    const upper = band.points.map((p): [number, number] => [x(p.ratio), top + BAND.shares * (1 - p.high)]);
    const lower = band.points.map((p): [number, number] => [x(p.ratio), top + BAND.shares * (1 - p.low)]);
    const slot = drawing.models[band.model]?.slot ?? 0;
    group.append(svg("path.area", { "data-m": slot, d: areaPath(upper, lower) }));
  }
  const words = svg("text.ink", { x: x(MIN) + 12, y: top + 16, "data-room": x(MAX) - x(MIN) - 30 });
  words.append(x(MAX) < 560 ? "share of resamples" : "share of resamples in which each is cheapest");
  group.append(words);
  for (const band of bands) {
    const peak = band.points.reduce((a, b) => (b.high - b.low > a.high - a.low ? b : a));
    const leads = found(app).some((one) => one.model === drawing.models[band.model]?.name);
    const tall = (peak.high - peak.low) * BAND.shares;
    if (leads || tall < 6) continue;
    const y = top + BAND.shares * (1 - (peak.high + peak.low) / 2) + 4;
    group.append(svg("text.ink", { x: x(peak.ratio), y, "text-anchor": "middle" }, brief(drawing.models[band.model]?.name ?? "")));
  }
  return group;
}

function tickNode(at: number, bottom: number, width: number, words: string): SVGGElement {
  const anchor = at < 20 ? "start" : at > width - 20 ? "end" : "middle";
  return svg(
    "g",
    {},
    svg("line.axis", { x1: at, x2: at, y1: bottom, y2: bottom + 5 }),
    svg("text", { x: at, y: bottom + 18, "text-anchor": anchor }, words),
  );
}

/** "switch at 1 : 6.6" above each boundary between models, if there is room. */
function switchNames(layer: SVGGElement, app: App, all: readonly Segment[], x: Scale, width: number): void {
  let last = -Infinity;
  for (const ratio of switches(all)) {
    const node = svg("text.ink.turn", { y: 13, x: x(ratio), "data-at": x(ratio) });
    node.append(saidPlain(app, "switch", { ratio }));
    layer.append(node);
    const length = lengthOf(node);
    const at = Math.min(x(ratio) + 2, width - length);
    if (at < last + 12) node.remove();
    else last = at + length;
    attrs(node, { x: at, "data-end": at + length });
  }
}

// ---- handle: a second cost slider ----

function handleNode(app: App, x: Scale): SVGGElement {
  const grip = svg("g.handle", { role: "slider", tabindex: 0, "aria-label": "Cost of a miss in false alarms" });
  attrs(grip, { "aria-valuemin": MIN, "aria-valuemax": MAX, "aria-orientation": "horizontal" });
  grip.append(svg("circle.grip-area", { r: 22 }), svg("circle.grip", { r: 8 }));
  const put = (ratio: number, done: boolean): void => app.set({ fn: rounded(clamp(ratio, MIN, MAX) * app.state.fp, 6) }, done);
  drag(
    grip,
    (clientX) => {
      const left = grip.ownerSVGElement?.getBoundingClientRect().left ?? 0;
      put(ratioStep(x.invert(clientX - left)), false);
    },
    () => app.set({}, true),
  );
  on(grip, "keydown", (event) => {
    const next = stepped(event.key, event.shiftKey, ratioNow(app), MIN, MAX, switches(found(app)));
    if (next === null) return;
    event.preventDefault();
    put(next, true);
  });
  return grip;
}

function move({ x, handle, line, words, found: all }: Drawn, app: App): void {
  const ratio = ratioNow(app);
  const at = x(clamp(ratio, MIN, MAX));
  handle.setAttribute("transform", `translate(${Math.round(at * 10) / 10},9)`);
  attrs(line, { x1: at, x2: at });
  const now = saidPlain(app, "now", { ratio: app.state.fn / app.state.fp });
  words.textContent = now;
  const left = at > 90;
  attrs(words, { x: left ? at - 13 : at + 13, "text-anchor": left ? "end" : "start" });
  const here = all.find((one) => one.from <= ratio && ratio <= one.to);
  const cheapest = here ? `${titleOf(app, here)}${here.model !== null ? " is cheapest" : ""}` : "";
  attrs(handle, { "aria-valuenow": rounded(ratio, 6), "aria-valuetext": `a miss costs ${alarms(ratio)}: ${cheapest}` });
  hideUnder(handle, words, at);
}

/** The label of a switch is hidden if it overlaps the handle and its text. */
function hideUnder(handle: SVGGElement, words: SVGTextElement, at: number): void {
  const length = lengthOf(words);
  const [from, to] = at > 90 ? [at - 16 - length, at + 12] : [at - 12, at + 16 + length];
  for (const one of Array.from(handle.ownerSVGElement?.querySelectorAll(".turn") ?? [])) {
    const [low, high] = [Number(one.getAttribute("x")), Number(one.getAttribute("data-end"))];
    const free = high < from - 4 || low > to + 4;
    attrs(one, { visibility: free ? null : "hidden" });
  }
}

// ---- text and table ----

const NEVER = 3; // maximum number of models listed by name that are never the cheapest

function readingOf(app: App, all: readonly Segment[]): (Node | string)[] {
  const { drawing } = app;
  const led = all.filter((one) => one.model !== null);
  const names = [...new Set(led.map((one) => one.model as string))];
  const node = (name: string): Node => {
    const model = modelNamed(app, name);
    return model ? strongName(nameOf(model)) : document.createTextNode(name);
  };
  if (single(app)) {
    const [first, last] = [led[0], led.at(-1)];
    if (!first || !last) return ["No threshold is cheaper than flagging all or none."];
    const [high, low] = [thresholdText(first.first), thresholdText(last.last)];
    return said(app, high === low ? "strip_threshold_one" : "strip_threshold", { high: strong(high), low: strong(low) });
  }
  const sentences: Node[][] = [];
  if (names.length === 0) sentences.push([document.createTextNode("No model is cheaper than flagging all or none at these ratios.")]);
  const ends = led.length < all.length && led.length > 0; // flagging nobody, or everybody, is the cheapest at an end
  if (led.length === 1 && !ends) sentences.push(said(app, "strip_one", { model: node(names[0] as string) }));
  const [first, second] = led.map((one) => node(one.model as string));
  if (led.length === 2 && !ends) sentences.push(said(app, "strip", { first: first as Node, second: second as Node, ratio: led[0]?.to as number }));
  if (led.length > 2 || ends) {
    const until = (one: Segment) => (one.model === null ? said(app, "strip_until_none", { ratio: one.to }) : said(app, "strip_until", { model: node(one.model), ratio: one.to }));
    const last = all.at(-1) as Segment;
    const beyond = last.model === null ? said(app, "strip_beyond_all") : said(app, "strip_beyond", { model: node(last.model) });
    sentences.push([...said(app, "strip_many"), ...all.slice(0, -1).flatMap(until), ...beyond]);
  }
  const never = drawing.models.filter((model) => !names.includes(model.name));
  if (never.length > NEVER) sentences.push(said(app, "strip_others", { models: never.length }));
  else never.forEach((model) => sentences.push(said(app, "strip_never", { model: nameOf(model) })));
  return sentences.flatMap((one) => [...one, " "]);
}

function strongName(name: HTMLElement): HTMLElement {
  const node = strong("");
  node.append(name);
  return node;
}

function sheetOf(app: App): Sheet {
  const at = (ratio: number) => figure(ratioText(1, ratio), ratio);
  const rows = found(app, 0, Infinity).map((one) => [
    one.from > 0 ? at(one.from) : text("any"),
    isFinite(one.to) ? at(one.to) : text("any"),
    text(one.model === null ? titleOf(app, one) : visible(one.model)),
    one.model === null || app.drawing.points ? text("–") : text(rangeOf(one).replace(/^thresholds? /, "")),
  ]);
  return {
    caption: `The cheapest model by cost ratio, at ${percent(app.now.prevalence)} positive`,
    columns: [...numbers("from", "to"), { name: "model" }, ...numbers("threshold")],
    rows,
    note: app.drawing.strip?.why ?? "",
  };
}

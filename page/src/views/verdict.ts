// The verdict: Python's sentences are shown while costs and prevalence are those of the results document; when they change,
// headline, lead, certainty and changes are built from the same templates, and what only Python can compute is marked as
// applying to the stored settings. The headline always states the recommendation, never the manual setting.

import { thresholdAt, type App, type View } from "../core/app.ts";
import type { Drawing, HullPoint, Model } from "../core/data.ts";
import { attrs, button, el, fill, find, group, nameNode, text } from "../core/dom.ts";
import { shortName, significant, thresholdText, whole, wholeLimits } from "../core/format.ts";
import {
  cellsAt, cellsFor, cheapestRow, costInterval, costPer1000, dataPrevalence, pointAt, precisionOf, ranges, rowAt, slopeOf, type Interval,
} from "../core/model.ts";
import { initial } from "../core/state.ts";
import { spark, type Spark } from "../core/svg.ts";
import { checks } from "./parts/checks.ts";
import { modelName, said, saidPlain } from "./parts/said.ts";

interface Kept {
  headline: Node[];
  lead: Node[];
  sure: Node[];
  change: Node[];
}

let headline: HTMLElement | null;
let lead: HTMLElement | null;
let hand: HTMLElement;
let costlist: HTMLElement | null;
let columns: HTMLElement | null;
let sure: HTMLElement | null;
let change: HTMLElement | null;
let caveats: HTMLElement | null;
let note: HTMLElement;
let question: HTMLElement | null;
let kept: Kept;
let isSaved = true;
let showMuted = () => {};

export const verdict: View = {
  id: "verdict",
  mount(section, app) {
    headline = find(section, ".headline");
    lead = find(section, ".lead");
    costlist = find(section, ".costlist");
    columns = find(section, ".columns");
    sure = columns && find(columns, ".doubt");
    const nodes = (one: Element | null) => [...(one?.childNodes ?? [])];
    change = columns && (find(columns, ".next-steps") ?? columns.appendChild(el("section.next-steps")));
    caveats = columns && find(columns, ".caveats");
    kept = { headline: nodes(headline), lead: nodes(lead), sure: nodes(sure), change: nodes(change) };
    hand = find(section, "p.hand") ?? el("p.hand");
    (lead ?? headline)?.after(hand);
    note = el("span.muted.saved-note", { hidden: true });
    caveats?.querySelector("h2")?.append(" ", note);
    keptCosts = nodes(costlist);
    showMuted = caveats ? checks(app, caveats) : showMuted;
    question = askCosts(app);
    if (question) hand.after(question);
  },
  update(app, changed) {
    const { positives, negatives } = app.drawing;
    if (!positives || !negatives) return;
    if (changed.has("costs") || changed.has("rule")) {
      showAnswer(app);
      showCosts(app);
    } else if (changed.has("model")) showCosts(app);
    showHand(app);
    showMuted();
    if (question) showAsked(app, question);
  },
};

const asSaved = (app: App) => {
  const saved = initial(app.drawing);
  if (app.drawing.state.own_costs) return true; // what single cases cost is not in the page: the answer stays that of the report
  const { fp, fn, prevalence, rule } = app.state;
  if (app.drawing.state.priced === false && rule === "cost") return false; // equal costs count as costs once they are chosen
  return Math.abs(fn / fp - saved.fn / saved.fp) < 1e-9 && Math.abs(prevalence - saved.prevalence) < 1e-12;
};

// ---- headline and lead ----

function showAnswer(app: App): void {
  const saved = asSaved(app);
  // the caveats need the cases, so they are kept and marked as applying to the stored settings
  const start = initial(app.drawing);
  const stale = !saved || sharesMoved(app);
  note.hidden = !stale;
  caveats?.classList.toggle("stale", stale);
  text(note, saidPlain(app, app.drawing.state.own_costs ? "as_saved_own" : "as_saved", { ratio: start.fn / start.fp, share: start.prevalence }));
  if (saved && isSaved) return;
  isSaved = saved;
  if (headline) fill(headline, ...(saved ? kept.headline : headlineNow(app)));
  if (lead) fill(lead, ...(saved ? kept.lead : leadNow(app)));
  if (sure) fill(sure, ...(saved ? kept.sure : sureNow(app)));
  if (change) fill(change, ...(saved ? kept.change : changeNow(app)));
}

const sharesMoved = (app: App) => Math.abs(app.state.prevalence - initial(app.drawing).prevalence) >= 1e-12;

function headlineNow(app: App): Node[] {
  const { drawing: d, now } = app;
  const { best } = now;
  if (!best) return [];
  const model = d.models[best.model] as Model;
  const cells = cellsAt(d, model, best.row);
  if (!(cells.tp + cells.fp)) return said(app, "flag_none");
  if (!(cells.fn + cells.tn)) return said(app, "flag_all");
  const name = model.labels_only || d.points ? "model_only" : d.models.length === 1 ? "threshold_only" : "model_at";
  return said(app, name, { model: modelName(model), threshold: thresholdAt(model, best.row) });
}

function leadNow(app: App): Node[] {
  const { drawing: d, now } = app;
  const { best, prices, prevalence } = now;
  if (!best) return [];
  const model = d.models[best.model] as Model;
  const known = correctedCost(app);
  const cost = known ?? costInterval(d, model, best.row, prices, prevalence);
  const point = pointAt(d, model, best.row);
  const slots = {
    ratio: prices.fn / prices.fp, share: prevalence, cost: { ...cost, level: d.level },
    cost_of_none: costPer1000(d, { fpr: 0, tpr: 0 }, prices, prevalence),
    recall: point.tpr, precision: precisionOf(cellsFor(d, cellsAt(d, model, best.row), prevalence)),
  };
  const names = [...(known ? ["cost_corrected"] : d.rates_only ? ["cost"] : ["cost", "uncorrected"]), "cost_of_none", "rates", ...(known ? ["apparent"] : [])];
  return names.flatMap((name) => [...said(app, name, slots), document.createTextNode(" ")]);
}

/** The cost of the cheapest choice, corrected for choosing it on these data; null outside the ratios for which it is known. */
function correctedCost({ drawing: d, now }: App): { value: number; low: number; high: number } | null {
  const held = d.corrections;
  if (!held || d.rates_only || Math.abs(now.prevalence - initial(d).prevalence) > 1e-12) return null;
  const { fp, fn } = now.prices;
  const [value, low, high] = [held.value, held.low, held.high].map((side) => along(held.ratios, side, fn / fp));
  return value == null || low == null || high == null ? null : { value: fp * value, low: fp * low, high: fp * high };
}

/** What would change the recommendation: the nearest ratios at which another model, or another threshold, is cheapest. */
function changeNow(app: App): Node[] {
  const { drawing: d, now } = app;
  const several = d.models.length > 1;
  const ratio = now.prices.fn / now.prices.fp;
  const all = ranges(d.hull?.points ?? [], now.prevalence);
  const here = all.findIndex((one) => ratio < one.to);
  const other = (one: (typeof all)[number]) => !several || one.point.model !== all[here]?.point.model;
  const more = all.slice(here + 1).find(other);
  const less = all.slice(0, Math.max(0, here)).reverse().find(other);
  const found = [more && turn(app, "more", more.from, more.point), less && turn(app, "less", less.to, less.point)].filter((one) => !!one);
  if (!found.length && several && now.best) found.push(said(app, "never", { model: modelName(d.models[now.best.model] as Model) }));
  if (!found.length) return [];
  return [el("h2", {}, "What would change the answer"), ...found.map((one) => el("p", {}, ...one))];
}

function turn(app: App, side: "more" | "less", ratio: number, point: HullPoint): Node[] {
  const { drawing: d, now } = app;
  const edge = slopeOf({ fp: 1, fn: ratio }, now.prevalence);
  const model = d.models.find((one) => one.name === point.model);
  const slots = {
    [`${side}_ratio`]: ratio, [`${side}_threshold`]: thresholdText(point.threshold), [`${side}_model`]: model ? modelName(model) : "",
    [`${side}_share`]: 1 / (1 + (edge * now.prices.fn) / now.prices.fp),
  };
  const end = (point.fpr === 0 && point.tpr === 0) || (point.fpr === 1 && point.tpr === 1);
  const kind = end ? (side === "more" ? "all" : "none") : d.points ? "model_point" : d.models.length > 1 ? "model" : "threshold";
  return said(app, `${side}_${kind}`, slots);
}

// ---- without costs: a single question ----

const ASKED = [1, 2, 5, 10, 20, 50];

/** If no costs were given: a row of answers, each of which turns the proposal into a recommendation. */
function askCosts(app: App): HTMLElement | null {
  const { drawing: d } = app;
  if (d.state.priced !== false || d.state.own_costs || !d.hull?.points.length || !d.positives || !d.negatives) return null;
  const answers = ASKED.map((ratio) => button(saidPlain(app, ratio === 1 ? "as_much" : "times", { ratio }), { "data-ratio": ratio, "aria-pressed": "false" },
    () => app.set({ fn: ratio * app.state.fp, rule: "cost" })));
  const box = el("div.question", { ...group(saidPlain(app, "question")) },
    el("p", {}, saidPlain(app, "question")), el("div.switch", {}, ...answers));
  const start = initial(d);
  const model = d.models[start.model] as Model;
  const proposed = model.best?.["youden"];
  if (start.rule === "hand" && typeof proposed === "number" && proposed > 0 && rowAt(d, model, start.threshold) !== proposed) {
    const words = saidPlain(app, "see_proposed", { threshold: thresholdAt(model, proposed) });
    box.append(button(words, { class: "link" }, () => app.set({ model: start.model, rule: "youden" })));
  }
  return box;
}

function showAsked(app: App, box: HTMLElement): void {
  const ratio = app.state.fn / app.state.fp;
  for (const one of Array.from(box.querySelectorAll("[data-ratio]"))) {
    attrs(one, { "aria-pressed": String(app.state.rule === "cost" && Math.abs(Number(one.getAttribute("data-ratio")) - ratio) < 1e-9) });
  }
}

const LEANING = 0.8;

/** The certainty, from the share of resamples in which the recommended choice is cheapest at the slope of these costs. */
function sureNow(app: App): Node[] {
  const heading = kept.sure.find((node) => node instanceof HTMLHeadingElement);
  const { drawing: d, now } = app;
  const { strip } = d;
  const model = now.best ? (d.models[now.best.model] as Model) : null;
  const shares = model && strip?.shares?.[model.name];
  const nodes: Node[] = heading ? [heading] : [];
  if (!strip || !shares || !model) return [...nodes, el("p", {}, strip?.why ? `Not known: ${strip.why}.` : "Certainty was computed for the costs of the report only.")];
  // shares were counted at the prevalence of the data; only the slope matters, so another prevalence means another ratio
  const odds = (p: number) => p / (1 - p);
  const ratio = ((now.prices.fn / now.prices.fp) * odds(now.prevalence)) / odds(dataPrevalence(d));
  const share = along(strip.ratios, shares, ratio);
  if (share === null) return [...nodes, el("p", {}, "These costs lie outside the range that was resampled.")];
  const grade = share >= LEANING ? "Leaning" : "Open"; // only the stored costs were tested for being settled
  return [...nodes, el("p", {}, ...said(app, "certainty", { grade, model: modelName(model), share, resamples: strip.resamples }))];
}

function along(at: readonly number[], values: readonly number[], x: number): number | null {
  const next = at.findIndex((one) => one >= x);
  if (next < 0 || (next === 0 && x < (at[0] as number) * 0.999)) return null;
  if (next === 0) return values[0] ?? null;
  const [a, b] = [at[next - 1] as number, at[next] as number];
  const share = (Math.log(x) - Math.log(a)) / (Math.log(b) - Math.log(a));
  return (1 - share) * (values[next - 1] as number) + share * (values[next] as number);
}

// ---- manual setting ----

function showHand(app: App): void {
  const { drawing: d, now } = app;
  const { best } = now;
  if (d.state.own_costs) return void fill(hand, ...(sharesMoved(app) ? said(app, "own_costs_saved", { share: initial(d).prevalence }) : []));
  const priced = d.state.priced !== false || !asSaved(app);
  const same = !best || (best.model === app.state.model && best.row === now.row);
  const untouched = asSaved(app) && app.state.rule === initial(d).rule && app.state.model === initial(d).model;
  if (same || !priced || untouched) return void fill(hand);
  const more = now.cost - best.cost;
  const slots = { model: shortName(now.model.name), threshold: now.at, cost: now.cost, more: shownGap(now.cost, best.cost) };
  const dearer = more > 1e-9 * best.cost + 1e-9;
  if (d.points && !dearer) return void fill(hand);
  const name = d.points ? "moved_point" : dearer ? "moved" : "moved_same";
  const go = d.points && best.row !== 1 ? "" : button(saidPlain(app, "go"), { class: "link" }, () => app.set({ model: best.model, rule: "cost" }));
  fill(hand, ...said(app, name, slots), " ", go);
}

/** The difference of two costs as shown, so that 179 and 140 differ by 39; small ones are not rounded. */
const shownGap = (a: number, b: number): number => (Math.min(a, b) >= 10 ? Math.round(a) - Math.round(b) : a - b);

// ---- list of costs ----

interface CostRow {
  line: HTMLElement;
  at: HTMLElement;
  draw: Spark;
  value: HTMLElement;
  limits: HTMLElement;
  read(app: App): { one: Interval; at: string };
}

let costRows: CostRow[] = [];
let costBody: HTMLElement | null = null;
let keptCosts: Node[] = [];
const MOST = 6; // maximum number of models in the list; more would push the recommendation off the screen

function buildCosts(app: App, holder: HTMLElement): HTMLElement {
  const { drawing: d, state } = app;
  costBody = el("tbody");
  const heads = el("div.heads", {}, el("h2", {}, `Cost per 1,000 ${d.units}`), el("span", {}, `one false alarm = ${significant(state.fp)}`));
  fill(holder, heads, el("table.costs", {}, el("caption.visually-hidden", {}, `Cost per 1,000 ${d.units}, in false alarms`), costBody));
  return costBody;
}

function costRow(name: Node | string, slot: number, open: boolean, read: CostRow["read"], title?: string, name_ = "at"): CostRow {
  const draw = spark(slot, { open });
  const [at, value, limits] = [el("td", { class: name_ }), el("td.value"), el("td.interval")];
  return { line: el("tr", {}, el("th", { scope: "row", title }, name), at, el("td.draw", {}, draw.node), value, limits), at, draw, value, limits, read };
}

function showCosts(app: App): void {
  const { drawing: d, now } = app;
  if (!costlist) return;
  // Python's own list is kept for the stored state; without costs it shows areas
  const start = initial(d);
  if (asSaved(app) && (d.state.priced === false || app.state.model === start.model) && keptCosts.length) {
    costBody = null;
    return void fill(costlist, ...keptCosts);
  }
  costBody ??= buildCosts(app, costlist);
  costRows = rowsNow(app);
  const found = costRows.map((row) => ({ row, ...row.read(app) }));
  const sorted = found.sort((a, b) => a.one.value - b.one.value);
  const ends = sorted.flatMap(({ one }) => [one.value, one.low, one.high]).filter((x) => isFinite(x));
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const pad = (high - low) * 0.03 || 1;
  const place = (x: number) => (x - low + pad) / (high - low + 2 * pad);
  for (const { row, one, at } of sorted) {
    text(row.at, at);
    text(row.value, whole(one.value));
    text(row.limits, wholeLimits(one));
    row.draw.move(place(one.value), place(one.low), place(one.high));
  }
  sorted[0]?.row.line.classList.add("chosen");
  fill(costBody as HTMLElement, ...sorted.map(({ row }) => row.line));
  const best = now.best && d.models[now.best.model];
  attrs(costlist, { "data-m": best?.slot ?? null });
}

function rowsNow(app: App): CostRow[] {
  const { drawing: d, now } = app;
  const at = (model: Model, row: number, words: string) => (inner: App) => ({
    one: costInterval(inner.drawing, model, row, inner.now.prices, inner.now.prevalence), at: words,
  });
  const ranked = d.models.map((model) => ({ ...cheapestRow(d, model, now.prices, now.prevalence), model })).sort((a, b) => a.cost - b.cost);
  if (d.points) ranked.forEach((one) => Object.assign(one, { row: 1 }));
  const rows = ranked.filter(({ model }, i) => i < MOST || model === now.model).map(({ model, row }) =>
    costRow(listed(model), model.slot, false, at(model, row, words(d, model, row)), model.name));
  if (d.probabilities && !now.model.labels_only) {
    const half = rowAt(d, now.model, 0.5);
    rows.push(costRow(listed(now.model), now.model.slot, true, at(now.model, half, "at 0.5, the default"), now.model.name, "at long"));
  }
  const nobody = costPer1000(d, { fpr: 0, tpr: 0 }, now.prices, now.prevalence);
  const everyone = costPer1000(d, { fpr: 1, tpr: 1 }, now.prices, now.prevalence);
  const sure = (value: number) => () => ({ one: { value, low: NaN, high: NaN, method: "", why: "" }, at: "" });
  rows.push(costRow("flag nobody", 0, false, sure(nobody)));
  const worst = Math.max(nobody, ...ranked.slice(0, MOST).map((one) => one.cost));
  if (everyone <= 1.25 * worst) rows.push(costRow("flag everybody", 0, false, sure(everyone)));
  return rows;
}

const listed = (model: Model) => nameNode(model.name, model.slot, shortName(model.name, 18));

const words = (d: Drawing, model: Model, row: number) => (model.labels_only || d.points ? "" : row === 0 ? "nothing flagged" : `at ${thresholdAt(model, row)}`);

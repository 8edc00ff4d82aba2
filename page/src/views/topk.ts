// Limited capacity: what the cases with the highest scores contain. A row sets the threshold.
import { thresholdAt, type App, type View } from "../core/app.ts";
import { attrs, button, el, fill } from "../core/dom.ts";
import { count, fixed, limitsText, percent, perCases, valueText } from "../core/format.ts";
import { cellsAt, cellsFor, chosenBy, measureAt } from "../core/model.ts";
import { extras } from "./parts/extras.ts";
import { partsOf, type Parts } from "./parts/plot.ts";
import { figure, numbers, text, type Sheet } from "./parts/sheet.ts";
import { keptNote, said } from "./parts/said.ts";
import { missingClass, read, reason, redraws } from "./parts/shared.ts";

export const SHARES = [0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5];

interface Top {
  share: number;
  row: number;
  flagged: number;
  found: number;
  precision: ReturnType<typeof measureAt>;
  recall: ReturnType<typeof measureAt>;
}

/** The contents of the top shares: counts of the data, or per 1,000 (or more) at another prevalence. */
export function topRows(app: App): { rows: Top[]; per: number } {
  const { drawing: d, now } = app;
  const setting = { prices: now.prices, prevalence: now.prevalence, precision: 0, top: 0 };
  const measure = (name: string) => d.measures.find((one) => one.name === name);
  const [precision, recall] = [measure("precision"), measure("recall")];
  const all = d.positives + d.negatives;
  const per = now.off ? perCases(SHARES) : 0;
  if (!precision || !recall) return { rows: [], per };
  const rows = SHARES.map((share) => {
    const { row } = chosenBy("top", d, now.model, { ...setting, top: share });
    const cells = cellsFor(d, cellsAt(d, now.model, row), now.prevalence);
    const scale = per ? per / all : 1;
    const at = (one: typeof precision) => measureAt(d, one, now.model, row, now.prevalence);
    return { share, row, flagged: (cells.tp + cells.fp) * scale, found: cells.tp * scale, precision: at(precision), recall: at(recall) };
  });
  return { rows: rows.filter(({ row }, k) => row > 0 && rows.findIndex((one) => one.row === row) === k), per };
}

export function topView(): View {
  let parts: Parts;
  let refresh = (): void => undefined;
  let lines: { line: HTMLTableRowElement; row: number }[] = [];

  const build = (app: App): void => {
    const { rows, per } = topRows(app);
    const many = (x: number) => (per ? fixed(x, 0) : count(x));
    lines = rows.map((one) => {
      const set = button(`top ${percent(one.share)}`, { class: "link", title: "Set the threshold here" }, () => app.set({ rule: "top", top: one.share }));
      const plain = [thresholdAt(app.now.model, one.row), many(one.flagged), many(one.found)].map((words) => el("td.right", {}, words));
      const measured = [one.precision, one.recall].map((found) => el("td.right", {}, valueText(found), el("span.interval", {}, limitsText(found))));
      const line = el("tr", {}, el("th", { scope: "row" }, set), ...plain, ...measured);
      return { line, row: one.row };
    });
    const heads = ["", "threshold", per ? `flagged of ${count(per)}` : "flagged", "found", "precision", "recall"];
    const head = el("tr", {}, ...heads.map((name, k) => el("th", { scope: "col", class: k ? "right" : null }, name)));
    const table = el("table.evidence.top", {}, el("thead", {}, head), el("tbody", {}, ...lines.map(({ line }) => line)));
    const note = keptNote(app, !app.now.off);
    read(parts.reading, ...said(app, "top"), ...(note ? [" ", note] : []));
    fill(parts.picture, rows.length ? el("div.scroll", { tabindex: 0 }, table) : el("p.reason", {}, "More than half of the cases have the highest score."));
  };

  return {
    id: "topk",
    mount(section, app) {
      parts = partsOf(section);
      refresh = extras(section, app, "Top of the ranking", () => sheetOf(app), "rs.curves.gain(ev.table)");
    },
    update(app, changed) {
      const why = missingClass(app) || (app.now.model.labels_only ? "There are only predicted labels, so the cases are not ranked." : "");
      if (why) return reason(parts.picture, why);
      if (!lines.length || redraws(changed)) build(app);
      lines.forEach(({ line, row }) => attrs(line, { class: row === app.now.row ? "chosen" : null }));
      refresh();
    },
  };
}

function sheetOf(app: App): Sheet {
  const { rows, per } = topRows(app);
  const names = ["share", "threshold", per ? `flagged of ${per}` : "flagged", "found", "precision", "from", "to", "recall", "from", "to"];
  const limits = (one: Top["precision"]) => [one.value, one.low, one.high].map((x) => (isFinite(x) ? figure(fixed(x), x) : text("–")));
  return {
    caption: "The cases with the highest scores",
    columns: numbers(...names),
    rows: rows.map((one) => [
      figure(percent(one.share), one.share), figure(thresholdAt(app.now.model, one.row), app.now.model.thresholds[one.row]),
      figure(count(one.flagged), one.flagged), figure(count(one.found), one.found), ...limits(one.precision), ...limits(one.recall),
    ]),
  };
}

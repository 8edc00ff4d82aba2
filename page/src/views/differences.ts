// Differences between the models. Python drew the rows from the cases, which the page does not have; if costs or prevalence
// differ from those of the results document, the cost columns are marked.
import type { App, View } from "../core/app.ts";
import type { Estimate } from "../core/data.ts";
import { costText, estimateText, fixed, pText, whole } from "../core/format.ts";
import { el } from "../core/dom.ts";
import { initial } from "../core/state.ts";
import { extras } from "./parts/extras.ts";
import { visible } from "./parts/names.ts";
import { partsOf } from "./parts/plot.ts";
import { saidPlain } from "./parts/said.ts";
import { figure, missing, numbers, text, type Cell, type Sheet } from "./parts/sheet.ts";

export function differencesView(): View {
  let note: HTMLElement;
  let rows: HTMLElement;

  return {
    id: "differences",
    mount(section, app) {
      extras(section, app, "Do the models differ?", () => sheetOf(app), "cmp.differences  # with costs=, also cmp.cost_differences");
      rows = partsOf(section).picture;
      note = el("p.saved-note.warn", { hidden: true });
      rows.before(note);
    },
    update(app) {
      const { ratio, share, moved } = savedCosts(app);
      note.hidden = !moved;
      rows.classList.toggle("stale-costs", moved);
      note.textContent = moved ? saidPlain(app, "differences_saved", { ratio, share, positive: app.drawing.positive }) : "";
    },
  };
}

/** The costs and the prevalence of the document, and whether the page is set to different ones while costs are given. */
function savedCosts(app: App): { ratio: number; share: number; moved: boolean } {
  const { state, drawing } = app;
  const start = initial(drawing);
  const [ratio, share] = [start.fn / start.fp, start.prevalence];
  const moved = Math.abs(state.fn / state.fp - ratio) > 1e-9 || Math.abs(state.prevalence - share) > 1e-12;
  return { ratio, share, moved: moved && drawing.differences.some((one) => one.cost) };
}

const signed = (words: string, value: number | null | undefined): string => (value != null && value > 0 ? `+${words}` : words);

function estimateCell(one: Estimate | null | undefined, write: (one: Estimate) => string): Cell {
  if (!one || one.value === null) return missing(one?.why);
  return figure(signed(write(one), one.value), one.value);
}

const limit = (value: number | null | undefined, write: (x: number) => string): Cell =>
  value == null ? missing() : figure(write(value), value);

function sheetOf(app: App): Sheet {
  const { differences } = app.drawing;
  const against = visible(differences[0]?.a ?? "");
  const priced = differences.some((one) => one.cost);
  const costs = priced ? ["cost per 1,000 more", "cost from", "cost to", "adjusted p of cost"] : [];
  return {
    caption: `Each model minus ${against}`,
    columns: [{ name: "model" }, ...numbers("AUC difference", "AUC from", "AUC to", "adjusted p of AUC", ...costs), { name: "in words" }],
    rows: differences.map((one) => [
      text(visible(one.b)),
      estimateCell(one.auc, (est) => (est.low == null ? fixed(est.value) : (estimateText(est).split(" ")[0] ?? ""))),
      limit(one.auc?.low, (x) => fixed(x)),
      limit(one.auc?.high, (x) => fixed(x)),
      limit(one.auc_p, pText),
      ...(priced
        ? [estimateCell(one.cost, (est) => costText({ value: est.value })), limit(one.cost?.low, whole), limit(one.cost?.high, whole), limit(one.cost_p, pText)]
        : []),
      text((one.words ?? []).join("; ")),
    ]),
  };
}

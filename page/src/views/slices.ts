// Slices: Python drew the rows, worst first, at the stored settings; the page adds the table and a note if the current
// settings differ.
import type { App, View } from "../core/app.ts";
import type { Estimate } from "../core/data.ts";
import { el } from "../core/dom.ts";
import { count, fixed, pText } from "../core/format.ts";
import { extras } from "./parts/extras.ts";
import { visible } from "./parts/names.ts";
import { partsOf } from "./parts/plot.ts";
import { figure, missing, numbers, text, type Cell, type Sheet } from "./parts/sheet.ts";

export function slicesView(): View {
  let note: HTMLElement;
  let start = { model: -1, row: -1 };

  return {
    id: "slices",
    mount(section, app) {
      const { picture } = partsOf(section);
      picture.tabIndex = 0; // its table scrolls on phones
      extras(section, app, "Slices", () => sheetOf(app), "rs.evaluate(labels, scores, by={'group': groups}).slices");
      note = el("p.saved-note.warn", { hidden: true });
      picture.before(note);
      const { model, row } = app.drawing.state;
      start = { model: model ?? 0, row: row ?? -1 };
    },
    update(app) {
      const moved = app.state.model !== start.model || (start.row >= 0 && app.now.row !== start.row);
      note.hidden = !moved;
      const saved = app.drawing.models[start.model];
      note.textContent = moved && saved ? `Slices are computed for ${visible(saved.name) || "the model"} at the threshold of the report; they do not follow the controls.` : "";
    },
  };
}

const cells = (one: Estimate | null | undefined): Cell[] =>
  [one?.value, one?.low, one?.high].map((x) => (x == null ? missing() : figure(fixed(x), x)));

function sheetOf(app: App): Sheet {
  const rows = app.drawing.slices ?? [];
  const columns = numbers("cases", "positive", "AUC", "AUC from", "AUC to", "AUC, shrunk", "recall", "recall from", "recall to", "p");
  return {
    caption: "Slices, worst first",
    columns: [{ name: "by" }, { name: "slice" }, ...columns],
    rows: rows.map((row) => [
      text(visible(row.by)),
      { ...text(visible(row.value)), warn: Boolean(row.few) },
      figure(count(row.cases), row.cases),
      figure(count(row.positives), row.positives),
      ...cells(row.auc),
      cells(row.shrunk)[0] as Cell,
      ...cells(row.recall),
      row.p == null ? missing() : figure(pText(row.p), row.p),
    ]),
    note: rows.some((row) => row.few) ? "Slices with few positives are marked: their estimates are unstable." : "",
  };
}

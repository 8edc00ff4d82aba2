// Interactive parts of multiclass and validation reports.

import { installBar } from "../core/bar.ts";
import { readDocument } from "../core/data.ts";
import { el, find, on, page } from "../core/dom.ts";
import { count, estimateText, shortName, type Shown } from "../core/format.ts";
import { mountLines, type ClassBins } from "./calibration.ts";
import { againstRest } from "./counts.ts";
import { mountCurves, type ClassCurve } from "./curves.ts";
import { mountLabels } from "./labels.ts";
import { mountMatrix, type ClassCases, type ClassReport } from "./matrix.ts";
import { muting, writeLink } from "./link.ts";
import { START, fromFragment, toFragment, type ClassState } from "./state.ts";
import { checks } from "../views/parts/checks.ts";
import { mountValidation } from "./validation.ts";

function start(): void {
  const holder = document.getElementById("rocscope-data");
  if (!holder) return;
  const source = `<!doctype html>\n${page.outerHTML}`;
  const read = readDocument(holder.textContent ?? "");
  installBar(read.drawing.title, source, null);
  const found = read as unknown as { drawing: { kind: string }; recommended?: string; evaluations?: Record<string, object> };
  const { kind } = found.drawing;
  if (kind === "classes") mountClasses(read as never);
  if (kind === "labels") mountLabels(read as never);
  if (kind === "class_comparison") mountRecommended(found);
  if (read.drawing.kind === "validation") mountValidation(read as never);
  const caveats = document.querySelector<HTMLElement>(".caveats");
  if (caveats) {
    const show: () => void = checks(muting(() => show()), caveats);
    show();
  }
  installCues();
  page.dataset["live"] = "";
}

/** With several models, the recommended one is shown. */
function mountRecommended({ drawing, recommended, evaluations }: { drawing: object; recommended?: string; evaluations?: Record<string, object> }): void {
  const own = evaluations?.[recommended ?? ""];
  if (!own) return;
  if ("matrix" in own) mountClasses({ ...own, drawing } as never);
  else mountLabels({ ...own, drawing } as never);
}

/** Content wider than its frame fades at the right edge until scrolled there, and is focusable, so that keys scroll it. */
function installCues(): void {
  const update = (): void => {
    for (const one of Array.from(document.querySelectorAll<HTMLElement>(".scroll, .views .picture"))) {
      const wide = one.scrollWidth > one.clientWidth + 1;
      if (wide) one.tabIndex = 0;
      one.toggleAttribute("data-cut", wide && one.scrollLeft + one.clientWidth < one.scrollWidth - 1);
    }
  };
  on(document, "scroll", update, { capture: true, passive: true });
  on(window, "resize", update);
  update();
}

interface ClassDocument {
  data: { labels: string[] };
  matrix: { cells: number[][] };
  calibration?: { classes?: Record<string, Shown> | null } | null;
  drawing: { classes: ClassBins[]; order: number[]; level: number; unit: string; units: string; cases?: ClassCases | null };
}

function mountClasses({ data, matrix, calibration, drawing }: ClassDocument): void {
  const { order, level, unit, units, cases: embedded } = drawing;
  const report: ClassReport = { labels: data.labels.map(String), cells: matrix.cells, order, level, unit, units, cases: embedded ?? null };
  let state: ClassState = fromFragment(location.hash, report.labels.length);
  const updates: ((state: ClassState) => void)[] = [];
  const set = (patch: Partial<ClassState>): void => {
    state = { ...state, ...patch };
    writeLink(toFragment(state));
    const focused = (document.activeElement as HTMLElement | null)?.getAttribute("aria-label");
    updates.forEach((update) => update(state));
    // the table is rebuilt, so restore the focus to the cell that was clicked
    if (focused) Array.from(document.querySelectorAll<HTMLElement>("[aria-label]")).find((one) => one.getAttribute("aria-label") === focused)?.focus();
  };
  const [cases, roc, each] = ["cases", "roc", "each"].map((id) => document.getElementById(id));
  if (cases) updates.push(mountMatrix(cases, report, set));
  if (roc) updates.push(mountCurves(roc, drawing.classes, set));
  const lines = document.getElementById("class-lines");
  if (lines && calibration?.classes) updates.push(mountLines(lines, drawing.classes, calibration.classes, set));
  if (each) updates.push(mountEach(each, report, drawing.classes, set));
  updates.forEach((update) => update(state));
  on(window, "hashchange", () => {
    state = location.hash ? fromFragment(location.hash, report.labels.length) : START;
    updates.forEach((update) => update(state));
  });
  on(window, "resize", () => updates.forEach((update) => update(state)));
}

/** The class selector, and the class against the rest as four cells; its row of the table is highlighted. */
function mountEach(section: HTMLElement, report: ClassReport, classes: readonly ClassCurve[], set: (patch: Partial<ClassState>) => void): (state: ClassState) => void {
  const options = report.labels.map((label, k) => el("option", { value: k }, shortName(label, 40)));
  const pick = el("select", { "aria-label": "Class to show" }, el("option", { value: "" }, "all classes"), ...options);
  on(pick, "change", () => set({ chosen: pick.value === "" ? null : Number(pick.value) }));
  const words = el("p.reading.one-class", { "aria-live": "polite" });
  const reading = find(section, ".reading");
  reading?.after(el("p.pick", {}, "Show ", pick), words);
  return (state) => {
    pick.value = state.chosen === null ? "" : String(state.chosen);
    const one = state.chosen === null ? null : classes[state.chosen];
    for (const row of Array.from(section.querySelectorAll("tbody tr"))) row.classList.toggle("chosen", !!one && find(row, "th")?.textContent === shortName(one.label));
    if (!one || state.chosen === null) return void (words.textContent = "");
    const { tp, fp, fn, tn } = againstRest(report.cells, state.chosen);
    const measured = ["precision", "recall"].flatMap((name) => (one.estimates[name] ? [`${name} ${estimateText(one.estimates[name])}`] : []));
    words.textContent = `${one.label} against the rest: ${count(tp)} true positives, ${count(fn)} false negatives, ${count(fp)} false positives, ${count(tn)} true negatives; ${measured.join(", ")}.`;
  };
}

start();

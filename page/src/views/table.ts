// The table of a plot's data: built when it is opened, rebuilt when its contents change.
import { el, find, on } from "../core/dom.ts";
import type { Sheet } from "./parts/sheet.ts";

const MOST = 400;

/** Fills `div.behind` of a view; the returned function rebuilds the table if it is open. */
export function tableBehind(section: HTMLElement, sheet: () => Sheet): () => void {
  const behind = find<HTMLElement>(section, ":scope > .behind") ?? section.appendChild(el("div.behind"));
  const details = el("details", {}, el("summary", {}, "Show table"), el("div.scroll"));
  const open = find<HTMLDetailsElement>(behind, "details")?.open ?? false;
  behind.replaceChildren(details);
  const refresh = (): void => {
    if (details.open) details.lastElementChild?.replaceWith(tableOf(sheet()));
  };
  on(details, "toggle", refresh);
  details.open = open;
  return refresh;
}

export function toggleTable(section: HTMLElement): void {
  const details = find<HTMLDetailsElement>(section, ":scope > .behind details");
  if (!details) return;
  details.open = !details.open;
  if (details.open) find(details, "summary")?.focus();
}

/** A sheet as a table that scrolls within its view if it is wider. */
export function tableOf(sheet: Sheet): HTMLElement {
  const number = (k: number): string => (sheet.columns[k]?.number ? "" : "text");
  const head = sheet.columns.map((column, k) => el("th", { scope: "col", class: number(k) || null }, column.name));
  const rows = sheet.rows.slice(0, MOST).map((row) =>
    el("tr", {}, ...row.map((cell, k) => {
      const look = [number(k), cell.warn ? "warn" : ""].join(" ").trim();
      return k === 0 ? el("th", { scope: "row", class: look || null }, cell.text) : el("td", { class: look || null }, cell.text);
    })),
  );
  const left = sheet.rows.length - rows.length;
  const note = [sheet.note ?? "", left > 0 ? `${left} more rows: copy the table as CSV to get all of them.` : ""].filter(Boolean).join(" ");
  return el(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": sheet.caption },
    el("table.plain", {}, el("caption", {}, sheet.caption), el("thead", {}, el("tr", {}, ...head)), el("tbody", {}, ...rows)),
    ...(note ? [el("p.muted", {}, note)] : []),
  );
}

// Parts common to every view: its "more" menu and the table of its data.

import type { App } from "../../core/app.ts";
import { viewMenu } from "../menu.ts";
import { tableBehind } from "../table.ts";
import { pythonModel, sourceLine } from "./shared.ts";
import type { Sheet } from "./sheet.ts";

/** Adds both to a section; the returned function rebuilds the table if it is open. */
export function extras(section: HTMLElement, app: App, title: string, sheet: () => Sheet, call: string | (() => string)): () => void {
  const python = (): string => `${pythonModel(app)}${typeof call === "string" ? call : call()}\n`;
  viewMenu(section, { title, sheet, python, source: () => sourceLine(app) });
  return tableBehind(section, sheet);
}

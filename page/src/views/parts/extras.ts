// What stands at every view: its "more" menu and the table behind it.

import type { App } from "../../core/app.ts";
import { viewMenu } from "../menu.ts";
import { tableBehind } from "../table.ts";
import { pythonModel, sourceLine } from "./shared.ts";
import type { Sheet } from "./sheet.ts";

/** Puts both into a section; the function it returns makes the table anew, if it is open. */
export function extras(section: HTMLElement, app: App, title: string, sheet: () => Sheet, call: string): () => void {
  viewMenu(section, { title, sheet, python: () => `${pythonModel(app)}${call}\n`, source: () => sourceLine(app) });
  return tableBehind(section, sheet);
}

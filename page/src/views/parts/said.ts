// Parts of sentences shared by several views.

import type { App } from "../../core/app.ts";
import type { Drawing, Model } from "../../core/data.ts";
import { nameNode } from "../../core/dom.ts";
import { shortName } from "../../core/format.ts";
import { corrected } from "../../core/model.ts";
import { say, sentence, type Slots } from "../../core/words.ts";

export const modelName = (model: Model) => nameNode(model.name, model.slot, shortName(model.name));

/** A sentence of the results document as nodes; document and page are in the same file, so the name always exists. */
export const said = ({ drawing: d }: App, name: string, slots: Slots = {}): Node[] =>
  sentence(d.words[name] ?? "", { units: d.units, positive: d.positive, negative: d.negative, ...slots });

/** Distinguishes sample counts from the corrected measures next to them; empty if none are corrected. */
export const apparent = (app: App): (Node | string)[] => (corrected(app.drawing, app.now) ? [" ", ...said(app, "apparent")] : []);

/** If the choice may not be exact among the thresholds stored in the report, a note that it was made among these. */
export const keptNote = (app: App, exact: boolean): string =>
  exact || app.now.model.whole !== false || app.now.model.labels_only ? "" : saidPlain(app, "kept", { kept: app.now.model.thresholds.length - 1 });

/** The same as plain text. */
export const saidPlain = ({ drawing: d }: App, name: string, slots: Slots = {}): string => say(d.words[name] ?? "", slots);

/** Names for the cases of each class: "default loans", "positive cases". */
export const wordsOf = (d: Drawing) => ({ positives: `${d.positive} ${d.units}`, negatives: `${d.negative} ${d.units}` });

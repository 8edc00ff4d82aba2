// Small pieces of sentences that several views share.

import type { App } from "../../core/app.ts";
import type { Drawing, Model } from "../../core/data.ts";
import { nameNode } from "../../core/dom.ts";
import { shortName } from "../../core/format.ts";
import { corrected } from "../../core/model.ts";
import { say, sentence, type Slots } from "../../core/words.ts";

export const modelName = (model: Model) => nameNode(model.name, model.slot, shortName(model.name));

/** A shipped sentence as nodes; document and page come in one file, so its name is always there. */
export const said = ({ drawing: d }: App, name: string, slots: Slots = {}): Node[] =>
  sentence(d.words[name] ?? "", { units: d.units, positive: d.positive, negative: d.negative, ...slots });

/** What tells counts of the sample from the corrected measures beside them: nothing where none are corrected. */
export const apparent = (app: App): (Node | string)[] => (corrected(app.drawing, app.now) ? [" ", ...said(app, "apparent")] : []);

/** Says, where a choice is not sure to be among the thresholds that the report keeps, that it was taken from these. */
export const keptNote = (app: App, exact: boolean): string =>
  exact || app.now.model.whole !== false || app.now.model.labels_only ? "" : saidPlain(app, "kept", { kept: app.now.model.thresholds.length - 1 });

/** The same as plain text. */
export const saidPlain = ({ drawing: d }: App, name: string, slots: Slots = {}): string => say(d.words[name] ?? "", slots);

/** How cases of each class are spoken of: "default loans", "positive cases". */
export const wordsOf = (d: Drawing) => ({ positives: `${d.positive} ${d.units}`, negatives: `${d.negative} ${d.units}` });

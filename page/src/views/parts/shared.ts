// Helpers shared by several views.
import type { App } from "../../core/app.ts";
import type { Model } from "../../core/data.ts";
import { el, fill, nameNode } from "../../core/dom.ts";
import type { Changed } from "../../core/state.ts";
import { percent, ratioText } from "../../core/format.ts";
import type { Base } from "./curves.ts";
import { brief, visible } from "./names.ts";

export const baseOf = (app: App): Base => ({
  positives: app.drawing.positives,
  negatives: app.drawing.negatives,
  prevalence: app.now.prevalence,
});

export interface Drawn {
  readonly model: Model;
  readonly index: number;
  readonly chosen: boolean;
}

/** The models that have a curve, with the selected one last, so that it is on top. */
export function drawnModels(app: App): Drawn[] {
  const all = app.drawing.models.map((model, index) => ({ model, index, chosen: index === app.state.model }));
  return all.filter((one) => !one.model.labels_only && one.model.tp.length > 1).sort((a, b) => Number(a.chosen) - Number(b.chosen));
}

/** Color and dash of a model; one without a color of its own gets none, even if selected. */
export const classOf = (one: Drawn): string => (one.chosen ? "curve chosen" : one.model.slot ? "curve" : "curve faint");

export const nameOf = (model: Model): HTMLElement => nameNode(visible(model.name), model.slot, brief(model.name));

export const strong = (words: string): HTMLElement => el("strong", {}, words);

/** Sets the caption if it differs. */
export function read(node: HTMLElement, ...nodes: (Node | string)[]): void {
  const words = nodes.map((one) => (typeof one === "string" ? one : one.textContent)).join("");
  if (node.textContent !== words || node.dataset["live"] !== "yes") {
    fill(node, ...nodes);
    node.dataset["live"] = "yes";
  }
}

/** Whether a change moves the curves themselves, not only the point on them. */
export const redraws = (changed: Changed): boolean => (["model", "prevalence", "size"] as const).some((one) => changed.has(one));

/** Most curves need both classes; the reason if one is missing. */
export function missingClass(app: App): string {
  const { positives, negatives, units } = app.drawing;
  if (positives && negatives) return "";
  return `All ${units} are ${positives ? "positive" : "negative"}: there is no curve to draw.`;
}

export function reason(picture: HTMLElement, words: string): void {
  fill(picture, el("p.reason", {}, words));
}

/** The line below a saved plot. */
export function sourceLine(app: App): string {
  const { drawing, now } = app;
  const from = (drawing.provenance ?? {}) as Record<string, unknown>;
  const hash = String(from["hash"] ?? "");
  const parts = [
    `rocscope ${String(from["version"] ?? "")}`.trim(),
    visible(drawing.title),
    hash ? `sha256 ${hash.slice(0, 8)}…${hash.slice(-4)}` : "",
    `${brief(now.model.name)} at ${now.at}, ${ratioText(now.prices.fp, now.prices.fn)}, ${percent(now.prevalence)} positive`,
  ];
  return parts.filter(Boolean).join(" · ");
}

/** The Python expression for the selected model. */
export function pythonModel(app: App): string {
  const several = app.drawing.models.length > 1;
  const head = "import rocscope as rs\n\n";
  if (!several) return `${head}ev = rs.evaluate(labels, scores)\n`;
  return `${head}cmp = rs.compare(labels, models)  # models: a dictionary of names and scores\nev = cmp.evaluations[${JSON.stringify(app.now.model.name)}]\n`;
}

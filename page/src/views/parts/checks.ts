// The checks in "What could mislead here": each has a code and a link to the view that shows it, and can be muted; muted
// checks are stored in the link of the page.

import { button, el, text } from "../../core/dom.ts";

const SHOWN: Record<string, readonly string[]> = {
  roc: ["higher_auc", "higher_auc_only", "higher_auc_measure", "reversed_data", "separated", "one_score", "two_scores"],
  measures: ["accuracy_below", "accuracy_equal", "accuracy_above", "rare_negatives", "few"],
  calibration: ["too_extreme", "too_moderate", "too_high", "too_low"],
  cases: ["corrected", "uncorrected", "optimistic"], pr: ["rare_positives"], strip: ["dominated", "tied"], each: ["neglected"],
};
/** What can be muted, and how. */
export interface Muting {
  readonly state: { readonly mute: readonly string[] };
  set(patch: { mute: readonly string[] }): void;
}

const viewOf = (code: string) => Object.keys(SHOWN).find((view) => SHOWN[view]?.includes(code)) ?? "";

/** Adds the tools to every check of a column; returns a function that updates the muted ones. */
export function checks(app: Muting, column: HTMLElement): () => void {
  const stated = Array.from(column.querySelectorAll<HTMLElement>("p[data-check]"));
  const muted = el("p.check", { hidden: true });
  const set = (code: string, on: boolean) => app.set({ mute: on ? [...app.state.mute, code] : app.state.mute.filter((one) => one !== code) });
  for (const one of stated) {
    const code = one.dataset["check"] as string;
    const view = document.getElementById(viewOf(code));
    const see = view && button("see", { title: `Check ${code}: go to the view that shows it` }, () => view.scrollIntoView({ block: "start" }));
    one.append(el("span.check", {}, see || null, button("mute", { title: `Do not show the check ${code}` }, () => set(code, true))));
  }
  column.append(muted);
  return () => {
    for (const one of stated) one.hidden = app.state.mute.includes(one.dataset["check"] as string);
    const hidden = stated.filter((one) => one.hidden).map((one) => one.dataset["check"]);
    muted.hidden = !hidden.length;
    text(muted, `Muted: ${hidden.join(", ")}. `);
    if (hidden.length) muted.append(button("show again", {}, () => app.set({ mute: [] })));
  };
}

// Tools for the classroom: own data, projector mode, guessing the next move, a link to the state. They are part of the
// standalone lesson page, not of the lesson within a report.

import { attrs, button, el, fill, find, on, page, pressed, set, text } from "../core/dom.ts";
import { svg } from "../core/svg.ts";
import { asText, framed, save } from "../views/parts/picture.ts";
import { drawRoc } from "./picture.ts";
import type { Case, Ranking, Step } from "./ranking.ts";
import { cardOf, ending } from "./words.ts";

/** The interface of the lesson that the tools use. */
export interface Stage {
  readonly root: HTMLElement;
  now(): { ranking: Ranking; step: number; hull: boolean; rival: Ranking | undefined };
  show(cases: readonly Case[], rival?: readonly Case[], lines?: readonly string[], title?: string): void;
  go(step: number): void;
  /** Further entries of the link: the exercise, the plan. */
  readonly extra: Map<string, string>;
  /** Called after every drawing. */
  drawn?: () => void;
}

const MOST = 60;
const POSITIVE = /^(1|1\.0|p|pos|positive|yes|y|true|t|\+)$/i;
const NEGATIVE = /^(0|0\.0|-1|n|neg|negative|no|false|f|-)$/i;

/** A list of scores with labels, one case per line, in either order: "0.9 p", "1, 0.8". An error message if it is invalid. */
export function casesOf(written: string): Case[] | string {
  const found: Case[] = [];
  const lines = written.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  for (const [i, line] of lines.entries()) {
    const cells = line.split(/[\s,;]+/).filter(Boolean);
    const one = cells.length === 2 ? (caseIn(cells[0] as string, cells[1] as string) ?? caseIn(cells[1] as string, cells[0] as string)) : null;
    if (one) found.push(one);
    else if (i > 0) return `Line ${i + 1} is not a score with a label: ${line.slice(0, 40)}`; // the first line may contain column names
  }
  if (found.length < 2) return "Write one case per line: its score, then p or n (or 1 or 0).";
  if (found.length > MOST) return `${found.length} cases; at most ${MOST} can be shown step by step.`;
  return found.some((one) => one.positive) && found.some((one) => !one.positive) ? found : "At least one positive and one negative are needed.";
}

function caseIn(score: string, label: string): Case | null {
  const value = Number(score);
  if (!isFinite(value) || !(POSITIVE.test(label) || NEGATIVE.test(label))) return null;
  return { score: value, positive: POSITIVE.test(label) };
}

/** The list and the step as a fragment: "list=0.9p,0.8n&step=2". */
export const toFragment = (cases: readonly Case[], step: number): string =>
  `list=${cases.map((one) => `${one.score}${one.positive ? "p" : "n"}`).join(",")}&step=${step}`;

/** The list and the step in a fragment; null if it contains none. */
export function fromFragment(fragment: string): { cases: Case[]; step: number } | null {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const list = given.get("list");
  const cases = list ? casesOf(list.split(",").map((one) => `${one.slice(0, -1)} ${one.slice(-1)}`).join("\n")) : "";
  return typeof cases === "string" ? null : { cases, step: Math.max(0, Math.round(Number(given.get("step")) || 0)) };
}

/** Adds the tools; returns their container. */
export function classroom(stage: Stage): HTMLElement {
  const start = fromFragment(location.hash);
  const row = el("div.teach-tools", {}, own(stage), projector(), guess(stage), button("Save as slide", {}, () => slide(stage)));
  const shown = stage.drawn;
  let ready = false;
  stage.drawn = () => {
    shown?.();
    const { ranking, step } = stage.now();
    if (ready) write([toFragment(ranking.cases, step), ...[...stage.extra].map(([key, value]) => `${key}=${value}`)].join("&"));
  };
  queueMicrotask(() => {
    if (start) {
      stage.show(start.cases);
      stage.go(start.step);
    }
    ready = true;
  });
  return row;
}

function write(fragment: string): void {
  try {
    history.replaceState(null, "", `#${fragment}`);
  } catch {
    // a sandboxed frame may not change its address
  }
}

function own(stage: Stage): HTMLElement {
  const field = el("textarea", { rows: 6, spellcheck: "false", "aria-label": "Your own scores and labels", placeholder: "0.9 p\n0.8 n\n0.7 p" });
  const said = el("p.muted", { role: "status" });
  const use = button("Use these", {}, () => {
    const found = casesOf(field.value);
    if (typeof found === "string") return text(said, found);
    text(said, `${found.length} cases.`);
    stage.show(found);
  });
  return el("details.teach-own", {}, el("summary", {}, "Your own scores"), field, el("div", {}, use, said));
}

/** Projector mode: large type, full screen, no scrolling. */
function projector(): HTMLElement {
  const one = button("Projector", { "aria-pressed": "false", title: "Full screen, large type" }, () => {
    const on = one.getAttribute("aria-pressed") !== "true";
    attrs(one, pressed(on));
    page.toggleAttribute("data-projector", on);
    // a browser may refuse full screen; large type remains
    if (on) void page.requestFullscreen?.().catch(() => undefined);
    else if (document.fullscreenElement) void document.exitFullscreen();
    window.dispatchEvent(new Event("resize"));
  });
  on(document, "fullscreenchange", () => {
    if (document.fullscreenElement || one.getAttribute("aria-pressed") !== "true") return;
    attrs(one, { "aria-pressed": "false" });
    page.removeAttribute("data-projector");
    window.dispatchEvent(new Event("resize"));
  });
  return one;
}

const MOVES: [Step["move"], string][] = [["up", "↑ up"], ["right", "→ right"], ["diagonal", "↗ diagonal"]];

/** Which way does the curve go next? The answer is shown after the guess. */
function guess(stage: Stage): HTMLElement {
  let [right, asked] = [0, 0];
  const said = el("span", { role: "status" });
  const ask = (move: Step["move"]) => {
    const { ranking, step } = stage.now();
    const next = ranking.steps[step + 1];
    if (!next) return text(said, "This is the end of the list.");
    asked += 1;
    right += next.move === move ? 1 : 0;
    const name = MOVES.find(([one]) => one === next.move)?.[1] ?? "";
    text(said, `${next.move === move ? "Correct" : "No"}: ${name}. ${right} of ${asked} correct.`);
    stage.go(step + 1);
  };
  const buttons = el("span.switch", { hidden: true }, ...MOVES.map(([move, name]) => button(name, {}, () => ask(move))));
  const open = button("Guess the next move", { "aria-pressed": "false" }, () => {
    const on = Boolean(buttons.hidden);
    buttons.hidden = !on;
    [right, asked] = [0, 0];
    attrs(open, pressed(on));
    stage.root.toggleAttribute("data-guess", on); // hides the path ahead
    fill(said);
  });
  return el("span.teach-guess", {}, open, buttons, said);
}

/** The curve with its explanation as an SVG the size of a slide. */
function slide(stage: Stage): void {
  const { root } = stage;
  const { ranking, step, hull, rival } = stage.now();
  const card = cardOf(ranking, step);
  const wide = svg("svg.teach-roc");
  root.append(wide); // attached to the page, so that its styles are computed
  drawRoc(wide, 560, ranking, step, { hull: hull, rival: rival });
  const hidden = root.hasAttribute("data-hide");
  if (hidden) wide.querySelectorAll(".teach-answer").forEach((one) => one.remove());
  const reading = hidden ? "" : `${card.title}. ${ending(ranking)}`;
  const made = framed([wide], { title: "How a ranking becomes a curve", reading, source: "rocscope" });
  wide.remove();
  const [width, height] = [Number(made.getAttribute("width")), Number(made.getAttribute("height"))];
  const [w, h] = [Math.max(width, (height * 16) / 9), Math.max(height, (width * 9) / 16)];
  const [left, top] = [-(w - width) / 2, -(h - height) / 2];
  set(made, "viewBox", `${left} ${top} ${w} ${h}`);
  const paper = find(made, "rect"); // the first rectangle is the background, which is extended to the slide
  if (paper) attrs(paper, { x: left, y: top, width: w, height: h });
  set(made, "width", "1280");
  set(made, "height", "720");
  save(new Blob([asText(made)], { type: "image/svg+xml" }), `roc-step-${step}.svg`);
}

// Practice below the lesson: exercises by seed, with the answer hidden until requested, and how resampling plans divide
// cases. Both are computed in Python and only displayed here.

import { attrs, button, el, fill, find, on, pressed } from "../core/dom.ts";
import { svg } from "../core/svg.ts";
import type { Stage } from "./classroom.ts";
import type { Case } from "./ranking.ts";
import type { Lesson } from "./view.ts";

export interface Exercise {
  readonly seed: number;
  readonly title: string;
  readonly text: string;
  readonly answers: readonly string[];
  readonly solution: string;
  /** The list of an exercise on a ranking. */
  readonly cases?: readonly Case[];
}

export interface Divided {
  /** The classes of the cases that are divided. */
  readonly labels: readonly number[];
  readonly plans: readonly {
    readonly name: string;
    readonly says: string;
    readonly train: number;
    readonly test: number;
    readonly models: number;
    readonly pairs: readonly { readonly test: readonly number[]; readonly train: readonly number[] }[];
  }[];
}

export function practice(stage: Stage, lesson: Lesson): HTMLElement[] {
  const asked = new URLSearchParams(location.hash.replace(/^#/, ""));
  const made: HTMLElement[] = [];
  if (lesson.exercises?.length) made.push(exercises(stage, lesson.exercises, Number(asked.get("seed") ?? 0)));
  if (lesson.folds?.plans.length) made.push(folds(stage, lesson.folds, asked.get("plan") ?? ""));
  return made;
}

/** Stores a choice in the link. */
function keep(stage: Stage, key: string, value: string): void {
  stage.extra.set(key, value);
  stage.drawn?.();
}

// ---- exercises ----

function exercises(stage: Stage, all: readonly Exercise[], first: number): HTMLElement {
  let at = all.findIndex((one) => one.seed === first);
  const asked = at >= 0;
  at = Math.max(0, at);
  const pick = el("select", { "aria-label": "Seed of the exercise" }, ...all.map((one, k) => el("option", { value: k }, `seed ${one.seed}: ${one.title}`)));
  const body = el("div", { "aria-live": "polite" });
  const go = (to: number): void => {
    at = (to + all.length) % all.length;
    show();
    keep(stage, "seed", String(all[at]?.seed));
  };
  on(pick, "change", () => go(Number(pick.value)));
  const show = (): void => {
    const one = all[at] as Exercise;
    pick.value = String(at);
    const answer = el("div.teach-solution", { hidden: true }, el("pre.code", {}, one.solution), el("p", {}, "Answer: ", one.answers.join("; "), "."));
    const open = button("Show the answer", { "aria-expanded": "false" }, () => {
      answer.hidden = !answer.hidden;
      attrs(open, { "aria-expanded": String(!answer.hidden) });
      fill(open, answer.hidden ? "Show the answer" : "Hide the answer");
    });
    const list = one.cases;
    const walk = list ? button("Step through this list", {}, () => walkTo(stage, list)) : null;
    const command = el("code", {}, `rocscope exercise --seed ${one.seed}`);
    fill(body, el("h3", {}, one.title), el("p", {}, one.text), el("p.teach-switches", {}, open, walk), answer, el("p.muted", {}, command, " prints this exercise; every seed gives a different one."));
  };
  show();
  if (asked) stage.extra.set("seed", String(first));
  const step = (name: string, by: number) => button(name, {}, () => go(at + by));
  const head = el("p.teach-switches", {}, step("Previous", -1), pick, step("Next", 1));
  return el("section.teach-gallery.teach-practice", { id: "exercises" }, el("h2", {}, "Exercises"), head, body);
}

function walkTo(stage: Stage, cases: readonly Case[]): void {
  stage.show(cases);
  find(stage.root, ".teach-bar")?.scrollIntoView({ block: "start" });
}

// ---- folds ----

const [CELL, GAP, LEFT, TOP] = [22, 3, 66, 26];

function folds(stage: Stage, divided: Divided, first: string): HTMLElement {
  const names = divided.plans.map((one) => one.name);
  let at = Math.max(0, names.indexOf(first));
  const buttons = names.map((name, k) =>
    button(name, {}, () => {
      at = k;
      show();
      keep(stage, "plan", name);
    }),
  );
  const reading = el("p", { "aria-live": "polite" });
  const picture = el("div.scroll", { tabindex: 0 });
  const show = (): void => {
    buttons.forEach((one, k) => attrs(one, pressed(k === at)));
    fill(reading, wordsOf(divided, at));
    fill(picture, drawn(divided, at));
  };
  show();
  if (names.includes(first)) stage.extra.set("plan", first);
  const key = el("p.muted", {}, "Dark: test case. Pale: training case, with the count if it is drawn more than once. Empty: neither.");
  return el("section.teach-gallery.teach-practice", { id: "folds" }, el("h2", {}, "Folds of a cross-validation"), el("p.teach-switches", {}, ...buttons), reading, picture, key);
}

/** The number of models, the sizes of their sets, and how often a case is tested. */
export function wordsOf({ labels, plans }: Divided, at: number): string {
  const plan = plans[at] as Divided["plans"][number];
  const tested = labels.map((_, k) => plan.pairs.filter((pair) => pair.test.includes(k)).length);
  const [least, most] = [Math.min(...tested), Math.max(...tested)];
  const times = (n: number) => (n === 0 ? "never" : n === 1 ? "once" : n === 2 ? "twice" : `${n} times`);
  const often = least === most ? `every case is tested ${times(most)}` : `a case is tested between ${least} and ${most} times`;
  const models = plan.models === 1 ? "1 model is" : `${plan.models} models are`;
  const cases = (n: number) => (n === 1 ? "1 case" : `${n} cases`);
  return `${plan.says.replace(/^./, (first) => first.toUpperCase())}: ${models} trained; the first is trained on ${cases(plan.train)} and tested on ${plan.test}; ${often}.`;
}

function drawn({ labels, plans }: Divided, at: number): SVGSVGElement {
  const plan = plans[at] as Divided["plans"][number];
  const [width, height] = [LEFT + labels.length * CELL, TOP + plan.pairs.length * CELL];
  const root = svg("svg.teach-folds", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Test and training cases of ${plan.pairs.length} splits` });
  root.append(svg("text", { x: 0, y: 15 }, "class"));
  labels.forEach((label, k) => root.append(svg("circle", { class: label ? "yes" : "no", cx: LEFT + k * CELL + (CELL - GAP) / 2, cy: 11, r: 5 })));
  plan.pairs.forEach((pair, row) => {
    root.append(svg("text", { x: 0, y: TOP + row * CELL + 14 }, plan.pairs.length === 1 ? "split" : `split ${row + 1}`));
    labels.forEach((_, k) => {
      const times = pair.train[k] ?? 0;
      const look = pair.test.includes(k) ? "test" : times ? "train" : "left";
      const [x, y] = [LEFT + k * CELL, TOP + row * CELL];
      root.append(svg("rect", { class: look, x, y, width: CELL - GAP, height: CELL - GAP, rx: 3 }));
      if (times > 1) root.append(svg("text.ink", { x: x + (CELL - GAP) / 2, y: y + 14, "text-anchor": "middle" }, String(times)));
    });
  });
  return root;
}

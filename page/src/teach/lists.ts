// Lists to choose from on the standalone lesson page: variants of the same list, shapes of curves, worked examples.

import { button, el, group } from "../core/dom.ts";
import { fixed } from "../core/format.ts";
import type { Stage } from "./classroom.ts";
import { crossing } from "./lessons.ts";
import { thumbnail } from "./picture.ts";
import { auc, presets, rank, type Preset } from "./ranking.ts";
import type { Example, Lesson } from "./view.ts";

export function lists(stage: Stage, lesson: Lesson): (HTMLElement | null)[] {
  const asked = "What does the shape of the curve say about the scores?";
  return [
    strip(stage, lesson),
    section("Shapes of curves", lesson.shapes ?? [], (one) => stage.show(one.cases, undefined, [asked, ...one.lines], one.says)),
    section("Worked examples", lesson.examples ?? [], (one) => stage.show(one.cases, undefined, worked(one), one.name)),
  ];
}

function strip(stage: Stage, lesson: Lesson): HTMLElement {
  const list = el("div.teach-strip", { ...group("Other lists") });
  for (const one of presets(lesson.cases)) list.append(choice(one, () => stage.show(one.cases)));
  const two = crossing();
  const chosen = { name: two.name, says: "which is better depends on costs", cases: two.cases };
  list.append(choice(chosen, () => stage.show(two.cases, two.rival, two.lines, two.title)));
  return list;
}

function section<One extends Preset>(title: string, all: readonly One[], act: (one: One) => void): HTMLElement | null {
  if (!all.length) return null;
  const list = el("div.teach-strip", {}, ...all.map((one) => choice(one, () => act(one))));
  return el("section.teach-gallery", {}, el("h2", {}, title), list);
}

function choice(one: Preset, act: () => void): HTMLElement {
  const r = rank(one.cases);
  const area = r.all ? `, AUC ${fixed(auc(r), 3).replace(/\.?0+$/, "")}` : "";
  const words = el("span", {}, el("b", {}, one.name), el("span.muted", {}, one.says, el("span.teach-answer", {}, area)));
  return button(el("span.teach-choice", {}, thumbnail(r), words), {}, act);
}

const worked = (one: Example): string[] => [one.question ?? one.says, ...(one.answers ?? [])];

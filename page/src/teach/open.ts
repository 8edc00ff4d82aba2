// Opens the lesson: over the report ("Learn ROC"), or as a standalone page.

import { themeButton } from "../core/bar.ts";
import type { Drawing } from "../core/data.ts";
import { button, el, find, page } from "../core/dom.ts";
import { count } from "../core/format.ts";
import { sample, sampled } from "./ranking.ts";
import { teach, type Lesson, type Room } from "./view.ts";

/** Mounts the lesson on a standalone page; false if there is none. */
export function openLesson(room: Room): boolean {
  const holder = document.getElementById("rocscope-lesson");
  const root = find(document, "main");
  if (!holder || !root) return false;
  const lesson = JSON.parse(holder.textContent ?? "{}") as Lesson;
  find(document, "header.bar .tools")?.append(themeButton());
  root.classList.remove("teach-static");
  teach(root, lesson.cases?.length ? lesson : { ...lesson, cases: sample() }, room);
  return true;
}

/** Adds "Learn ROC" to the toolbar: the lesson with the cases of the report, and a way back. */
export function installLearn(drawing: Drawing, chosen: () => number): void {
  const bar = find(document, "header.bar .tools");
  const main = find(document, "main");
  if (!bar || !main) return;
  let close: (() => void) | null = null;
  const room = el("main.teach-room", { hidden: true });
  main.after(room);
  const learn = button("Learn ROC", { class: "plain" }, () => {
    if (close) {
      close();
      close = null;
    } else close = teach(room, lessonOf(drawing, chosen()));
    const open = close !== null;
    page.toggleAttribute("data-teach", open);
    room.hidden = !open;
    main.hidden = open;
    learn.textContent = open ? "Back to the report" : "Learn ROC";
    window.scrollTo(0, 0);
    (open ? find(room, "h1") : learn)?.focus();
  });
  bar.prepend(learn);
}

function lessonOf(drawing: Drawing, chosen: number): Lesson {
  const model = drawing.models[chosen];
  if (!model || model.labels_only || drawing.rule === "<=") return { cases: sample() };
  const cases = sampled(model.thresholds, model.tp, model.fp);
  const total = drawing.positives + drawing.negatives;
  if (cases.length === total || drawing.weighted) return { cases };
  return { cases, note: `${cases.length} of ${count(total)} ${drawing.units}, sampled evenly over the ranking of ${model.name}; the curve approximates the full one.` };
}

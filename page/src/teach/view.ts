// The lesson: the ranked list is the trace table, the curve grows next to it, and a card explains each step.

import { append, attrs, button, el, fill, group, HIDDEN, on, pressed, set, text } from "../core/dom.ts";
import { fixed, significant } from "../core/format.ts";
import { drag, svg } from "../core/svg.ts";
import { sentence } from "../core/words.ts";
import { drawPr, drawRoc } from "./picture.ts";
import { averagePrecision, moved, rank, type Case, type Preset, type Ranking, type Step } from "./ranking.ts";
import { cardOf, ending } from "./words.ts";
import type { Stage } from "./classroom.ts";
import type { Divided, Exercise } from "./practice.ts";

/** A worked example: its list, its question, and its answers, which can be shown or hidden. */
export interface Example extends Preset {
  readonly question?: string;
  readonly answers?: readonly string[];
}

export interface Lesson {
  readonly cases: readonly Case[];
  /** A description of the list if it is a sample: "60 of 12,000 cases, spread evenly". */
  readonly note?: string;
  readonly examples?: readonly Example[];
  /** Shapes of curves, each a list with an explanation. */
  readonly shapes?: readonly (Preset & { readonly lines: readonly string[] })[];
  readonly exercises?: readonly Exercise[];
  readonly folds?: Divided;
}

const ANSWER = "num teach-answer"; // class of a cell that is hidden with the answers
const ARROWS: Record<Step["move"], string> = { start: "", up: "\u2191", right: "\u2192", diagonal: "\u2197" };
const SPEEDS = { slow: 1600, normal: 800, fast: 250 };
type Speed = keyof typeof SPEEDS;
const TALLEST = 60;

/** Additional parts of the standalone page: tools above the lesson, lists and practice below it. */
export interface Room {
  readonly tools: (stage: Stage) => HTMLElement;
  readonly under: (stage: Stage, lesson: Lesson) => (HTMLElement | null)[];
}

/** Mounts the lesson into an element, with classroom tools if given, and returns a function that removes it. */
export function teach(root: HTMLElement, lesson: Lesson, room?: Room): () => void {
  const scene = new Scene(root, lesson, room);
  return () => scene.close();
}

class Scene implements Stage {
  drawn?: () => void;
  readonly extra = new Map<string, string>();
  private ranking: Ranking;
  private rival: Ranking | undefined;
  private lines: readonly string[] = [];
  private title = "";
  private asked = true; // the answers of an example are shown on request
  private step = 0;
  private speed: Speed = "normal";
  private timer = 0;
  private hull = false;
  private readonly body = el("tbody");
  private readonly table: HTMLTableElement;
  private readonly flagged: Element; // the heading of the prediction column, which shows the threshold
  private readonly roc = svg("svg", { role: "img", class: "teach-roc" });
  private readonly pr = svg("svg", { role: "img", class: "teach-pr" });
  private readonly picture = el("div.picture", {}, this.roc);
  private readonly card = el("div.teach-card", { "aria-live": "polite" });
  private readonly slider = el("input", { type: "range", min: 0, step: 1, value: 0, "aria-label": "Step" });
  private readonly where = el("b.num");
  private readonly play = button(icon("play"), { class: "teach-play" }, () => this.toggle());
  private readonly resize = () => this.draw();

  constructor(readonly root: HTMLElement, private readonly lesson: Lesson, room?: Room) {
    this.ranking = rank(lesson.cases);
    const heads = ["score", "case", "flagged", "move", "TP", "FP", "area so far"];
    const row = el("tr", {}, ...heads.map((name, k) => el("th", { scope: "col", class: k > 1 ? ANSWER : k ? null : "num" }, name)));
    this.flagged = row.children[2] as Element;
    attrs(this.flagged, { title: "Prediction at the threshold of this step: 1 flagged, 0 not flagged" });
    this.table = el("table.teach-list", {}, el("thead", {}, row), this.body);
    this.root.classList.add("teach");
    fill(this.root, this.head(), this.controls(), room?.tools(this), this.columns(), ...(room?.under(this, this.lesson) ?? []));
    on(document, "keydown", this.keys);
    on(window, "resize", this.resize);
    this.show(lesson.cases);
  }

  now(): ReturnType<Stage["now"]> {
    return { ranking: this.ranking, step: this.step, hull: this.hull, rival: this.rival };
  }

  close(): void {
    this.stop();
    window.removeEventListener("resize", this.resize);
    document.removeEventListener("keydown", this.keys);
    this.root.replaceChildren();
  }

  // ---- layout ----

  private head(): HTMLElement {
    const said = "Sort the cases by score, highest first. Go down the list: a positive moves the curve up, a negative moves it right, and a tie moves it diagonally. Drag a row, or press Alt with the arrows, to change the ranking.";
    return el("div.teach-head", {}, el("h1.headline", { tabindex: -1 }, "How a ranking becomes a curve"), el("p.lead", {}, said), this.lesson.note ? el("p.muted", {}, this.lesson.note) : null);
  }

  private controls(): HTMLElement {
    const jump = (label: string, sign: Sign, to: () => number) => button(icon(sign), { class: "teach-jump", "aria-label": label, title: label }, () => this.go(to()));
    const speeds = el("div.switch", { ...group("Speed") });
    for (const name of Object.keys(SPEEDS) as Speed[]) {
      const one = button(name, pressed(name === this.speed), () => {
        this.speed = name;
        speeds.querySelectorAll("button").forEach((other) => set(other, "aria-pressed", String(other === one)));
        if (this.timer) this.start();
      });
      speeds.append(one);
    }
    on(this.slider, "input", () => this.go(Number(this.slider.value)));
    const bar = el("section.controls.teach-bar", { "aria-label": "Step through the list" });
    append(bar, [
      jump("First step", "first", () => 0),
      jump("Step back", "back", () => this.step - 1),
      this.play,
      jump("Step forward", "on", () => this.step + 1),
      jump("Last step", "last", () => this.ranking.steps.length),
      this.slider,
      this.where,
      speeds,
    ]);
    return bar;
  }

  private columns(): HTMLElement {
    const switches = el("div.teach-switches");
    const flip = (name: string, act: (on: boolean) => void) => {
      const one = button(name, { "aria-pressed": "false" }, () => {
        const on = one.getAttribute("aria-pressed") !== "true";
        set(one, "aria-pressed", String(on));
        act(on);
      });
      return one;
    };
    switches.append(
      flip("Hull", (on) => {
        this.hull = on;
        this.draw();
      }),
      flip("Hide answers", (on) => {
        this.root.toggleAttribute("data-hide", on);
        this.draw();
      }),
    );
    const small = el("div.teach-small", {}, el("h2", {}, "The same list as precision and recall"), this.pr);
    return el(
      "div",
      { class: "teach-columns" },
      el("section.teach-table", { "aria-label": "The ranked list" }, this.table),
      el("section.teach-picture", { "aria-label": "The curve" }, this.picture, switches),
      el("section.teach-words", { "aria-label": "What happened" }, this.card, small),
    );
  }

  // ---- changing the list ----

  show(cases: readonly Case[], rival?: readonly Case[], lines: readonly string[] = [], title = ""): void {
    this.title = title;
    this.asked = !lines.length || rival !== undefined;
    this.stop();
    this.ranking = rank(cases);
    this.rival = rival ? rank(rival) : undefined;
    this.lines = lines;
    this.step = rival || lines.length ? this.ranking.steps.length - 1 : 0;
    this.rows();
    this.draw();
  }

  // ---- list of cases ----

  private rows(): void {
    const r = this.ranking;
    const last = new Map(r.steps.slice(1).map((step) => [step.rows - 1, step]));
    const shown = r.cases.slice(0, TALLEST).map((one, i) => this.row(one, i, last.get(i)));
    fill(this.body, ...shown);
    this.slider.max = String(r.steps.length - 1);
  }

  private row(one: Case, i: number, step: Step | undefined): HTMLTableRowElement {
    const mark = svg("svg.teach-mark", { viewBox: "0 0 12 12", width: 12, height: 12, ...HIDDEN }, svg("circle", { class: one.positive ? "yes" : "no", cx: 6, cy: 6, r: 4.5 }));
    const cell = (value: string, kind = ANSWER) => el("td", { class: kind }, value);
    const area = step && this.ranking.all ? fixed(step.pairs / this.ranking.all, 3) : "";
    const row = el(
      "tr",
      { tabindex: 0, "data-row": i, "aria-label": `${one.positive ? "positive" : "negative"} with score ${significant(one.score, 6)}, rank ${i + 1}` },
      cell(this.score(one.score), "num"),
      el("td", {}, mark, ` ${one.positive ? "positive" : "negative"}`),
      cell("", `${ANSWER} teach-flag`),
      ...[step && ARROWS[step.move], step?.tp, step?.fp, area].map((value) => cell(String(value ?? ""))),
    );
    this.draggable(row, i);
    return row;
  }

  /** All scores with the same number of decimals, as many as the list needs, so that they align. */
  private score(value: number): string {
    const decimals = Math.min(4, Math.max(...this.ranking.cases.map((one) => (String(one.score).split(".")[1] ?? "").length)));
    return fixed(value, decimals);
  }

  private draggable(row: HTMLTableRowElement, from: number): void {
    let to = from;
    drag(
      row,
      (_, y) => {
        to = this.placeAt(y, from);
        this.body.querySelectorAll("tr").forEach((one, i) => one.classList.toggle("teach-drop", i === to && to !== from));
        row.classList.add("teach-held");
      },
      () => {
        row.classList.remove("teach-held");
        if (to !== from) this.move(from, to);
      },
    );
  }

  private placeAt(y: number, otherwise: number): number {
    const rows = Array.from(this.body.children).map((row) => row.getBoundingClientRect());
    const found = rows.findIndex((box) => y < box.bottom);
    return rows.length ? (found < 0 ? rows.length - 1 : found) : otherwise;
  }

  private move(from: number, to: number): void {
    if (to < 0 || to >= this.ranking.cases.length) return;
    this.ranking = rank(moved(this.ranking.cases, from, to));
    this.step = Math.min(this.step, this.ranking.steps.length - 1);
    this.lines = [];
    this.rows();
    this.draw();
    (this.body.children[to] as HTMLElement | undefined)?.focus();
  }

  // ---- stepping through ----

  private readonly keys = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (!this.root.contains(target) && target !== document.body) return; // the toolbar above has its own keys
    const row = target.closest<HTMLElement>("tr[data-row]");
    if (row && event.altKey && (event.key === "ArrowUp" || event.key === "ArrowDown")) {
      const from = Number(row.dataset["row"]);
      this.move(from, from + (event.key === "ArrowUp" ? -1 : 1));
    } else if (event.altKey || event.ctrlKey || event.metaKey || target.matches("input[type=range]")) return;
    else if (event.key === " " && !target.matches("button")) this.toggle();
    else if (event.key === "ArrowRight" || event.key === "ArrowDown") this.go(this.step + 1);
    else if (event.key === "ArrowLeft" || event.key === "ArrowUp") this.go(this.step - 1);
    else if (event.key === "Home") this.go(0);
    else if (event.key === "End") this.go(Infinity);
    else return;
    event.preventDefault();
    event.stopPropagation(); // the page's own shortcuts apply to the report
  };

  go(step: number): void {
    this.stop();
    this.jump(step);
  }

  private jump(step: number): void {
    this.step = Math.max(0, Math.min(this.ranking.steps.length - 1, step));
    this.lines = [];
    this.draw();
  }

  private toggle(): void {
    if (this.timer) this.stop();
    else {
      if (this.step >= this.ranking.steps.length - 1) this.jump(0);
      this.start();
    }
  }

  private start(): void {
    window.clearInterval(this.timer);
    this.timer = window.setInterval(() => {
      this.jump(this.step + 1);
      if (this.step >= this.ranking.steps.length - 1) this.stop();
    }, SPEEDS[this.speed]);
    this.named();
  }

  private stop(): void {
    window.clearInterval(this.timer);
    this.timer = 0;
    this.named();
  }

  private named(): void {
    fill(this.play, icon(this.timer ? "pause" : "play"));
    set(this.play, "aria-label", this.timer ? "Pause" : "Play");
  }

  // ---- drawing ----

  private draw(): void {
    const r = this.ranking;
    const now = r.steps[this.step] as Step;
    const before = (r.steps[this.step - 1] ?? now) as Step;
    const width = Math.max(280, Math.min(480, this.picture.clientWidth || 480));
    drawRoc(this.roc, width, r, this.step, { hull: this.hull, rival: this.rival });
    drawPr(this.pr, Math.max(240, Math.min(300, this.card.clientWidth || 268)), r, this.step);
    this.name(now);
    Array.from(this.body.children).forEach((row, i) => {
      row.classList.toggle("teach-future", i >= now.rows);
      text(row.children[2] as Element, i < now.rows ? "1" : "0"); // prediction at the threshold of this step
      row.classList.toggle("teach-now", this.step > 0 && i >= before.rows && i < now.rows);
      row.classList.toggle("teach-edge", this.step > 0 && i === now.rows - 1);
    });
    text(this.flagged, now.threshold === null ? "flagged" : `\u2265 ${this.score(now.threshold)}`);
    this.follow(now);
    this.slider.value = String(this.step);
    this.slider.style.setProperty("--at", `${((100 * this.step) / Math.max(1, r.steps.length - 1)).toFixed(2)}%`);
    const spoken = now.threshold === null ? "nothing flagged" : `threshold ${significant(now.threshold, 6)}`;
    set(this.slider, "aria-valuetext", `step ${this.step} of ${r.steps.length - 1}, ${spoken}`);
    text(this.where, `step ${this.step} of ${r.steps.length - 1}`);
    this.say(now);
    this.drawn?.();
  }

  /** A long list scrolls along if it has a frame of its own. */
  private follow(now: Step): void {
    const frame = this.table.parentElement;
    const row = this.body.children[Math.max(0, now.rows - 1)];
    if (frame && row && frame.scrollHeight > frame.clientHeight + 1) row.scrollIntoView({ block: "nearest" });
  }

  /** Descriptions of the plots for screen readers, without anything that is hidden from others. */
  private name(now: Step): void {
    const r = this.ranking;
    const hidden = this.root.hasAttribute("data-hide");
    const rates = `recall ${fixed(r.positives ? now.tp / r.positives : NaN, 3)}, false positive rate ${fixed(r.negatives ? now.fp / r.negatives : NaN, 3)}`;
    set(this.roc, "aria-label", hidden ? `ROC curve after step ${this.step}` : `ROC curve after step ${this.step}: ${rates}`);
    set(this.pr, "aria-label", hidden ? "Precision and recall" : `Precision and recall, average precision ${fixed(averagePrecision(r), 3)}`);
  }

  private say(now: Step): void {
    const r = this.ranking;
    const card = cardOf(r, this.step);
    const lines = this.lines.length ? this.lines.slice(0, this.asked ? undefined : 1) : card.lines;
    const ask = () => {
      this.asked = true;
      this.draw();
    };
    const figure = (name: string, value: string) => el("div", {}, el("dt", {}, name), el("dd", {}, value));
    const area = r.all ? fixed(now.pairs / r.all, 3) : "\u2013";
    fill(
      this.card,
      el("h2", { class: this.lines.length ? null : "teach-answer" }, this.lines.length ? this.title : card.title),
      ...lines.map((line, i) => el("p", { class: this.lines.length && i ? "teach-answer" : null }, ...sentence(line, {}))),
      this.asked || !this.lines.length ? null : el("p.teach-switches", {}, button("Show the answer", {}, ask)),
      card.sums.length && !this.lines.length ? el("pre.code.teach-answer", {}, card.sums.join("\n")) : null,
      ...(this.lines.length && !this.asked ? [] : [el("dl.teach-figures.teach-answer", {}, figure("TP", String(now.tp)), figure("FP", String(now.fp)), figure("area so far", area)),
      el("p.teach-answer", {}, ending(r))]),
    );
  }
}

// drawn as SVG, because fonts lack these characters or show them as colored emoji
const SIGNS = {
  first: "M4,3v10M13,3L6,8l7,5z",
  back: "M12,3L4,8l8,5z",
  play: "M5,3l8,5l-8,5z",
  pause: "M4,3h3v10h-3zM9,3h3v10h-3z",
  on: "M4,3l8,5l-8,5z",
  last: "M12,3v10M3,3l7,5l-7,5z",
};
type Sign = keyof typeof SIGNS;

const icon = (sign: Sign): SVGSVGElement =>
  svg("svg.teach-icon", { viewBox: "0 0 16 16", width: 16, height: 16, ...HIDDEN }, svg("path", { d: SIGNS[sign] }));

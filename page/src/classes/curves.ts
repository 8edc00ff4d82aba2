// One ROC curve per class: the selected one in front, and the leftmost fifth enlarged if all curves are close to the corner.

import { linear, xAxis, yAxis } from "../core/axis.ts";
import { attrs, button, el, fill, find, on, pressed } from "../core/dom.ts";
import { estimateText, shortName, type Shown } from "../core/format.ts";
import { linePath, svg, textWidth } from "../core/svg.ts";
import type { ClassState } from "./state.ts";

export interface ClassCurve {
  readonly label: string;
  readonly fpr: readonly number[] | null;
  readonly tpr: readonly number[] | null;
  readonly estimates: Readonly<Record<string, Shown & { why?: string }>>;
}

const COLORED = 5;
const FRAME = { left: 38, right: 8, top: 26, bottom: 40 };

interface Wording {
  /** "class", unless these are labels. */
  readonly noun?: string;
  /** The operating point of a curve, if it has one. */
  readonly point?: (place: number) => [number, number] | null;
}

export function mountCurves(section: HTMLElement, classes: readonly ClassCurve[], set: (patch: Partial<ClassState>) => void, more: Wording = {}): (state: ClassState) => void {
  const picture = find(section, ".picture") as HTMLElement;
  const reading = find(section, ".reading") as HTMLElement;
  const zoom = button("zoom in", { title: "Show false positive rates from 0 to 0.2" }, () => set({ zoom: zoom.getAttribute("aria-pressed") !== "true" }));
  const switches = el("div.switches.zoom", {}, el("div.switch", {}, zoom));
  return (state) => {
    attrs(zoom, pressed(state.zoom));
    const width = Math.min(560, Math.max(260, Math.floor(picture.clientWidth) || 440));
    fill(picture, switches, draw(classes, state, width, set, more.point));
    const one = state.chosen === null ? null : classes[state.chosen];
    reading.textContent = one
      ? `${one.label}${more.noun ? "" : " against the rest"}: AUC ${one.estimates["auc"] ? estimateText(one.estimates["auc"]) : "not defined"}.`
      : `${more.noun ? "Each label; those" : "Each class against the rest; the classes"} with the lowest recall are colored. Select a name to highlight it.`;
  };
}

const recallOf = (one: ClassCurve): number => one.estimates["recall"]?.value ?? 2;

/** The classes with a curve, lowest recall first; the first ones have a color, which is the same in every picture. */
export const byRecall = (classes: readonly ClassCurve[]): { one: ClassCurve; place: number }[] =>
  classes.map((one, place) => ({ one, place })).filter(({ one }) => one.fpr?.length).sort((a, b) => recallOf(a.one) - recallOf(b.one));
export const slotOf = (rank: number): number => (rank >= 0 && rank < COLORED ? rank + 1 : 0);

function draw(classes: readonly ClassCurve[], state: ClassState, width: number, set: (patch: Partial<ClassState>) => void, point?: Wording["point"]): SVGSVGElement {
  const right = width - FRAME.right;
  const bottom = FRAME.top + right - FRAME.left;
  const frame = { left: FRAME.left, right, top: FRAME.top, bottom, width: right - FRAME.left, height: bottom - FRAME.top };
  const most = state.zoom ? 0.2 : 1;
  const x = linear([0, most], [frame.left, frame.right]);
  const y = linear([0, 1], [frame.bottom, frame.top]);
  const at = [0, 0.25, 0.5, 0.75, 1];
  const root = svg("svg.plot", { width, height: bottom + FRAME.bottom, viewBox: `0 0 ${width} ${bottom + FRAME.bottom}`, role: "img", "aria-labelledby": "roc-title roc-reading" });
  root.append(svg("defs", {}, svg("clipPath", { id: "classes-frame" }, svg("rect", { x: frame.left, y: frame.top - 1, width: frame.width, height: frame.height + 2 }))));
  root.append(xAxis(frame, x, { at: at.map((one) => one * most), label: "false positive rate" }), yAxis(frame, y, { at, label: "true positive rate" }));
  root.append(svg("line.chance", { x1: x(0), y1: y(0), x2: x(most), y2: y(most) }));
  const ranked = byRecall(classes);
  ranked.map((entry, rank) => ({ ...entry, rank })).reverse().sort((a, b) => Number(a.place === state.chosen) - Number(b.place === state.chosen)).forEach(({ one, place, rank }) => {
    const points = (one.fpr ?? []).map((fpr, k): [number, number] => [x(fpr), y((one.tpr ?? [])[k] as number)]);
    const chosen = place === state.chosen;
    const look = chosen ? "curve chosen" : state.chosen === null && slotOf(rank) ? "curve" : "curve faint";
    root.append(svg("path", { class: look, "data-m": chosen && !slotOf(rank) ? 1 : slotOf(rank), d: linePath(points), "clip-path": "url(#classes-frame)" }));
    const here = look === "curve faint" ? null : point?.(place);
    if (here && here[0] <= most) root.append(svg("circle.dot", { "data-m": slotOf(rank) || 1, r: chosen ? 5 : 3.6, cx: x(here[0]), cy: y(here[1]) }));
  });
  key(root, ranked, state, frame, set);
  return root;
}

function key(root: SVGSVGElement, ranked: { one: ClassCurve; place: number }[], state: ClassState, frame: { right: number; bottom: number }, set: (patch: Partial<ClassState>) => void): void {
  const listed = ranked.map((entry, rank) => ({ ...entry, rank })).filter(({ place, rank }) => rank < COLORED || place === state.chosen);
  const rest = ranked.length - listed.length;
  const top = frame.bottom - 12 - 18 * (listed.length - 1 + Number(rest > 0));
  listed.forEach(({ one, place, rank }, k) => {
    const [line, chosen] = [top + 18 * k, place === state.chosen];
    const value = one.estimates["auc"] ? estimateText(one.estimates["auc"]) : "";
    const left = frame.right - 8 - textWidth(value) - 12 - textWidth(shortName(one.label, 14), chosen ? 650 : 400);
    const slot = chosen && !slotOf(rank) ? 1 : slotOf(rank);
    const hit = svg("rect.hit", { x: left - 34, y: line - 13, width: frame.right - left + 34, height: 18 });
    on(hit, "click", () => set({ chosen: chosen ? null : place }));
    root.append(
      svg("line", { class: chosen ? "curve chosen" : "curve", "data-m": slot, x1: left - 32, x2: left - 8, y1: line - 4, y2: line - 4 }),
      svg("text", { class: chosen ? "name strong halo" : "name halo", "data-m": slot, x: left, y: line }, shortName(one.label, 14)),
      svg("text.ink.halo", { x: frame.right - 8, y: line, "text-anchor": "end" }, value), hit,
    );
  });
  if (rest) root.append(svg("text.halo", { x: frame.right - 8, y: top + 18 * listed.length, "text-anchor": "end" }, `${rest} more`));
}

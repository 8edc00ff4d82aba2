// The interface given to every view: the drawing, the state, and values derived from both, computed once per change.

import type { Document, Drawing, Model } from "./data.ts";
import {
  cellsAt, cellsFor, cheapest, cheapestRow, chosenBy, costPer1000, isOff, pointAt, rowAt, slopeOf, touching,
  type Cells, type Choice, type Found, type Point, type Prices,
} from "./model.ts";
import { shortest, thresholdText } from "./format.ts";
import type { Changed, State, Store } from "./state.ts";

/** The operating point and everything derived from it. */
export interface Now {
  model: Model;
  row: number;
  threshold: number | null;
  /** The text shown everywhere: "0.175". */
  at: string;
  /** The cells in the data, and those at the selected prevalence (the same if it is that of the data). */
  counted: Cells;
  cells: Cells;
  point: Point;
  prices: Prices;
  prevalence: number;
  /** Whether the prevalence differs from that of the data, in which case counts are per 1,000 only. */
  off: boolean;
  cost: number;
  slope: number;
  /** The cheapest model at its cheapest threshold, and the corner of the shared hull that the cost line touches. */
  best: Choice | null;
  corner: { fpr: number; tpr: number } | null;
  /** The result of the rule; `met` is false if no threshold satisfies it. */
  found: Found;
}

export interface App {
  readonly document: Document;
  readonly drawing: Drawing;
  readonly store: Store;
  readonly state: State;
  readonly now: Now;
  /** Changes the state; `done` is false during a drag. */
  set(patch: Partial<State>, done?: boolean): void;
  /** Moves the threshold manually, which selects the rule "By hand". */
  hold(row: number, done?: boolean): void;
  /** Announces a sentence in the live region, 400 ms after the last change. */
  speak(sentence: string): void;
}

/** A view draws only inside its own section. */
export interface View {
  id: string;
  mount(section: HTMLElement, app: App): void;
  update(app: App, changed: Changed): void;
}

export function derive(d: Drawing, state: State): Now {
  const model = d.models[state.model] as Model;
  const prices = { fp: state.fp, fn: state.fn };
  const { prevalence } = state;
  const setting = { prices, prevalence, precision: state.precision, top: state.top };
  const found: Found = model.labels_only || d.points // one point each: before it nothing is flagged, after it all
    ? { row: Math.min(1, model.tp.length - 1), met: true }
    : state.rule === "hand"
      ? { row: rowAt(d, model, state.threshold), met: true }
      : chosenBy(state.rule, d, model, setting);
  const { row } = found;
  const threshold = state.rule === "hand" && !model.labels_only ? state.threshold : (model.thresholds[row] ?? null);
  const counted = cellsAt(d, model, row);
  const point = pointAt(d, model, row);
  const slope = slopeOf(prices, prevalence);
  return {
    model, row, threshold, prices, prevalence, counted, point, slope, found,
    at: thresholdText(shownThreshold(model, row, threshold)),
    cells: cellsFor(d, counted, prevalence),
    off: isOff(d, prevalence),
    cost: costPer1000(d, point, prices, prevalence),
    best: d.positives && d.negatives ? cheapest(d, prices, prevalence) : cheapestRow(d, model, prices, prevalence),
    corner: d.hull ? (touching(d.hull.points, slope)?.point ?? null) : null,
  };
}

/** The displayed threshold of a row: the shortest decimal that gives the same decisions. */
export function thresholdAt(model: Model, row: number): string {
  return thresholdText(shownThreshold(model, row, model.thresholds[row] ?? null));
}

function shownThreshold(model: Model, row: number, threshold: number | null): number | null {
  if (threshold === null || threshold !== model.thresholds[row] || !model.whole) return threshold;
  return shortest(threshold, model.thresholds[row + 1]);
}

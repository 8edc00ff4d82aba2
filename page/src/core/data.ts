// The data of a report: `document.drawing`, as written by evaluation/page_data.py.

import { useAliases, visible } from "./names.ts";
import { corners, unpacked } from "./packed.ts";

export type Maybe = number | null;

/** A number with its limits; null if undefined. */
export interface Estimate {
  name?: string;
  title?: string;
  value: Maybe;
  low: Maybe;
  high: Maybe;
  level?: number;
  method?: string;
  why?: string;
  baseline?: Maybe;
  p?: Maybe;
}

export interface Bin {
  low: number;
  high: number;
  mean: Maybe;
  observed: Maybe;
  low95: Maybe;
  high95: Maybe;
  count: number;
}

export interface Calibration {
  bins: Bin[];
  slope?: Estimate | null;
  intercept?: Estimate | null;
  in_the_large?: Estimate | null;
  brier?: Estimate | Maybe;
}

/** One model: its cumulative table at the stored thresholds; the first row flags nothing. */
export interface Model {
  name: string;
  slot: number;
  dominated: boolean;
  labels_only: boolean;
  thresholds: Maybe[];
  tp: number[];
  fp: number[];
  /** Cumulative sums of squared sampling weights; absent for unweighted cases. */
  tp_squares?: number[] | null;
  fp_squares?: number[] | null;
  /** Whether every distinct score is stored, so that counts are exact at any threshold. */
  whole?: boolean;
  point?: number | null;
  best?: Record<string, number | null>;
  histogram?: { edges: number[]; pos: number[]; neg: number[] } | null;
  band?: { fpr: number[]; low: number[]; high: number[]; method: string } | null;
  hull: number[];
  areas: Estimate[];
  /** The measures at the point that are corrected for its choice, with the label that says so. */
  corrected?: { label: string; measures: Record<string, Estimate> } | null;
  pr_area?: Maybe;
  calibration?: Calibration | null;
  points?: unknown;
}

export interface HullPoint {
  fpr: number;
  tpr: number;
  model: string | null;
  threshold: Maybe;
}

export interface Measure {
  name: string;
  title: string;
  formula: string | null;
  js?: string;
  says: string;
  low: Maybe | "Infinity" | "-Infinity";
  high: Maybe | "Infinity" | "-Infinity";
  aka?: string[];
  at_threshold?: boolean;
}

export interface Difference {
  a: string;
  b: string;
  auc?: Estimate | null;
  auc_p?: Maybe;
  cost?: Estimate | null;
  cost_p?: Maybe;
  words?: string[];
}

export interface SliceRow {
  by: string;
  value: string;
  cases: number;
  positives: number;
  auc: Estimate | null;
  shrunk?: Estimate | null;
  recall?: Estimate | null;
  p?: Maybe;
  few?: boolean;
}

export interface Cases {
  ids: (string | number)[];
  label: (string | number | boolean)[];
  scores: Record<string, Maybe[]>;
  more: number;
}

export interface Drawing {
  kind?: string;
  title: string;
  unit: string;
  units: string;
  positive: string;
  negative: string;
  flagged: string;
  cleared: string;
  level: number;
  rule: ">=" | "<=";
  probabilities: boolean;
  /** Scale of the threshold slider: "root" if probabilities are concentrated near 0. */
  scale?: "root" | "linear";
  recommended?: number;
  /** Recommended measures for classes of these sizes, with the reason. */
  aliases?: Record<string, string>;
  advised?: { measures: string[]; why: string } | null;
  usual?: string[];
  bound?: number;
  weighted: boolean;
  /** Rates were given without counts: the counts are nominal, and nothing has an interval. */
  rates_only?: boolean;
  /** Each classifier is a single point, so there is no threshold. */
  points?: boolean;
  positives: number;
  negatives: number;
  models: Model[];
  hull: { points: HullPoint[]; area: Maybe; why?: string } | null;
  strip: { ratios: number[]; shares: Record<string, number[]> | null; resamples: number; why: string } | null;
  /** Cost of the cheapest choice per 1,000 by cost ratio, corrected for choosing it on these data. */
  corrections?: { ratios: number[]; value: number[]; low: number[]; high: number[] } | null;
  differences: Difference[];
  slices: SliceRow[] | null;
  measures: Measure[];
  words: Record<string, string>;
  state: {
    model?: number;
    rule?: string;
    row?: number | null;
    threshold?: Maybe;
    fp?: number;
    fn?: number;
    priced?: boolean;
    /** Costs differ from case to case, so a single price cannot be set. */
    own_costs?: boolean;
    prevalence?: Maybe;
  };
  cases: Cases | null;
  provenance?: Record<string, unknown>;
}

export type Document = Record<string, unknown> & { drawing: Drawing };

/** The results document in the page, checked as far as the drawing needs; throws an error with a message if it is invalid. */
export function readDocument(text: string): Document {
  return checked(unpacked(JSON.parse(text) as unknown));
}

/** The results document, after checking that it has a drawing whose tables are consistent. */
export function checked(value: unknown): Document {
  if (!isRecord(value) || !isRecord(value["drawing"])) throw new Error("the results document has no drawing data");
  const drawing = value["drawing"] as unknown as Drawing;
  useAliases(drawing.aliases);
  drawing.models ??= [];
  drawing.measures ??= [];
  drawing.words ??= {};
  drawing.state ??= {};
  drawing.differences ??= [];
  for (const key of ["title", "unit", "units", "positive", "negative", "flagged", "cleared"] as const) {
    drawing[key] = visible(String(drawing[key] ?? ""));
  }
  for (const model of drawing.models) {
    const rows = model.thresholds?.length ?? 0;
    if (model.tp?.length !== rows || model.fp?.length !== rows) {
      throw new Error(`the table of model ${model.name} has columns of different lengths`);
    }
    model.hull ??= [];
    model.areas ??= [];
  }
  const points = drawing.hull?.points as unknown;
  if (drawing.hull && isRecord(points)) drawing.hull.points = corners(drawing, points["$corners"] as Parameters<typeof corners>[1]);
  return value as Document;
}

/** A bound in JSON: infinities by name, null for undefined. */
export function bound(value: Measure["low"] | undefined, otherwise: number): number {
  if (value === "Infinity") return Infinity;
  if (value === "-Infinity") return -Infinity;
  return value ?? otherwise;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

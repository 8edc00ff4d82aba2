// Unpacks what report/html/packed_data.py packed: differences between numbers, digits of decimals, records as a table of
// rows, and the corners of the hull as rows of the models' tables.

import { rounded } from "./small.ts";
import type { Drawing, HullPoint } from "./data.ts";

interface Steps {
  $steps: (number | null)[];
  $digits?: number;
}

interface Rows {
  $rows: unknown[][];
  $of: string[];
  /** The names of the rows, if they were a dictionary. */
  $by?: string[];
}

/** The data before packing. */
export function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked);
  if (typeof value !== "object" || value === null) return value;
  if ("$steps" in value) return added(value as Steps);
  if ("$decimals" in value) return String(value.$decimals).split(" ").map((digits) => (digits ? Number(digits.includes(".") ? digits : `0.${digits}`) : null));
  if ("$rows" in value) {
    const { $rows: rows, $of: names, $by: by } = value as Rows;
    const records = rows.map((row) => Object.fromEntries(names.map((name, i) => [name, unpacked(row[i])])));
    return by ? Object.fromEntries(by.map((name, i) => [name, records[i]])) : records;
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unpacked(inner)]));
}

/** Integers add up exactly; a single division gives the double that represents a decimal. */
function added({ $steps, $digits = 0 }: Steps): (number | null)[] {
  const unit = 10 ** $digits;
  let sum = 0;
  return $steps.map((step) => (step === null ? null : (sum += step) / unit));
}

/** The corners of the hull: in runs of one model each its index, a row, and the steps to the next; without a model the ends. */
export function corners({ models, positives, negatives }: Drawing, runs: readonly [number | null, ...number[]][]): HullPoint[] {
  return runs.flatMap(([index, ...steps]) => {
    let row = 0;
    return steps.map((step) => {
      row += step;
      const model = index === null ? undefined : models[index];
      if (!model) return { fpr: row, tpr: row, model: null, threshold: null };
      const rate = (count: number | undefined, total: number) => rounded((count ?? 0) / total, 9);
      const name = models.length > 1 ? model.name : null;
      return { fpr: rate(model.fp[row], negatives), tpr: rate(model.tp[row], positives), model: name, threshold: model.thresholds[row] ?? null };
    });
  });
}

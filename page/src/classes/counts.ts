// Counts in a multiclass confusion matrix; pure functions, which the node tests compare with Python.

import { wilson } from "../core/interval.ts";

export type Matrix = readonly (readonly number[])[];

/** Labels in natural order: numbers by size, the rest alphabetically, "class 2" before "class 10". */
export function naturalOrder(labels: readonly string[]): number[] {
  const collator = new Intl.Collator("en", { numeric: true });
  return labels.map((_, k) => k).sort((a, b) => collator.compare(labels[a] as string, labels[b] as string) || a - b);
}

export const sumOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** Number of cases of a class, and number predicted to be. */
export const actualOf = (cells: Matrix, k: number): number => sumOf(cells[k] ?? []);
export const predictedOf = (cells: Matrix, k: number): number => sumOf(cells.map((row) => row[k] ?? 0));
export const totalOf = (cells: Matrix): number => sumOf(cells.map(sumOf));

/** The class against the rest. */
export function againstRest(cells: Matrix, k: number): { tp: number; fp: number; fn: number; tn: number } {
  const tp = cells[k]?.[k] ?? 0;
  const [fn, fp] = [actualOf(cells, k) - tp, predictedOf(cells, k) - tp];
  return { tp, fp, fn, tn: totalOf(cells) - tp - fn - fp };
}

/** The confusions, most frequent first; ties in matrix order. */
export function confusions(cells: Matrix): { i: number; j: number; count: number }[] {
  const found = cells.flatMap((row, i) => row.map((count, j) => ({ i, j, count })));
  return found.filter(({ i, j, count }) => i !== j && count > 0).sort((a, b) => b.count - a.count || a.i - b.i || a.j - b.j);
}

/** The share of a row that falls into a cell, with Wilson's interval. */
export function shareOf(cells: Matrix, i: number, j: number, level: number): { value: number; low: number; high: number } {
  const [k, n] = [cells[i]?.[j] ?? 0, actualOf(cells, i)];
  const [low, high] = wilson(k, n, level);
  return { value: n ? k / n : NaN, low, high };
}

/** Cost of the confusions per 1,000 cases; each costs 1 unless it has a price. */
export function costOf(cells: Matrix, costs: Readonly<Record<string, number>>): number {
  const all = totalOf(cells);
  return all ? (1000 * sumOf(confusions(cells).map(({ i, j, count }) => count * (costs[`${i},${j}`] ?? 1)))) / all : NaN;
}

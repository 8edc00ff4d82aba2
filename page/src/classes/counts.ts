// What is counted in a matrix of several classes; pure, so that the node tests can hold it against Python.

import { wilson } from "../core/interval.ts";

export type Matrix = readonly (readonly number[])[];

/** Labels in the order in which people count: numbers by size, the rest by the alphabet, "class 2" before "class 10". */
export function naturalOrder(labels: readonly string[]): number[] {
  const collator = new Intl.Collator("en", { numeric: true });
  return labels.map((_, k) => k).sort((a, b) => collator.compare(labels[a] as string, labels[b] as string) || a - b);
}

export const sumOf = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** How many cases are of a class, and how many are predicted to be. */
export const actualOf = (cells: Matrix, k: number): number => sumOf(cells[k] ?? []);
export const predictedOf = (cells: Matrix, k: number): number => sumOf(cells.map((row) => row[k] ?? 0));
export const totalOf = (cells: Matrix): number => sumOf(cells.map(sumOf));

/** A class against the rest. */
export function againstRest(cells: Matrix, k: number): { tp: number; fp: number; fn: number; tn: number } {
  const tp = cells[k]?.[k] ?? 0;
  const [fn, fp] = [actualOf(cells, k) - tp, predictedOf(cells, k) - tp];
  return { tp, fp, fn, tn: totalOf(cells) - tp - fn - fp };
}

/** The confusions, the most frequent first; of equals the first in the matrix. */
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

/** What the confusions cost per 1,000 cases; each costs 1 unless it is priced. */
export function costOf(cells: Matrix, costs: Readonly<Record<string, number>>): number {
  const all = totalOf(cells);
  return all ? (1000 * sumOf(confusions(cells).map(({ i, j, count }) => count * (costs[`${i},${j}`] ?? 1)))) / all : NaN;
}

// 1,000 cases: integers that add up, and the positions of their marks.

import { CELLS, type Cells } from "../../core/formula.ts";

export const COLUMNS = 50;
export const ROWS = 20;

/** Four cells as integers that sum to 1,000 (or more), by the largest-remainder method. */
export function thousandths(cells: Cells, per = 1000): Cells {
  const all = cells.tp + cells.fp + cells.fn + cells.tn;
  if (!(all > 0)) return { tp: NaN, fp: NaN, fn: NaN, tn: NaN };
  const exact = CELLS.map((name) => ({ name, value: (per * cells[name]) / all }));
  const found: Cells = { tp: 0, fp: 0, fn: 0, tn: 0 };
  exact.forEach(({ name, value }) => (found[name] = Math.floor(value + 1e-9)));
  const missing = per - CELLS.reduce((sum, name) => sum + found[name], 0);
  exact.sort((a, b) => b.value - found[b.name] - (a.value - found[a.name]));
  exact.slice(0, missing).forEach(({ name }) => (found[name] += 1));
  return found;
}

/** 1,000 marks for any number of cases: every nonempty cell gets at least one mark, at the expense of the largest. */
export function marksFor(cells: Cells): Cells {
  const found = thousandths(cells);
  for (const name of CELLS) {
    if (!(cells[name] > 0) || found[name]) continue;
    const most = CELLS.reduce((a, b) => (found[b] > found[a] ? b : a));
    found[name] += 1;
    found[most] -= 1;
  }
  return found;
}

/** A stroke of zero length, which its round cap makes a dot; for a false alarm a short one, which is a square. */
export const mark = (kind: number, x: number, y: number) => (kind === 2 ? `M${x}.2 ${y}.5h.68` : `M${x}.5 ${y}.5h0`);

/** One path per kind, filling columns from the left: hits, misses, false alarms, not flagged. */
export function marksOf(numbers: readonly number[]): string[] {
  let at = 0;
  return numbers.map((n, kind) => {
    let path = "";
    for (let i = 0; i < n; i += 1, at += 1) path += mark(kind, Math.floor(at / ROWS), at % ROWS);
    return path;
  });
}

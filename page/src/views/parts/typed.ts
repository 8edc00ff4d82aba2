// Parsing of input fields.

import { rounded } from "../../core/small.ts";
import { LIMITS, clamp, type State } from "../../core/state.ts";

/** The first number in a text, with a comma or a decimal point; NaN if there is none. */
export function numberIn(value: string): number {
  const found = /[-\u2212+]?\d*[.,]?\d+(?:e[-+]?\d+)?/i.exec(value.trim());
  return found ? Number(found[0].replace(",", ".").replace("\u2212", "-")) : NaN;
}

/** A share: "5 %" and "5" are 0.05, "0.05" is unchanged. */
export const asShare = (value: number, written: string) => (written.includes("%") || value > 1 ? value / 100 : value);

/** "1 : 5", "2:1" or "5" as costs. */
export function ratioIn(written: string): Partial<State> | null {
  const [first = "", second] = written.split(":");
  const [a, b] = second === undefined ? [1, numberIn(first)] : [numberIn(first), numberIn(second)];
  if (!(a > 0) || !(b > 0)) return null;
  const [low, high] = LIMITS.ratio;
  return { fp: 1, fn: rounded(clamp(b / a, low, high), 6) };
}

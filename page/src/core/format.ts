// Number formatting, the counterpart of rocscope/text.py: decimals by interval width, true minus sign, no-break space before %.

import { rounded } from "./small.ts";
export const MINUS = "\u2212";
export const DASH = "\u2013";
export const NBSP = "\u00a0";

/** Number of decimals that keeps two significant digits of an interval's half-width, from 2 to 4. */
export function decimalsFor(halfWidth: number): number {
  if (!(halfWidth > 0 && halfWidth < Infinity)) return halfWidth === Infinity ? 2 : 3;
  const exponent = Number(halfWidth.toExponential(1).split("e")[1]); // after rounding: 0.0996 becomes 0.10
  return Math.min(4, Math.max(2, 1 - exponent));
}

/** A number with fixed decimals, thousands separators and a true minus sign; a dash if it is undefined. */
export function fixed(x: number | null | undefined, decimals = 3): string {
  if (x === null || x === undefined || isNaN(x)) return DASH;
  if (!isFinite(x)) return x > 0 ? "\u221e" : `${MINUS}\u221e`;
  const [whole = "0", rest] = halfEven(Math.abs(x), decimals).toFixed(decimals).split(".");
  const text = whole.replace(/\B(?=(\d{3})+$)/g, ",") + (rest ? `.${rest}` : "");
  return x < 0 && /[1-9]/.test(text) ? MINUS + text : text;
}

/** Rounds ties to even, as Python does: 0.125 becomes 0.12. Values only close to a tie, such as 0.8525, are rounded as usual. */
function halfEven(x: number, decimals: number): number {
  const scaled = x * 10 ** decimals;
  const tie = scaled % 1 === 0.5 && /^50*$/.test(x.toFixed(60).split(".")[1]?.slice(decimals) ?? "");
  return tie && Math.floor(scaled) % 2 === 0 ? Math.floor(scaled) / 10 ** decimals : x;
}

/** A count: integers without decimals, weights with two. */
export const count = (x: number) => fixed(x, Number.isInteger(x) ? 0 : 2);

export interface Shown {
  value: number | null;
  low?: number | null;
  high?: number | null;
  level?: number;
}

const halfWidth = ({ low, high }: Shown) => (low == null || high == null ? NaN : (high - low) / 2);

/** The value alone, with as many decimals as its interval supports. */
export const valueText = (one: Shown) => fixed(one.value, decimalsFor(halfWidth(one)));

/** The limits alone, "[0.620, 0.681]", or '' without limits. */
export function limitsText(one: Shown): string {
  const half = halfWidth(one);
  if (isNaN(half)) return "";
  const decimals = decimalsFor(half);
  return `[${fixed(one.low, decimals)}, ${fixed(one.high, decimals)}]`;
}

/** "0.651 [0.620, 0.681]" */
export const estimateText = (one: Shown) => [valueText(one), limitsText(one)].filter(Boolean).join(" ");

/** A number per 1,000 or a cost: an integer from 10 on, otherwise two significant digits. */
export function whole(x: number | null | undefined): string {
  if (x === null || x === undefined || !isFinite(x)) return fixed(x);
  return Math.abs(x) >= 9.95 ? fixed(x, 0) : String(rounded(x, 2)).replace("-", MINUS);
}

export const wholeLimits = ({ low, high }: Shown) =>
  low == null || high == null || isNaN(low) || isNaN(high) ? "" : `[${whole(low)}, ${whole(high)}]`;

/** "172 [160, 185]" */
export const costText = (one: Shown) => [whole(one.value), wholeLimits(one)].filter(Boolean).join(" ");

/** The limits in running text: "(95 % CI 114–221)". */
function intervalText({ low, high, level = 0.95 }: Shown, write: (x: number) => string): string {
  if (low == null || high == null || isNaN(low) || isNaN(high)) return "";
  return ` (${rounded(100 * level, 12)}${NBSP}% CI ${write(low)}${low < 0 ? " to " : DASH}${write(high)})`;
}

/** "0.847 (95 % CI 0.780–0.894)" */
export function estimateSentence(one: Shown): string {
  const decimals = decimalsFor(halfWidth(one));
  return valueText(one) + intervalText(one, (x) => fixed(x, decimals));
}

/** "159 (95 % CI 114–221)" */
export const costSentence = (one: Shown) => whole(one.value) + intervalText(one, whole);

/** A share in percent with decimals by the closer end, ties to even: 62 % and 38 %, 8.2 % and 91.8 %. */
export function percent(share: number | null | undefined): string {
  if (share === null || share === undefined || !isFinite(share)) return DASH;
  const value = Number((100 * share).toFixed(9));
  const end = Number(Math.min(Math.abs(value), Math.abs(100 - value)).toFixed(9));
  let decimals = end >= 9.95 || Number.isInteger(value) ? 0 : 1;
  if (end > 0 && end < 0.95) decimals = -Number(end.toExponential(0).split("e")[1]);
  return `${decimal(value, decimals)}${NBSP}%`;
}

/** Fixed decimals of a decimal number with at most nine places; ties to even. */
function decimal(value: number, decimals: number): string {
  const scaled = Number((Math.abs(value) * 10 ** decimals).toFixed(6));
  const down = Math.floor(scaled);
  const units = scaled - down === 0.5 ? down + (down % 2) : Math.round(scaled);
  return fixed((value < 0 ? -units : units) / 10 ** decimals, decimals);
}

/** The cost of a miss, in false alarms. */
export const alarms = (ratio: number): string => (ratio === 1 ? "1 false alarm" : `${significant(ratio)} false alarms`);

/** A value from 0 to 1 with two decimals, or more if it would round to 0 or 1. */
export function two(x: number): string {
  if (x === 0 || x === 1) return String(x);
  const digits = [2, 3, 4, 6].find((d) => Number(x.toFixed(d)) > 0 && Number(x.toFixed(d)) < 1) ?? 2;
  return fixed(x, digits);
}

/** 1,000, or as many cases as needed for the smallest nonzero share to be at least one case. */
export function perCases(shares: readonly number[]): number {
  const smallest = Math.min(1, ...shares.filter((one) => one > 0));
  return [1_000, 10_000, 100_000].find((per) => per * smallest >= 1) ?? 1_000_000;
}

/** A p-value: two decimals, three below 0.1, never 0. */
export function pText(p: number | null | undefined): string {
  if (p === null || p === undefined || isNaN(p)) return DASH;
  if (p < 0.001) return "< 0.001";
  return p < 0.1 ? p.toFixed(3) : p.toFixed(2);
}

/** A number with three significant digits, without an exponent in the usual range. */
export function significant(x: number, digits = 3): string {
  if (x === 0 || !isFinite(x)) return fixed(x, 0);
  if (Math.abs(x) < 1e-5 || Math.abs(x) >= 1e9) return x.toPrecision(digits).replace("-", MINUS);
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(x))));
  const text = fixed(Number(x.toPrecision(digits)), places);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** Costs of a false alarm and a miss as "1 : 5", with the smaller one as 1. */
export function ratioText(fp: number, fn: number): string {
  return fn >= fp ? `1 : ${significant(fn / fp)}` : `${significant(fp / fn)} : 1`;
}

/** The shortest decimal that gives the same decisions as the threshold: beyond `beyond`, the next score, up to the threshold. */
export function shortest(threshold: number, beyond: number | null | undefined): number {
  if (beyond === null || beyond === undefined || beyond === threshold) return rounded(threshold, 6);
  const towards = beyond < threshold ? Math.floor : Math.ceil;
  for (let digits = 0; digits <= 15; digits += 1) {
    const step = 10 ** digits;
    const scaled = rounded(threshold * step, 15); // 0.29 * 100 is 28.999999999999996
    const short = towards(scaled) / step;
    if (Math.abs(short - threshold) < Math.abs(beyond - threshold)) return short;
  }
  return threshold;
}

/** A threshold as text: "none" if nothing is flagged. */
export function thresholdText(threshold: number | null | undefined): string {
  if (threshold === null || threshold === undefined) return "none";
  const text = String(threshold);
  return (text.length <= 8 ? text : String(rounded(threshold, 6))).replace("-", MINUS);
}

const PEOPLE = /newcombe|wilson|delong|jeffreys|hanley|mcneil|mover|bca/g;
const SPELLED: Record<string, string> = { delong: "DeLong", mcneil: "McNeil", mover: "MOVER", bca: "BCa" };

/** The method of an interval as a paper writes it: the results document has names to type, such as "newcombe". */
export const methodName = (method: string): string => method.replace(PEOPLE, (one) => SPELLED[one] ?? one[0]?.toUpperCase() + one.slice(1));

export { shortName } from "./names.ts";

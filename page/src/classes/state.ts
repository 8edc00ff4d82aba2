// The state of a multiclass report: the selected class and cell, the order of the matrix, the zoom, and the cost of each
// confusion. It is stored in the link, like the state of every report.

export interface ClassState {
  /** Index of the selected class among the labels; null for all. */
  chosen: number | null;
  order: "confused" | "natural";
  zoom: boolean;
  /** The selected cell of the matrix: actual and predicted. */
  cell: readonly [number, number] | null;
  /** Costs of confusions that differ from 1, by "actual,predicted". */
  costs: Readonly<Record<string, number>>;
}

export const START: ClassState = { chosen: null, order: "confused", zoom: false, cell: null, costs: {} };

/** The state as a fragment: only what differs from the initial state. */
export function toFragment(state: ClassState): string {
  const parts: string[] = [];
  if (state.chosen !== null) parts.push(`c=${state.chosen}`);
  if (state.order !== START.order) parts.push(`order=${state.order}`);
  if (state.zoom) parts.push("zoom=1");
  if (state.cell) parts.push(`cell=${state.cell.join(",")}`);
  const costs = Object.entries(state.costs).filter(([, cost]) => cost !== 1);
  if (costs.length) parts.push(`cost=${costs.map(([key, cost]) => `${key},${cost}`).join(";")}`);
  return parts.join("&");
}

/** The state in a fragment; values that cannot be parsed, or are not classes of this report, are ignored. */
export function fromFragment(fragment: string, classes: number): ClassState {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const place = (text: string | undefined): number | null => {
    const found = text?.trim() ? Number(text) : NaN;
    return Number.isInteger(found) && found >= 0 && found < classes ? found : null;
  };
  const [actual, predicted] = (given.get("cell") ?? "").split(",").map(place);
  const costs: Record<string, number> = {};
  for (const one of (given.get("cost") ?? "").split(";").slice(0, 400)) {
    const [i, j, cost] = one.split(",");
    if (place(i) !== null && place(j) !== null && Number(cost) >= 0 && isFinite(Number(cost))) costs[`${place(i)},${place(j)}`] = Number(cost);
  }
  return {
    chosen: place(given.get("c") ?? undefined),
    order: given.get("order") === "natural" ? "natural" : "confused",
    zoom: given.get("zoom") === "1",
    cell: actual != null && predicted != null ? [actual, predicted] : null,
    costs,
  };
}

// Reads back what report/html/packed_data.py packed: steps between numbers, and records as one table of rows.

interface Steps {
  $steps: (number | null)[];
  $digits?: number;
}

interface Rows {
  $rows: unknown[][];
  $of: string[];
  /** The names of the rows, where they were a dictionary. */
  $by?: string[];
}

/** The data as they were before they were packed. */
export function unpacked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpacked);
  if (typeof value !== "object" || value === null) return value;
  if ("$steps" in value) return added(value as Steps);
  if ("$rows" in value) {
    const { $rows: rows, $of: names, $by: by } = value as Rows;
    const records = rows.map((row) => Object.fromEntries(names.map((name, i) => [name, unpacked(row[i])])));
    return by ? Object.fromEntries(by.map((name, i) => [name, records[i]])) : records;
  }
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unpacked(inner)]));
}

/** Whole numbers add up exactly; one division gives the double that a decimal stands for. */
function added({ $steps, $digits = 0 }: Steps): (number | null)[] {
  const unit = 10 ** $digits;
  let sum = 0;
  return $steps.map((step) => (step === null ? null : (sum += step) / unit));
}

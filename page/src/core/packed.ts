// Unpacks what report/html/packed_data.py packed: differences between numbers, and records as a table of rows.

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

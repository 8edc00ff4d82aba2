/** A table as text: the rows of "Show table", also as Markdown, CSV and LaTeX. */

/** A table: cells are text as shown; a number may carry its exact digits, which are used in CSV. */
export interface Cell {
  readonly text: string;
  readonly exact?: number | null;
  readonly warn?: boolean;
}

export interface Column {
  readonly name: string;
  readonly number?: boolean;
}

export interface Sheet {
  readonly caption: string;
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly Cell[])[];
  /** A note below the table about what was left out. */
  readonly note?: string;
}

/** Columns of numbers with these names. */
export const numbers = (...names: string[]): Column[] => names.map((name) => ({ name, number: true }));

/** A cell without a value, which is empty in CSV. */
export const missing = (why?: string): Cell => ({ text: why ? `\u2013 ${why}` : "\u2013", exact: null });

export const text = (words: string): Cell => ({ text: words });

export const figure = (words: string, exact: number | null | undefined): Cell => ({
  text: words,
  exact: exact ?? null,
});

export function asMarkdown(sheet: Sheet): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(" | ")} |`;
  return [
    line(sheet.columns.map((column) => markdownCell(column.name))),
    line(sheet.columns.map((column) => (column.number ? "---:" : "---"))),
    ...sheet.rows.map((row) => line(row.map((cell) => markdownCell(cell.text)))),
    "",
  ].join("\n");
}

/** Characters that would end a cell, or be interpreted as Markdown, are escaped. */
function markdownCell(words: string): string {
  return oneLine(words).replace(/[\\`*_{}[\]<>#|~]/g, (letter) => `\\${letter}`);
}

export function asCsv(sheet: Sheet): string {
  const line = (cells: readonly (string | number)[]): string => cells.map(csvCell).join(",");
  const rows = sheet.rows.map((row) => row.map(exactText));
  return [line(sheet.columns.map((column) => column.name)), ...rows.map(line), ""].join("\r\n");
}

function exactText(cell: Cell): string | number {
  if (cell.exact === undefined) return cell.text;
  return cell.exact === null || !isFinite(cell.exact) ? "" : cell.exact;
}

/** A cell that a spreadsheet would interpret as a formula begins with an apostrophe; numbers stay numbers. */
export function csvCell(value: string | number): string {
  if (typeof value === "number") return String(value);
  const safe = /^[\s]*[=+\-@]/.test(value) || /^[\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

const LATEX: Readonly<Record<string, string>> = {
  "\\": "\\textbackslash{}",
  "&": "\\&",
  "%": "\\%",
  $: "\\$",
  "#": "\\#",
  _: "\\_",
  "{": "\\{",
  "}": "\\}",
  "~": "\\textasciitilde{}",
  "^": "\\textasciicircum{}",
  "<": "\\textless{}",
  ">": "\\textgreater{}",
  "|": "\\textbar{}",
  '"': "\\textquotedbl{}",
  "`": "\\textasciigrave{}",
  "\u2212": "$-$",
  "\u2013": "--",
  "\u221e": "$\\infty$",
  "\u2192": "$\\to$",
  "\u2265": "$\\ge$",
  "\u2264": "$\\le$",
  "\u00a0": "~",
  "\u202f": "~",
};

export function latexText(words: string): string {
  return Array.from(oneLine(words), (letter) => LATEX[letter] ?? letter).join("");
}

/** The table with booktabs rules. */
export function asLatex(sheet: Sheet): string {
  const line = (cells: readonly string[]): string => `${cells.map(latexText).join(" & ")} \\\\`;
  return [
    `% ${oneLine(sheet.caption)}`,
    `\\begin{tabular}{${sheet.columns.map((column) => (column.number ? "r" : "l")).join("")}}`,
    "\\toprule",
    line(sheet.columns.map((column) => column.name)),
    "\\midrule",
    ...sheet.rows.map((row) => line(row.map((cell) => cell.text))),
    "\\bottomrule",
    "\\end{tabular}",
    "",
  ].join("\n");
}

const oneLine = (words: string): string => words.replace(/\s*[\r\n\u2028\u2029]+\s*/g, " ");

/** A file name made from a title: letters, digits and hyphens only, so that it stays in its folder. */
export function slug(words: string): string {
  const plain = words
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "");
  return plain.slice(0, 60).replace(/-+$/, "") || "picture";
}

/** Text broken into lines of at most `most` characters, because SVG text does not wrap. */
export function wrapped(words: string, most: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of oneLine(words)
    .split(" ")
    .filter((part) => part !== "")) {
    if (line !== "" && line.length + 1 + word.length > most) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  return line === "" ? lines : [...lines, line];
}

// Tables as Markdown, CSV and LaTeX: names from the data stay names in each.
import assert from "node:assert/strict";
import { test } from "node:test";

import { asCsv, asLatex, asMarkdown, csvCell, figure, slug, text, wrapped } from "../src/views/parts/sheet";

const sheet = {
  caption: "Models",
  columns: [{ name: "model" }, { name: "AUC", number: true }],
  rows: [
    [text("a|b"), figure("0.88 [0.86, 0.89]", 0.8765432101234)],
    [text("=1+1"), figure("–", null)],
  ],
};

test("Markdown escapes what would end a cell or make markup", () => {
  assert.equal(asMarkdown(sheet), "| model | AUC |\n| --- | ---: |\n| a\\|b | 0.88 \\[0.86, 0.89\\] |\n| =1+1 | – |\n");
  assert.ok(asMarkdown({ ...sheet, rows: [[text("<b>x\ny</b>"), text("")]] }).includes("\\<b\\>x y\\</b\\>"));
});

test("CSV has the exact number, and no cell that a spreadsheet would run", () => {
  assert.equal(asCsv(sheet), "model,AUC\r\na|b,0.8765432101234\r\n'=1+1,\r\n");
  for (const start of ["=", "+", "-", "@", "\t", "\r", " ="]) assert.match(csvCell(`${start}x`), /^"?'/);
  assert.equal(csvCell(-3), "-3");
  assert.equal(csvCell('say "a, b"'), '"say ""a, b"""');
  assert.equal(csvCell("plain"), "plain");
});

test("LaTeX shows names as they are", () => {
  const found = asLatex({ ...sheet, rows: [[text("a_b & 5 %"), text("\u22120.1")]] });
  assert.ok(found.includes("a\\_b \\& 5 \\% & $-$0.1 \\\\"));
  assert.ok(found.includes("\\begin{tabular}{lr}"));
  assert.ok(asLatex({ ...sheet, caption: "a\n\\input{x}" }).startsWith("% a \\input{x}\n"));
});

test("a file name stays in its folder", () => {
  assert.equal(slug("../../etc/passwd"), "etc-passwd");
  assert.equal(slug("<>"), "picture");
  assert.equal(slug("ROC, hull and cost line"), "roc-hull-and-cost-line");
});

test("long words are broken into lines", () => {
  assert.deepEqual(wrapped("one two three", 7), ["one two", "three"]);
  assert.deepEqual(wrapped("", 7), []);
});

// Builds the page: a script for each kind of report and one style sheet, committed beside the Python that puts them
// into a report. `--to DIR` writes elsewhere (the test that compares bytes), `--tests` builds the node tests.
import { build } from "esbuild";
import { readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const asked = process.argv.indexOf("--to");
const target = asked > 0 ? process.argv[asked + 1] : join(here, "../src/rocscope/report/html");
// no banner, no source map, no paths in the output: the same sources give the same bytes everywhere
const shared = { bundle: true, absWorkingDir: here, logLevel: "warning", target: "es2022", legalComments: "none" };

// each kind of report carries its own script: scored classifiers, these with the lesson on few cases, several classes and
// validations, the lesson alone
const SCRIPTS = { "page.js": "src/main_alone.ts", "page_lesson.js": "src/main_lesson.ts", "classes.js": "src/classes/main.ts", "lesson.js": "src/teach/main.ts" };

const STYLES = { "page.css": ["style.css", "live.css"], "lesson.css": ["teach.css"], "classroom.css": ["classroom.css"], "classes.css": ["classes.css"], "compact.css": ["compact.css"] };

async function page() {
  for (const [name, entry] of Object.entries(SCRIPTS)) {
    await build({
      ...shared,
      entryPoints: [entry],
      outfile: join(target, name),
      format: "iife",
      minify: true,
      charset: "ascii", // the script stands inline in files of any encoding
    });
  }
  for (const [name, sheets] of Object.entries(STYLES)) {
    await build({
      ...shared,
      stdin: { contents: sheets.map((one) => `@import "./${one}";`).join("\n"), loader: "css", resolveDir: here },
      outfile: join(target, name),
      minify: true,
    });
  }
}

async function tests() {
  const out = asked > 0 ? target : join(here, ".tests");
  if (asked < 0) rmSync(out, { recursive: true, force: true });
  const files = readdirSync(join(here, "test")).filter((name) => name.endsWith(".test.ts"));
  await build({
    ...shared,
    entryPoints: files.map((name) => `test/${name}`),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    format: "esm",
    platform: "node",
  });
}

await (process.argv.includes("--tests") ? tests() : page());

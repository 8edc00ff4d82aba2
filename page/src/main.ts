// The page: reads the results document, keeps a single state, and mounts each view whose section exists. Reports of few
// cases include the lesson as well (main_lesson.ts).

import { derive, type App, type Now, type View } from "./core/app.ts";
import { installBar } from "./core/bar.ts";
import { readDocument, type Drawing } from "./core/data.ts";
import { el, find, on, page } from "./core/dom.ts";
import { installKeys } from "./core/keys.ts";
import { speaker } from "./core/live.ts";
import { screenOf, type Screen } from "./core/screen.ts";
import { clamp, fromFragment, initial, settable, storeOf, type Change, type State } from "./core/state.ts";
import { spoken } from "./core/spoken.ts";
import { installSteady, steady } from "./core/steady.ts";
import { evidence } from "./views/evidence.ts";
import { cases } from "./views/cases.ts";
import { controls } from "./views/controls.ts";
import { measures } from "./views/measures.ts";
import { roc } from "./views/roc.ts";
import { verdict } from "./views/verdict.ts";
import { forgetWidths } from "./views/parts/plot.ts";

let screen: Screen;
const views: View[] = [verdict, controls, roc, cases, measures, ...evidence];

/** Starts the page; `learn` adds the lesson to the toolbar. */
export function start(learn?: (drawing: Drawing, chosen: () => number) => void): void {
  const holder = document.getElementById("rocscope-data");
  if (!holder) return;
  // captured before anything is drawn, because "Download" saves the original file
  const source = `<!doctype html>\n${page.outerHTML}`;
  const read = readDocument(holder.textContent ?? "");
  const app = makeApp(read);
  installBar(read.drawing.title, source, app);
  if (!app) return;
  page.dataset["live"] = "";
  learn?.(app.drawing, () => app.state.model);
  mountAll(app);
  on(window, "hashchange", () => {
    if (location.hash.includes("=")) app.set(fromFragment(location.hash, initial(app.drawing), app.drawing.models.length), false);
  });
}

function makeApp(document_: ReturnType<typeof readDocument>): App | null {
  const d = document_.drawing;
  if (!d.models.length) return null; // multiclass and validation reports have nothing to move
  const saved = initial(d);
  const write = (fragment: string) => history.replaceState(null, "", fragment ? `#${fragment}` : location.pathname + location.search);
  const asked = { ...saved, ...settable(d, fromFragment(location.hash, saved, d.models.length)) };
  const store = storeOf(saved, asked, requestAnimationFrame.bind(window), (f) => {
    try {
      write(f);
    } catch {
      // sandboxed frames (notebooks) may not change their address; the page works anyway
    }
  });
  let now: Now = derive(d, store.state);
  let derived = store.state;
  // derived on demand, so that two key presses within one frame count as two steps
  const fresh = (): Now => {
    if (derived !== store.state) [derived, now] = [store.state, derive(d, store.state)];
    return now;
  };
  let shown = now;
  let rule: State["rule"] = store.state.rule === "hand" ? "cost" : store.state.rule;
  const app: App = {
    document: document_,
    drawing: d,
    store,
    get state() {
      return store.state;
    },
    get now() {
      return fresh();
    },
    set: (patch, done = true) => store.set(settable(d, patch), done),
    hold(row, done = true) {
      const { thresholds } = fresh().model;
      const kept = clamp(Math.round(row), 0, thresholds.length - 1);
      store.set({ rule: "hand", threshold: thresholds[kept] ?? null }, done);
    },
    speak: speaker(find(document, ".live[aria-live]") ?? document.body.appendChild(el("div.live.visually-hidden", { "aria-live": "polite" }))),
  };
  screen = screenOf((view, changed) => guarded(view, () => view.update(app, changed)));
  installKeys(app, () => rule);
  store.subscribe((changed) => {
    const before = shown;
    shown = fresh();
    if (store.state.rule !== "hand") rule = store.state.rule;
    const told = new Set<Change>(changed);
    if (pointMoved(before, shown)) told.add("point");
    if (["fp", "fn", "prevalence"].some((key) => told.has(key as Change))) told.add("costs");
    if (told.has("size")) forgetWidths();
    if (told.has("rule") && store.state.rule !== "hand") tween();
    steady(() => screen.show(told, told.has("size")));
    if (!told.has("size") && [...told].some((one) => one !== "typed")) app.speak(spoken(app));
  });
  return app;
}

const pointMoved = (a: Now, b: Now) => a.row !== b.row || a.model !== b.model || a.threshold !== b.threshold || a.prevalence !== b.prevalence;


/** Animates the handles briefly after a rule is selected, never while dragging. */
function tween(): void {
  const { dataset } = page;
  dataset["tween"] = "";
  window.setTimeout(() => delete dataset["tween"], 150);
}

function mountAll(app: App): void {
  for (const view of views) {
    const section = document.getElementById(view.id);
    if (!section || find(section, ":scope > p.reason")) continue;
    guarded(view, () => {
      view.mount(section, app);
      screen.add(view, section);
    });
  }
  screen.show(new Set<Change>(["size", "point", "costs", "model", "rule"]), true);
  redrawOnResize(app);
  installSteady();
}

/** A view that fails shows an error in its place without affecting the others. */
function guarded(view: View, run: () => void): void {
  try {
    run();
  } catch (error) {
    console.error(`view ${view.id}:`, error);
    const section = document.getElementById(view.id);
    if (section && !find(section, "p.reason.failed")) {
      section.append(el("p.reason.failed", {}, `This view could not be drawn: ${(error as Error).message}`));
    }
  }
}

function redrawOnResize(app: App): void {
  let width = page.clientWidth;
  on(window, "resize", () => {
    if (page.clientWidth === width) return; // phones resize when their address bar hides
    width = page.clientWidth;
    app.store.touch("size");
  });
  for (const event of ["beforeprint", "afterprint"] as const) {
    on(window, event, () => {
      page.toggleAttribute("data-paper", event === "beforeprint"); // plots are drawn at the width of the paper
      app.store.touch("size");
      app.store.flush();
    });
  }
}

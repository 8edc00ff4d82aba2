// The start page. Everything that comes from data is set by textContent; no markup is ever built from text.

const by = (id) => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, ...children) {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) one.addEventListener(name.slice(2), value);
    else if (name.startsWith("aria-")) one.setAttribute(name, String(value));
    else if (value === true) one.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) one.setAttribute(name, String(value));
  }
  one.append(...children);
  return one;
}

function draw(tag, attributes, text) {
  const one = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) one.setAttribute(name, String(value));
  if (text !== undefined) one.textContent = text;
  return one;
}

const count = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;

// ---- talking to the server

async function ask(path, body, raw) {
  const options = body === undefined && !raw
    ? {}
    : { method: "POST", body: raw ?? JSON.stringify(body), headers: { "content-type": raw ? "application/octet-stream" : "application/json" } };
  let answer;
  try {
    answer = await fetch(path, { credentials: "same-origin", ...options });
  } catch {
    throw { error: "the server does not answer", hint: "Is it still running in the terminal?" };
  }
  const text = await answer.text();
  let found = {};
  try { found = text ? JSON.parse(text) : {}; } catch { found = { error: "the answer could not be read" }; }
  if (!answer.ok) throw { status: answer.status, ...found };
  return found;
}

function problem(place, error) {
  place.replaceChildren();
  place.hidden = !error;
  if (error) place.append(make("b", {}, `${sentence(error.error || "something went wrong")} `), error.hint || "");
}

const sentence = (text) => `${text[0].toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;

// ---- the session: the token stands after # and is turned in once

async function enter() {
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  if (token) {
    history.replaceState(null, "", location.pathname);
    try { await ask("/session", { token }); } catch (error) { if (error.status !== 403) return locked(error); }
  }
  try { fill(await ask("/state")); } catch (error) { locked(error); }
}

function locked(error) {
  by("locked").textContent = error.status === 403
    ? "This page belongs to another session, or its link was used already. Open the link that the terminal shows."
    : sentence(error.error || "the server does not answer");
  by("locked").hidden = false;
  for (const one of document.querySelectorAll("main button, main textarea")) one.disabled = true;
}

// ---- state

const files = new Map(); // id -> card
let known = { models: [], plans: [] };

function fill(state) {
  known = state;
  by("where").textContent = `running on ${state.where}, only for you`;
  by("formats").textContent = `${state.formats} Up to ${state.limit}.`;
  by("version").textContent = `rocscope ${state.version}. Stop with Ctrl+C in the terminal. Nothing is kept.`;
  by("gallery").replaceChildren(...state.gallery.map(example));
  for (const card of state.files) files.set(card.id, card);
  show();
}

// ---- the first door: files

by("choose").addEventListener("click", () => by("files").click());
by("files").addEventListener("change", () => { bring([...by("files").files]); by("files").value = ""; });
for (const type of ["dragover", "dragenter"]) {
  by("drop").addEventListener(type, (event) => { event.preventDefault(); by("drop").classList.add("over"); });
}
by("drop").addEventListener("dragleave", () => by("drop").classList.remove("over"));
by("drop").addEventListener("drop", (event) => {
  event.preventDefault();
  by("drop").classList.remove("over");
  bring([...event.dataTransfer.files]);
});
for (const type of ["dragover", "drop"]) addEventListener(type, (event) => event.preventDefault()); // never leave the page

async function bring(chosen) {
  problem(by("drop-problem"));
  for (const file of chosen) {
    by("formats").textContent = `Reading ${file.name} ...`;
    try {
      const card = await ask(`/files?name=${encodeURIComponent(file.name)}`, undefined, file);
      files.set(card.id, card);
    } catch (error) {
      problem(by("drop-problem"), { ...error, error: `${file.name}: ${error.error || "could not be sent"}` });
    }
    by("formats").textContent = `${known.formats} Up to ${known.limit}.`;
  }
  show();
}

async function change(card, changes) {
  const asked = { label: card.label, positive: card.positive, scores: chosen(card), by: card.by, predicted: card.predicted, ...changes };
  problem(by("drop-problem"));
  try {
    const fresh = await ask(`/files/${card.id}`, asked);
    files.set(card.id, { ...fresh, join: card.join, lower: card.lower });
  } catch (error) { problem(by("drop-problem"), error); }
  show(card.id);
}

async function forget(card) {
  files.delete(card.id);
  show();
  try { await ask(`/files/${card.id}/remove`, {}); } catch { /* it is gone from the page either way */ }
}

const chosen = (card) => card.scores.filter((one) => one.chosen).map((one) => one.name);

function show(focused) {
  const place = document.activeElement && document.activeElement.dataset ? document.activeElement.dataset.place : "";
  by("cards").replaceChildren(...[...files.values()].map(cardOf));
  const models = [...files.values()].flatMap((card) => (card.predicted && !chosen(card).length ? [card.predicted] : chosen(card)));
  by("act").hidden = !files.size;
  by("evaluate").disabled = !models.length;
  by("evaluate").textContent = `Evaluate ${count(models.length, "model")}`;
  by("left-out").textContent = [...files.values()].map(lost).filter(Boolean).join(" ");
  const stuck = [...files.values()].find((card) => card.problem);
  if (stuck) problem(by("drop-problem"), { error: `${stuck.name}: ${stuck.problem}` });
  showValidate();
  if (focused && place) document.querySelector(`[data-place="${CSS.escape(place)}"]`)?.focus();
}

function lost(card) {
  const parts = Object.entries(card.left_out).map(([why, rows]) => `${count(rows, "row")} ${rows === 1 ? "has" : "have"} ${why}`);
  const where = files.size > 1 ? `${card.name}: ` : "";
  return parts.length ? `${where}${parts.join(", ")}: left out, and counted in the report.` : "";
}

function cardOf(card) {
  const facts = `${count(card.rows, "row")}, ${count(card.columns, "column")}, ${card.size}`;
  return make("div", { class: "card" },
    make("div", { class: "head" }, make("span", { class: "name" }, card.name), make("span", { class: "size" }, facts),
      make("button", { type: "button", class: "plain", "aria-label": `Take ${card.name} away`, onclick: () => forget(card) }, "×")),
    role("label", labelChips(card)),
    role("scores", scoreChips(card)),
    ...(card.slices.length ? [role("slice by", sliceChips(card))] : []),
    ...(card.ids.length ? [role("id", idChips(card))] : []));
}

const role = (name, chips) => make("div", { class: "role" }, make("span", {}, name), make("div", { class: "chips" }, ...chips));

function labelChips(card) {
  const label = make("select", { "aria-label": "Column of labels", "data-place": `${card.id} label`, onchange: (event) => change(card, { label: event.target.value, positive: null }) },
    ...(card.label ? [] : [make("option", { value: "" }, "choose")]),
    ...card.labels.map((name) => make("option", { value: name, selected: name === card.label }, name)));
  if (!card.values.length) return [label];
  const all = card.values.reduce((sum, one) => sum + one.count, 0);
  if (card.values.length > 2) return [label, make("span", { class: "note" }, `${card.values.length} classes`)];
  const found = card.values.find((one) => one.value === card.positive);
  const positive = make("select", { "aria-label": "Positive label", "data-place": `${card.id} positive`, onchange: (event) => change(card, { positive: event.target.value }) },
    ...card.values.map((one) => make("option", { value: one.value, selected: one.value === card.positive }, one.value)));
  const lower = make("button", { type: "button", class: "chip", "aria-pressed": Boolean(card.lower), "data-place": `${card.id} lower`, onclick: () => { files.set(card.id, { ...card, lower: !card.lower }); show(card.id); } }, "low is positive");
  return [label, make("span", { class: "note" }, "positive is"), positive,
    make("span", { class: "note" }, found ? `${found.count.toLocaleString("en")} of ${all.toLocaleString("en")}` : ""), lower];
}

function scoreChips(card) {
  if (card.predicted && !chosen(card).length) return [make("span", { class: "note" }, `none; ${card.predicted} holds predicted labels`)];
  if (!card.scores.length) return [make("span", { class: "note" }, "no column of numbers")];
  return card.scores.map((one) => make("button", {
    type: "button", class: "chip", "aria-pressed": one.chosen, "data-place": `${card.id} score ${one.name}`,
    onclick: () => change(card, { scores: card.scores.filter((other) => (other === one ? !other.chosen : other.chosen)).map((other) => other.name) }),
  }, one.name));
}

function sliceChips(card) {
  return [...card.slices, null].map((name) => make("button", {
    type: "button", class: "chip", "aria-pressed": name === card.by, "data-place": `${card.id} slice ${name}`, onclick: () => change(card, { by: name }),
  }, name ?? "none"));
}

function idChips(card) {
  return card.ids.map((name) => make("button", {
    type: "button", class: "chip", "aria-pressed": card.join === name, "data-place": `${card.id} id ${name}`, title: "Join files by it",
    onclick: () => { files.set(card.id, { ...card, join: card.join === name ? null : name }); show(card.id); },
  }, `${name}: unique`));
}

by("evaluate").addEventListener("click", async () => {
  problem(by("drop-problem"));
  const cost = by("cost").value.trim().replace(",", ".");
  if (cost && !(Number(cost) >= 0)) return problem(by("drop-problem"), { error: "a cost is a number, 0 or more" });
  const asked = [...files.values()].map((card) => ({
    id: card.id, label: card.label, positive: card.positive, scores: chosen(card), by: card.by,
    predicted: chosen(card).length ? null : card.predicted, join: files.size > 1 ? joined(card) : null, lower: Boolean(card.lower),
  }));
  await answered(by("evaluate"), by("drop-problem"), () => ask("/evaluate", { files: asked, ...(cost ? { cost_fp: 1, cost_fn: Number(cost) } : {}) }));
});

// files are joined by the id that was pressed, or by one that all of them have
function joined(card) {
  const shared = card.ids.find((name) => [...files.values()].every((other) => other.ids.includes(name)));
  return card.join ?? shared ?? null;
}

async function answered(button, place, call) {
  button.disabled = true;
  const text = button.textContent;
  button.textContent = "Working ...";
  try {
    location.assign(`/report/${(await call()).report}`);
  } catch (error) { problem(place, error); }
  button.disabled = false;
  button.textContent = text;
}

// ---- validation

function showValidate() {
  const card = [...files.values()][0];
  by("validate").hidden = files.size !== 1;
  if (files.size !== 1 || by("validate-body").dataset.file === card.id) return;
  by("validate-body").dataset.file = card.id;
  const target = make("select", { "aria-label": "Column to predict" }, ...card.labels.map((name) => make("option", { value: name, selected: name === card.label }, name)));
  const plan = make("select", { "aria-label": "Plan" }, ...known.plans.map((name) => make("option", { value: name }, name)));
  const models = known.models.map((name) => make("button", {
    type: "button", class: "chip", "aria-pressed": ["logistic", "knn", "tree"].includes(name),
    onclick: (event) => event.target.setAttribute("aria-pressed", String(event.target.getAttribute("aria-pressed") !== "true")),
  }, name));
  const progress = make("progress", { max: 1, value: 0, "aria-label": "Fits done", hidden: true });
  const told = make("span", { class: "note", role: "status" });
  const run = make("button", { type: "button" }, "Fit and compare");
  const end = make("button", { type: "button", hidden: true }, "Stop");
  run.addEventListener("click", () => fit(card, { target, plan, models, progress, told, run, end }));
  by("validate-body").replaceChildren(
    make("div", { class: "row" }, "predict", target, "by", plan), make("div", { class: "row" }, ...models),
    make("div", { class: "row" }, run, end, progress, told));
}

async function fit(card, parts) {
  const models = parts.models.filter((one) => one.getAttribute("aria-pressed") === "true").map((one) => one.textContent);
  problem(by("drop-problem"));
  let job;
  const positive = parts.target.value === card.label ? card.positive : null;
  try { job = await ask("/validate", { id: card.id, target: parts.target.value, plan: parts.plan.value, models, positive }); } catch (error) { return problem(by("drop-problem"), error); }
  parts.run.disabled = true;
  parts.progress.hidden = parts.end.hidden = false;
  parts.end.onclick = () => ask(`/jobs/${job.id}/stop`, {});
  while (job.state === "running") {
    parts.progress.max = job.total || 1;
    parts.progress.value = job.done;
    parts.told.textContent = job.total ? `${job.done} of ${job.total} fits` : "starting";
    await new Promise((resolve) => setTimeout(resolve, 400));
    try { job = await ask(`/jobs/${job.id}`); } catch (error) { problem(by("drop-problem"), error); break; }
  }
  parts.run.disabled = false;
  parts.progress.hidden = parts.end.hidden = true;
  parts.told.textContent = job.state === "stopped" ? "stopped" : "";
  if (job.state === "done") location.assign(`/report/${job.report}`);
  if (job.state === "failed") problem(by("drop-problem"), { error: job.error });
}

// ---- the second door: a pasted table

let looked = { kinds: [] };
let kind = "";
let waiting = 0;

by("paste").addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = setTimeout(recognise, 300);
});

async function recognise() {
  problem(by("paste-problem"));
  by("kinds").hidden = true;
  const text = by("paste").value;
  if (!text.trim()) { looked = { kinds: [] }; return found(); }
  try {
    looked = await ask("/recognise", { text });
    kind = looked.kind;
  } catch (error) {
    looked = { kinds: [] };
    problem(by("paste-problem"), error);
  }
  found();
}

function found() {
  const one = looked.kinds.find((other) => other.kind === kind);
  by("paste-act").hidden = !one;
  if (!one) return by("found").replaceChildren("Understood: scores with labels, a confusion matrix, ROC points, TP FP FN TN counts.");
  const others = [...looked.kinds.filter((other) => other !== one).map((other) => other.title), ...looked.also];
  by("found").replaceChildren(make("b", {}, `Looks like ${one.title}`), `, ${one.says}. Also understood: ${others.join(", ")}.`);
  by("show").textContent = one.button;
}

// the user knows better: what does not fit is refused by the server, with the reason
function take(value) {
  kind = value;
  const one = looked.kinds.find((other) => other.kind === value.split(" ")[0]);
  by("show").textContent = one ? one.button : "Show it as that";
  by("found").replaceChildren(make("b", {}, `Taken as ${known.kinds[value.split(" ")[0]]}`), value.endsWith("predicted") ? ", rows are predicted." : ".");
  for (const chip of by("kinds").children) chip.setAttribute("aria-pressed", String(chip.dataset.kind === value));
}

by("show").addEventListener("click", () => {
  const [name, rows] = kind.split(" ");
  problem(by("paste-problem"));
  answered(by("show"), by("paste-problem"), () => ask("/paste", { text: by("paste").value, kind: name, rows: rows || "actual" }));
});

by("else").addEventListener("click", () => {
  const choices = Object.entries(known.kinds).flatMap(([name, title]) => (name === "matrix"
    ? [["matrix", `${title}, rows are actual`], ["matrix predicted", `${title}, rows are predicted`]]
    : [[name, title]]));
  by("kinds").hidden = !by("kinds").hidden;
  by("kinds").replaceChildren(...choices.map(([value, title]) => make("button", {
    type: "button", class: "chip", "data-kind": value, "aria-pressed": value === kind, onclick: () => {
      take(value);
      by("show").focus();
    },
  }, title)));
});

// ---- the third door: examples

function example(card) {
  return make("li", {}, make("a", { href: `/examples/${encodeURIComponent(card.name)}` }, small(card.picture),
    make("div", {}, make("b", {}, card.title), make("span", {}, card.says))));
}

function small(picture) {
  const svg = draw("svg", { viewBox: "0 0 70 70", "aria-hidden": "true" });
  const at = ([x, y]) => `${(2 + 66 * x).toFixed(2)},${(68 - 66 * y).toFixed(2)}`;
  if (picture.kind === "curve" || picture.kind === "points") {
    svg.append(draw("path", { class: "frame", d: "M2 2V68H68" }), draw("path", { class: "chance", d: "M2 68L68 2" }),
      draw("polyline", { class: picture.kind === "curve" ? "stroke" : "hull", points: picture.points.map(at).join(" ") }));
    if (picture.kind === "points") {
      picture.points.slice(1, -1).forEach(([x, y], i) => svg.append(draw("circle", { class: i ? "other" : "dot", cx: 2 + 66 * x, cy: 68 - 66 * y, r: 4 })));
    }
  }
  if (picture.kind === "cells") cells(svg, picture.cells);
  if (picture.kind === "formula") {
    svg.append(draw("text", { x: 35, y: 30, "text-anchor": "middle" }, picture.top), draw("line", { class: "rule", x1: 8, y1: 38, x2: 62, y2: 38 }),
      draw("text", { x: 35, y: 56, "text-anchor": "middle" }, picture.bottom));
  }
  return svg;
}

function cells(svg, rows) {
  const side = 68 / rows.length;
  const most = Math.max(...rows.flat(), 1);
  rows.forEach((row, i) => row.forEach((value, j) => {
    const box = draw("rect", { class: i === j ? "right" : "wrong", x: 1 + j * side, y: 1 + i * side, width: side - 2, height: side - 2, rx: 3, "fill-opacity": (0.08 + 0.6 * Math.sqrt(value / most)).toFixed(2) });
    svg.append(box);
    if (value && rows.length < 4 && String(value).length < 4) svg.append(draw("text", { x: j * side + side / 2, y: i * side + side / 2 + 5, "text-anchor": "middle" }, String(value)));
  }));
}

// ---- light and dark

by("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
});

enter();

// The start page. Everything that comes from data is set by textContent; no markup is ever built from text.

const by = (id) => document.getElementById(id);

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

// a sentence begins with a capital letter, but the name of a file stays as it is
const sentence = (text) => `${isNamed(text) ? text[0] : text[0].toUpperCase()}${text.slice(1)}${/[.?!]$/.test(text) ? "" : "."}`;
const isNamed = (text) => /^\S+\.\w/.test(text) || brought.some((name) => text.startsWith(name));

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
const brought = []; // names of files, as they are written
let known = { models: [], plans: [] };

function fill(state) {
  known = state;
  by("where").textContent = `running on ${state.where}, private to you`;
  by("formats").textContent = `${state.formats} Up to ${state.limit}.`;
  by("version").textContent = `rocscope ${state.version}. Stop with Ctrl+C in the terminal. Nothing is kept.`;
  for (const card of state.files) files.set(card.id, card);
  show();
  document.body.dataset.ready = "";
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
    brought.push(file.name);
    by("formats").textContent = `Reading ${file.name} ...`;
    try {
      const card = await ask(`/files?name=${encodeURIComponent(file.name)}`, undefined, file);
      if (files.has(card.id)) problem(by("drop-problem"), { error: `${file.name} is already here` }); // with the roles chosen by now
      else files.set(card.id, card);
    } catch (error) {
      const why = error.error || "could not be sent";
      problem(by("drop-problem"), { ...error, error: why.includes(file.name) ? why : `${file.name}: ${why}` });
    }
    by("formats").textContent = `${known.formats} Up to ${known.limit}.`;
  }
  show();
}

// One change after the other, each made from the card as the one before left it: of two quick clicks none is lost.
let changed = Promise.resolve();

function change(id, wish) {
  changed = changed.then(() => changeNow(id, wish));
}

async function changeNow(id, wish) {
  const card = files.get(id);
  if (!card) return; // taken away meanwhile
  const asked = { label: card.label, positive: card.positive, scores: chosen(card), by: card.by, predicted: card.predicted, ...wish(card) };
  problem(by("drop-problem"));
  try {
    keep(await ask(`/files/${id}`, asked));
  } catch (error) { problem(by("drop-problem"), error); }
  show(id);
}

// what the server does not know of stays as it is on the page by now
function keep(fresh) {
  const card = files.get(fresh.id);
  if (card) files.set(fresh.id, { ...fresh, join: card.join, lower: card.lower });
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
  const models = [...files.values()].flatMap(modelsOf);
  const why = stuckBy([...files.values()]);
  by("act").hidden = !files.size;
  by("evaluate").hidden = Boolean(why);
  by("evaluate").parentElement.querySelector(".cost").hidden = Boolean(why);
  by("evaluate").textContent = `Evaluate ${count(models.length, "model")}`;
  by("stuck").textContent = why;
  by("left-out").textContent = [...files.values()].map(lost).filter(Boolean).join(" ");
  const stuck = [...files.values()].find((card) => card.problem);
  if (stuck) problem(by("drop-problem"), { error: `${stuck.name}: ${stuck.problem}` });
  showValidate();
  if (focused && place) document.querySelector(`[data-place="${CSS.escape(place)}"]`)?.focus();
}

function modelsOf(card) {
  if (card.saved) return [card.name];
  return card.predicted && !chosen(card).length ? [card.predicted] : chosen(card);
}

// why the files cannot be evaluated yet, in one sentence; nothing where they can
function stuckBy(cards) {
  const saved = cards.find((card) => card.saved);
  if (saved && cards.length > 1) return `${saved.name} is a saved table without single cases: remove the other files to evaluate it.`;
  const unlabelled = cards.find((card) => !card.saved && !card.label);
  if (unlabelled) return `${unlabelled.name}: choose the column with the true labels.`;
  const unsaid = cards.find((card) => card.values.length === 2 && card.positive === null && chosen(card).length);
  if (unsaid) return `${unsaid.name}: which label is the positive class? The labels do not show it.`;
  const empty = cards.find((card) => !modelsOf(card).length);
  return empty ? `${empty.name}: ${empty.scores.length ? "select at least one score." : "no column of scores was found. To fit models to these data, see below."}` : "";
}

function lost(card) {
  const parts = Object.entries(card.left_out).map(([why, rows]) => `${count(rows, "row")} ${rows === 1 ? "has" : "have"} ${why}`);
  const where = files.size > 1 ? `${card.name}: ` : "";
  return parts.length ? `${where}${parts.join(", ")}: left out, and counted in the report.` : "";
}

function cardOf(card) {
  const facts = `${count(card.rows, "row")}, ${count(card.columns, "column")}, ${card.size}`;
  const head = make("div", { class: "head" }, nameOf(card.name), make("span", { class: "size" }, card.saved ? card.size : facts),
    make("button", { type: "button", class: "plain", "aria-label": `Remove ${card.name}`, onclick: () => forget(card) }, "×"));
  if (card.saved) return make("div", { class: "card" }, head, role("saved table", [make("span", { class: "note" }, card.saved)]));
  return make("div", { class: "card" }, head,
    role("label", labelChips(card)),
    role("scores", scoreChips(card)),
    ...(card.slices.length ? [role("slice by", sliceChips(card))] : []),
    ...(files.size > 1 ? [role("join by", joinChips(card))] : []));
}

// long names break where they must, but never inside their ending
function nameOf(name) {
  const at = name.lastIndexOf(".");
  const ending = at > 0 && name.length - at <= 12 ? name.slice(at) : "";
  return make("span", { class: "name" }, ending ? name.slice(0, at) : name, ...(ending ? [make("span", { class: "ending" }, ending)] : []));
}

const role = (name, chips) => make("div", { class: "role" }, make("span", {}, name), make("div", { class: "chips" }, ...chips));

function labelChips(card) {
  const label = make("select", { "aria-label": "Column of labels", "data-place": `${card.id} label`, onchange: ({ target: { value } }) => change(card.id, () => ({ label: value, positive: null })) },
    ...(card.label ? [] : [make("option", { value: "" }, "choose")]),
    ...card.labels.map((name) => make("option", { value: name, selected: name === card.label }, name)));
  if (!card.values.length) return [label];
  const all = card.values.reduce((sum, one) => sum + one.count, 0);
  if (card.values.length > 2) return [label, make("span", { class: "note" }, `${card.values.length} classes`)];
  const found = card.values.find((one) => one.value === card.positive);
  const named = (one) => `${one.value} (${one.count.toLocaleString("en")})`;
  const asked = card.positive === null ? card.values.map((one) => make("button", { type: "button", class: "chip ask", "data-place": `${card.id} positive ${one.value}`, onclick: () => change(card.id, () => ({ positive: one.value })) }, named(one))) : null;
  if (asked) return [label, make("span", { class: "note" }, "positive class:"), ...asked];
  const positive = make("select", { "aria-label": "Positive label", "data-place": `${card.id} positive`, onchange: ({ target: { value } }) => change(card.id, () => ({ positive: value })) },
    ...card.values.map((one) => make("option", { value: one.value, selected: one.value === card.positive }, one.value)));
  const lower = make("button", { type: "button", class: "chip", "aria-pressed": Boolean(card.lower), "data-place": `${card.id} lower`, onclick: () => { files.set(card.id, { ...card, lower: !card.lower }); show(card.id); } }, "lower scores mean positive");
  return [label, make("span", { class: "note" }, "positive is"), positive,
    make("span", { class: "note" }, found ? `${found.count.toLocaleString("en")} of ${all.toLocaleString("en")}` : ""), lower];
}

function scoreChips(card) {
  if (card.predicted && !chosen(card).length) return [make("span", { class: "note" }, `none; ${card.predicted} holds predicted labels`)];
  if (!card.scores.length) return [make("span", { class: "note" }, "no column of numbers")];
  return card.scores.map((one) => make("button", {
    type: "button", class: "chip", "aria-pressed": one.chosen, "data-place": `${card.id} score ${one.name}`,
    onclick: () => change(card.id, (latest) => ({ scores: pressed(latest, one.name) })),
  }, one.name));
}

const pressed = (card, name) => card.scores.filter((one) => one.chosen !== (one.name === name)).map((one) => one.name);

function sliceChips(card) {
  return [...card.slices, null].map((name) => make("button", {
    type: "button", class: "chip", "aria-pressed": name === card.by, "data-place": `${card.id} slice ${name}`, onclick: () => change(card.id, () => ({ by: name })),
  }, name ?? "none"));
}

function joinChips(card) {
  const now = joined(card);
  const chip = (name, words) => make("button", {
    type: "button", class: "chip", "aria-pressed": now === name, "data-place": `${card.id} id ${name}`,
    onclick: () => { join(card, name); show(card.id); },
  }, words);
  return [...card.ids.map((name) => chip(name, name)), chip(null, "row order")];
}

by("evaluate").addEventListener("click", async () => {
  problem(by("drop-problem"));
  const cost = by("cost").value.trim().replace(",", ".");
  if (cost && !(Number(cost) >= 0)) return problem(by("drop-problem"), { error: "a cost is a number, 0 or more" });
  by("evaluate").disabled = true;
  await changed; // what was pressed just before counts
  const asked = [...files.values()].map(asEvaluated);
  await answered(by("evaluate"), by("drop-problem"), () => ask("/evaluate", { files: asked, ...(cost ? { cost_fp: 1, cost_fn: Number(cost) } : {}) }));
});

const asEvaluated = (card) => ({
  id: card.id, label: card.label, positive: card.positive, scores: chosen(card), by: card.by,
  predicted: chosen(card).length ? null : card.predicted, join: files.size > 1 ? joined(card) : null, lower: Boolean(card.lower),
});

// Files are joined by ids in all of them or row by row in all of them: by the id that was pressed (`join`), null being
// row by row; before anything is pressed, by a name that all have.
function joined(card) {
  const found = [...files.values()].map(ownId);
  return found.includes(null) ? null : ownId(card);
}

function ownId(card) {
  if (card.join !== undefined) return card.join;
  return card.ids.find((name) => [...files.values()].every((other) => other.ids.includes(name))) ?? null;
}

function join(card, name) {
  for (const other of [...files.values()]) {
    const own = other.id === card.id || name === null ? name : other.join ?? (other.ids.includes(name) ? name : other.ids[0] ?? null);
    files.set(other.id, { ...other, join: own });
  }
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
  const one = files.size === 1 && !card.saved;
  by("validate").hidden = !one;
  by("validate-not").hidden = files.size < 2;
  by("validate-not").textContent = "Models are fitted to one file: remove the others to fit models instead.";
  if (!one || by("validate-body").dataset.file === card.id) return;
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
  run.addEventListener("click", () => fit(files.get(card.id) ?? card, { target, plan, models, progress, told, run, end }));
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
let version = 0; // of the text: an answer to an older one comes too late to be shown

by("paste").addEventListener("input", () => {
  version += 1;
  clearTimeout(waiting);
  waiting = setTimeout(recognise, 300);
});

async function recognise() {
  problem(by("paste-problem"));
  by("kinds").hidden = true;
  const text = by("paste").value;
  if (!text.trim()) { looked = { kinds: [] }; return found(); }
  const asked = version;
  let answer = { kinds: [], kind: "" };
  let wrong = null;
  try { answer = await ask("/recognise", { text }); } catch (error) { wrong = error; }
  if (asked !== version) return;
  looked = answer;
  kind = answer.kind;
  problem(by("paste-problem"), wrong);
  found();
}

function found() {
  const one = looked.kinds.find((other) => other.kind === kind);
  by("paste-act").hidden = !one;
  if (!one) return by("found").replaceChildren("You can paste scores with labels, a confusion matrix, ROC points, a ROC curve, or TP, FP, FN and TN.");
  const others = [...looked.kinds.filter((other) => other !== one).map((other) => other.title), ...looked.also];
  by("found").replaceChildren(make("b", {}, `Looks like ${one.title}`), `, ${one.says}. It could also be ${others.slice(0, -1).join(", ")} or ${others.at(-1)}.`);
  by("show").textContent = one.button;
  asked(one.asks);
}

// what the table does not say is asked: each answer is a button that goes on
function asked(question) {
  by("show").hidden = Boolean(question);
  by("asked").hidden = !question;
  by("asked").setAttribute("aria-label", question ? question.question : "");
  by("asked").replaceChildren(...(question ? [make("b", {}, question.question), ...question.choices.map(([value, title]) => make("button", {
    type: "button", class: "main", onclick: ({ target }) => showPasted(target, { [question.name]: value }),
  }, title))] : []));
}

// the user knows better: what does not fit is refused by the server, with the reason
function take(value) {
  kind = value;
  const one = looked.kinds.find((other) => other.kind === value.split(" ")[0]);
  by("show").textContent = one ? one.button : "Show it";
  asked(value.includes(" ") || (one && one.kind === "matrix") ? null : one && one.asks); // the chip of a matrix says its rows
  by("found").replaceChildren(make("b", {}, `Taken as ${known.kinds[value.split(" ")[0]]}`), value.endsWith("predicted") ? ", rows are predicted." : ".");
  for (const chip of by("kinds").children) chip.setAttribute("aria-pressed", String(chip.dataset.kind === value));
}

by("show").addEventListener("click", () => showPasted(by("show"), {}));

function showPasted(pressed, answers) {
  const [name, rows] = kind.split(" ");
  problem(by("paste-problem"));
  answered(pressed, by("paste-problem"), () => ask("/paste", { text: by("paste").value, kind: name, rows: rows || "actual", ...answers }));
}

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

// ---- light and dark

by("theme").addEventListener("click", () => {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  const now = document.documentElement.dataset.theme || (dark ? "dark" : "light");
  document.documentElement.dataset.theme = now === "dark" ? "light" : "dark";
});

enter();

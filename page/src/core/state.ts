// A single state for all views, its URL fragment, and the store that notifies views of changes, once per frame.

import { rounded } from "./small.ts";
import type { Drawing } from "./data.ts";
import { RULES, dataPrevalence, type Rule } from "./model.ts";

export interface State {
  model: number;
  rule: Rule;
  /** The manual threshold; while another rule is selected, that rule decides. null flags nothing. */
  threshold: number | null;
  fp: number;
  fn: number;
  prevalence: number;
  /** The input fields of the rules "Precision >= x" and "Top x". */
  precision: number;
  top: number;
  rows: "actual" | "predicted";
  unit: "counts" | "thousand";
  open: readonly string[];
  /** Codes of the muted checks. */
  mute: readonly string[];
  zoom: boolean;
  lang: string;
}

/** What a view is notified of: a key of the state, the operating point, the page size, a field that lost the focus. */
export type Change = keyof State | "point" | "costs" | "size" | "typed";
export type Changed = ReadonlySet<Change>;

export const LIMITS = { ratio: [0.01, 1000], prevalence: [0.0001, 0.9999], share: [0.0001, 1] } as const;
export const clamp = (x: number, low: number, high: number) => Math.min(Math.max(x, low), high);

/** The state stored in a results document. */
export function initial(d: Drawing): State {
  const saved = d.state;
  const rule = isRule(saved.rule) ? saved.rule : "cost";
  return {
    model: clamp(Math.round(saved.model ?? 0), 0, Math.max(0, d.models.length - 1)),
    rule,
    threshold: saved.threshold ?? null,
    fp: saved.fp && saved.fp > 0 ? saved.fp : 1,
    fn: saved.fn && saved.fn > 0 ? saved.fn : 1,
    prevalence: saved.prevalence ?? dataPrevalence(d),
    precision: 0.5,
    top: 0.05,
    rows: "actual",
    unit: d.rates_only ? "thousand" : "counts",
    open: [],
    mute: [],
    zoom: false,
    lang: "en",
  };
}

/** If costs differ from case to case, changes that would set a single price are dropped. */
export function settable(d: Drawing, patch: Partial<State>): Partial<State> {
  if (!d.state.own_costs) return patch;
  const { fp, fn } = initial(d);
  const { rule, ...rest } = { ...patch, ...("fp" in patch ? { fp } : {}), ...("fn" in patch ? { fn } : {}) };
  return rule === undefined || rule === "cost" ? rest : { ...rest, rule };
}

const isRule = (text: unknown): text is Rule => text === "hand" || RULES.includes(text as Rule);

// ---- URL fragment ----

const short = (x: number) => String(rounded(x, 6));

/** The state as a fragment: only what differs from the stored one, so that links stay short. */
export function toFragment(state: State, start: State): string {
  const parts = new Map<string, string>();
  const say = (key: string, value: string, plain: string) => value !== plain && parts.set(key, value);
  say("m", String(state.model), String(start.model));
  say("rule", state.rule, start.rule);
  if (state.rule === "hand") parts.set("t", state.threshold === null ? "none" : String(state.threshold));
  say("fp", short(state.fp), short(start.fp));
  say("fn", short(state.fn), short(start.fn));
  say("p", short(state.prevalence), short(start.prevalence));
  say("pr", short(state.precision), short(start.precision));
  say("top", short(state.top), short(start.top));
  say("rows", state.rows, start.rows);
  say("unit", state.unit, start.unit);
  say("open", state.open.join(","), start.open.join(","));
  say("mute", state.mute.join(","), start.mute.join(","));
  say("zoom", state.zoom ? "1" : "0", start.zoom ? "1" : "0");
  say("lang", state.lang, start.lang);
  return [...parts].map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}

/** The state in a fragment: unknown keys are ignored, values clamped, and values that cannot be parsed left unchanged. */
export function fromFragment(fragment: string, start: State, models: number): State {
  const given = new URLSearchParams(fragment.replace(/^#/, ""));
  const number = (key: string, low: number, high: number): number | undefined => {
    const text = given.get(key);
    const value = text === null || text.trim() === "" ? NaN : Number(text);
    return isFinite(value) ? clamp(value, low, high) : undefined;
  };
  const one = <T extends string>(key: string, allowed: readonly T[], otherwise: T): T =>
    allowed.find((value) => value === given.get(key)) ?? otherwise;
  const threshold = given.get("t") === "none" ? null : (number("t", -Number.MAX_VALUE, Number.MAX_VALUE) ?? start.threshold);
  const rule = given.get("rule");
  const names = (key: "open" | "mute") =>
    given.get(key)?.split(",").filter((name) => /^[\w. -]{1,64}$/.test(name)).slice(0, 50) ?? start[key];
  const [least, most] = LIMITS.prevalence;
  return {
    model: Math.round(number("m", 0, Math.max(0, models - 1)) ?? start.model),
    rule: isRule(rule) ? rule : given.has("t") ? "hand" : start.rule,
    threshold,
    fp: number("fp", 1e-6, 1e9) ?? start.fp,
    fn: number("fn", 1e-6, 1e9) ?? start.fn,
    prevalence: number("p", least, most) ?? start.prevalence,
    precision: number("pr", 0, 1) ?? start.precision,
    top: number("top", 0, 1) ?? start.top,
    rows: one("rows", ["actual", "predicted"], start.rows),
    unit: one("unit", ["counts", "thousand"], start.unit),
    open: names("open"),
    mute: names("mute"),
    zoom: given.has("zoom") ? given.get("zoom") === "1" : start.zoom,
    lang: /^[a-z]{2,3}$/i.test(given.get("lang") ?? "") ? (given.get("lang") as string) : start.lang,
  };
}

// ---- store ----

export type Listener = (changed: Changed) => void;

/** Holds the state; notifies its listeners of changes at most once per frame. */
export interface Store {
  readonly state: State;
  readonly fragment: string;
  subscribe(listener: Listener): void;
  /** Changes the state; `done` means that the gesture has ended, so that the link is updated. */
  set(patch: Partial<State>, done?: boolean): void;
  /** Notifies listeners of something that is not in the state, such as a new size. */
  touch(...changes: Change[]): void;
  flush(): void;
}

export function storeOf(start: State, state: State, frame: (run: () => void) => void, written: (fragment: string) => void): Store {
  const pending = new Set<Change>();
  const listeners: Listener[] = [];
  let asked = false;
  const flush = (): void => {
    asked = false;
    const changed = new Set(pending);
    pending.clear();
    listeners.forEach((listener) => listener(changed));
  };
  const ask = (): void => {
    if (asked) return;
    asked = true;
    frame(flush);
  };
  return {
    get state() {
      return state;
    },
    get fragment() {
      return toFragment(state, start);
    },
    flush,
    subscribe: (listener) => void listeners.push(listener),
    set(patch, done = true) {
      for (const key of Object.keys(patch) as (keyof State)[]) {
        if (state[key] !== patch[key]) pending.add(key);
      }
      state = { ...state, ...patch };
      if (done) written(toFragment(state, start));
      if (pending.size) ask();
    },
    touch(...changes) {
      changes.forEach((one) => pending.add(one));
      ask();
    },
  };
}

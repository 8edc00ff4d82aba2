// Formulas: the same strings and grammar as in Python. Nothing is passed to eval, which the page's content security policy
// forbids: names, numbers, + - * /, ** with a small integer exponent, sqrt log abs min max.

export const CELLS = ["tp", "fp", "fn", "tn"] as const;
export type Cell = (typeof CELLS)[number];
export type Cells = Record<Cell, number>;

export type Node =
  | { kind: "number"; value: number; text: string }
  | { kind: "name"; name: Cell }
  | { kind: "op"; sign: "+" | "-" | "*" | "/"; left: Node; right: Node }
  | { kind: "negate"; inner: Node }
  | { kind: "power"; base: Node; exponent: number }
  | { kind: "call"; name: string; inner: Node[] };

const FUNCTIONS: Record<string, number> = { sqrt: 1, log: 1, abs: 1, min: 2, max: 2 };
const TOKEN = /\s*(?:(\d+\.?\d*(?:e[+-]?\d+)?|\.\d+)|([a-z_]\w*)|(\*\*|[-+*/(),]))/giy;

/** The syntax tree of a formula; throws an error if the text is not a formula. */
export function parse(text: string): Node {
  const tokens = split(text);
  let at = 0;
  const peek = () => tokens[at] ?? "";
  const take = (wanted?: string): string => {
    const token = peek();
    if (!token || (wanted && token !== wanted)) throw new Error(`'${text}' is not a formula`);
    at += 1;
    return token;
  };

  function sum(): Node {
    let left = product();
    while (peek() === "+" || peek() === "-") left = { kind: "op", sign: take() as "+" | "-", left, right: product() };
    return left;
  }
  function product(): Node {
    let left = signed();
    while (peek() === "*" || peek() === "/") left = { kind: "op", sign: take() as "*" | "/", left, right: signed() };
    return left;
  }
  function signed(): Node {
    if (peek() === "-") return take(), { kind: "negate", inner: signed() };
    if (peek() === "+") return take(), signed();
    const base = atom();
    if (peek() !== "**") return base;
    take();
    return { kind: "power", base, exponent: Number(take()) };
  }
  function atom(): Node {
    const token = take();
    if (token === "(") {
      const inner = sum();
      take(")");
      return inner;
    }
    if (/^[\d.]/.test(token)) return { kind: "number", value: Number(token), text: token };
    if (peek() === "(" && token in FUNCTIONS) return call(token);
    if ((CELLS as readonly string[]).includes(token)) return { kind: "name", name: token as Cell };
    throw new Error(`unknown name '${token}' in the formula`);
  }
  function call(name: string): Node {
    take("(");
    const inner = [sum()];
    while (peek() === ",") take(), inner.push(sum());
    take(")");
    if (inner.length !== FUNCTIONS[name]) throw new Error(`${name} takes ${FUNCTIONS[name]} argument(s)`);
    return { kind: "call", name, inner };
  }

  const tree = sum();
  if (at < tokens.length) throw new Error(`'${text}' is not a formula`);
  return tree;
}

function split(text: string): string[] {
  const tokens: string[] = [];
  const source = text.trimEnd();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const found = TOKEN.exec(source);
    if (!found) throw new Error(`'${text}' is not a formula`);
    tokens.push(found[1] ?? found[2] ?? found[3] ?? "");
  }
  return tokens;
}

const divide = (a: number, b: number) => (b === 0 ? NaN : a / b);

/** The value of a formula; x / 0, log of 0 and roots of negative numbers are NaN. */
export function evaluate(tree: Node, cells: Cells): number {
  switch (tree.kind) {
    case "number":
      return tree.value;
    case "name":
      return cells[tree.name];
    case "negate":
      return -evaluate(tree.inner, cells);
    case "power":
      return evaluate(tree.base, cells) ** tree.exponent;
    case "op":
      return operate(tree.sign, evaluate(tree.left, cells), evaluate(tree.right, cells));
    case "call":
      return apply(tree.name, tree.inner.map((one) => evaluate(one, cells)));
  }
}

function operate(sign: string, a: number, b: number): number {
  if (sign === "+") return a + b;
  if (sign === "-") return a - b;
  return sign === "*" ? a * b : divide(a, b);
}

function apply(name: string, [a = NaN, b = NaN]: number[]): number {
  if (name === "sqrt") return a >= 0 ? Math.sqrt(a) : NaN;
  if (name === "log") return a > 0 ? Math.log(a) : NaN;
  if (name === "abs") return Math.abs(a);
  return name === "min" ? Math.min(a, b) : Math.max(a, b);
}

type Slopes = [number, number, number, number];
type Dual = { value: number; slopes: Slopes };

/** The derivatives with respect to tp, fp, fn, tn, by forward differentiation. */
export function gradient(tree: Node, cells: Cells): Slopes {
  return dual(tree, cells).slopes;
}

function dual(tree: Node, cells: Cells): Dual {
  switch (tree.kind) {
    case "number":
      return { value: tree.value, slopes: [0, 0, 0, 0] };
    case "name":
      return { value: cells[tree.name], slopes: CELLS.map((cell) => Number(cell === tree.name)) as Slopes };
    case "negate": {
      const inner = dual(tree.inner, cells);
      return { value: -inner.value, slopes: each(inner.slopes, (x) => -x) };
    }
    case "power": {
      const base = dual(tree.base, cells);
      const slope = tree.exponent ? tree.exponent * base.value ** (tree.exponent - 1) : 0;
      return { value: base.value ** tree.exponent, slopes: each(base.slopes, (x) => slope * x) };
    }
    case "op":
      return dualOperate(tree.sign, dual(tree.left, cells), dual(tree.right, cells));
    case "call":
      return dualCall(tree.name, tree.inner.map((one) => dual(one, cells)));
  }
}

function dualOperate(sign: string, a: Dual, b: Dual): Dual {
  const value = operate(sign, a.value, b.value);
  const both = (of: (x: number, y: number) => number): Dual => ({
    value,
    slopes: a.slopes.map((x, i) => of(x, b.slopes[i] as number)) as Slopes,
  });
  if (sign === "+") return both((x, y) => x + y);
  if (sign === "-") return both((x, y) => x - y);
  if (sign === "*") return both((x, y) => x * b.value + a.value * y);
  return both((x, y) => divide(x - value * y, b.value));
}

function dualCall(name: string, inner: Dual[]): Dual {
  const [a, b] = inner as [Dual, Dual];
  const value = apply(name, inner.map((one) => one.value));
  if (name === "sqrt") return { value, slopes: each(a.slopes, (x) => divide(x, 2 * value)) };
  if (name === "log") return { value, slopes: each(a.slopes, (x) => divide(x, a.value)) };
  if (name === "abs") return { value, slopes: each(a.slopes, (x) => Math.sign(a.value) * x) };
  // min and max take the slope of the argument they select; for equal arguments, that of the first
  const first = name === "min" ? a.value <= b.value : a.value >= b.value;
  return { value, slopes: first ? a.slopes : b.slopes };
}

const each = (slopes: Slopes, of: (x: number) => number) => slopes.map(of) as Slopes;

// ---- text ----

const [LOOSE, SUM, PRODUCT, TIGHT, POWER] = [0, 1, 2, 3, 4];
type Piece = [text: string, strength: number];

/** The formula as text with the fewest possible parentheses, its cells written by `spell`. */
export function textOf(tree: Node, spell: (cell: Cell) => string): string {
  return piece(tree, spell)[0];
}

function piece(tree: Node, spell: (cell: Cell) => string): Piece {
  switch (tree.kind) {
    case "number":
      return [tree.text, POWER];
    case "name": {
      const text = spell(tree.name);
      return [text, /^[\w.,]+$/.test(text) ? POWER : LOOSE];
    }
    case "negate":
      return [`-${bracket(piece(tree.inner, spell), PRODUCT)}`, SUM];
    case "power":
      return [`${bracket(piece(tree.base, spell), POWER)}**${tree.exponent}`, TIGHT];
    case "call":
      return [`${tree.name}(${tree.inner.map((one) => piece(one, spell)[0]).join(", ")})`, POWER];
    case "op": {
      const { sign } = tree;
      const [left, right] = [piece(tree.left, spell), piece(tree.right, spell)];
      const strength = sign === "+" || sign === "-" ? SUM : PRODUCT;
      // a - (b - c), a / (b * c) and a * (b / c) keep their parentheses; a + b + c and a * b * c need none
      const tighter = sign === "+" || (sign === "*" && !right[0].includes("/")) ? strength : strength + 1;
      return [`${bracket(left, strength)} ${sign} ${bracket(right, tighter)}`, strength];
    }
  }
}

const bracket = ([text, strength]: Piece, needed: number) => (strength >= needed ? text : `(${text})`);

// ---- structure of a formula, for intervals and reasons ----

/** The cells of a plain sum of distinct cells, otherwise null; with `times`, also of multiples such as 2 * tp. */
export function summands(tree: Node, times = false): Set<Cell> | null {
  if (tree.kind === "name") return new Set([tree.name]);
  if (tree.kind !== "op") return null;
  const { left, right } = tree;
  if (tree.sign === "*" && times && left.kind === "number" && left.value > 0 && right.kind === "name") {
    return new Set([right.name]);
  }
  if (tree.sign !== "+") return null;
  const [a, b] = [summands(left, times), summands(right, times)];
  if (!a || !b || [...a].some((cell) => b.has(cell))) return null;
  return new Set([...a, ...b]);
}

type Share = { part: Set<Cell>; whole: Set<Cell> };
const shares = new WeakMap<Node, Share | null>();

/** The cells in the numerator and denominator if the formula is a proportion of cases. */
export function proportion(tree: Node): Share | null {
  const known = shares.get(tree);
  if (known !== undefined) return known; // cached, because it is needed for every row of the table in every frame
  const found = readShare(tree);
  shares.set(tree, found);
  return found;
}

function readShare(tree: Node): Share | null {
  if (tree.kind !== "op" || tree.sign !== "/") return null;
  const [part, whole] = [summands(tree.left), summands(tree.right)];
  if (!part || !whole || [...part].some((cell) => !whole.has(cell))) return null;
  return { part, whole };
}

const ZERO_WORDS: Record<string, string> = {
  "tp fp": "nothing was predicted positive",
  "fn tn": "nothing was predicted negative",
  "tp fn": "there are no positives",
  "fp tn": "there are no negatives",
  "tp fp fn tn": "there are no cases",
  "tp fp fn": "there are no positives, neither actual nor predicted",
  "fp fn tn": "there are no negatives, neither actual nor predicted",
  fp: "there are no false positives",
  fn: "there are no false negatives",
  tp: "there are no true positives",
  tn: "there are no true negatives",
};

/** '' if it has a value at these cells, otherwise the reason. */
export function why(tree: Node, cells: Cells): string {
  for (const node of walk(tree)) {
    if (node.kind === "op" && node.sign === "/" && evaluate(node.right, cells) === 0) {
      return zeroInWords(zeroFactor(node.right, cells));
    }
    const inner = node.kind === "call" ? (node.inner[0] as Node) : null;
    if (node.kind !== "call" || !inner) continue;
    const value = evaluate(inner, cells);
    const upper = textOf(inner, (cell) => cell);
    if (node.name === "log" && value <= 0) return `the logarithm of ${value} (${upper}) is undefined`;
    if (node.name === "sqrt" && value < 0) return `the root of ${value} (${upper}) is undefined`;
  }
  return "";
}

function zeroInWords(tree: Node): string {
  const shown = `${textOf(tree, (cell) => cell.toUpperCase())} = 0`;
  const found = summands(tree, true);
  const words = found && ZERO_WORDS[CELLS.filter((cell) => found.has(cell)).join(" ")];
  return words ? `${words} (${shown})` : shown;
}

/** The first smallest factor of a zero denominator that is itself zero. */
function zeroFactor(tree: Node, cells: Cells): Node {
  if (tree.kind === "op" && tree.sign === "*") {
    return zeroFactor(evaluate(tree.left, cells) === 0 ? tree.left : tree.right, cells);
  }
  if (tree.kind === "op" && tree.sign === "/") return zeroFactor(tree.left, cells);
  if (tree.kind === "power") return zeroFactor(tree.base, cells);
  if (tree.kind === "call" && tree.name === "sqrt") return zeroFactor(tree.inner[0] as Node, cells);
  return tree;
}

function* walk(tree: Node): Iterable<Node> {
  if (tree.kind === "op") {
    yield* walk(tree.left);
    yield* walk(tree.right);
  } else if (tree.kind === "negate") yield* walk(tree.inner);
  else if (tree.kind === "power") yield* walk(tree.base);
  else if (tree.kind === "call") for (const one of tree.inner) yield* walk(one);
  yield tree;
}

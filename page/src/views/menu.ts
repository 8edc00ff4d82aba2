// The "⋯" menu of a view: its table, the table as text, the plot as a file, and the Python code for these numbers.
import { copyText } from "../core/bar.ts";
import { el, find, on, set } from "../core/dom.ts";
import { asPng, asText, framed, save } from "./parts/picture.ts";
import { asCsv, asLatex, asMarkdown, slug, type Sheet } from "./parts/sheet.ts";
import { toggleTable } from "./table.ts";

export interface Menu {
  readonly title: string;
  readonly sheet: () => Sheet;
  readonly python: () => string;
  /** The line below a saved plot: what created it, from which input. */
  readonly source: () => string;
}

interface Item {
  readonly name: string;
  readonly act: () => void | Promise<void>;
}

/** Adds the button next to the title of a view. */
export function viewMenu(section: HTMLElement, menu: Menu): void {
  const title = find<HTMLElement>(section, "h2, h3");
  if (!title) return;
  const list = el("ul", { role: "menu", "aria-label": menu.title, hidden: true });
  const button = el(
    "button",
    { type: "button", "aria-haspopup": "menu", "aria-expanded": "false", "aria-label": `More about ${menu.title}` },
    "⋯",
  );
  const said = el("span.said", { role: "status" });
  const close = (back: boolean): void => {
    list.hidden = true;
    set(button, "aria-expanded", "false");
    if (back) button.focus();
  };
  for (const item of items(section, menu)) list.append(entryOf(item, said, close));
  on(button, "click", () => {
    if (!list.hidden) return close(true);
    list.hidden = false;
    set(button, "aria-expanded", "true");
    entries(list)[0]?.focus();
  });
  on(list, "keydown", (event) => walk(event, list, close));
  const holder = el("div.menu", {}, said, button, list);
  on(holder, "focusout", (event) => {
    if (!holder.contains(event.relatedTarget as Node | null)) close(false);
  });
  headOf(title).append(holder);
}

function entryOf(item: Item, said: HTMLElement, close: (back: boolean) => void): HTMLElement {
  const entry = el("button", { type: "button", role: "menuitem", tabindex: "-1" }, item.name);
  on(entry, "click", () => {
    close(item.name !== SHOW);
    void run(item, said);
  });
  return el("li", { role: "none" }, entry);
}

/** The title line, which contains the menu. */
function headOf(title: HTMLElement): HTMLElement {
  const parent = title.parentElement as HTMLElement;
  const head = parent.classList.contains("head") ? parent : el("div.head");
  if (head !== parent) {
    title.before(head);
    head.append(title);
  }
  find(head, ":scope > .menu")?.remove();
  return head;
}

const SHOW = "Show table";

function items(section: HTMLElement, menu: Menu): Item[] {
  const copies: [string, (sheet: Sheet) => string][] = [["Markdown", asMarkdown], ["CSV", asCsv], ["LaTeX", asLatex]];
  const named = copies.map(([form, write]) => ({ name: `Copy as ${form}`, act: () => copy(write(menu.sheet())) }));
  const hasPicture = find(section, ".picture svg") !== null;
  const pictures: Item[] = [
    { name: "Save SVG", act: () => save(new Blob([asText(picture(section, menu))], { type: "image/svg+xml" }), `${slug(menu.title)}.svg`) },
    { name: "Save PNG", act: async () => save(await asPng(picture(section, menu)), `${slug(menu.title)}.png`) },
  ];
  return [
    { name: SHOW, act: () => toggleTable(section) },
    ...named,
    ...(hasPicture ? pictures : []),
    { name: "Copy the Python call", act: () => copy(menu.python()) },
  ];
}

function picture(section: HTMLElement, menu: Menu): SVGSVGElement {
  const drawn = Array.from(section.querySelectorAll<SVGSVGElement>(".picture svg")).filter((svg) => !svg.parentElement?.closest("svg"));
  return framed(drawn, {
    title: find(section, "h2")?.textContent ?? menu.title,
    reading: find(section, ".reading")?.textContent ?? "",
    source: menu.source(),
  });
}

async function run(item: Item, said: HTMLElement): Promise<void> {
  try {
    await item.act();
    if (item.name.startsWith("Copy")) tell(said, "Copied");
  } catch (error) {
    tell(said, error instanceof Error ? error.message : "This failed");
  }
}

function tell(said: HTMLElement, words: string): void {
  said.textContent = words;
  setTimeout(() => (said.textContent = ""), 2500);
}

const entries = (list: HTMLElement): HTMLElement[] => Array.from(list.querySelectorAll<HTMLElement>("[role=menuitem]"));

function walk(event: KeyboardEvent, list: HTMLElement, close: (back: boolean) => void): void {
  const all = entries(list);
  const here = all.indexOf(document.activeElement as HTMLElement);
  const to: Record<string, number> = { ArrowDown: here + 1, ArrowUp: here - 1, Home: 0, End: all.length - 1 };
  if (event.key === "Escape") close(true);
  else if (event.key === "Tab") return close(false);
  else if (event.key in to) all[((to[event.key] as number) + all.length) % all.length]?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation(); // Esc in a menu closes it without changing the rule of the page
}

async function copy(words: string): Promise<void> {
  if (!(await copyText(words))) throw new Error("The browser did not allow copying");
}

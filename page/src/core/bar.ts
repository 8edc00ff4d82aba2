// The toolbar: copy link, download, keys, theme. Created here because none of them works without JavaScript.

import type { App } from "./app.ts";
import { append, button, el, find, HIDDEN, page, text } from "./dom.ts";
import { showKeys } from "./keys.ts";

/** Without an app there are no keyboard shortcuts; the state of a multiclass report is in its address. */
export function installBar(title: string, source: string, app: App | null): void {
  const bar = find(document, "header.bar");
  if (!bar) return;
  const copied = button("Copy link", {}, () => void copyLink(app, copied));
  const box = find(bar, ".tools") ?? bar.appendChild(el("div.tools"));
  append(box, [
    copied,
    button("Download", {}, () => download(title, source)),
    app && button("?", { "aria-label": "Keys", title: "Keys" }, showKeys),
    themeButton(),
  ]);
}

/** The button that switches the color theme. */
export function themeButton(): HTMLButtonElement {
  const theme = button("\u25d0", { class: "theme" }, () => turnTheme(theme));
  nameTheme(theme);
  return theme;
}

async function copyLink(app: App | null, node: HTMLButtonElement): Promise<void> {
  const link = app ? `${location.href.split("#")[0]}#${app.store.fragment}` : location.href;
  const ok = await copyText(link);
  text(node, ok ? "Copied" : "Not allowed");
  app?.speak(ok ? "Link copied" : "The browser did not allow copying");
  window.setTimeout(() => text(node, "Copy link"), 1600);
}

/** Copies text; files opened from disk may have no clipboard, so a fallback is tried, too. */
export async function copyText(value: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(value);
    return true;
  } catch {
    const area = el("textarea.visually-hidden", { ...HIDDEN });
    area.value = value;
    document.body.append(area);
    area.select();
    const ok = document.execCommand("copy");
    area.remove();
    return ok;
  }
}

/** Saves the page's own file as it was loaded, before any view was drawn. */
function download(title: string, html: string): void {
  const url = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  const name = title.replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "").toLowerCase();
  const link = el("a", { href: url, download: `${name || "report"}.html` });
  document.body.append(link);
  link.click();
  link.remove();
  window.setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// ---- theme ----

const isDark = () => {
  const set = page.dataset["theme"];
  return set ? set === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

function nameTheme(node: HTMLButtonElement): void {
  const label = isDark() ? "Light colors" : "Dark colors";
  node.setAttribute("aria-label", label);
  node.title = label;
}

function turnTheme(node: HTMLButtonElement): void {
  page.dataset["theme"] = isDark() ? "light" : "dark";
  nameTheme(node);
}

// The link of a report of several classes, labels or folds: its own state, and the muted checks.
import type { Muting } from "../views/parts/checks.ts";

const muted = { state: { mute: [] as readonly string[] } };
let written = "";

/** Writes the state into the address; the muted checks are added to it. */
export function writeLink(fragment: string): void {
  written = fragment;
  const parts = [fragment, muted.state.mute.length ? `mute=${muted.state.mute.join(",")}` : ""].filter(Boolean);
  try {
    history.replaceState(null, "", parts.length ? `#${parts.join("&")}` : location.pathname + location.search);
  } catch {
    // sandboxed frames (notebooks) may not change their address; the page works anyway
  }
}

/** What the checks need of a report: the muted ones, and a way to mute more. */
export function muting(show: () => void): Muting {
  const given = location.hash.replace(/^#/, "");
  muted.state = { mute: (new URLSearchParams(given).get("mute") ?? "").split(",").filter(Boolean) };
  written = given.split("&").filter((part) => part && !part.startsWith("mute=")).join("&");
  return Object.assign(muted, {
    set: (patch: { mute: readonly string[] }) => {
      muted.state = patch;
      writeLink(written);
      show();
    },
  });
}

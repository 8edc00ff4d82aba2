// What is drawn when. Views on the screen are drawn in the frame of a change, the others once the hand rests, so that a
// drag costs no more than what its reader sees. A view that comes onto the screen before its turn is drawn at once.

import type { View } from "./app.ts";
import { page } from "./dom.ts";
import type { Change, Changed } from "./state.ts";
import { steady } from "./steady.ts";

const REST = 50; // milliseconds without a change
const SLICE = 6; // milliseconds of a frame for views off the screen
const AHEAD = "200px"; // views this near to the screen count as on it

/** The views of a page, and the changes that those off the screen have still to show. */
export interface Screen {
  add(view: View, section: Element): void;
  /** Shows a change: at once on the screen, and everywhere where `all` is set, as paper and a new width need it. */
  show(changed: Changed, all: boolean): void;
}

export function screenOf(draw: (view: View, changed: Changed) => void): Screen {
  const away = new Set<View>();
  const owed = new Map<View, Set<Change>>();
  const views = new Map<Element, View>();
  let timer = 0;
  const pay = (view: View, due: Changed): void => {
    owed.delete(view);
    draw(view, due);
  };
  // `data-drawing` stands on the page while a view shows an older state
  const mark = (): unknown => page.toggleAttribute("data-drawing", owed.size > 0);
  const catchUp = (): void => {
    const end = performance.now() + SLICE;
    steady(() => {
      for (const [view, due] of owed) {
        pay(view, due);
        if (performance.now() > end) break;
      }
    });
    if (owed.size) requestAnimationFrame(catchUp);
    mark();
  };
  const observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        const view = views.get(target) as View;
        away[isIntersecting ? "delete" : "add"](view);
        const due = owed.get(view);
        if (isIntersecting && due) pay(view, due);
      }
      mark();
    },
    { rootMargin: AHEAD },
  );
  return {
    add(view, section) {
      views.set(section, view);
      observer.observe(section);
    },
    show(changed, all) {
      for (const view of views.values()) {
        const due = new Set([...(owed.get(view) ?? []), ...changed]);
        if (!all && away.has(view)) owed.set(view, due);
        else pay(view, due);
      }
      clearTimeout(timer);
      if (owed.size) timer = window.setTimeout(() => requestAnimationFrame(catchUp), REST);
      mark();
    },
  };
}

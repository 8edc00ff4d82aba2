// Schedules drawing. Visible views are drawn in the frame of a change, the others after the input pauses, so that a drag
// costs no more than what is visible. A view that becomes visible before its turn is drawn immediately.

import type { View } from "./app.ts";
import { page } from "./dom.ts";
import type { Change, Changed } from "./state.ts";
import { steady } from "./steady.ts";

const REST = 50; // pause in milliseconds without a change before hidden views are drawn
const SLICE = 6; // milliseconds per frame for drawing views that are not visible
const AHEAD = "200px"; // views this close to the viewport count as visible

/** The views of a page, and the changes that hidden views have yet to show. */
export interface Screen {
  add(view: View, section: Element): void;
  /** Shows a change: immediately in visible views, and in all views if `all` is set, as needed for printing and a new width. */
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
  // `data-drawing` is set while any view shows an older state
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

// What is drawn when. Views on the screen are drawn in the frame of a change, the others once the hand rests, so that a
// drag costs no more than what its reader sees. A view that comes onto the screen before its turn is drawn at once.

import type { View } from "./app.ts";
import type { Change, Changed } from "./state.ts";
import { steady } from "./steady.ts";

const REST = 50; // milliseconds without a change
const SLICE = 6; // milliseconds of a frame for views off the screen
const AHEAD = "200px"; // views this near to the screen count as on it

/** The views of a page, and the changes that those off the screen have still to show. */
export class Screen {
  private readonly away = new Set<View>();
  private readonly owed = new Map<View, Set<Change>>();
  private readonly views = new Map<Element, View>();
  private readonly draw: (view: View, changed: Changed) => void;
  private readonly observer: IntersectionObserver;
  private timer = 0;

  constructor(draw: (view: View, changed: Changed) => void) {
    this.draw = draw;
    this.observer = new IntersectionObserver((entries) => entries.forEach((one) => this.seen(one)), { rootMargin: AHEAD });
  }

  add(view: View, section: Element): void {
    this.views.set(section, view);
    this.observer.observe(section);
  }

  /** Shows a change: at once on the screen, and everywhere where `all` is set, as paper and a new width need it. */
  show(changed: Changed, all: boolean): void {
    for (const view of this.views.values()) {
      const due = new Set([...(this.owed.get(view) ?? []), ...changed]);
      if (!all && this.away.has(view)) this.owed.set(view, due);
      else this.pay(view, due);
    }
    this.wait();
  }

  private pay(view: View, due: Changed): void {
    this.owed.delete(view);
    this.draw(view, due);
  }

  private seen({ target, isIntersecting }: IntersectionObserverEntry): void {
    const view = this.views.get(target) as View;
    if (!isIntersecting) return void this.away.add(view);
    this.away.delete(view);
    const due = this.owed.get(view);
    if (due) this.pay(view, due);
    this.mark();
  }

  private wait(): void {
    window.clearTimeout(this.timer);
    if (this.owed.size) this.timer = window.setTimeout(() => requestAnimationFrame(() => this.catchUp()), REST);
    this.mark();
  }

  private catchUp(): void {
    const end = performance.now() + SLICE;
    steady(() => {
      for (const [view, due] of this.owed) {
        this.pay(view, due);
        if (performance.now() > end) break;
      }
    });
    if (this.owed.size) requestAnimationFrame(() => this.catchUp());
    this.mark();
  }

  /** `data-drawing` stands on the page while a view shows an older state. */
  private mark(): void {
    document.documentElement.toggleAttribute("data-drawing", this.owed.size > 0);
  }
}

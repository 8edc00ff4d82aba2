// The one live region: a sentence spoken 400 ms after the last change, so that a drag is not a stream of numbers.

import { text } from "./dom.ts";

const PAUSE = 400;

export function speaker(region: HTMLElement | null): (sentence: string) => void {
  let timer = 0;
  return (sentence) => {
    if (!region) return;
    window.clearTimeout(timer);
    timer = window.setTimeout(() => text(region, sentence), PAUSE);
  };
}

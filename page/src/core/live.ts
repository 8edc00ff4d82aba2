// The live region: a sentence is announced 400 ms after the last change, so that a drag does not produce a stream of numbers.

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

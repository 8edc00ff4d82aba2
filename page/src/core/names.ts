// Names from the data: characters that could be harmful on a screen are made visible.

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Text with control, bidirectional and zero-width characters written as \u202e, as in Python's report. */
export function visible(name: string): string {
  return name.replace(INVISIBLE, (letter) => SHORT[letter] ?? escaped(letter.codePointAt(0) ?? 0));
}

function escaped(code: number): string {
  const hex = code.toString(16);
  if (code < 0x100) return `\\x${hex.padStart(2, "0")}`;
  return code < 0x10000 ? `\\u${hex.padStart(4, "0")}` : `\\U${hex.padStart(8, "0")}`;
}

let aliases: Readonly<Record<string, string>> = {};

/** Shorter names, created in Python, for long names that would look the same when cut. */
export function useAliases(known: Readonly<Record<string, string>> | undefined): void {
  aliases = known ?? {};
}

/** The name in a plot or a sentence: visible, and shortened in the middle to 24 characters. */
export function shortName(name: string, most = 24): string {
  const known = name.length > most ? (aliases[name] ?? name) : name;
  const letters = [...visible([...known].slice(0, 2000).join(""))];
  if (letters.length <= most) return letters.join("");
  const cut = letters.indexOf("\u2026"); // a name that is cut already keeps what follows the cut
  if (cut >= 0) {
    const tail = letters.slice(cut, cut + most - 3);
    return [...letters.slice(0, Math.min(cut, most - tail.length)), ...tail].join("");
  }
  const head = Math.ceil((most - 1) / 2);
  return `${letters.slice(0, head).join("")}\u2026${letters.slice(letters.length - (most - 1 - head)).join("")}`;
}

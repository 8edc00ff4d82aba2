// Small operations on numbers and lists that many views need.

/** A number rounded to so many significant digits. */
export const rounded = (x: number, digits: number): number => Number(x.toPrecision(digits));

/** A list of so many items, each made from its index. */
export const range = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, k) => make(k));

/** A plot as a standalone file: our nodes written anew, styles inlined, with title, caption and source. */
import { page, set } from "../../core/dom.ts";
import { wrapped } from "./sheet.ts";

const SVG = "http://www.w3.org/2000/svg";

/** The only elements and attributes that are exported: those our drawings consist of, and nothing active. */
const ELEMENTS = new Set([
  "svg",
  "g",
  "path",
  "line",
  "polyline",
  "polygon",
  "rect",
  "circle",
  "ellipse",
  "text",
  "tspan",
  "title",
  "desc",
  "clipPath",
  "defs",
]);
const GEOMETRY = new Set([
  "d",
  "x",
  "y",
  "x1",
  "y1",
  "x2",
  "y2",
  "cx",
  "cy",
  "r",
  "rx",
  "ry",
  "width",
  "height",
  "points",
  "transform",
  "dx",
  "dy",
  "viewBox",
  "text-anchor",
  "textLength",
  "lengthAdjust",
  "rotate",
]);
const STYLES = [
  "fill",
  "fill-opacity",
  "stroke",
  "stroke-opacity",
  "stroke-width",
  "stroke-dasharray",
  "stroke-linecap",
  "stroke-linejoin",
  "opacity",
  "font-family",
  "font-size",
  "font-weight",
  "font-style",
  "text-anchor",
  "dominant-baseline",
  "letter-spacing",
  "paint-order",
];
const PLAIN: Readonly<Record<string, string>> = {
  "fill-opacity": "1",
  "stroke-opacity": "1",
  opacity: "1",
  "stroke-dasharray": "none",
  "stroke-linecap": "butt",
  "stroke-linejoin": "miter",
  "font-style": "normal",
  "letter-spacing": "normal",
  "dominant-baseline": "auto",
  "paint-order": "normal",
};

export interface Frame {
  readonly title: string;
  readonly reading: string;
  readonly source: string;
}

const MARGIN = 16;
const LINE = 18;

/** The plots of a view below each other, as one SVG with its text. */
export function framed(pictures: readonly SVGSVGElement[], frame: Frame): SVGSVGElement {
  const sizes = pictures.map(sizeOf);
  const width = Math.max(320, ...sizes.map((size) => size.width)) + 2 * MARGIN;
  const letters = Math.floor((width - 2 * MARGIN) / 7);
  const reading = wrapped(frame.reading, letters);
  const source = wrapped(frame.source, Math.floor(letters * 1.08));
  const look = lookOf();
  const out = element("svg", { xmlns: SVG });
  const body: SVGElement[] = [
    words(MARGIN, MARGIN + 14, frame.title, { ...look, size: 16, weight: 600, fill: look.ink }),
  ];
  let y = MARGIN + 14;
  for (const line of reading)
    body.push(words(MARGIN, (y += LINE), line, { ...look, size: 13, weight: 400, fill: look.second }));
  y += 12;
  pictures.forEach((picture, k) => {
    const size = sizes[k] as Size;
    const copy = cleaned(picture) as SVGElement;
    set(copy, "x", String(MARGIN));
    set(copy, "y", String(y));
    set(copy, "width", String(size.width));
    set(copy, "height", String(size.height));
    set(copy, "overflow", "visible");
    body.push(copy);
    y += size.height + 8;
  });
  for (const line of source)
    body.push(words(MARGIN, (y += 16), line, { ...look, size: 11, weight: 400, fill: look.third }));
  const height = y + MARGIN;
  set(out, "width", String(width));
  set(out, "height", String(height));
  set(out, "viewBox", `0 0 ${width} ${height}`);
  out.append(element("rect", { width: String(width), height: String(height), fill: look.paper }), ...body);
  return out as SVGSVGElement;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

function sizeOf(picture: SVGSVGElement): Size {
  const box = picture.getBoundingClientRect();
  return { width: Math.ceil(box.width) || 400, height: Math.ceil(box.height) || 300 };
}

/** A copy with only what we draw: known elements, geometry, and the computed style as attributes. */
export function cleaned(node: Element): Element | null {
  if (!ELEMENTS.has(node.localName) || node.namespaceURI !== SVG) return null;
  const style = getComputedStyle(node);
  if (style.display === "none" || style.visibility === "hidden") return null;
  const copy = element(node.localName, {});
  for (const { name, value } of Array.from(node.attributes)) {
    if (GEOMETRY.has(name) || (name === "id" && node.localName === "clipPath")) set(copy, name, value);
    if (name === "clip-path" && /^url\(#[\w-]+\)$/.test(value)) set(copy, name, value);
  }
  if (node.localName !== "title" && node.localName !== "desc") inline(copy, style);
  for (const child of Array.from(node.childNodes)) {
    if (child.nodeType === Node.TEXT_NODE) copy.append(printable(child.textContent ?? ""));
    else if (child instanceof Element) {
      const kept = cleaned(child);
      if (kept) copy.append(kept);
    }
  }
  return copy;
}

function inline(copy: Element, style: CSSStyleDeclaration): void {
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    if (value !== "" && value !== PLAIN[name] && !value.includes("url(")) set(copy, name, value);
  }
}

/** XML does not allow control characters; the page already shows them escaped, so this is a second safeguard. */
export function printable(words: string): string {
  // eslint-disable-next-line no-control-regex
  return words.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
}

interface Look {
  readonly family: string;
  readonly paper: string;
  readonly ink: string;
  readonly second: string;
  readonly third: string;
}

function lookOf(): Look {
  const style = getComputedStyle(document.body);
  const root = getComputedStyle(page);
  const token = (name: string, otherwise: string): string => root.getPropertyValue(name).trim() || otherwise;
  return {
    family: style.fontFamily,
    paper: token("--paper", "#ffffff"),
    ink: token("--ink", "#14181d"),
    second: token("--ink2", "#454e59"),
    third: token("--ink3", "#626c78"),
  };
}

function words(
  x: number,
  y: number,
  line: string,
  look: Look & { size: number; weight: number; fill: string },
): SVGElement {
  const node = element("text", {
    x: String(x),
    y: String(y),
    fill: look.fill,
    "font-family": look.family,
    "font-size": `${look.size}px`,
    "font-weight": String(look.weight),
  });
  node.textContent = printable(line);
  return node;
}

function element(name: string, attributes: Readonly<Record<string, string>>): SVGElement {
  const node = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (key !== "xmlns") set(node, key, value);
  return node;
}

export function asText(picture: SVGSVGElement): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${new XMLSerializer().serializeToString(picture)}\n`;
}

/** The plot at twice its size, as PNG. */
export async function asPng(picture: SVGSVGElement, scale = 2): Promise<Blob> {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([asText(picture)], { type: "image/svg+xml" }));
  try {
    image.src = address;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Number(picture.getAttribute("width")) * scale;
    canvas.height = Number(picture.getAttribute("height")) * scale;
    const pen = canvas.getContext("2d");
    if (!pen) throw new Error("this browser does not support drawing to a canvas");
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise<Blob>((done, fail) => {
      canvas.toBlob((blob) => (blob ? done(blob) : fail(new Error("the picture could not be saved"))), "image/png");
    });
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Offer a file to save. */
export function save(content: Blob, name: string): void {
  const link = document.createElement("a");
  const address = URL.createObjectURL(content);
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
}

/**
 * What the pictures are drawn with: boxes, arrows and words, as plain text. The same every time; it says its own
 * colours for light and dark, needs no font of its own, and its words stay text.
 */

/** What a picture is, for those who do not see it as well. */
export interface Picture {
  readonly title: string;
  readonly description: string;
  readonly height: number;
  readonly parts: readonly string[];
}

/** Whose step something is: who calls, main, the ledger, or what is read back. */
export type Tone = "caller" | "main" | "ledger" | "read";

/** A box with a heading, some lines, and where its source is. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly tone: Tone;
  readonly heading: string;
  readonly lines: readonly string[];
  /** A last line at the bottom, in the letters of code. */
  readonly foot?: string;
}

/** As wide as a page of documentation shows it without shrinking it. */
export const WIDTH = 900;
const LINE = 16;
const PADDING = 10;

/** Plain rules only: not every program that draws SVG knows variables, and one that skips the query shows the light. */
const STYLE = `
  text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #24292f }
  .title { font-size: 16px; font-weight: 600 }
  .heading { font-weight: 600 }
  .quiet { fill: #59636e; font-size: 11px }
  .code { font: 11px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; fill: #59636e }
  .paper { fill: #ffffff; stroke: #d1d9e0 }
  .lane { fill: #f6f8fa }
  .way { fill: none; stroke: #59636e; stroke-width: 1.5 }
  .back { stroke-dasharray: 4 3 }
  .tip { fill: #59636e }
  .point { stroke: #cf222e; stroke-width: 2; stroke-dasharray: 6 4 }
  .told { fill: #cf222e; font-weight: 600 }
  .caller { fill: #f6f8fa; stroke: #818b98 }
  .main { fill: #ddf4ff; stroke: #0969da }
  .ledger { fill: #fff1e5; stroke: #bc4c00 }
  .read { fill: #dafbe1; stroke: #1a7f37 }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .code { fill: #b1bac4 }
    .paper { fill: #0d1117; stroke: #3d444d }
    .lane { fill: #151b23 }
    .way { stroke: #9198a1 }
    .tip { fill: #9198a1 }
    .point { stroke: #f85149 }
    .told { fill: #f85149 }
    .caller { fill: #212830; stroke: #656c76 }
    .main { fill: #0c2d57; stroke: #58a6ff }
    .ledger { fill: #4a2309; stroke: #f0883e }
    .read { fill: #0f3a1d; stroke: #3fb950 }
  }
`;

/** The document. */
export function drawPicture({ title, description, height, parts }: Picture): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escape(title)}</title>`,
    `<desc id="description">${escape(description)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>`,
    words(24, 34, title, "title"),
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

/** A box and what stands in it. */
export function drawBox({ x, y, width, height, tone, heading, lines, foot }: Box): string[] {
  const left = x + PADDING;
  return [
    `<rect class="${tone}" x="${x}" y="${y}" width="${width}" height="${height}" rx="6"/>`,
    words(left, y + 20, heading, "heading"),
    ...drawLines(left, y + 20 + LINE + 2, lines),
    ...(foot === undefined ? [] : [words(left, y + height - PADDING, foot, "code")]),
  ];
}

/** Lines of text, one below the other. */
export function drawLines(x: number, y: number, lines: readonly string[], style?: string): string[] {
  return lines.map((line, index) => words(x, y + index * LINE, line, style));
}

/** A way along some points, with a tip at its end; the last stretch is level or upright. */
export function drawArrow(points: readonly (readonly [x: number, y: number])[], style = ""): string[] {
  const [from, to] = points.slice(-2) as [readonly [number, number], readonly [number, number]];
  const [dx, dy] = [Math.sign(to[0] - from[0]), Math.sign(to[1] - from[1])];
  const [x, y] = to;
  const base = [x - 8 * dx, y - 8 * dy] as const;
  const corners = [[base[0] - 4 * dy, base[1] - 4 * dx], [base[0] + 4 * dy, base[1] + 4 * dx]];
  const way = [...points.slice(0, -1), base].map((point) => point.join(",")).join(" ");
  return [
    `<polyline class="way${style === "" ? "" : ` ${style}`}" points="${way}"/>`,
    `<polygon class="tip" points="${x},${y} ${corners.map((corner) => corner.join(",")).join(" ")}"/>`,
  ];
}

/** Words on one line. */
export function words(x: number, y: number, text: string, style?: string, anchor?: "middle" | "end"): string {
  const named = style === undefined ? "" : ` class="${style}"`;
  const anchored = anchor === undefined ? "" : ` text-anchor="${anchor}"`;
  return `<text x="${x}" y="${y}"${named}${anchored}>${escape(text)}</text>`;
}

/** Letters that would be read as marks of the document, written so that they are not. */
export function escape(text: string): string {
  return text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
}

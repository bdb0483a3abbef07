/**
 * Draws a chart of growing costs: a line of dots for each operation, on a logarithmic scale. The result is an SVG document
 * that is the same for the same numbers. It has colours for light and dark, needs no fonts, and keeps its words as text.
 */

import { escape, words as text } from "../docs/pictures/svg.ts";

/** One operation. */
export interface ChartRow {
  readonly name: string;
  /** The cost as a multiple of that on the smallest store, from the second store on; the last is also written as text. */
  readonly ratios: readonly number[];
  /** Whether the growth has a reason. */
  readonly grows: boolean;
}

/** Operations under one heading. */
export interface ChartGroup {
  readonly heading: string;
  readonly rows: readonly ChartRow[];
}

/** The content of a chart. */
export interface Chart {
  readonly title: string;
  /** The text alternative for screen readers. */
  readonly description: string;
  /** The meaning of the marks in a row, such as "1 000 turns". */
  readonly marks: readonly string[];
  readonly groups: readonly ChartGroup[];
}

const WIDTH = 880;
const MARGIN = 20;
const TOP = 74;
const LINE = 17;
const GAP = 28;
const COLUMN = (WIDTH - 2 * MARGIN - GAP) / 2;
/** The place of the scale in a column, between the names and the last ratio. */
const SCALE = { from: 164, to: COLUMN - 52 };
/** The ratios that the scale covers. */
const RANGE = { least: 0.5, most: 600 };
const TICKS = [1, 10, 100];
/** The ratios of two equal costs, within the measurement error. */
const SAME = { from: 0.8, to: 1.25 };

/** Plain rules without variables, because not every SVG renderer has them. Without the query the colours are light. */
const STYLE = `
  text { font: 12px ui-sans-serif, system-ui, sans-serif; fill: #24292f }
  .title { font-size: 15px; font-weight: 600 }
  .heading { font-weight: 600 }
  .quiet { fill: #59636e; font-size: 11px }
  .paper { fill: #ffffff; stroke: #d1d9e0 }
  .same { fill: #e6eaef }
  .tick { stroke: #d1d9e0 }
  .way { stroke-width: 1.5; stroke-opacity: 0.45 }
  .ring { stroke-width: 1.5 }
  .flat .way, .flat .ring { stroke: #0969da }
  .flat .dot { fill: #0969da }
  .grows .way, .grows .ring { stroke: #bc4c00 }
  .grows .dot { fill: #bc4c00 }
  .flat .ring, .grows .ring { fill: #ffffff }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3 }
    .quiet { fill: #9198a1 }
    .paper { fill: #0d1117; stroke: #3d444d }
    .same { fill: #262c36 }
    .tick { stroke: #3d444d }
    .flat .way, .flat .ring { stroke: #58a6ff }
    .flat .dot { fill: #58a6ff }
    .grows .way, .grows .ring { stroke: #f0883e }
    .grows .dot { fill: #f0883e }
    .flat .ring, .grows .ring { fill: #0d1117 }
  }
`;

/** Returns the SVG document of a chart. */
export function drawChart({ title, description, marks, groups }: Chart): string {
  const columns = halve(groups);
  const lines = Math.max(...columns.map((column) => column.length));
  const height = TOP + lines * LINE + MARGIN;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-labelledby="title description">`,
    `<title id="title">${escape(title)}</title>`,
    `<desc id="description">${escape(description)}</desc>`,
    `<style>${STYLE}</style>`,
    `<rect class="paper" x="0.5" y="0.5" width="${WIDTH - 1}" height="${height - 1}" rx="6"/>`,
    text(MARGIN, 27, title, "title"),
    ...drawLegend(marks),
    ...columns.flatMap((column, index) => drawColumn(column, MARGIN + index * (COLUMN + GAP), lines)),
    "</svg>",
    "",
  ].join("\n");
}

type Line = ChartGroup["heading"] | ChartRow;

/** Splits headings and rows into two columns of about the same length, neither of which ends with a heading. */
function halve(groups: readonly ChartGroup[]): readonly (readonly Line[])[] {
  const lines = groups.flatMap(({ heading, rows }): Line[] => [heading, ...rows]);
  let middle = Math.ceil(lines.length / 2);
  if (typeof lines[middle - 1] === "string") middle--;
  return [lines.slice(0, middle), lines.slice(middle)];
}

function drawLegend(marks: readonly string[]): string[] {
  const y = 46;
  let x = MARGIN;
  const drawn: string[] = [];
  for (const [index, mark] of marks.entries()) {
    drawn.push(`<g class="flat">${drawMark(x + 4, y - 4, index === marks.length - 1)}</g>`);
    drawn.push(text(x + 14, y, mark, "quiet"));
    x += 34 + mark.length * 6;
  }
  drawn.push(`<rect class="same" x="${x}" y="${y - 10}" width="16" height="12"/>`);
  drawn.push(text(x + 22, y, "equal, within the measurement error", "quiet"));
  x += 266;
  drawn.push(`<g class="grows">${drawMark(x, y - 4, true)}</g>`);
  drawn.push(text(x + 10, y, "may grow: the table says why", "quiet"));
  return drawn;
}

function drawColumn(lines: readonly Line[], left: number, longest: number): string[] {
  const bottom = TOP + longest * LINE;
  const same = [placeOf(SAME.from), placeOf(SAME.to)] as const;
  return [
    `<rect class="same" x="${round(left + same[0])}" y="${TOP}" width="${round(same[1] - same[0])}" height="${
      bottom - TOP
    }"/>`,
    ...TICKS.flatMap((tick) => {
      const x = round(left + placeOf(tick));
      return [
        `<line class="tick" x1="${x}" y1="${TOP}" x2="${x}" y2="${bottom}"/>`,
        text(x, TOP - 6, `${tick}×`, "quiet", "middle"),
      ];
    }),
    ...lines.flatMap((line, index) => drawLine(line, left, TOP + (index + 0.5) * LINE)),
  ];
}

function drawLine(line: Line, left: number, y: number): string[] {
  if (typeof line === "string") return [text(left, y + 4, line, "heading")];
  const places = line.ratios.map((ratio) => round(left + placeOf(ratio)));
  const last = line.ratios.length - 1;
  return [
    `<g class="${line.grows ? "grows" : "flat"}">`,
    text(left + 8, y + 4, line.name),
    `<line class="way" x1="${round(left + placeOf(1))}" y1="${y}" x2="${places[last]}" y2="${y}"/>`,
    ...places.map((x, index) => drawMark(x, y, index === last)),
    text(left + COLUMN, y + 4, `${written(line.ratios[last]!)}×`, undefined, "end"),
    "</g>",
  ];
}

function drawMark(x: number, y: number, isLast: boolean): string {
  return `<circle class="${isLast ? "dot" : "ring"}" cx="${x}" cy="${y}" r="${isLast ? 4 : 3.25}"/>`;
}

/** Returns the horizontal position of a ratio in a column. */
function placeOf(ratio: number): number {
  const within = Math.min(RANGE.most, Math.max(RANGE.least, ratio));
  const part = Math.log(within / RANGE.least) / Math.log(RANGE.most / RANGE.least);
  return SCALE.from + part * (SCALE.to - SCALE.from);
}

/** Formats a ratio with three significant digits. */
export function written(ratio: number): string {
  return ratio < 10 ? ratio.toFixed(2) : ratio < 100 ? ratio.toFixed(1) : ratio.toFixed(0);
}

function round(place: number): number {
  return Math.round(place * 10) / 10;
}

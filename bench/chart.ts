/**
 * Draws how costs grow: a line of dots for each operation, on a scale on which twice as far is ten times as much. Plain
 * text in, an SVG document out, the same for the same numbers. It says its own colours for light and dark, needs no
 * font of its own, and its words stay text.
 */

import { escape, words as text } from "../docs/pictures/svg.ts";

/** One operation. */
export interface ChartRow {
  readonly name: string;
  /** Times the cost on the smallest store, from the second store on; the last is written out. */
  readonly ratios: readonly number[];
  /** Whether there is a reason for it to grow. */
  readonly grows: boolean;
}

/** Operations under one heading. */
export interface ChartGroup {
  readonly heading: string;
  readonly rows: readonly ChartRow[];
}

/** What is drawn. */
export interface Chart {
  readonly title: string;
  /** For those who do not see it. */
  readonly description: string;
  /** What the marks of a row stand for, such as "1 000 turns". */
  readonly marks: readonly string[];
  readonly groups: readonly ChartGroup[];
}

const WIDTH = 880;
const MARGIN = 20;
const TOP = 74;
const LINE = 17;
const GAP = 28;
const COLUMN = (WIDTH - 2 * MARGIN - GAP) / 2;
/** Within a column: names, then the scale, then the last ratio. */
const SCALE = { from: 164, to: COLUMN - 52 };
/** From half to six hundred times as much. */
const RANGE = { least: 0.5, most: 600 };
const TICKS = [1, 10, 100];
/** What measuring alone makes of two equal costs. */
const SAME = { from: 0.8, to: 1.25 };

/** Plain rules only: not every program that draws SVG knows variables, and one that skips the query shows the light. */
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

/** The document. */
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

/** Headings and rows in two columns of about the same length; none ends with a heading. */
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
  drawn.push(text(x + 22, y, "as much, within what measuring can tell", "quiet"));
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

/** Where a ratio lies in a column. */
function placeOf(ratio: number): number {
  const within = Math.min(RANGE.most, Math.max(RANGE.least, ratio));
  const part = Math.log(within / RANGE.least) / Math.log(RANGE.most / RANGE.least);
  return SCALE.from + part * (SCALE.to - SCALE.from);
}

/** A ratio with as many digits as it is worth. */
export function written(ratio: number): string {
  return ratio < 10 ? ratio.toFixed(2) : ratio < 100 ? ratio.toFixed(1) : ratio.toFixed(0);
}

function round(place: number): number {
  return Math.round(place * 10) / 10;
}

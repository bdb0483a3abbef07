/** Tables that fit: as wide as what they hold where the output is no terminal, else no wider than the terminal. */

import { cutToWidth, displayWidth, filledTo } from "./display_width.ts";
import { harmless } from "./harmless_text.ts";

/** A column. */
export interface Column {
  readonly head: string;
  readonly align?: "left" | "right";
}

const GAP = "  ";

/** Cells of a text below which cutting it leaves nothing to recognize. */
const TEXT_CELLS_MIN = 6;

/**
 * The lines of a table, its heads first. Cells are stored text and made harmless here. Texts and heads are cut where the
 * terminal is narrow, numbers never; where even that does not fit, each cell gets a line of its own.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  widthMax: number | null,
): readonly string[] {
  const body = rows.map((row) => row.map(harmless));
  const widest = (at: number): number =>
    body.reduce((widest, row) => Math.max(widest, displayWidth(row[at]!)), 0);
  const natural = columns.map(({ head }, at) => Math.max(displayWidth(head), widest(at)));
  const least = columns.map(({ align }, at) =>
    align === "right" ? widest(at) : Math.min(natural[at]!, TEXT_CELLS_MIN)
  );
  const available = widthMax === null ? Infinity : widthMax - GAP.length * (columns.length - 1);
  if (sum(least) > available) return stackedLines(columns, body, widthMax!);
  const widths = fitted(natural, least, available);
  return [columns.map(({ head }) => head), ...body].map((row) =>
    row.map((cell, at) => filledTo(cutToWidth(cell, widths[at]!), widths[at]!, columns[at]!.align ?? "left"))
      .join(GAP).trimEnd()
  );
}

/** Takes from the widest column that has some to give. */
function fitted(natural: readonly number[], least: readonly number[], available: number): readonly number[] {
  const widths = [...natural];
  while (sum(widths) > available) {
    const spare = widths.map((width, at) => width > least[at]! ? width : 0);
    const at = spare.indexOf(Math.max(...spare));
    widths[at] = widths[at]! - 1;
  }
  return widths;
}

function stackedLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  widthMax: number,
): readonly string[] {
  return rows.flatMap((row, index) => {
    const lines = columns.map(({ head }, at) => cutToWidth(`${head} ${row[at]!}`.trim(), widthMax));
    return index === 0 ? lines : ["", ...lines];
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

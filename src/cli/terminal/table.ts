/** Tables that fit: a long text goes on below where the terminal is narrow, and no number is broken. */

import { displayWidth, filledTo, wrapped } from "./display_width.ts";
import { harmless } from "./harmless_text.ts";

/** A column. */
export interface Column {
  readonly head: string;
  readonly align?: "left" | "right";
}

const GAP = "  ";

/** What goes on below is set in, so that no name in it can pass for the beginning of a row. */
const INDENT = "  ";

/** Cells of a text below which breaking it leaves nothing to read. */
const TEXT_CELLS_MIN = 12;

/** Cells up to which every row of a table that is piped is filled: one long name does not move all the others. */
const FILLED_CELLS_MAX = 40;

/**
 * The lines of a table, its heads first. Cells are stored text and made harmless here. Texts are broken where the terminal
 * is narrow, heads and numbers never; where even that does not fit, each cell gets lines of its own.
 */
export function tableLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  widthMax: number | null,
): readonly string[] {
  const body = rows.map((row) => row.map(harmless));
  const natural = columns.map(({ head }, at) =>
    body.reduce((widest, row) => Math.max(widest, displayWidth(row[at]!)), displayWidth(head))
  );
  const table = [columns.map(({ head }) => head), ...body];
  if (widthMax === null) {
    const widths = natural.map((cells) => Math.min(cells, FILLED_CELLS_MAX));
    return table.map((row) => joined(row, widths, columns));
  }
  const least = columns.map(({ head, align }, at) =>
    align === "right" ? natural[at]! : Math.min(natural[at]!, Math.max(TEXT_CELLS_MIN, displayWidth(head)))
  );
  const available = widthMax - GAP.length * (columns.length - 1);
  if (sum(least) > available) return stackedLines(columns, body, widthMax);
  const widths = fitted(natural, least, available);
  return table.flatMap((row) => rowLines(row, widths, columns));
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

function rowLines(
  row: readonly string[],
  widths: readonly number[],
  columns: readonly Column[],
): readonly string[] {
  const cells = row.map((cell, at) => broken(cell, widths[at]!));
  const height = Math.max(...cells.map((pieces) => pieces.length));
  return Array.from(
    { length: height },
    (_, index) => joined(cells.map((pieces) => pieces[index] ?? ""), widths, columns),
  );
}

function broken(cell: string, width: number): readonly string[] {
  return wrapped(cell, width, width - INDENT.length)
    .map((piece, index) => `${index === 0 ? "" : INDENT}${piece.trimEnd()}`);
}

function joined(row: readonly string[], widths: readonly number[], columns: readonly Column[]): string {
  return row.map((cell, at) => filledTo(cell, widths[at]!, columns[at]!.align ?? "left")).join(GAP).trimEnd();
}

function stackedLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  widthMax: number,
): readonly string[] {
  return rows.flatMap((row, index) => {
    const lines = columns.flatMap(({ head }, at) => broken(`${head} ${row[at]!}`.trim(), widthMax));
    return index === 0 ? lines : ["", ...lines];
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

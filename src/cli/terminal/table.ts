/** Tables that fit the terminal: long texts wrap within their cell, numbers never do. */

import { displayWidth, padTo, wrapped } from "./display_width.ts";
import { harmless } from "./harmless_text.ts";

/** A column. */
export interface Column {
  readonly head: string;
  readonly align?: "left" | "right";
}

const GAP = "  ";

/** Wrapped lines are indented, so that no stored name can look like the beginning of a row. */
const INDENT = "  ";

/** The narrowest column of text that is still readable when it wraps. */
const TEXT_CELLS_MIN = 12;

/** The widest padding of a column in piped output: one long name does not move all other rows. */
const FILLED_CELLS_MAX = 40;

/**
 * The lines of a table, heads first. Cells are stored text and are made harmless here. Texts wrap where the terminal is
 * narrow, heads and numbers never do; if that still does not fit, each cell gets lines of its own.
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
  const widths = shrunk(natural, least, available);
  return table.flatMap((row) => rowLines(row, widths, columns));
}

/** Shrinks the widest shrinkable column until the table fits. */
function shrunk(natural: readonly number[], least: readonly number[], available: number): readonly number[] {
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
  const cells = row.map((cell, at) => wrapCell(cell, widths[at]!));
  const height = Math.max(...cells.map((lines) => lines.length));
  return Array.from(
    { length: height },
    (_, index) => joined(cells.map((lines) => lines[index] ?? ""), widths, columns),
  );
}

function wrapCell(cell: string, width: number): readonly string[] {
  return wrapped(cell, width, width - INDENT.length)
    .map((line, index) => `${index === 0 ? "" : INDENT}${line.trimEnd()}`);
}

function joined(row: readonly string[], widths: readonly number[], columns: readonly Column[]): string {
  return row.map((cell, at) => padTo(cell, widths[at]!, columns[at]!.align ?? "left")).join(GAP).trimEnd();
}

function stackedLines(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  widthMax: number,
): readonly string[] {
  return rows.flatMap((row, index) => {
    const lines = columns.flatMap(({ head }, at) => wrapCell(`${head} ${row[at]!}`.trim(), widthMax));
    return index === 0 ? lines : ["", ...lines];
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

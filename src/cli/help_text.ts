/** Help that fits: prose is broken between words, and what a shell takes is left whole, to be copied. */

import { wrapped } from "./terminal/display_width.ts";

const SHELL = /^ *deno /;

/** Where a line that goes on begins: as the line itself, or behind its exit code. */
const BEGINNING = /^ *(?:\d+ {2,})?/;

const CELLS_MIN = 16;

/** The lines of a help, none longer than so many cells but those of a shell. */
export function folded(text: string, columns: number): string {
  let isShell = false;
  return text.split("\n").map((line) => {
    const isWhole = isShell || SHELL.test(line);
    isShell = isWhole && line.endsWith("\\");
    return isWhole ? line : foldedLine(line, columns);
  }).join("\n");
}

function foldedLine(line: string, columns: number): string {
  const [beginning] = BEGINNING.exec(line)!;
  const pieces = wrapped(line.slice(beginning.length), Math.max(CELLS_MIN, columns - beginning.length));
  const indent = " ".repeat(beginning.length);
  return pieces.map((piece, index) => `${index === 0 ? beginning : indent}${piece.trimEnd()}`).join("\n");
}

/** Wraps help text to the terminal. Prose breaks between words; shell commands stay whole, to be copied. */

import { wrapped } from "./terminal/display_width.ts";

const SHELL = /^ *deno /;

/** The indentation of a wrapped line: that of its first line, with the exit code if it has one. */
const PREFIX = /^ *(?:\d+ {2,})?/;

const CELLS_MIN = 16;

/** The text with every line, except shell commands, wrapped to at most `columns` cells. */
export function wrapHelp(text: string, columns: number): string {
  let isShell = false;
  return text.split("\n").map((line) => {
    const isWhole = isShell || SHELL.test(line);
    isShell = isWhole && line.endsWith("\\");
    return isWhole ? line : wrapLine(line, columns);
  }).join("\n");
}

function wrapLine(line: string, columns: number): string {
  const [prefix] = PREFIX.exec(line)!;
  const parts = wrapped(line.slice(prefix.length), Math.max(CELLS_MIN, columns - prefix.length));
  const indent = " ".repeat(prefix.length);
  return parts.map((part, index) => `${index === 0 ? prefix : indent}${part.trimEnd()}`).join("\n");
}

/** A break: a place in the source and what stands there instead. */

/** What sort of mistake a break is. */
export const BREAK_KINDS = [
  "comparison",
  "boundary",
  "condition",
  "statement",
  "variable",
  "argument",
  "await",
  "constant",
  "sql",
] as const;

/** One of them. */
export type BreakKind = (typeof BREAK_KINDS)[number];

/** One small mistake, as data. */
export interface Break {
  readonly kind: BreakKind;
  /** The file, from the root. */
  readonly file: string;
  /** Where the replaced text begins and ends, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** The source with the break in it. */
export function applyBreak(source: string, { start, end, replacement }: Break): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

/** A break as the lines before and after, for reading. */
export function showBreak(source: string, found: Break): string {
  const from = source.lastIndexOf("\n", found.start - 1) + 1;
  const end = source.indexOf("\n", found.end);
  const to = end < 0 ? source.length : end;
  const broken = applyBreak(source, found);
  const line = source.slice(0, from).split("\n").length;
  const before = source.slice(from, to);
  const after = broken.slice(from, to + broken.length - source.length);
  return `${found.file}:${line} (${found.kind})\n${prefixed("-", before)}\n${prefixed("+", after)}`;
}

function prefixed(sign: string, text: string): string {
  return text.split("\n").map((line) => `${sign} ${line}`).join("\n");
}

/** What the programs here are told: some flags, and words. */

import { print, refuse } from "./ending.ts";

/** What was told. */
export interface Arguments {
  readonly flags: ReadonlySet<string>;
  /** Whatever is not a flag. */
  readonly words: readonly string[];
}

/** What a program can be told. */
export interface Telling {
  readonly usage: string;
  /** With their dashes. */
  readonly flags: readonly string[];
}

/** Reads them; answers `--help` with the usage, and ends the program at a flag that it does not know. */
export function readArguments(args: readonly string[], { usage, flags }: Telling): Arguments {
  if (args.includes("--help") || args.includes("-h")) {
    print(usage);
    Deno.exit(0);
  }
  const told = args.filter((argument) => argument.startsWith("-"));
  const unknown = told.find((flag) => !flags.includes(flag));
  if (unknown !== undefined) refuse(`There is no ${unknown}`, usage);
  return { flags: new Set(told), words: args.filter((argument) => !argument.startsWith("-")) };
}

/** Those whose text has one of the parts; all, if no part is asked for; a part that is in none ends the program. */
export function choose<T>(
  all: readonly T[],
  textOf: (one: T) => string,
  { parts, usage }: { readonly parts: readonly string[]; readonly usage: string },
): readonly T[] {
  const lost = parts.find((part) => !all.some((one) => textOf(one).includes(part)));
  if (lost !== undefined) refuse(`No row has "${lost}" in its name`, usage);
  return parts.length === 0 ? all : all.filter((one) => parts.some((part) => textOf(one).includes(part)));
}

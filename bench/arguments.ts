/** Parses the command line of the programs in this folder: flags and words. */

import { print, refuse } from "./ending.ts";

/** The parsed command line. */
export interface Arguments {
  readonly flags: ReadonlySet<string>;
  /** The arguments that are not flags. */
  readonly words: readonly string[];
}

/** The command line that a program accepts. */
export interface Accepted {
  readonly usage: string;
  /** The flags, with their dashes. */
  readonly flags: readonly string[];
}

/** Parses arguments. Prints the usage for `--help`, and exits with an error for an unknown flag. */
export function readArguments(args: readonly string[], { usage, flags }: Accepted): Arguments {
  if (args.includes("--help") || args.includes("-h")) {
    print(usage);
    Deno.exit(0);
  }
  const given = args.filter((argument) => argument.startsWith("-"));
  const unknown = given.find((flag) => !flags.includes(flag));
  if (unknown !== undefined) refuse(`Unknown flag: ${unknown}`, usage);
  return { flags: new Set(given), words: args.filter((argument) => !argument.startsWith("-")) };
}

/** Returns the items whose text has one of the parts, or all without parts. Exits with an error if a part has no match. */
export function choose<T>(
  all: readonly T[],
  textOf: (one: T) => string,
  { parts, usage }: { readonly parts: readonly string[]; readonly usage: string },
): readonly T[] {
  const lost = parts.find((part) => !all.some((one) => textOf(one).includes(part)));
  if (lost !== undefined) refuse(`No row has "${lost}" in its name`, usage);
  return parts.length === 0 ? all : all.filter((one) => parts.some((part) => textOf(one).includes(part)));
}

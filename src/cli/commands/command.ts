/** Shared by all commands: declares them, opens their store, and formats counts. */

import { type Command, InvalidArgumentError } from "commander";
import type { Scope } from "../../contracts/scope.ts";
import type { Memory } from "../../memory.ts";
import { MEMORY_PATH, type MemoryOptions, openMemory, parsePath } from "../../open.ts";
import { CommandError, usageError } from "../terminal/failure.ts";
import { isThere, requireFile } from "./file_access.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Screen } from "../terminal/screen.ts";

/** The screen and the signal of a command. */
export interface Session {
  readonly screen: Screen;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
}

/** The outcome: false for a negative result (exit code 1), `"skipped"` if damaged rows were left out (3). */
export type Answer = boolean | "skipped";

/** Runs a command's work. */
export type Run = (work: (session: Session) => Promise<Answer>) => Promise<void>;

/** Declares one command below the program. */
export type Declare = (program: Command, run: Run) => void;

/** The permissions of Deno that a command needs. */
type Access = "read" | "write";

/** The options of commands that open a store. */
export interface StoreOptions {
  readonly ledger?: string;
}

/** The options of commands about one conversation. */
export interface ScopeOptions extends StoreOptions {
  readonly tenant: string;
  readonly session: string;
}

const IS_LOCAL = import.meta.url.startsWith("file:");

/** The program as an argument of `deno run`: its own file, or the published package. */
const PROGRAM: string = IS_LOCAL ? shellPath("../main.ts") : "jsr:@holdfast/memory/cli";

/** The arguments of `deno install`; in a checkout, its configuration resolves the packages. */
export const INSTALLED: string = IS_LOCAL
  ? `--config ${shellPath("../../../deno.json")} \\\n    ${PROGRAM}`
  : PROGRAM;

/** The path of a file of the program, quoted for a shell. */
function shellPath(name: string): string {
  const path = decodeURIComponent(new URL(name, import.meta.url).pathname).replace(/^\/(?=[A-Za-z]:)/, "");
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

/** Deno's flags for a directory. */
export function flagsFor(access: Access, directory: string = "DIR"): string {
  return access === "read"
    ? `--allow-read=${directory}`
    : `--allow-read=${directory} --allow-write=${directory}`;
}

const READS =
  "Reads only: --allow-read is enough. But SQLite keeps -wal and -shm next to the store and its ledger while it " +
  "reads, so your user must be able to write to their directories.";

/** Declares a command on a store; its help states the permissions that it needs. */
export function storeCommand(
  program: Command,
  name: string,
  { summary, access, example, more = "" }: {
    readonly summary: string;
    readonly access: Access;
    /** The arguments of an example. */
    readonly example: string;
    readonly more?: string;
  },
): Command {
  const described = [`${summary}.`, more, access === "read" ? READS : ""].filter((text) => text !== "");
  const command = withPermissions(program.command(name), access, example)
    .description(described.join("\n\n")).summary(summary);
  return command.argument("<store>", "the store's file, such as DIR/agent.db")
    .option("--ledger <file>", "the deletion ledger, if it is not next to the store");
}

/** Adds the permissions that a command needs to its help. */
export function withPermissions(command: Command, access: Access, example: string): Command {
  return command.addHelpText(
    "after",
    `\nRun as (DIR: the directories of the named files, separated by commas):\n  deno run ${
      flagsFor(access)
    } \\\n    ${PROGRAM} \\\n    ${command.name()} ${example}`,
  );
}

/** Adds the options that name a conversation. */
export function withScope(command: Command): Command {
  return command.requiredOption("--tenant <id>", "the tenant of the conversation")
    .requiredOption("--session <id>", "the session of the conversation");
}

/** The scope that the options name. */
export function scopeOf({ tenant, session }: ScopeOptions): Scope {
  return { tenantId: tenant, sessionId: session };
}

/** Opens an existing store; a mistyped path creates none. */
export async function openStore(
  path: string,
  { ledger }: StoreOptions,
  access: Access,
  more: Pick<MemoryOptions, "acceptClock" | "onEvent"> = {},
): Promise<Memory> {
  requirePath(path);
  const bytes = requireFile(path, "store", access === "read");
  // Opening an empty file for writing would create a store in it. A store that is being created has a ledger already.
  if (bytes === 0 && !isThere(ledger ?? `${path}.deletions`, "ledger", access === "read")) {
    throw new CommandError("NOT_FOUND", `There is no store in ${path}: the file is empty`, {
      advice: "Look at the path of the store.",
    });
  }
  return await openMemory(path, { ...more, ...ledgerOption(ledger), readOnly: access === "read" });
}

/** Requires the path of a store in a file. */
export function requirePath(path: string): void {
  if (path === MEMORY_PATH) {
    throw usageError("A store in memory ends with its process", "Pass the path of a file.");
  }
  parsePath("store", path);
}

/** The path of the ledger, as an option of `openMemory`. */
export function ledgerOption(ledger: string | undefined): Pick<MemoryOptions, "deletionPath"> {
  return ledger === undefined ? {} : { deletionPath: ledger };
}

/** Reads a whole number from `minimum` to `maximum`. */
export function wholeNumber(
  minimum: number,
  maximum: number = Number.MAX_SAFE_INTEGER,
): (text: string) => number {
  return (text) => {
    const number = /^\d{1,16}$/.test(text) ? Number(text) : NaN;
    if (Number.isSafeInteger(number) && number >= minimum && number <= maximum) return number;
    throw new InvalidArgumentError(`It must be a whole number from ${minimum} to ${maximum}.`);
  };
}

/** A count with separators: `6,473,402`. Revisions are printed without, since commands accept them as they are. */
export function grouped(count: number): string {
  return count.toLocaleString("en");
}

/** `1 turn`, `2 turns`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** The counts above 0 with their plural nouns as one text; `nothing` if all are 0. */
export function countedAll(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
    .map(([noun, count]) => `${grouped(count)} ${count === 1 ? singular(noun) : noun}`);
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

function singular(noun: string): string {
  return noun.replace(/(?<=summar)ies$/, "y").replace(/s$/, "");
}

/** Shows the progress of the indexing that a search or an assembly does first. */
export function indexingShown(progress: Progress): Pick<MemoryOptions, "onEvent"> {
  let done = 0;
  return {
    onEvent: ({ operation, counts }) => {
      if (operation !== "index") return;
      done += counts.turns!;
      progress.show("indexing turns", done, done + counts.remaining!);
    },
  };
}

/** What every command has in common: how it is declared, what it is given, and how it opens its store. */

import { type Command, InvalidArgumentError } from "commander";
import type { Scope } from "../../contracts/scope.ts";
import type { Memory } from "../../memory.ts";
import { MEMORY_PATH, type MemoryOptions, openMemory, parsePath } from "../../open.ts";
import { CommandError, wrongWords } from "../terminal/failure.ts";
import { isThere, requireFile } from "./file_access.ts";
import type { Progress } from "../terminal/progress.ts";
import type { Screen } from "../terminal/screen.ts";

/** What a command works with. */
export interface Session {
  readonly screen: Screen;
  /** Aborted when the process is asked to end. */
  readonly signal: AbortSignal;
}

/** Whether the store says yes; `"skipped"` where the work is done, but damaged rows were left out. */
export type Answer = boolean | "skipped";

/** Runs a command's work; it gives whether the store says yes. */
export type Run = (work: (session: Session) => Promise<Answer>) => Promise<void>;

/** Declares one command below the program. */
export type Declare = (program: Command, run: Run) => void;

/** Which of Deno's permissions a command needs. */
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

/** How this program is run: its own file, or where it was published. */
const PROGRAM: string = IS_LOCAL ? besides("../main.ts") : "jsr:@holdfast/memory/cli";

/** How it is installed: of a checkout, its configuration says where packages come from. */
export const INSTALLED: string = IS_LOCAL
  ? `--config ${besides("../../../deno.json")} \\\n    ${PROGRAM}`
  : PROGRAM;

/** The path of a file of the program, as a shell takes it. */
function besides(name: string): string {
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
  "Reads only: --allow-read is enough. But SQLite keeps -wal and -shm beside the store and its ledger for " +
  "whoever reads, so that your user must be able to write in their directories.";

/** Declares a command on a store, with the permissions it needs in its help. */
export function storeCommand(
  program: Command,
  name: string,
  { summary, access, example, more = "" }: {
    readonly summary: string;
    readonly access: Access;
    /** What follows the name in an example. */
    readonly example: string;
    readonly more?: string;
  },
): Command {
  const described = [`${summary}.`, more, access === "read" ? READS : ""].filter((text) => text !== "");
  const command = withPermissions(program.command(name), access, example)
    .description(described.join("\n\n")).summary(summary);
  return command.argument("<store>", "the store's file, such as DIR/agent.db")
    .option("--ledger <file>", "where the deletion ledger lies, if not beside the store");
}

/** Puts the permissions of a command below its help. */
export function withPermissions(command: Command, access: Access, example: string): Command {
  return command.addHelpText(
    "after",
    `\nNeeds (DIR: the directories of the files that are named, separated by commas):\n  deno run ${
      flagsFor(access)
    } \\\n    ${PROGRAM} \\\n    ${command.name()} ${example}`,
  );
}

/** Adds the two names of a conversation. */
export function withScope(command: Command): Command {
  return command.requiredOption("--tenant <id>", "whose conversation")
    .requiredOption("--session <id>", "which conversation");
}

/** The scope that was named. */
export function scopeOf({ tenant, session }: ScopeOptions): Scope {
  return { tenantId: tenant, sessionId: session };
}

/** Opens a store that is there; a command never makes one by a slip of the hand. */
export async function openStore(
  path: string,
  { ledger }: StoreOptions,
  access: Access,
  more: Pick<MemoryOptions, "acceptClock" | "onEvent"> = {},
): Promise<Memory> {
  requirePath(path);
  const bytes = requireFile(path, "store", access === "read");
  // Opened for writing, it would become a store; one that is in the making has its ledger already.
  if (bytes === 0 && !isThere(ledger ?? `${path}.deletions`, "ledger", access === "read")) {
    throw new CommandError("NOT_FOUND", `There is no store in ${path}: the file is empty`, {
      advice: "Look at the path of the store.",
    });
  }
  return await openMemory(path, { ...more, ...ledgerOption(ledger), readOnly: access === "read" });
}

/** Requires the path of a store that lies in a file. */
export function requirePath(path: string): void {
  if (path === MEMORY_PATH) throw wrongWords("A store in memory cannot be reached from here", "Give a file.");
  parsePath("store", path);
}

/** Where the ledger lies, as an option of opening. */
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

/** A number as it is read: `6,473,402`. Revisions are no counts: commands take them as they stand. */
export function grouped(count: number): string {
  return count.toLocaleString("en");
}

/** `1 turn`, `2 turns`. */
export function counted(count: number, noun: string): string {
  return `${grouped(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** Counts of plural nouns that are not 0, as one text; `nothing` if all are. */
export function countedAll(counts: Readonly<Record<string, number>>): string {
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
    .map(([noun, count]) => `${grouped(count)} ${count === 1 ? singular(noun) : noun}`);
  return parts.length === 0 ? "nothing" : parts.join(", ");
}

function singular(noun: string): string {
  return noun.replace(/(?<=summar)ies$/, "y").replace(/s$/, "");
}

/** Shows the indexing that a search or an assembly does first. */
export function indexingShown(progress: Progress): Pick<MemoryOptions, "onEvent"> {
  let done = 0;
  return {
    onEvent: ({ operation, counts }) => {
      if (operation !== "index") return;
      done += counts.turns!;
      progress.tell("indexing turns", done, done + counts.remaining!);
    },
  };
}

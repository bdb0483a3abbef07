/** What a command says when it does not succeed: a code, a sentence, what to do, and how the process ends. */

import {
  BudgetError,
  ConflictError,
  type ConflictReason,
  ContractError,
  type ErrorDetails,
  MemoryError,
  StorageError,
} from "../errors.ts";

/** The store, a file or a permission says no. */
const EXIT_REFUSED = 1;
/** The words were wrong. */
const EXIT_WORDS = 2;

/** What is told of an error. */
export interface Failure {
  readonly code: string;
  readonly reason?: ConflictReason;
  readonly message: string;
  /** What to do; empty where the message says it. */
  readonly advice: string;
  readonly exitCode: number;
  readonly details: ErrorDetails;
}

/** An error of the command line itself. */
export class CommandError extends Error implements Failure {
  readonly code: string;
  readonly advice: string;
  readonly exitCode: number;
  readonly details: ErrorDetails;

  constructor(
    code: string,
    message: string,
    told: { readonly advice?: string; readonly exitCode?: number; readonly details?: ErrorDetails } = {},
  ) {
    super(message);
    this.code = code;
    this.advice = told.advice ?? "";
    this.exitCode = told.exitCode ?? EXIT_REFUSED;
    this.details = told.details ?? {};
  }
}

/** Words that do not make a command. */
export function wrongWords(message: string, advice: string = "Say --help after the command."): CommandError {
  return new CommandError("USAGE", message, { advice, exitCode: EXIT_WORDS });
}

const HEAL = "Run `check`; put back a file that is missing, or restore a backup (`restore --help`).";

const ADVICE: Readonly<Record<string, string>> = {
  CONTRACT: "See --help for what is taken.",
  BUSY: "Another process is writing; try again.",
  FULL: "Make room on the disk, then try again.",
  READONLY: "Run `prune` on the store once, with --allow-write: it completes what is unfinished.",
  PERMISSION: "See who owns the files and what their modes are.",
  UNSAFE:
    "A store's files are regular files of yours with mode 0600, in a directory that only you can write.",
  EXISTS: "Choose a name where nothing is: nothing is ever written over.",
  REPLACED: "Another store is live in place of this one: open that, or restore.",
  RESTORE: "Put the file back, or run `restore`; one that was interrupted is begun anew with the same words.",
  SCHEMA: "Use the release that wrote the file, or a newer one.",
  CORRUPT: HEAL,
  INTEGRITY: HEAL,
  CLOSED: "Try again.",
  IO: "Look at the path, the file and the disk, then try again.",
  POLICY: "Counting tokens failed; try again.",
  REQUIRED_CONTEXT_TOO_LARGE: "Raise --budget, or ask and instruct in fewer words.",
  LAYER_ALLOCATION: "Raise --budget.",
  CAP_BUDGET: "Raise --budget.",
  PROMPT_TOO_LARGE: "Raise --budget.",
};

const CONFLICT_ADVICE: Readonly<Record<ConflictReason, string>> = {
  REVISION: "It has changed since: look again, then repeat with the revision that it has now.",
  SNAPSHOT: "It is being written; try again in a quiet moment.",
  IDEMPOTENCY: "Use another operation id.",
  DELETED: "It was deleted for ever.",
  MISSING: "Say `inspect` to see what there is.",
  EXPIRED: "Its deadline has passed.",
  CAPACITY: "Delete or prune something first.",
  NOT_READY: "Leave out --read-only once, so that the index can be completed.",
  CLOCK: "Set the machine's clock; if it is right, run `prune --accept-clock`.",
};

/** What is told of whatever was thrown. */
export function failureOf(error: unknown): Failure {
  if (error instanceof CommandError) return error;
  if (error instanceof ConflictError) {
    return { ...told(error, CONFLICT_ADVICE[error.reason]), reason: error.reason };
  }
  if (error instanceof ContractError) return { ...told(error, ADVICE.CONTRACT!), exitCode: EXIT_WORDS };
  if (error instanceof BudgetError) return told(error, `${ADVICE[error.code]!}${counts(error.details)}`);
  if (error instanceof StorageError) return told(error, storageAdvice(error));
  if (error instanceof MemoryError) return told(error, ADVICE[error.code] ?? "");
  return ofSystem(error);
}

function told({ code, message, details }: MemoryError, advice: string): Failure {
  return { code, message, advice, details, exitCode: EXIT_REFUSED };
}

/** What became of it comes first; a message that names flags says already what to do. */
function storageAdvice({ code, details }: StorageError): string {
  if ("recorded" in details) {
    return "The deletion is recorded and will be completed: repeat the command for its receipt.";
  }
  if (details.outcome === "unknown") return "Whether it was done is not known: look before you repeat it.";
  return "flags" in details ? "" : ADVICE[code]!;
}

function counts(details: ErrorDetails): string {
  const { requiredTokens, inputAllowance } = details;
  if (typeof requiredTokens !== "number" || typeof inputAllowance !== "number") return "";
  return ` ${requiredTokens} tokens are needed, ${inputAllowance} allowed.`;
}

/** What files of the command line's own met, and what nobody expected. */
function ofSystem(error: unknown): Failure {
  const base = { advice: ADVICE.IO!, exitCode: EXIT_REFUSED, details: {} };
  if (error instanceof Deno.errors.NotFound) {
    return { ...base, code: "NOT_FOUND", message: "There is no such file" };
  }
  if (error instanceof Deno.errors.AlreadyExists) {
    return { ...base, code: "EXISTS", message: "The file is there already", advice: ADVICE.EXISTS! };
  }
  if (error instanceof Deno.errors.NotCapable) {
    const message = "Deno does not permit this file with the flags it has";
    const advice = "Below /dev, /proc and /sys it asks for --allow-all: keep stores elsewhere.";
    return { ...base, code: "PERMISSION", message, advice };
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    const message = "The system does not permit it";
    return { ...base, code: "PERMISSION", message, advice: ADVICE.PERMISSION! };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : "Something unknown was thrown";
  return { ...base, code: "INTERNAL", message, advice: "This is a fault of holdfast; please report it." };
}

/** What came from a file rather than from the words: its faults are the file's. */
export async function judgingFile<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const { code, message, details } = error;
    const advice = "imported" in details
      ? "Lines before it are in; mend the file and import it again."
      : "Give the file as holdfast wrote it.";
    throw new CommandError(code, message, { advice, details });
  }
}

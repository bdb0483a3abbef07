/** The failure of a command: a code, a sentence, advice, and an exit code. */

import type { DamagedRow } from "../../contracts/damaged.ts";
import {
  ConflictError,
  type ConflictReason,
  ContractError,
  type ErrorDetails,
  MemoryError,
} from "../../errors.ts";
import { adviceFor, adviceForCode } from "./advice.ts";
import { nameOf } from "./row_name.ts";

/** The store, a file or a permission refused. */
const EXIT_REFUSED = 1;
/** The arguments were wrong. */
const EXIT_USAGE = 2;

/** The parts of a printed error. */
export interface Failure {
  readonly code: string;
  readonly reason?: ConflictReason;
  readonly message: string;
  /** What to do; empty where the message already contains it. */
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
    options: { readonly advice?: string; readonly exitCode?: number; readonly details?: ErrorDetails } = {},
  ) {
    super(message);
    this.code = code;
    this.advice = options.advice ?? "";
    this.exitCode = options.exitCode ?? EXIT_REFUSED;
    this.details = options.details ?? {};
  }
}

/** A usage error: the arguments do not make a command (exit code 2). */
export function usageError(message: string, advice: string = "See --help of the command."): CommandError {
  return new CommandError("USAGE", message, { advice, exitCode: EXIT_USAGE });
}

/** The failure to print for anything that was thrown; `command` is its name, empty if none was given. */
export function failureOf(error: unknown, command: string = ""): Failure {
  if (error instanceof CommandError) return error;
  if (!(error instanceof MemoryError)) return ofSystem(error);
  const { code, details } = error;
  const message = error instanceof ConflictError
    ? CONVERSATIONS[error.reason] ?? error.message
    : messageWithRow(error);
  const exitCode = error instanceof ContractError ? EXIT_USAGE : EXIT_REFUSED;
  const failure = { code, message, advice: adviceFor(error, command), details, exitCode };
  return error instanceof ConflictError ? { ...failure, reason: error.reason } : failure;
}

/** The message, with the labels of the damaged row if the details name one. */
function messageWithRow({ message, details }: MemoryError): string {
  return typeof details.table === "string" && details.tenantId !== undefined
    ? `${message} (${nameOf(details as unknown as DamagedRow)})`
    : message;
}

/** Conflicts of commands concern a named conversation. Commands say "conversation", not "scope", and create none. */
const CONVERSATIONS: Readonly<Partial<Record<ConflictReason, string>>> = {
  MISSING: "There is no such conversation",
  DELETED: "The conversation was deleted for ever",
  SNAPSHOT: "The conversation kept changing while it was read",
};

/** Errors of the command line's own files, and unexpected errors. */
function ofSystem(error: unknown): Failure {
  const base = { advice: adviceForCode("IO"), exitCode: EXIT_REFUSED, details: {} };
  if (error instanceof Deno.errors.NotFound) {
    return { ...base, code: "NOT_FOUND", message: "There is no such file" };
  }
  if (error instanceof Deno.errors.AlreadyExists) {
    return { ...base, code: "EXISTS", message: "The file exists already", advice: adviceForCode("EXISTS") };
  }
  if (error instanceof Deno.errors.NotCapable) {
    const message = "Deno's permission flags do not allow access to this file";
    const advice = "Below /dev, /proc and /sys Deno requires --allow-all: keep stores elsewhere.";
    return { ...base, code: "PERMISSION", message, advice };
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    const message = "The operating system denied access";
    return { ...base, code: "PERMISSION", message, advice: adviceForCode("PERMISSION") };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : "Unknown error";
  return { ...base, code: "INTERNAL", message, advice: "This is a bug in holdfast; please report it." };
}

/** Runs work on a file's content: invalid content is the file's fault (exit code 1), not a usage error. */
export async function validatingFile<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const { code, message, details } = error;
    throw new CommandError(code, message, { advice: "Pass the file as holdfast wrote it.", details });
  }
}

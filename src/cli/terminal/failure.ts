/** What a command says when it does not succeed: a code, a sentence, what to do, and how the process ends. */

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

/** What is told of whatever was thrown, by a command if one was found in the words. */
export function failureOf(error: unknown, command: string = ""): Failure {
  if (error instanceof CommandError) return error;
  if (!(error instanceof MemoryError)) return ofSystem(error);
  const { code, details } = error;
  const message = error instanceof ConflictError
    ? CONVERSATIONS[error.reason] ?? error.message
    : named(error);
  const exitCode = error instanceof ContractError ? EXIT_WORDS : EXIT_REFUSED;
  const told = { code, message, advice: adviceFor(error, command), details, exitCode };
  return error instanceof ConflictError ? { ...told, reason: error.reason } : told;
}

/** What is damaged, by its labels. */
function named({ message, details }: MemoryError): string {
  return typeof details.table === "string" && details.tenantId !== undefined
    ? `${message} (${nameOf(details as unknown as DamagedRow)})`
    : message;
}

/** What commands meet concerns a conversation that was named; none of them makes one, and none says scope. */
const CONVERSATIONS: Readonly<Partial<Record<ConflictReason, string>>> = {
  MISSING: "There is no such conversation",
  DELETED: "The conversation was deleted for ever",
  SNAPSHOT: "The conversation changed all the while",
};

/** What files of the command line's own met, and what nobody expected. */
function ofSystem(error: unknown): Failure {
  const base = { advice: adviceForCode("IO"), exitCode: EXIT_REFUSED, details: {} };
  if (error instanceof Deno.errors.NotFound) {
    return { ...base, code: "NOT_FOUND", message: "There is no such file" };
  }
  if (error instanceof Deno.errors.AlreadyExists) {
    return { ...base, code: "EXISTS", message: "The file is there already", advice: adviceForCode("EXISTS") };
  }
  if (error instanceof Deno.errors.NotCapable) {
    const message = "Deno does not permit this file with the flags it has";
    const advice = "Below /dev, /proc and /sys it asks for --allow-all: keep stores elsewhere.";
    return { ...base, code: "PERMISSION", message, advice };
  }
  if (error instanceof Deno.errors.PermissionDenied) {
    const message = "The system does not permit it";
    return { ...base, code: "PERMISSION", message, advice: adviceForCode("PERMISSION") };
  }
  const message = error instanceof Error ? `${error.name}: ${error.message}` : "Something unknown was thrown";
  return { ...base, code: "INTERNAL", message, advice: "This is a fault of holdfast; please report it." };
}

/** What came from a file rather than from the words: its faults are the file's. */
export async function validatingFile<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const { code, message, details } = error;
    throw new CommandError(code, message, { advice: "Give the file as holdfast wrote it.", details });
  }
}

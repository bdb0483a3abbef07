/**
 * The errors of Holdfast: stable codes, content-free messages, and details that hold counts and names, never values.
 *
 * @module
 */

/**
 * Facts about an error: counts, field names, positions. Never what a caller stored or asked.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { ContractError, type ErrorDetails } from "@holdfast/memory";
 *
 * const details: ErrorDetails = new ContractError("value.step", "Expected step to be 0, 1 or 2").details;
 * assert.deepEqual(details, { field: "value.step" });
 * ```
 */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/**
 * What every error takes besides its message.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type MemoryErrorOptions, StorageError } from "@holdfast/memory";
 *
 * const options: MemoryErrorOptions = { details: { attempts: 3 }, cause: new Error("disk I/O error") };
 * const error = new StorageError("IO", "Cannot read", options);
 * assert.equal(error.details.attempts, 3);
 * assert.equal((error.cause as Error).message, "disk I/O error");
 * ```
 */
export interface MemoryErrorOptions {
  /** Counts, field names and positions that explain the error. */
  readonly details?: ErrorDetails;
  /** The error underneath, kept as it was. */
  readonly cause?: unknown;
}

/**
 * The base of every error that Holdfast raises on purpose. After one, nothing has changed, unless `details.outcome`
 * is `"unknown"`, or `details.recorded` names a deletion that is irrevocable and will be completed.
 *
 * @example Telling errors of this module from others
 * ```ts
 * import assert from "node:assert/strict";
 * import { ConflictError, MemoryError } from "@holdfast/memory";
 *
 * const error = new ConflictError("REVISION", "Cannot put record: revision must be 3, received 2");
 * assert(error instanceof MemoryError);
 * assert.equal(error.code, "CONFLICT");
 * ```
 */
export class MemoryError extends Error {
  /** The stable code. Messages may be reworded, codes are not. */
  readonly code: string;
  /** Counts, field names and positions; frozen, without content. */
  readonly details: ErrorDetails;

  /** Makes an error with a stable code and a message without content. */
  constructor(code: string, message: string, options: MemoryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.details = Object.freeze({ ...options.details });
  }

  /** Whether the caller can succeed by reading again or waiting, without doing anything else differently. */
  get retryable(): boolean {
    return false;
  }
}

/**
 * What the caller handed in is wrong (code `CONTRACT`). `field` names where, never the value.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const identity = { tenantId: "Orchard", kind: "fact", key: "preference" };
 * await assert.rejects(memory.records.get(identity), { code: "CONTRACT", field: "tenantId" });
 * ```
 */
export class ContractError extends MemoryError {
  /** The field that is wrong, as a path such as `value.items[2]`. */
  readonly field: string;

  /** Makes the error for one field. */
  constructor(field: string, message: string, options: MemoryErrorOptions = {}) {
    super("CONTRACT", message, { ...options, details: { field, ...options.details } });
    this.field = field;
  }
}

/**
 * Why a {@linkcode ConflictError} was raised.
 *
 * - `REVISION`: the revision is not the expected one (retryable after reading again)
 * - `SNAPSHOT`: the snapshot is stale (retryable with a fresh one)
 * - `IDEMPOTENCY`: the operation id was used before with other input
 * - `DELETED`: the identifier was deleted for ever
 * - `MISSING`: there is nothing by that name
 * - `EXPIRED`: a deadline has passed
 * - `CAPACITY`: a stated limit is reached
 * - `NOT_READY`: an index is not complete (retryable once it is)
 * - `CLOCK`: the clock is behind the highest time seen
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { ConflictError, type ConflictReason, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const run = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
 * const start = { schema: 1, step: 0, items: [] } as const;
 * await memory.records.put(run, start, { expectedRevision: null, ttl: 60 });
 * const error = await memory.records.put(run, start, { expectedRevision: null, ttl: 60 }).catch((error) => error);
 * const reason: ConflictReason | null = error instanceof ConflictError ? error.reason : null;
 * assert.equal(reason, "REVISION");
 * ```
 */
export type ConflictReason =
  | "REVISION"
  | "SNAPSHOT"
  | "IDEMPOTENCY"
  | "DELETED"
  | "MISSING"
  | "EXPIRED"
  | "CAPACITY"
  | "NOT_READY"
  | "CLOCK";

const RETRYABLE_REASONS: ReadonlySet<ConflictReason> = new Set(["REVISION", "SNAPSHOT", "NOT_READY"]);

/**
 * What a {@linkcode ConflictError} takes besides reason and message.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { ConflictError, type ConflictErrorOptions } from "@holdfast/memory";
 *
 * const options: ConflictErrorOptions = { currentRevision: null };
 * assert.equal(new ConflictError("REVISION", "Cannot put record: nothing is there", options).currentRevision, null);
 * ```
 */
export interface ConflictErrorOptions extends MemoryErrorOptions {
  /** The revision there is now; `null` where there is nothing. */
  readonly currentRevision?: number | null;
}

/**
 * The call was well formed but does not fit what is stored (code `CONFLICT`).
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { ConflictError } from "@holdfast/memory";
 *
 * const error = new ConflictError("REVISION", "Cannot put record: stale revision", { currentRevision: 4 });
 * assert.equal(error.retryable, true);
 * assert.equal(error.currentRevision, 4);
 * ```
 */
export class ConflictError extends MemoryError {
  /** Why, as a stable word. */
  readonly reason: ConflictReason;
  /** The revision there is now; `null` where there is nothing; absent where no revision is involved. */
  readonly currentRevision?: number | null;

  /** Makes the error for one reason. */
  constructor(reason: ConflictReason, message: string, options: ConflictErrorOptions = {}) {
    const { currentRevision } = options;
    const known = currentRevision === undefined ? { reason } : { reason, currentRevision };
    super("CONFLICT", message, { ...options, details: { ...known, ...options.details } });
    this.reason = reason;
    if (currentRevision !== undefined) this.currentRevision = currentRevision;
  }

  /** Whether reading again (or finishing the index) and repeating the call can succeed. */
  override get retryable(): boolean {
    return RETRYABLE_REASONS.has(this.reason);
  }
}

/**
 * Stored data, digests, lineage or ledger do not agree (code `INTEGRITY`). Never raised for what a caller handed in.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { IntegrityError } from "@holdfast/memory";
 *
 * assert.equal(new IntegrityError("Record checksum does not match").code, "INTEGRITY");
 * ```
 */
export class IntegrityError extends MemoryError {
  /** Makes the error. */
  constructor(message: string, options: MemoryErrorOptions = {}) {
    super("INTEGRITY", message, options);
  }
}

/**
 * What is wrong with the file or the machine.
 *
 * - `BUSY`: another process holds the lock (retryable)
 * - `FULL`: the disk or the file is full
 * - `READONLY`: the store or its file cannot be written
 * - `PERMISSION`: Deno or the operating system forbids it; the message names the flag
 * - `UNSAFE`: a link, a mode, an owner or a foreign file
 * - `EXISTS`: the destination is there already
 * - `REPLACED`: another file lies under the name, or a restore has fenced this store
 * - `RESTORE`: a restore is needed, or unfinished
 * - `SCHEMA`: the file is of a newer version
 * - `CORRUPT`: SQLite finds the file damaged
 * - `IO`: reading or writing failed
 * - `CLOSED`: the store was closed
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type StorageCode } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * await memory.close();
 * const code: StorageCode = "CLOSED";
 * await assert.rejects(memory.check(), { name: "StorageError", code });
 * ```
 */
export type StorageCode =
  | "BUSY"
  | "FULL"
  | "READONLY"
  | "PERMISSION"
  | "UNSAFE"
  | "EXISTS"
  | "REPLACED"
  | "RESTORE"
  | "SCHEMA"
  | "CORRUPT"
  | "IO"
  | "CLOSED";

/**
 * What exactly is wrong with a store's files, as a stable word in `details.because`, where one code has several causes
 * that ask for different remedies.
 */
export type Because =
  | "backup"
  | "damaged-backup"
  | "damaged-ledger"
  | "directory-mode"
  | "exported-ledger"
  | "file-system"
  | "foreign"
  | "foreign-log"
  | "foreign-tables"
  | "hard-link"
  | "in-use"
  | "ledger"
  | "ledger-missing"
  | "link"
  | "main-missing"
  | "mode"
  | "no-database"
  | "no-file"
  | "older"
  | "older-ledger"
  | "older-main"
  | "other-history"
  | "other-ledger"
  | "owner"
  | "pending"
  | "restoring"
  | "sidecar"
  | "store"
  | "unfinished";

/** Details that tell it. */
export function because(word: Because, more: ErrorDetails = {}): ErrorDetails {
  return { because: word, ...more };
}

/**
 * The file or the machine is in the way; `code` says how.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { StorageError } from "@holdfast/memory";
 *
 * assert.equal(new StorageError("BUSY", "Another process holds the lock").retryable, true);
 * ```
 */
export class StorageError extends MemoryError {
  /** Which way the file or the machine is in the way. */
  declare readonly code: StorageCode;

  /** Makes the error for one code. */
  constructor(code: StorageCode, message: string, options: MemoryErrorOptions = {}) {
    super(code, message, options);
  }

  /** Whether waiting and repeating the call can succeed: only for `BUSY`. */
  override get retryable(): boolean {
    return this.code === "BUSY";
  }
}

/**
 * What does not fit.
 *
 * - `REQUIRED_CONTEXT_TOO_LARGE`: system text, pins, tools and question alone exceed the input allowance
 * - `LAYER_ALLOCATION`: the reserves exceed what is left
 * - `CAP_BUDGET`: a message cannot be shortened to the cap
 * - `PROMPT_TOO_LARGE`: the finished request exceeds the allowance
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type BudgetCode, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const code: BudgetCode = "REQUIRED_CONTEXT_TOO_LARGE";
 * await assert.rejects(conversation.assemble("When?", { maxInputTokens: 10 }, { system: "Answer from the notes." }), { code });
 * ```
 */
export type BudgetCode =
  | "REQUIRED_CONTEXT_TOO_LARGE"
  | "LAYER_ALLOCATION"
  | "CAP_BUDGET"
  | "PROMPT_TOO_LARGE";

/**
 * The token budget cannot hold what must be there; `details` carries the counts.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { BudgetError } from "@holdfast/memory";
 *
 * const details = { requiredTokens: 120, inputAllowance: 100, overflowTokens: 20 };
 * const error = new BudgetError("REQUIRED_CONTEXT_TOO_LARGE", "Required context exceeds the allowance", { details });
 * assert.equal(error.details.overflowTokens, 20);
 * ```
 */
export class BudgetError extends MemoryError {
  /** What does not fit. */
  declare readonly code: BudgetCode;

  /** Makes the error for one code. */
  constructor(code: BudgetCode, message: string, options: MemoryErrorOptions = {}) {
    super(code, message, options);
  }
}

/**
 * A summary policy or token counter that the caller supplied threw, or gave something else than promised (code
 * `POLICY`).
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { PolicyError } from "@holdfast/memory";
 *
 * assert.equal(new PolicyError("The token counter gave no whole number").code, "POLICY");
 * ```
 */
export class PolicyError extends MemoryError {
  /** Makes the error. */
  constructor(message: string, options: MemoryErrorOptions = {}) {
    super("POLICY", message, options);
  }
}

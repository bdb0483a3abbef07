/**
 * The errors of Holdfast. Codes are stable; messages and details hold counts and names, never stored values.
 *
 * @module
 */

/** Facts about an error: counts, field names and positions; never what a caller stored or asked. */
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Options of every error. */
export interface MemoryErrorOptions {
  /** Counts, field names and positions that explain the error. */
  readonly details?: ErrorDetails;
  /** The underlying error, unchanged. */
  readonly cause?: unknown;
}

/**
 * The base class of every error that Holdfast throws. A call that throws one changed nothing, with two exceptions: with
 * `details.outcome` of `"unknown"` the write may be there or not, and `details.recorded` names a deletion that is
 * irrevocable and will be completed.
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
  /** The stable code. Messages may be reworded; codes are not. */
  readonly code: string;
  /** Counts, field names and positions; frozen, without content. */
  readonly details: ErrorDetails;

  /** Creates an error with a stable code and a message without content. */
  constructor(code: string, message: string, options: MemoryErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.code = code;
    this.details = Object.freeze({ ...options.details });
  }

  /** Whether the same call can succeed after reading again or waiting. */
  get retryable(): boolean {
    return false;
  }
}

/**
 * Thrown when an argument is invalid (code `CONTRACT`). `field` names the field, never its value.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const identity = { tenantId: "Acme", kind: "fact", key: "preference" };
 * await assert.rejects(memory.records.get(identity), { code: "CONTRACT", field: "tenantId" });
 * ```
 */
export class ContractError extends MemoryError {
  /** The invalid field, as a path such as `value.items[2]`. */
  readonly field: string;

  /** Creates the error for one field. */
  constructor(field: string, message: string, options: MemoryErrorOptions = {}) {
    super("CONTRACT", message, { ...options, details: { field, ...options.details } });
    this.field = field;
  }
}

/**
 * The reason of a {@linkcode ConflictError}.
 *
 * - `REVISION`: the revision is not the expected one (retryable after reading again)
 * - `SNAPSHOT`: the snapshot is stale (retryable with a fresh one)
 * - `IDEMPOTENCY`: the operation id was used before with different input
 * - `DELETED`: the identifier was deleted and is permanently reserved
 * - `MISSING`: nothing exists under that name
 * - `EXPIRED`: a deadline has passed
 * - `CAPACITY`: a documented limit is reached
 * - `NOT_READY`: an index is not complete (retryable once it is)
 * - `CLOCK`: the clock is behind the highest time seen
 * - `SUBJECT`: the session or record is of another person than the call says
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
  | "CLOCK"
  | "SUBJECT";

const RETRYABLE_REASONS: ReadonlySet<ConflictReason> = new Set(["REVISION", "SNAPSHOT", "NOT_READY"]);

/** Options of a {@linkcode ConflictError}. */
export interface ConflictErrorOptions extends MemoryErrorOptions {
  /** The current revision; `null` if nothing exists. */
  readonly currentRevision?: number | null;
}

/**
 * Thrown when a valid call conflicts with what is stored (code `CONFLICT`).
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
  /** The reason, as a stable word. */
  readonly reason: ConflictReason;
  /** The current revision; `null` if nothing exists; absent if no revision is involved. */
  readonly currentRevision?: number | null;

  /** Creates the error for one reason. */
  constructor(reason: ConflictReason, message: string, options: ConflictErrorOptions = {}) {
    const { currentRevision } = options;
    const known = currentRevision === undefined ? { reason } : { reason, currentRevision };
    super("CONFLICT", message, { ...options, details: { ...known, ...options.details } });
    this.reason = reason;
    if (currentRevision !== undefined) this.currentRevision = currentRevision;
  }

  /** Whether repeating the call can succeed after reading again, or after completing the index. */
  override get retryable(): boolean {
    return RETRYABLE_REASONS.has(this.reason);
  }
}

/**
 * Thrown when stored data, checksums, lineage or ledger contradict each other (code `INTEGRITY`). Never thrown for arguments.
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
  /** Creates the error. */
  constructor(message: string, options: MemoryErrorOptions = {}) {
    super("INTEGRITY", message, options);
  }
}

/** What a {@linkcode KindError} says. */
export interface KindMismatch {
  /** The name of the kind. */
  readonly kind: string;
  /** The part of the value that does not fit, as a path of names that the schema declares, such as `value.items[2]`. */
  readonly field: string;
  /**
   * What it breaks: `version` (a newer version of the kind wrote it), `migrate` (the kind's `migrate` threw, or returned no
   * plain JSON), `maxBytes`, the code of the schema's issue, such as zod's `too_big`, or `schema`.
   */
  readonly rule: string;
}

/**
 * Thrown when a stored value does not fit its kind (code `KIND`): a newer version of the kind wrote it, or the schema no
 * longer accepts it. The record is not damaged. `details.revision` has its revision, so that a put can replace it.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { KindError } from "@holdfast/memory";
 *
 * const mismatch = { kind: "note", field: "value.author", rule: "invalid_type" };
 * const error = new KindError("Cannot read record: value.author does not fit the kind note", mismatch);
 * assert.deepEqual([error.code, error.field, error.rule], ["KIND", "value.author", "invalid_type"]);
 * ```
 */
export class KindError extends MemoryError {
  /** The name of the kind. */
  readonly kind: string;
  /** The part of the value that does not fit, as a path of names that the schema declares. */
  readonly field: string;
  /** What it breaks; see {@linkcode KindMismatch.rule}. */
  readonly rule: string;

  /** Creates the error. */
  constructor(message: string, { kind, field, rule }: KindMismatch, options: MemoryErrorOptions = {}) {
    super("KIND", message, { ...options, details: { kind, field, rule, ...options.details } });
    this.kind = kind;
    this.field = field;
    this.rule = rule;
  }
}

/**
 * What is wrong with the files or the machine.
 *
 * - `BUSY`: another process holds the lock (retryable)
 * - `FULL`: the disk or the file is full
 * - `READONLY`: the store or its file cannot be written
 * - `PERMISSION`: Deno or the operating system denies access; the message names the flag
 * - `UNSAFE`: a link, an unsafe mode or owner, or a foreign file
 * - `EXISTS`: the destination exists already
 * - `REPLACED`: another file has taken the name, or a restore has fenced off this store
 * - `RESTORE`: a restore is needed, or was not finished
 * - `SCHEMA`: a newer version wrote the file
 * - `CORRUPT`: SQLite reports the file as damaged
 * - `IO`: reading or writing failed
 * - `CLOSED`: the store was closed
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
 * The cause of an error as a stable word, in `details.because`. Only errors whose code has several causes, with different
 * remedies, have one.
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

/** Details that name a cause. */
export function because(word: Because, more: ErrorDetails = {}): ErrorDetails {
  return { because: word, ...more };
}

/**
 * Thrown when the files or the machine prevent the call; `code` says how.
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
  /** The stable code: what is wrong with the files or the machine. */
  declare readonly code: StorageCode;

  /** Creates the error for one code. */
  constructor(code: StorageCode, message: string, options: MemoryErrorOptions = {}) {
    super(code, message, options);
  }

  /** Whether repeating the call later can succeed: only for `BUSY`. */
  override get retryable(): boolean {
    return this.code === "BUSY";
  }
}

/**
 * What does not fit the token budget.
 *
 * - `REQUIRED_CONTEXT_TOO_LARGE`: system text, pins, tools and question alone exceed the input allowance
 * - `LAYER_ALLOCATION`: the reserves exceed the rest of the allowance
 * - `CAP_BUDGET`: a message cannot be shortened to the cap
 * - `PROMPT_TOO_LARGE`: the finished request exceeds the allowance
 */
export type BudgetCode =
  | "REQUIRED_CONTEXT_TOO_LARGE"
  | "LAYER_ALLOCATION"
  | "CAP_BUDGET"
  | "PROMPT_TOO_LARGE";

/**
 * Thrown when the token budget cannot hold the required context; `details` has the counts.
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
  /** The stable code: what does not fit the token budget. */
  declare readonly code: BudgetCode;

  /** Creates the error for one code. */
  constructor(code: BudgetCode, message: string, options: MemoryErrorOptions = {}) {
    super(code, message, options);
  }
}

/**
 * Thrown when a summary policy or token counter threw or returned an invalid result (code `POLICY`).
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { PolicyError } from "@holdfast/memory";
 *
 * assert.equal(new PolicyError("The token counter returned no whole number").code, "POLICY");
 * ```
 */
export class PolicyError extends MemoryError {
  /** Creates the error. */
  constructor(message: string, options: MemoryErrorOptions = {}) {
    super("POLICY", message, options);
  }
}

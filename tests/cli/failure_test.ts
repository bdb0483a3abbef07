/** Whatever is thrown becomes a code, a sentence, and what to do. */

import assert from "node:assert/strict";
import { failureOf } from "../../src/cli/failure.ts";
import {
  type BudgetCode,
  BudgetError,
  ConflictError,
  type ConflictReason,
  ContractError,
  IntegrityError,
  PolicyError,
  type StorageCode,
  StorageError,
} from "../../src/errors.ts";

const STORAGE: readonly StorageCode[] = [
  ...["BUSY", "FULL", "READONLY", "PERMISSION", "UNSAFE", "EXISTS"] as const,
  ...["REPLACED", "RESTORE", "SCHEMA", "CORRUPT", "IO", "CLOSED"] as const,
];
const REASONS: readonly ConflictReason[] = [
  ...["REVISION", "SNAPSHOT", "IDEMPOTENCY", "DELETED", "MISSING"] as const,
  ...["EXPIRED", "CAPACITY", "NOT_READY", "CLOCK"] as const,
];
const BUDGETS: readonly BudgetCode[] = [
  ...["REQUIRED_CONTEXT_TOO_LARGE", "LAYER_ALLOCATION", "CAP_BUDGET", "PROMPT_TOO_LARGE"] as const,
];

const ERRORS = [
  ...STORAGE.map((code) => new StorageError(code, "Cannot.")),
  ...REASONS.map((reason) => new ConflictError(reason, "Cannot.")),
  ...BUDGETS.map((code) => new BudgetError(code, "Cannot.")),
  new IntegrityError("Cannot."),
  new PolicyError("Cannot."),
  new Deno.errors.NotFound("Cannot."),
  new Deno.errors.AlreadyExists("Cannot."),
  new Deno.errors.PermissionDenied("Cannot."),
  new Deno.errors.NotCapable("Cannot."),
  new TypeError("Cannot."),
  null,
];

Deno.test("Every error that is no wrong word has advice, and exits with 1", () => {
  const without = ERRORS.map(failureOf).filter(({ code, message, advice, exitCode }) =>
    code === "" || message === "" || advice === "" || exitCode !== 1
  );
  assert.deepEqual(without, []);
});

Deno.test("What a word did wrong exits with 2", () => {
  assert.equal(failureOf(new ContractError("query", "Expected query to be well-formed text")).exitCode, 2);
});

Deno.test("A message that names the flags is not followed by other advice", () => {
  const error = new StorageError("PERMISSION", "Cannot open store: run Deno with --allow-read=.", {
    details: { flags: ["--allow-read=."] },
  });
  assert.equal(failureOf(error).advice, "");
});

Deno.test("A deletion that is recorded, and an outcome that is not known, are told before all else", () => {
  const recorded = new StorageError("IO", "Cannot use main", { details: { recorded: { sequence: 1 } } });
  assert.match(failureOf(recorded).advice, /will be completed: repeat the command for its receipt/);
  const unknown = new StorageError("FULL", "Cannot use main", { details: { outcome: "unknown" } });
  assert.match(failureOf(unknown).advice, /not known/);
});

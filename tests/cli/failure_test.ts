/** Every error becomes a code, a sentence, and advice. */

import assert from "node:assert/strict";
import { failureOf } from "../../src/cli/terminal/failure.ts";
import {
  type Because,
  because,
  type BudgetCode,
  BudgetError,
  ConflictError,
  type ConflictReason,
  ContractError,
  IntegrityError,
  type MemoryError,
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

Deno.test("Every error except a usage error has advice, and exits with 1", () => {
  const without = ERRORS.map((error) => failureOf(error)).filter(({ code, message, advice, exitCode }) =>
    code === "" || message === "" || advice === "" || exitCode !== 1
  );
  assert.deepEqual(without, []);
});

/** Every cause, with a code that it occurs with. */
const CAUSES: Readonly<Record<Because, StorageCode | "INTEGRITY">> = {
  "backup": "RESTORE",
  "damaged-backup": "INTEGRITY",
  "damaged-ledger": "INTEGRITY",
  "directory-mode": "UNSAFE",
  "exported-ledger": "RESTORE",
  "file-system": "READONLY",
  "foreign": "UNSAFE",
  "foreign-log": "UNSAFE",
  "foreign-tables": "UNSAFE",
  "hard-link": "UNSAFE",
  "in-use": "UNSAFE",
  "ledger": "UNSAFE",
  "ledger-missing": "INTEGRITY",
  "link": "UNSAFE",
  "main-missing": "RESTORE",
  "mode": "READONLY",
  "no-database": "CORRUPT",
  "no-file": "UNSAFE",
  "older": "READONLY",
  "older-ledger": "INTEGRITY",
  "older-main": "INTEGRITY",
  "other-history": "INTEGRITY",
  "other-ledger": "INTEGRITY",
  "owner": "UNSAFE",
  "pending": "READONLY",
  "restoring": "RESTORE",
  "sidecar": "UNSAFE",
  "store": "UNSAFE",
  "unfinished": "READONLY",
};

function errorOf(cause: Because): MemoryError {
  const [code, options] = [CAUSES[cause], { details: because(cause) }];
  return code === "INTEGRITY"
    ? new IntegrityError("Cannot.", options)
    : new StorageError(code, "Cannot.", options);
}

const CAUSED = Object.keys(CAUSES).map((cause) => errorOf(cause as Because));

Deno.test("Every cause has advice of its own, not that of its code", () => {
  const own = (error: MemoryError): boolean => {
    const plain = new StorageError(error.code as StorageCode, "Cannot.");
    return failureOf(error).advice !== "" && failureOf(error).advice !== failureOf(plain).advice;
  };
  assert.deepEqual(CAUSED.filter((error) => !own(error)).map(({ details }) => details), []);
});

/** Commands that advice names, or that open a store. */
const COMMANDS = [
  "inspect",
  "search",
  "context",
  "check",
  "prune",
  "delete",
  "verify",
  "backup",
  "restore",
  "erase",
];

for (const command of COMMANDS) {
  Deno.test(`No error of ${command} is answered with ${command} itself`, () => {
    const circular = [...ERRORS, ...CAUSED]
      .map((error) => failureOf(error, command).advice)
      .filter((advice) => advice.includes(`\`${command}\``) || advice.includes(`\`${command} --help\``));
    // `prune` itself completes what this advice asks for, so it never fails for these causes.
    const allowed = command === "prune"
      ? /^(Run `prune` on the store once, with --allow-write|.*`prune --accept-clock`)/
      : /^$/;
    assert.deepEqual(circular.filter((advice) => !allowed.test(advice)), []);
  });
}

Deno.test("A usage error exits with 2", () => {
  assert.equal(failureOf(new ContractError("query", "Expected query to be well-formed text")).exitCode, 2);
});

Deno.test("A message that names the flags has no further advice", () => {
  const error = new StorageError("PERMISSION", "Cannot open store: run Deno with --allow-read=.", {
    details: { flags: ["--allow-read=."] },
  });
  assert.equal(failureOf(error).advice, "");
});

Deno.test("A recorded deletion and an unknown outcome come before other advice", () => {
  const recorded = new StorageError("IO", "Cannot use main", { details: { recorded: { sequence: 1 } } });
  assert.match(failureOf(recorded).advice, /will be completed: repeat the command for its receipt/);
  const unknown = new StorageError("FULL", "Cannot use main", { details: { outcome: "unknown" } });
  assert.match(failureOf(unknown).advice, /not known/);
});

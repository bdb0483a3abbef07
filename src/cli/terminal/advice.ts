/** Advice for an error, by its cause and the command that failed. It never names that same command. */

import {
  type Because,
  BudgetError,
  ConflictError,
  type ConflictReason,
  type ErrorDetails,
  type MemoryError,
  StorageError,
} from "../../errors.ts";

/** Fixed advice, or advice that depends on the command. */
type Advice = string | ((command: string) => string);

/** For damaged rows. */
const DAMAGED: Advice = (command) => {
  if (command === "restore") {
    return "Use another backup; if the ledger is damaged, pass a copy of it with --ledger-export.";
  }
  if (["backup", "context", "export", "search"].includes(command)) {
    return "Run `check` to list the damage; --skip-damaged goes on without damaged rows, and lists them.";
  }
  return command === "check"
    ? "Restore a backup (`restore --help`)."
    : "Run `check` to list the damage; a backup can be restored (`restore --help`).";
};

const RESTORED: Advice = (command) =>
  command === "restore"
    ? "Use another backup, or the newest copy of the ledger."
    : "Restore a backup (`restore --help`).";

const MODES = "Run chmod 600 on the store's file, its ledger, and their -wal and -shm.";
const OTHER_LEDGER: Advice = (command) =>
  command === "restore"
    ? "Name the ledger of the store that was backed up, and a watermark of that store."
    : "Pass the store's own ledger with --ledger FILE: after a restore it may be elsewhere.";

/** By cause (`details.because`), where one code has several. */
const OF_CAUSE: Readonly<Record<Because, Advice>> = {
  "backup": (command) =>
    command === "restore"
      ? "Check the names: this is a backup, but a ledger is expected."
      : "A backup cannot be opened in place: restore it (`restore --help`).",
  "damaged-backup": "Use another backup: a damaged one is not restored.",
  "damaged-ledger": "Pass its newest copy with --ledger-export; `backup --only-ledger` makes one.",
  "directory-mode": "Run chmod go-w on the directory, or keep the store in a directory of its own.",
  "exported-ledger": "This is a copy of a ledger: a restore accepts it with --ledger-export.",
  "file-system": "Copy all files of the store to a directory that you can write to.",
  "foreign": "Check the path: another program made this file.",
  "foreign-log": "Put the store's own -wal or -journal back if you have it; otherwise move this one away.",
  "foreign-tables": RESTORED,
  "hard-link": "Remove its other hard links: a store's file must have one name.",
  "in-use": "Make a backup of the store, and restore that.",
  "ledger": (command) =>
    command === "restore"
      ? "Name a backup: this is a ledger; pass it with --ledger."
      : "Name the store's own file: this is its ledger; pass it with --ledger.",
  "ledger-missing": (command) =>
    command === "restore"
      ? "Name it with --ledger; if it is lost, use --ledger-export or --ledger-lost."
      : "If it is elsewhere, as after a restore, pass --ledger FILE; otherwise put it back, or restore a backup.",
  "link": "Name the file itself instead of a link to it.",
  "main-missing": "Put the store's file back, or restore a backup to its place.",
  "mode": MODES,
  "no-database": (command) =>
    command === "restore"
      ? "Check the path; if it was a backup or a ledger, use another copy."
      : "Check the path; if it was a store, restore a backup (`restore --help`).",
  "no-file": "Check the path: a store, a ledger and a backup are regular files.",
  "older": "Run `prune` on the store once, with --allow-write: it brings the store up to date.",
  "older-ledger": (command) =>
    command === "restore"
      ? "Name the newest ledger, or a watermark that this copy of it contains."
      : "Put the newest ledger in its place: this one is older than the store.",
  "older-main": RESTORED,
  "other-history": OTHER_LEDGER,
  "other-ledger": OTHER_LEDGER,
  "owner": "Run the command as the user who owns the files, or give them all to one user.",
  "pending": "Run `prune` on the store once, with --allow-write: it completes the deletion.",
  "restoring": "Repeat the restore with the same arguments: it starts over.",
  "sidecar": "Put the file back, or move the files with its name and -wal, -shm or -journal away.",
  "store": (command) =>
    command === "restore"
      ? "Check the names: this is a store, but a ledger is expected."
      : "Pass the store's ledger with --ledger: this is a store.",
  "unfinished": "Run `prune` on the store once, with --allow-write: it finishes the interrupted work.",
};

/** SQLite could not create its -wal or -shm next to the store; even reading needs them. */
const SIDECARS: Advice =
  "Even reading creates -wal and -shm next to the store and its ledger: run it as a user who can write " +
  "there, on a disk with room, or copy all files of the store to such a place.";

const OF_CODE: Readonly<Record<string, Advice>> = {
  CONTRACT: "See --help for what is accepted.",
  BUSY: "Another process is writing; try again.",
  FULL: "Make room on the disk, then try again.",
  READONLY: SIDECARS,
  PERMISSION: "Check the owner and the modes of the files.",
  UNSAFE:
    "A store's files must be regular files that you own, with mode 0600, in a directory that only you can write to.",
  EXISTS: "Choose a name that is free: existing files are never overwritten.",
  REPLACED: "Another store has replaced this one: open that.",
  RESTORE: RESTORED,
  SCHEMA: "Use the release that wrote the file, or a newer one.",
  CORRUPT: DAMAGED,
  INTEGRITY: DAMAGED,
  CLOSED: "Try again.",
  IO: "Check the path, the file and the disk, then try again.",
  POLICY: "Deno fetches the package that counts tokens when it is first needed: try again online.",
  REQUIRED_CONTEXT_TOO_LARGE: "Raise --budget, or shorten the question and the system text.",
  LAYER_ALLOCATION: "Raise --budget.",
  CAP_BUDGET: "Raise --budget.",
  PROMPT_TOO_LARGE: "Raise --budget.",
};

const OF_CONFLICT: Readonly<Record<ConflictReason, Advice>> = {
  REVISION: "It has changed since: look again, then repeat with its current revision.",
  SNAPSHOT: "It is being written to; try again when it is quiet.",
  IDEMPOTENCY: "Use another operation id.",
  DELETED: "Nothing of it can be read or stored again.",
  MISSING: (command) =>
    command === "inspect" ? "Check the names." : "Run `inspect` on the store to list what it holds.",
  EXPIRED: "Its deadline has passed.",
  CAPACITY: "Delete or prune something first.",
  NOT_READY: "Leave out --read-only once, so that the index can be completed.",
  SUBJECT: "It belongs to another subject, or to none: change that in the program that stores it.",
  CLOCK: "Set the machine's clock; if it is right, run `prune --accept-clock`.",
};

/** The advice for an error; empty where the message already contains it. */
export function adviceFor(error: MemoryError, command: string): string {
  const { code, details } = error;
  if (error instanceof ConflictError) return resolveAdvice(OF_CONFLICT[error.reason], command);
  if (error instanceof BudgetError) return `${resolveAdvice(OF_CODE[code]!, command)}${counts(details)}`;
  if (error instanceof StorageError) {
    // The outcome of the call matters more than its cause.
    if ("recorded" in details) {
      return "The deletion is recorded and will be completed: repeat the command for its receipt.";
    }
    if (details.outcome === "unknown") {
      return "It is not known whether it was done: check before you repeat it.";
    }
    if ("flags" in details) return "";
    if (code === "REPLACED" && details.by === "file") {
      return "Check which files have the store's names now, then try again.";
    }
    if (code === "IO" && SIDECAR_CODES.has(details.resultCode)) return resolveAdvice(SIDECARS, command);
  }
  return resolveAdvice(adviceForCause(details) ?? OF_CODE[code] ?? "", command);
}

/** The advice for a code that is not from a Holdfast error. */
export function adviceForCode(code: string): string {
  return resolveAdvice(OF_CODE[code] ?? "", "");
}

function adviceForCause({ because }: ErrorDetails): Advice | undefined {
  return typeof because === "string" ? OF_CAUSE[because as Because] : undefined;
}

/** SQLITE_CANTOPEN, and the errors of shared memory: SQLITE_IOERR_SHMOPEN, SHMSIZE and SHMMAP. */
const SIDECAR_CODES: ReadonlySet<unknown> = new Set([14, 4618, 4874, 5386]);

function resolveAdvice(advice: Advice, command: string): string {
  return typeof advice === "string" ? advice : advice(command);
}

function counts({ requiredTokens, inputAllowance }: ErrorDetails): string {
  if (typeof requiredTokens !== "number" || typeof inputAllowance !== "number") return "";
  return ` ${requiredTokens} tokens are needed, ${inputAllowance} allowed.`;
}

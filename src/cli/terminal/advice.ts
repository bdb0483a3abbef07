/** What to do about an error. It follows from what is wrong, and from the command that met it: none sends to itself. */

import {
  type Because,
  BudgetError,
  ConflictError,
  type ConflictReason,
  type ErrorDetails,
  type MemoryError,
  StorageError,
} from "../../errors.ts";

/** Advice, or one that depends on the command. */
type Advice = string | ((command: string) => string);

/** What stands for what is damaged, where a command met it by the way. */
const DAMAGED: Advice = (command) => {
  if (command === "restore") {
    return "Take another backup; if it is the ledger that is damaged, --ledger-export takes a copy of it.";
  }
  if (["backup", "context", "export", "search"].includes(command)) {
    return "Run `check`, which says what is damaged; --skip-damaged leaves it out, and says so.";
  }
  return command === "check"
    ? "Restore a backup (`restore --help`)."
    : "Run `check`, which says what is damaged; a backup can be restored (`restore --help`).";
};

const RESTORED: Advice = (command) =>
  command === "restore"
    ? "Take another backup, or the newest copy of the ledger."
    : "Restore a backup (`restore --help`).";

const MODES = "Run chmod 600 on the store's file, its ledger, and their -wal and -shm.";
const OTHER_LEDGER: Advice = (command) =>
  command === "restore"
    ? "Name the ledger of the store that the backup is of, and a watermark of that store."
    : "Say --ledger FILE with the store's own ledger: after a restore it may lie elsewhere.";

/** Where one code has several causes, by what the details say. */
const OF_CAUSE: Readonly<Record<Because, Advice>> = {
  "backup": (command) =>
    command === "restore"
      ? "Look at the names: a backup stands where a ledger is expected."
      : "Bring it to life with `restore` (`restore --help`): a backup is not opened where it lies.",
  "damaged-backup": "Take another backup: what is damaged is made no store.",
  "damaged-ledger": "Take its newest copy with --ledger-export; `backup --only-ledger` makes one.",
  "directory-mode": "Run chmod go-w on the directory, or keep the store in a directory of its own.",
  "exported-ledger": "It is a copy of a ledger: a restore takes it as --ledger-export.",
  "file-system": "Copy all files of the store to a directory that you can write.",
  "foreign": "Look at the path: another program made this file.",
  "foreign-log": "Put the store's own -wal or -journal back if you have it; else move this one away.",
  "foreign-tables": RESTORED,
  "hard-link": "Remove its other names: a store's file has one.",
  "in-use": "Make a backup of the store, and restore that.",
  "ledger": (command) =>
    command === "restore"
      ? "Name a backup: this is a ledger, which --ledger takes."
      : "Name the store's own file: this is its ledger, which --ledger takes.",
  "ledger-missing": (command) =>
    command === "restore"
      ? "Name it with --ledger; if it is lost, say --ledger-export or --ledger-lost."
      : "If it lies elsewhere, as after a restore, say --ledger FILE; else put it back, or restore a backup.",
  "link": "Name the file itself instead of a link to it.",
  "main-missing": "Put the store's file back, or restore a backup to its place.",
  "mode": MODES,
  "no-database": (command) =>
    command === "restore"
      ? "Look at the path; if it was a backup or a ledger, take another copy."
      : "Look at the path; if it was a store, restore a backup (`restore --help`).",
  "no-file": "Look at the path: a store, a ledger and a backup are regular files.",
  "older": "Run `prune` on the store once, with --allow-write: it brings the store up to date.",
  "older-ledger": (command) =>
    command === "restore"
      ? "Name the newest ledger, or a watermark that goes with this copy of it."
      : "Put the newest ledger in its place: this one is older than the store.",
  "older-main": RESTORED,
  "other-history": OTHER_LEDGER,
  "other-ledger": OTHER_LEDGER,
  "owner": "Run the command as the user who owns the files, or give them all to one user.",
  "pending": "Run `prune` on the store once, with --allow-write: it completes the deletion.",
  "restoring": "Repeat the restore with the same words: it is begun anew.",
  "sidecar": "Put the file back, or move what bears its name with -wal, -shm or -journal away.",
  "store": (command) =>
    command === "restore"
      ? "Look at the names: a store stands where a ledger is expected."
      : "Say --ledger with the store's ledger: this is a store.",
  "unfinished": "Run `prune` on the store once, with --allow-write: it finishes what was begun.",
};

/** SQLite was refused a file of its own beside the store: reading needs these as well. */
const BESIDE: Advice =
  "Reading, too, keeps -wal and -shm beside the store and its ledger: run it as a user who can write " +
  "there, on a disk with room, or copy all files of the store to such a place.";

const OF_CODE: Readonly<Record<string, Advice>> = {
  CONTRACT: "See --help for what is taken.",
  BUSY: "Another process is writing; try again.",
  FULL: "Make room on the disk, then try again.",
  READONLY: BESIDE,
  PERMISSION: "See who owns the files and what their modes are.",
  UNSAFE:
    "A store's files are regular files of yours with mode 0600, in a directory that only you can write.",
  EXISTS: "Choose a name where nothing is: nothing is ever written over.",
  REPLACED: "Another store is live in place of this one: open that.",
  RESTORE: RESTORED,
  SCHEMA: "Use the release that wrote the file, or a newer one.",
  CORRUPT: DAMAGED,
  INTEGRITY: DAMAGED,
  CLOSED: "Try again.",
  IO: "Look at the path, the file and the disk, then try again.",
  POLICY: "Tokens are counted by a package that Deno fetches when it is first needed: try again online.",
  REQUIRED_CONTEXT_TOO_LARGE: "Raise --budget, or ask and instruct in fewer words.",
  LAYER_ALLOCATION: "Raise --budget.",
  CAP_BUDGET: "Raise --budget.",
  PROMPT_TOO_LARGE: "Raise --budget.",
};

const OF_CONFLICT: Readonly<Record<ConflictReason, Advice>> = {
  REVISION: "It has changed since: look again, then repeat with the revision that it has now.",
  SNAPSHOT: "It is being written; try again in a quiet moment.",
  IDEMPOTENCY: "Use another operation id.",
  DELETED: "Nothing of it can be read or stored again.",
  MISSING: (command) =>
    command === "inspect" ? "Look at its names." : "Run `inspect` on the store to see which there are.",
  EXPIRED: "Its deadline has passed.",
  CAPACITY: "Delete or prune something first.",
  NOT_READY: "Leave out --read-only once, so that the index can be completed.",
  CLOCK: "Set the machine's clock; if it is right, run `prune --accept-clock`.",
};

/** What to do; empty where the message says it. */
export function adviceFor(error: MemoryError, command: string): string {
  const { code, details } = error;
  if (error instanceof ConflictError) return inWords(OF_CONFLICT[error.reason], command);
  if (error instanceof BudgetError) return `${inWords(OF_CODE[code]!, command)}${counts(details)}`;
  if (error instanceof StorageError) {
    // What became of it comes first.
    if ("recorded" in details) {
      return "The deletion is recorded and will be completed: repeat the command for its receipt.";
    }
    if (details.outcome === "unknown") return "Whether it was done is not known: look before you repeat it.";
    if ("flags" in details) return "";
    if (code === "REPLACED" && details.by === "file") {
      return "Look at what lies under the store's names now, then try again.";
    }
    if (code === "IO" && BESIDE_CODES.has(details.resultCode)) return inWords(BESIDE, command);
  }
  return inWords(ofCause(details) ?? OF_CODE[code] ?? "", command);
}

/** What to do about a code that comes from elsewhere. */
export function adviceForCode(code: string): string {
  return inWords(OF_CODE[code] ?? "", "");
}

function ofCause({ because }: ErrorDetails): Advice | undefined {
  return typeof because === "string" ? OF_CAUSE[because as Because] : undefined;
}

/** SQLite could not open a file, or not the shared memory beside it (SQLITE_IOERR_SHMOPEN, SHMSIZE and SHMMAP). */
const BESIDE_CODES: ReadonlySet<unknown> = new Set([14, 4618, 4874, 5386]);

function inWords(advice: Advice, command: string): string {
  return typeof advice === "string" ? advice : advice(command);
}

function counts({ requiredTokens, inputAllowance }: ErrorDetails): string {
  if (typeof requiredTokens !== "number" || typeof inputAllowance !== "number") return "";
  return ` ${requiredTokens} tokens are needed, ${inputAllowance} allowed.`;
}

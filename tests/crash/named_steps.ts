/** Every named step of the protocols over the two files at which a process can die, as data. */

import type { Script } from "./errand.ts";
import type { Refusal, Target } from "./strike.ts";

type There = "absent" | "there";

/** One step. */
export interface NamedStep {
  /** What the protocol calls it. */
  readonly name: string;
  readonly script: Script;
  /** The call's target; null for any. */
  readonly on: Target | null;
  /** How the call begins; see `strike.ts`. */
  readonly what: string;
  readonly nth: number;
  /** Whether the calls in flight are stored after a kill before the step; null if either is correct. */
  readonly before: There | null;
  /** Whether they are after a kill behind it. */
  readonly after: There | null;
  /** The COMMIT that is refused first, if the step belongs to the probe that follows. */
  readonly refusal: Refusal | null;
}

type Rest = Partial<Pick<NamedStep, "nth" | "before" | "after" | "refusal">>;

function step(script: Script, name: string, on: Target, what: string, rest: Rest = {}): NamedStep {
  return { script, name, on, what, nth: 1, before: "absent", after: "absent", refusal: null, ...rest };
}

/** Protocol 1: a write group; its last step is its COMMIT. */
export const WRITE_GROUP_STEPS: readonly NamedStep[] = [
  step("group", "1.2 main BEGIN IMMEDIATE", "main", "BEGIN IMMEDIATE"),
  step("group", "1.3 read main's meta", "main", "SELECT lineage"),
  step("group", "1.3 look at the ledger", "ledger", "PRAGMA data_version"),
  step("group", "1.5 savepoint of a member", "main", "SAVEPOINT member", { nth: 2 }),
  step("group", "1.5 a member's write", "main", "INSERT INTO records"),
  step("group", "1.5 release of a member", "main", "RELEASE member"),
  step("group", "1.5 roll back to a refused member", "main", "ROLLBACK TO member"),
  step("group", "1.5 release of a refused member", "main", "RELEASE member", { nth: 2 }),
  step("group", "1.5 the last member's write", "main", "INSERT INTO records", { nth: 3 }),
  step("group", "1.6 write main's meta", "main", "UPDATE meta"),
  step("group", "1.6 COMMIT", "main", "COMMIT", { after: "there" }),
  step("group", "1.6 probe after a refused COMMIT: BEGIN", "main", "BEGIN IMMEDIATE", {
    nth: 2,
    refusal: { on: "main" },
  }),
  step("group", "1.6 probe after a refused COMMIT: one cell", "main", "UPDATE meta", {
    nth: 2,
    refusal: { on: "main" },
  }),
  step("group", "1.6 probe after a refused COMMIT: COMMIT", "main", "COMMIT", { refusal: { on: "main" } }),
];

const RECORDED = { before: "there", after: "there" } as const;

/** Protocol 2: a deletion; from the ledger's COMMIT on it is certain. */
export const DELETION_STEPS: readonly NamedStep[] = [
  step("deletion", "1.2 main BEGIN IMMEDIATE", "main", "BEGIN IMMEDIATE"),
  step("deletion", "1.5 erase the row", "main", "DELETE FROM records", { nth: 2 }),
  step("deletion", "2.1 ledger BEGIN IMMEDIATE", "ledger", "BEGIN IMMEDIATE"),
  step("deletion", "2.2 read the ledger's meta inside", "ledger", "SELECT lineage"),
  step("deletion", "2.3 insert the first event", "ledger", "INSERT INTO events"),
  step("deletion", "2.3 insert the last event", "ledger", "INSERT INTO events", { nth: 2 }),
  step("deletion", "2.3 set count and head", "ledger", "UPDATE meta"),
  step("deletion", "2.4 ledger COMMIT: recorded", "ledger", "COMMIT", { after: "there" }),
  step("deletion", "2.5 probe after a refused COMMIT: BEGIN", "ledger", "BEGIN IMMEDIATE", {
    nth: 2,
    refusal: { on: "ledger" },
  }),
  step("deletion", "2.5 probe after a refused COMMIT: one cell", "ledger", "UPDATE meta", {
    nth: 2,
    refusal: { on: "ledger" },
  }),
  step("deletion", "2.5 probe after a refused COMMIT: COMMIT", "ledger", "COMMIT", {
    refusal: { on: "ledger" },
  }),
  step("deletion", "2.6 copy the first event to main", "main", "INSERT INTO deletions", RECORDED),
  step("deletion", "2.6 copy the last event to main", "main", "INSERT INTO deletions", {
    nth: 2,
    ...RECORDED,
  }),
  step("deletion", "2.6 set applied", "main", "UPDATE meta", RECORDED),
  step("deletion", "2.6 main COMMIT: acknowledged", "main", "COMMIT", RECORDED),
];

/** Protocol 1.4, in the process that finds a recorded deletion pending. */
export const COMPLETION_STEPS: readonly NamedStep[] = [
  step("completion", "1.2 main BEGIN IMMEDIATE", "main", "BEGIN IMMEDIATE", RECORDED),
  step("completion", "1.4 find the record", "main", "SELECT kind, key FROM records", RECORDED),
  step("completion", "1.4 erase the first record", "main", "DELETE FROM records", RECORDED),
  step("completion", "1.4 erase the last record", "main", "DELETE FROM records", { nth: 2, ...RECORDED }),
  step("completion", "1.4 copy the first event to main", "main", "INSERT INTO deletions", RECORDED),
  step("completion", "1.4 copy the last event to main", "main", "INSERT INTO deletions", {
    nth: 2,
    ...RECORDED,
  }),
  step("completion", "1.4 set applied", "main", "UPDATE meta", RECORDED),
  step("completion", "1.4 COMMIT alone", "main", "COMMIT", RECORDED),
];

/** Protocol 6: creation. */
export const CREATION_STEPS: readonly NamedStep[] = [
  step("creation", "6.1 make the directory", "files", "mkdir"),
  step("creation", "6.1 make the ledger's file", "files", "create ledger"),
  step("creation", "6.1 open the ledger", "ledger", "open"),
  step("creation", "6.1 stamp the ledger", "ledger", "PRAGMA application_id ="),
  step("creation", "6.1 switch the ledger to WAL", "ledger", "PRAGMA journal_mode"),
  step("creation", "6.1 ledger BEGIN IMMEDIATE", "ledger", "BEGIN IMMEDIATE"),
  step("creation", "6.1 the ledger's first table", "ledger", "CREATE TABLE"),
  step("creation", "6.1 the ledger's schema version", "ledger", "PRAGMA user_version ="),
  step("creation", "6.1 lineage, generation 0, epoch null", "ledger", "INSERT INTO meta"),
  step("creation", "6.1 ledger COMMIT", "ledger", "COMMIT"),
  step("creation", "6.2 make main's file", "files", "create main"),
  step("creation", "6.2 open main", "main", "open"),
  step("creation", "6.2 stamp main", "main", "PRAGMA application_id ="),
  step("creation", "6.2 switch main to WAL", "main", "PRAGMA journal_mode"),
  step("creation", "6.2 main BEGIN IMMEDIATE", "main", "BEGIN IMMEDIATE"),
  step("creation", "6.2 main's first table", "main", "CREATE TABLE"),
  step("creation", "6.2 main's schema version", "main", "PRAGMA user_version ="),
  step("creation", "6.2 lineage, epoch, hash key", "main", "INSERT INTO meta"),
  step("creation", "6.2 main COMMIT", "main", "COMMIT"),
  step("creation", "6.2 sync the directory", "files", "sync"),
  step("creation", "6.3 main BEGIN IMMEDIATE", "main", "BEGIN IMMEDIATE", { nth: 2 }),
  step("creation", "6.3 ledger BEGIN IMMEDIATE", "ledger", "BEGIN IMMEDIATE", { nth: 2 }),
  step("creation", "6.3 epoch = main's", "ledger", "UPDATE meta"),
  step("creation", "6.3 ledger COMMIT", "ledger", "COMMIT", { nth: 2 }),
  step("creation", "6.3 main COMMIT", "main", "COMMIT", { nth: 2 }),
];

/** Every named step of a backup, a restore and an import at which a process can die, as data. */

import type { Op } from "./lineage.ts";
import type { Target } from "./strike.ts";

/** One step. */
export interface RestoreStep {
  /** What is being done. */
  readonly aim: Op;
  readonly on: Target;
  /** How the call begins; see `strike.ts`. */
  readonly what: string;
  /** Which of the matching calls, from 1. */
  readonly nth: number;
}

function steps(aim: Op, calls: readonly (readonly [Target, string, nth?: number])[]): readonly RestoreStep[] {
  return calls.map(([on, what, nth = 1]) => ({ aim, on, what, nth }));
}

/** Protocol 4 from 4.1 to 4.7; `main` is the destination once it has its name. */
export const RESTORE_STEPS: readonly RestoreStep[] = steps("restore", [
  ["files", "create work"],
  ["files", "write"],
  ["work", "UPDATE meta"],
  ["work", "COMMIT", 2],
  ["files", "sync"],
  ["files", "link"],
  ["files", "sync", 2],
  ["files", "remove"],
  ["files", "sync", 3],
  ["main", "BEGIN"],
  ["ledger", "UPDATE meta"],
  ["ledger", "UPDATE meta", 2],
  ["ledger", "BEGIN"],
  ["ledger", "COMMIT"],
  ["main", "UPDATE meta"],
  ["main", "COMMIT"],
]);

/** A backup, and also an exported ledger. */
export const BACKUP_STEPS: readonly RestoreStep[] = [
  ...steps("backup", [
    ["files", "create work"],
    ["main", "BEGIN DEFERRED"],
    ["work", "PRAGMA application_id"],
    ["work", "COMMIT"],
    ["files", "sync"],
    ["files", "link"],
    ["files", "sync", 2],
    ["files", "remove"],
  ]),
  ...steps("exportLedger", [["files", "link"], ["files", "remove"]]),
];

/** An import: records first, then scope by scope. */
export const IMPORT_STEPS: readonly RestoreStep[] = steps("import", [
  ["main", "BEGIN"],
  ["main", "INSERT INTO records"],
  ["main", "INSERT INTO turns"],
  ["main", "COMMIT", 2],
]);

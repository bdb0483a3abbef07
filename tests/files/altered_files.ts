/** Closed database files, altered: as an unfinished creation leaves them, and otherwise. */

import { DatabaseSync } from "node:sqlite";
import { checksumOf } from "../../src/canonical/checksum.ts";
import { LEDGER, MAIN } from "../../src/engines/sqlite/database/database.ts";
import type { DATABASES } from "./store_names.ts";

const APPLICATION_IDS = {
  "agent.db": MAIN.applicationId,
  "agent.db.deletions": LEDGER.applicationId,
} as const;

/** Undoes the last step: the ledger at that path then names no live main. */
export function forgetEpoch(path: string): void {
  const database = new DatabaseSync(path);
  try {
    const row = database.prepare("SELECT lineage, generation, count, head, probe FROM meta").get()!;
    const { lineage, generation, count, head, probe } = row as Record<string, string | number>;
    const checksum = checksumOf(lineage!, generation!, null, count!, head!, probe!, null);
    database.prepare("UPDATE meta SET epoch = NULL, checksum = ?").run(checksum);
  } finally {
    database.close();
  }
}

/** Turns an empty file into one that was stamped as ours and then left: one page, no table. */
export function stamp(path: string, name: typeof DATABASES[number]): void {
  alter(path, "PRAGMA auto_vacuum = INCREMENTAL", `PRAGMA application_id = ${APPLICATION_IDS[name]}`);
}

/**
 * Turns an empty file into one that was left between the two settings of a stamp: one page without an application id.
 */
export function stampByHalf(path: string): void {
  alter(path, "PRAGMA auto_vacuum = INCREMENTAL");
}

/** Runs statements on a closed database file. */
export function alter(path: string, ...statements: readonly string[]): void {
  const database = new DatabaseSync(path);
  try {
    for (const statement of statements) database.prepare(statement).all();
  } finally {
    database.close();
  }
}

/** Closed files as an unfinished creation leaves them. */

import { DatabaseSync } from "node:sqlite";
import { checksumOf } from "../../src/canonical/checksum.ts";
import { LEDGER_APPLICATION_ID } from "../../src/engine/schema/ledger_schema.ts";
import { MAIN_APPLICATION_ID } from "../../src/engine/schema/main_schema.ts";
import type { DATABASES } from "./store_names.ts";

/** Takes back the last step: the ledger at that path then knows no live main. */
export function forgetEpoch(path: string): void {
  const database = new DatabaseSync(path);
  try {
    const row = database.prepare("SELECT lineage, generation, count, head, probe FROM meta").get()!;
    const { lineage, generation, count, head, probe } = row as Record<string, string | number>;
    const checksum = checksumOf(lineage!, generation!, null, count!, head!, probe!);
    database.prepare("UPDATE meta SET epoch = NULL, checksum = ?").run(checksum);
  } finally {
    database.close();
  }
}

/** Turns an empty file into one that was stamped as ours and then left: one page, no table. */
export function stamp(path: string, name: typeof DATABASES[number]): void {
  const applicationId = name === "agent.db" ? MAIN_APPLICATION_ID : LEDGER_APPLICATION_ID;
  const database = new DatabaseSync(path);
  try {
    database.prepare("PRAGMA auto_vacuum = INCREMENTAL").run();
    database.prepare(`PRAGMA application_id = ${applicationId}`).run();
  } finally {
    database.close();
  }
}

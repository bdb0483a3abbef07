/** Backups: one private file each, written under a temporary name and checked before it gets its own. */

import { readFields, requireCallback, requireDamaged, requireSignal } from "./contracts/arguments.ts";
import type { BackupOptions, BackupReport } from "./contracts/options/backup_options.ts";
import type { RecordKind } from "./contracts/record_kind.ts";
import { checkConversations } from "./conversations/check_conversations.ts";
import { drainErased } from "./deletion/drain_scopes.ts";
import { Damage } from "./engine/damage.ts";
import type { CheckRows, Engine } from "./engine/engine.ts";
import { ContractError } from "./errors.ts";
import { checkJournals } from "./journals/check_journals.ts";
import { checkRecords } from "./records/check_records.ts";

/** The store to back up, and the kinds that validate its records. */
interface BackupSource {
  readonly engine: Engine;
  readonly of: BackupReport["of"];
  readonly kinds: ReadonlyMap<string, RecordKind>;
}

/** Copies the store, or its ledger, to a destination that does not exist yet. */
export async function backUp(
  destination: unknown,
  options: BackupOptions,
  { engine, of, kinds }: BackupSource,
): Promise<BackupReport> {
  const given = readFields("options", options, [
    ...(of === "store" ? ["damaged"] as const : []),
    ...["signal", "onProgress"] as const,
  ]);
  const damage = new Damage(requireDamaged(given.damaged));
  const signal = requireSignal(given.signal);
  const onProgress = requireCallback("onProgress", given.onProgress) as BackupOptions["onProgress"];
  const files = await engine.files?.();
  if (files === undefined) {
    throw new ContractError("destination", "Cannot back up: the store is not kept in files");
  }
  // What is erased for every call must not go into a file that may be kept for years.
  if (of === "store" && !engine.readOnly) await drainErased(engine, signal);
  const { mendCopy } = damage.isSkipped ? await import("./mend_copy.ts") : { mendCopy: undefined };
  const report = await files.backUp(of, destination, {
    signal,
    onProgress,
    mend: mendCopy && ((step) => mendCopy(step, engine.hashKey, damage)),
    checkRows: rowsCheck(kinds),
  });
  return { ...report, skipped: damage.skipped };
}

/** Returns the check of a copy's records, conversations and journals. */
export function rowsCheck(kinds: ReadonlyMap<string, RecordKind>): CheckRows {
  return async (copy, collector) => {
    await checkRecords(copy, kinds, collector);
    await checkConversations(copy, collector);
    await checkJournals(copy, collector);
  };
}

/** Backups: one private file each, made under another name and looked through before it gets its own. */

import { readFields, requireCallback, requireDamaged, requireSignal } from "./contracts/arguments.ts";
import type { BackupOptions, BackupProgress, BackupReport } from "./contracts/options/backup_options.ts";
import type { RecordKind } from "./contracts/record_kind.ts";
import { checkConversations } from "./conversations/check_conversations.ts";
import { CheckCollector } from "./engine/check_collector.ts";
import { Damage } from "./engine/damage.ts";
import type { CheckRows, Engine } from "./engine/engine.ts";
import { RememberedWork } from "./engines/sqlite/files/works.ts";
import { IntegrityError } from "./errors.ts";
import { requirePermissions } from "./platform/permissions.ts";
import { inspectDirectory, makePrivateDirectory } from "./engines/sqlite/files/private_file.ts";
import { type FilePath, parseFilePath, resolveFile } from "./engines/sqlite/files/store_path.ts";
import { sweepLeftovers } from "./leftovers.ts";
import { checkRecords } from "./records/check_records.ts";

/** What is backed up, and by what its rows are judged. */
interface BackupSource {
  readonly engine: Engine;
  readonly of: BackupReport["of"];
  readonly kinds: ReadonlyMap<string, RecordKind>;
}

/** Copies the store, or its ledger, to a place where nothing is yet. */
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
  const target = prepareDestination("destination", destination);
  signal?.throwIfAborted();
  const leftovers = await sweepLeftovers(engine);
  await using work = await RememberedWork.claim(await engine.works(), target);
  const { file: copy } = work;
  const tell = (step: BackupProgress["step"]) => (part: string, rows: number): void =>
    onProgress?.({ step, part, rows });
  const file = of === "store" ? "main" : "ledger";
  const place = await engine.copy(file, copy.path, { signal, onRows: tell("copy") });
  if (damage.isSkipped) {
    const { mendCopy } = await import("./mend_copy.ts");
    await engine.changeCopy(copy.path, (step) => mendCopy(step, engine.hashKey, damage), signal);
  }
  const collector = new CheckCollector({ signal, onProgress: ({ part, rows }) => tell("check")(part, rows) });
  await engine.checkCopy(file, copy.path, collector, rowsCheck(kinds));
  assertSound(collector);
  const { bytes } = copy;
  signal?.throwIfAborted();
  copy.publish();
  return { of, bytes, ...place, leftovers, skipped: damage.skipped };
}

/** Looks through the records and conversations of a copy. */
export function rowsCheck(kinds: ReadonlyMap<string, RecordKind>): CheckRows {
  return async (copy, collector) => {
    await checkRecords(copy, kinds, collector);
    await checkConversations(copy, collector);
  };
}

/** A destination in a directory that is there and safe, or is made. */
export function prepareDestination(field: string, destination: unknown): FilePath {
  const given = parseFilePath(field, destination);
  requirePermissions([given.parent], false);
  makePrivateDirectory(given.parent);
  const file = resolveFile(given);
  requirePermissions([file.directory], false);
  inspectDirectory(file.directory);
  return file;
}

/** A copy of a damaged store would be refused when it is needed. */
function assertSound(collector: CheckCollector): void {
  const [first] = collector.report().problems;
  if (first === undefined) return;
  throw new IntegrityError(
    `Cannot make backup: the store is damaged in ${first.table}; check() says where`,
    {
      details: {
        ...collector.first,
        problems: collector.report().problems.length,
        table: first.table,
      },
    },
  );
}

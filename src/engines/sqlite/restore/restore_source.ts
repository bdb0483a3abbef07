/** The file that a restore starts from: a backup, an exported ledger, or a file of a closed store. */

import { copyBackup, inspectAlone } from "../files/backup_file.ts";
import { assertOwnHeader, assertWholeHeader } from "../files/header.ts";
import type { FileIdentity } from "../files/private_file.ts";
import type { FilePath } from "../files/store_path.ts";
import type { WorkFile } from "../files/work_file.ts";
import { StorageError } from "../../../errors.ts";
import { Connection } from "../database/connection.ts";
import { type DatabaseKind, LEDGER, MAIN } from "../database/database.ts";
import type { SqliteDriver } from "../drivers/driver.ts";
import { lockAlone, readFactsDirectly, type StoreFacts } from "../database/file_facts.ts";
import { isBusy } from "../drivers/result_codes.ts";

/** A source file that was inspected. */
export interface RestoreSource {
  readonly file: FilePath;
  readonly kind: DatabaseKind;
  readonly identity: FileIdentity;
  readonly facts: StoreFacts;
}

/** Requires a private file of one of these kinds, without sidecars; changes nothing. */
export function inspectSource(
  file: FilePath,
  kinds: readonly [DatabaseKind, ...DatabaseKind[]],
  driver: SqliteDriver,
): RestoreSource {
  const identity = inspectAlone(file);
  const what = "the backup";
  assertWholeHeader(identity.bytes, { what });
  const facts = readFactsDirectly(file.path, what, driver);
  const kind = kinds.find(({ applicationId }) => applicationId === facts.applicationId) ?? kinds[0];
  assertOwnHeader(facts, { ...kind, what });
  return { file, kind, identity, facts };
}

/**
 * Copies a source into a work file; refuses one that was replaced or changes meanwhile.
 *
 * A source that may be a store in use elsewhere in this process is locked meanwhile: closing the descriptor that it
 * is read through would drop that store's locks.
 */
export async function copySource(
  { file, kind, identity }: RestoreSource,
  work: WorkFile,
  options: {
    readonly driver: SqliteDriver;
    readonly signal: AbortSignal | undefined;
    readonly onBytes: (bytes: number) => void;
  },
): Promise<void> {
  using _lock = kind === MAIN || kind === LEDGER ? lockSource(file, kind, options.driver) : null;
  await copyBackup(file, work, { identity, ...options });
}

function lockSource({ path }: FilePath, { name }: DatabaseKind, driver: SqliteDriver): Disposable {
  const connection = Connection.open(name, driver, path, { readOnly: false, what: "the backup" });
  try {
    lockAlone(connection);
    return { [Symbol.dispose]: () => connection.close() };
  } catch (error) {
    const first = connection.abandonOpening(error);
    throw isBusy(first)
      ? new StorageError("BUSY", "Cannot restore: the backup is a store that is in use", { cause: first })
      : first;
  }
}

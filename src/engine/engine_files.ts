/** What an engine with files can do in addition: backups, and other private files. */

import type { BackupProgress, BackupReport } from "../contracts/options/backup_options.ts";
import type { Leftover, SweptLeftovers } from "../contracts/options/leftovers_report.ts";
import type { CheckRows } from "./engine.ts";
import type { Operation, WriteTransaction } from "./operation.ts";

/** Runs one step that changes a copy, then yields to the event loop. */
export type CopyStep = <T>(factory: (transaction: WriteTransaction) => Operation<T>) => Promise<T>;

/** How a backup is made. */
export interface BackupParts {
  /** Cancels between two batches. */
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: BackupProgress) => void) | undefined;
  /** Removes what is damaged from the copy; nothing of it remains in the file. */
  readonly mend: ((step: CopyStep) => Promise<void>) | undefined;
  /** Checks the rows of the copy. */
  readonly checkRows: CheckRows;
}

/** A private file that is being written: published once it is complete, or removed when its block ends. */
export interface NewFile extends AsyncDisposable {
  write(bytes: Uint8Array): void;
  /** Syncs the file and renames it to its name. */
  publish(): void;
}

/** The files of one store. */
export interface EngineFiles {
  /** Copies the store or its ledger, as of one moment, to an unused name; rejects if the copy is damaged. */
  backUp(
    of: BackupReport["of"],
    destination: unknown,
    parts: BackupParts,
  ): Promise<Omit<BackupReport, "skipped">>;
  /** Creates a private file, which the store remembers until it is published or removed. */
  create(field: string, path: unknown): Promise<NewFile>;
  /** Lists files that killed backups, exports and restores left; changes nothing. */
  leftovers(): Promise<readonly Leftover[]>;
  /** Removes such files that no process uses; a read-only store only lists them. */
  sweep(): Promise<SweptLeftovers>;
}

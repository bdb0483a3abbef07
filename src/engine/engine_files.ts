/** What a store that lies in files can do besides: backups, and other private files next to them. */

import type { BackupProgress, BackupReport } from "../contracts/options/backup_options.ts";
import type { Leftover, SweptLeftovers } from "../contracts/options/leftovers_report.ts";
import type { CheckRows } from "./engine.ts";
import type { Operation, WriteTransaction } from "./operation.ts";

/** Runs one step of a change of a copy, and lets other work run. */
export type CopyStep = <T>(factory: (transaction: WriteTransaction) => Operation<T>) => Promise<T>;

/** How a backup is made. */
export interface BackupParts {
  /** Cancels between two batches. */
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: BackupProgress) => void) | undefined;
  /** Takes out of the copy what is damaged; nothing of it remains in the file. */
  readonly mend: ((step: CopyStep) => Promise<void>) | undefined;
  /** Looks through the rows of the copy. */
  readonly checkRows: CheckRows;
}

/** A private file in the making: it gets its name once it is whole, and else is removed when its block ends. */
export interface NewFile extends AsyncDisposable {
  write(bytes: Uint8Array): void;
  /** Makes it durable, and gives it its name. */
  publish(): void;
}

/** The files of one store. */
export interface EngineFiles {
  /** Copies the store, or its ledger, as it is at one moment, to a name where nothing is yet; refuses a damaged copy. */
  backUp(
    of: BackupReport["of"],
    destination: unknown,
    parts: BackupParts,
  ): Promise<Omit<BackupReport, "skipped">>;
  /** Begins a private file, which the store remembers until it has its name or is gone. */
  create(field: string, path: unknown): Promise<NewFile>;
  /** What killed backups, exports and restores left behind; changes nothing. */
  leftovers(): Promise<readonly Leftover[]>;
  /** Removes what no process holds; a read-only store only looks. */
  sweep(): Promise<SweptLeftovers>;
}

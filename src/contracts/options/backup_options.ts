/** What backups and restores take and tell. */

import { ContractError } from "../../errors.ts";
import { readFields, requireInteger } from "../arguments.ts";
import type { Damaged, DamagedRow } from "../damaged.ts";
import type { Watermark } from "../watermark.ts";
import type { SweptLeftovers } from "./leftovers_report.ts";

/** What `backup` and `exportLedger` take. */
export interface BackupOptions {
  /**
   * What becomes of damaged rows of the store: `"error"` (the default) makes no backup; `"skip"` leaves them out with what
   * cites them, so that the rest can be restored. A revision that is left out is never given again.
   */
  readonly damaged?: Damaged | undefined;
  /** Cancels between two batches; nothing is left then. */
  readonly signal?: AbortSignal | undefined;
  /** Told how far it is. */
  readonly onProgress?: ((progress: BackupProgress) => void) | undefined;
}

/** How far a backup is. */
export interface BackupProgress {
  /** Whether rows are being copied, or the copy is being looked through. */
  readonly step: "copy" | "check";
  /** Which table, or `pages`. */
  readonly part: string;
  /** Rows of it so far. */
  readonly rows: number;
}

/** What a backup or an exported ledger is. Keep its watermark with it, or a later one of the store's. */
export interface BackupReport {
  /** Which of the two files it is a copy of. */
  readonly of: "store" | "ledger";
  /** How large the file is. */
  readonly bytes: number;
  /** Which ledger and store belong together: 32 lower-case hex digits. */
  readonly lineage: string;
  /** How often the lineage was restored. */
  readonly generation: number;
  /** Which store was live: 32 lower-case hex digits. */
  readonly epoch: string;
  /** Which deletions it has. */
  readonly watermark: Watermark;
  /** What became of files that earlier backups, exports and restores of the store left behind when they were killed. */
  readonly leftovers: SweptLeftovers;
  /** What was left out with `damaged: "skip"`; at most 1 000 rows are listed. */
  readonly skipped: readonly DamagedRow[];
}

/** How far a restore is. */
export interface RestoreProgress {
  /** Whether the backup is being copied, newer deletions are applied to it, or the result is being looked through. */
  readonly step: "copy" | "apply" | "check";
  /** Bytes copied, deletions applied, or rows looked at so far. */
  readonly done: number;
}

/** What a restore did. */
export interface RestoreReport {
  /** Which ledger and store belong together: 32 lower-case hex digits. */
  readonly lineage: string;
  /** How often the lineage was restored, this time included. */
  readonly generation: number;
  /** Which deletions the backup had. */
  readonly from: Watermark;
  /** Which deletions the store has now: those of the ledger. */
  readonly to: Watermark;
  /** What the backup brought along and newer deletions erased again. */
  readonly erased: {
    /** Records. */
    readonly records: number;
    /** Scopes. */
    readonly scopes: number;
    /** Turns, those of erased scopes among them. */
    readonly turns: number;
    /** Pins, those that cited an erased turn among them. */
    readonly pins: number;
    /** Entries of journals. */
    readonly entries: number;
  };
  /**
   * Files of the store that was live before, where it lies next to its ledger under the name that the ledger's name implies. They
   * are fenced, never written again, and keep what is deleted from now on: remove them. A store that lay elsewhere, by an
   * earlier restore say, is fenced too, and is not listed.
   */
  readonly fenced: readonly string[];
  /**
   * Whether the ledger was lost and recreated from the backup. What was deleted after the backup, and is in it, is then
   * back, and receipts of such deletions no longer verify.
   */
  readonly ledgerLost: boolean;
}

const HEX_32 = /^[0-9a-f]{32}$/;
const HEX_64 = /^[0-9a-f]{64}$/;

/** Validates a watermark. */
export function toWatermark(field: string, value: unknown): Watermark {
  const { lineage, sequence, head } = readFields(field, value, ["lineage", "sequence", "head"]);
  return {
    lineage: requireHex(`${field}.lineage`, lineage, HEX_32),
    sequence: requireInteger(`${field}.sequence`, sequence, 0, Number.MAX_SAFE_INTEGER),
    head: requireHex(`${field}.head`, head, HEX_64),
  };
}

function requireHex(field: string, value: unknown, pattern: RegExp): string {
  if (typeof value === "string" && pattern.test(value)) return value;
  throw new ContractError(
    field,
    `Expected ${field} to be lower-case hex digits, as deletionWatermark() returns them`,
  );
}

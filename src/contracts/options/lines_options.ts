/** What exporting and importing lines take and give. */

import type { Damaged } from "../damaged.ts";
import type { Scope } from "../scope.ts";

/** What `exportLines` takes. */
export interface ExportLinesOptions {
  /** Only this scope; the whole store if omitted, records included. */
  readonly scope?: Scope | undefined;
  /** Whether the text is included; without it, ids, revisions, counts and bytes only, which cannot be imported. */
  readonly includeContent?: boolean | undefined;
  /** What becomes of damaged rows: `"error"` (the default) ends with one, `"skip"` leaves them out. */
  readonly damaged?: Damaged | undefined;
  /** Ends the export before its next line. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * What `importLines` takes: an export, as text of whole lines or as chunks of the bytes of a file. Chunks may
 * end anywhere; a text ends a line.
 */
export type Lines =
  | string
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;

/** What `importLines` takes besides the lines. */
export interface ImportLinesOptions {
  /** Ends the import before its next group; what was written stays. */
  readonly signal?: AbortSignal | undefined;
}

/** Lines by what they hold. */
export interface LineCounts {
  /** Records. */
  readonly records: number;
  /** Scopes. */
  readonly scopes: number;
  /** Turns. */
  readonly turns: number;
  /** Pins. */
  readonly pins: number;
  /** Summaries. */
  readonly summaries: number;
  /** Journals. */
  readonly journals: number;
  /** Entries of journals. */
  readonly entries: number;
}

/** What an import did with each line. Every line of the export counts once. */
export interface ImportReport {
  /** Was not there, and is now. */
  readonly imported: LineCounts;
  /** Was there, and equal. */
  readonly unchanged: LineCounts;
  /**
   * Was there and different, or its message ids are taken by another turn: what was there stays. Of a journal, every entry
   * after the first that is different.
   */
  readonly conflicting: LineCounts;
  /** Was deleted or forgotten here, or derives from something that is not there as it was. */
  readonly refused: LineCounts;
  /** Its deadline has passed. */
  readonly expired: LineCounts;
  /** Damaged rows that the export left out, and says so: they are missing here. */
  readonly skipped: number;
}

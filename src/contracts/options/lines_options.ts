/** What exporting and importing lines take and give. */

import type { Damaged } from "../damaged.ts";
import type { Scope } from "../scope.ts";

/**
 * What `exportLines` takes.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type ExportLinesOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const options: ExportLinesOptions = { scope: conversation.scope, includeContent: true };
 * const lines = await Array.fromAsync(memory.exportLines(options));
 * assert(lines.some((line) => line.includes("grafted")));
 * ```
 */
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
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Lines, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const lines: Lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
 * const { imported, unchanged } = await memory.importLines(lines);
 * assert.deepEqual([imported.scopes, unchanged.scopes], [0, 0]);
 * ```
 */
export type Lines =
  | string
  | Iterable<string | Uint8Array>
  | AsyncIterable<string | Uint8Array>;

/**
 * What `importLines` takes besides the lines.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type ImportLinesOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
 * const options: ImportLinesOptions = { signal: AbortSignal.abort() };
 * await assert.rejects(memory.importLines(lines, options), { name: "AbortError" });
 * ```
 */
export interface ImportLinesOptions {
  /** Ends the import before its next group; what was written stays. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Lines by what they hold.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type LineCounts, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
 * const unchanged: LineCounts = (await memory.importLines(lines)).unchanged;
 * const none = { records: 0, pins: 0, summaries: 0, journals: 0, entries: 0 };
 * assert.deepEqual(unchanged, { ...none, scopes: 1, turns: 1 });
 * ```
 */
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

/**
 * What an import did with each line. Every line of the export counts once.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type ImportReport, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
 * await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
 * const report: ImportReport = await memory.importLines(lines);
 * assert.deepEqual([report.imported.turns, report.refused.turns], [0, 1]); // what was deleted stays so
 * ```
 */
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

import { monotonicMs } from "./clock.ts";
import { readFields, requireCallback, requireSignal } from "./contracts/arguments.ts";
import type { BackupOptions, BackupReport, RestoreReport } from "./contracts/options/backup_options.ts";
import type { CheckOptions, CheckReport } from "./contracts/options/check_options.ts";
import type { Inspection, InspectOptions } from "./contracts/options/inspection.ts";
import type { DamagedRow, Skipping } from "./contracts/damaged.ts";
import type {
  ExportLinesOptions,
  ImportLinesOptions,
  ImportReport,
  Lines,
} from "./contracts/options/lines_options.ts";
import type { Tell } from "./contracts/options/memory_options.ts";
import type {
  PruneOptions,
  PruneReport,
  Receipt,
  ReceiptReport,
  ReceiptSubject,
} from "./contracts/options/receipt.ts";
import type { RecordKind } from "./contracts/record_kind.ts";
import { type Scope, toScope } from "./contracts/scope.ts";
import type { Watermark } from "./contracts/watermark.ts";
import { Conversation } from "./conversations/conversation.ts";
import type { ScopeLimits } from "./conversations/put_turn.ts";
import type { Engine } from "./engine/engine.ts";
import type { EngineFiles } from "./engine/engine_files.ts";
import { Records } from "./records/record_calls.ts";

/** The files of a memory's store. For the command, which makes files of its own from it; no part of the interface. */
export let filesOf: (memory: Memory) => Promise<EngineFiles | undefined>;

/**
 * One open store: harness records in one database file, with a ledger of deletions beside it. Get one from
 * `openMemory` or `restoreMemory`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * assert.equal((await memory.check()).ok, true);
 * ```
 */
export class Memory implements AsyncDisposable {
  static {
    filesOf = async (memory) => await memory.#engine.files?.();
  }

  /** Checkpoints, facts, and further kinds. */
  readonly records: Records;
  /** What a restore erased again, and which files it fenced; null in a store that was opened. */
  readonly restored: RestoreReport | null;
  readonly #engine: Engine;
  readonly #kinds: ReadonlyMap<string, RecordKind>;
  readonly #limits: ScopeLimits;
  readonly #tell: Tell;

  /** Made by `openMemory` and `restoreMemory`. */
  constructor(
    engine: Engine,
    { kinds, limits, tell, restored }: {
      readonly kinds: ReadonlyMap<string, RecordKind>;
      readonly limits: ScopeLimits;
      readonly tell: Tell;
      readonly restored: RestoreReport | null;
    },
  ) {
    this.#engine = engine;
    this.#kinds = kinds;
    this.#limits = limits;
    this.#tell = tell;
    this.restored = restored;
    this.records = new Records(engine, kinds, tell);
  }

  /**
   * A scope's turns, pins, summary and response cache. Nothing is read or written yet.
   *
   * @throws {ContractError} naming the field
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const spring = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
   * await spring.append([{ role: "user", content: "Which trees were grafted?" }]);
   * const same = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
   * assert.equal((await same.snapshot()).turnCount, 1);
   * ```
   */
  conversation(scope: Scope): Conversation {
    return new Conversation(this.#engine, toScope(scope), { limits: this.#limits, tell: this.#tell });
  }

  /**
   * Erases what has expired in every scope and for every tenant and what is left of indexes that made room for others,
   * finishes pending deletions, and scrubs the files. Runs in bounded groups, between which other calls run; while one
   * table is rewritten, the process stands still.
   *
   * @throws {ContractError} naming the option
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * let nowMs = Date.UTC(2026, 2, 1);
   * await using memory = await openMemory(":memory:", { clock: () => nowMs });
   * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
   * await conversation.append([{ role: "user", content: "It rains." }], { expiresAt: new Date(nowMs + 60_000) });
   * nowMs += 60_000;
   * const { expired, scrub } = await memory.prune();
   * assert.deepEqual([expired.turns, scrub?.complete], [1, true]);
   * ```
   */
  async prune(options: PruneOptions = {}): Promise<PruneReport> {
    const startedMs = monotonicMs();
    const { prune } = await import("./prune.ts");
    const report = await prune(this.#engine, options);
    this.#tell(
      {
        operation: "prune",
        counts: {
          ...report.expired,
          retiredIndexes: report.retiredIndexes,
          tables: report.scrub?.tables ?? 0,
        },
      },
      startedMs,
    );
    return report;
  }

  /**
   * Verifies a receipt: that this store made it and no field was changed, that the whole chain holds and has the event,
   * and that no table holds what was deleted. With a subject, also that it is about that tenant, session, turn or pin.
   *
   * @throws {ContractError} if it is no receipt, or naming the field of the subject
   * @throws {StorageError} `BUSY`, `IO`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
   * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
   * const receipt = await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
   * const { valid, remains } = await memory.verifyReceipt(receipt);
   * assert.deepEqual([valid, remains], [true, {}]);
   * assert.equal((await memory.verifyReceipt(receipt, conversation.scope)).valid, true);
   * assert.equal((await memory.verifyReceipt(receipt, { tenantId: "vineyard" })).valid, false);
   * ```
   */
  async verifyReceipt(receipt: Receipt, subject?: ReceiptSubject): Promise<ReceiptReport> {
    const { verifyReceipt } = await import("./deletion/verify_receipt.ts");
    return await verifyReceipt(this.#engine, receipt, subject);
  }

  /**
   * Looks through the whole store: pages, checksums, record bodies, the ledger's chain. Reads in batches, between
   * which other work runs.
   *
   * @returns what is damaged; damage is reported, not thrown
   * @throws {ContractError} naming the option that is wrong
   * @throws {StorageError} `BUSY`, `IO`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
   * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
   * const { ok, rows } = await memory.check();
   * assert.deepEqual([ok, rows.turns], [true, 1]);
   * ```
   */
  async check(options: CheckOptions = {}): Promise<CheckReport> {
    const startedMs = monotonicMs();
    const given = readFields("options", options, ["signal", "onProgress"]);
    const signal = requireSignal(given.signal);
    const onProgress = requireCallback("onProgress", given.onProgress) as CheckOptions["onProgress"];
    const [{ CheckCollector }, { checkRecords }, { checkConversations }] = await Promise.all([
      import("./engine/check_collector.ts"),
      import("./records/check_records.ts"),
      import("./conversations/check_conversations.ts"),
    ]);
    const collector = new CheckCollector({ signal, onProgress });
    await this.#engine.check(collector);
    await checkRecords(this.#engine, this.#kinds, collector);
    await checkConversations(this.#engine, collector);
    const report = collector.report();
    this.#tell({ operation: "check", counts: { problems: report.problems.length } }, startedMs);
    return report;
  }

  /**
   * The place up to which deletions are recorded and applied. Keep it apart from the store: a restore can then be held
   * to a ledger that has at least these.
   *
   * @throws {StorageError} `BUSY`, `IO`, `REPLACED`, `READONLY`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
   * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
   * assert.equal((await memory.deletionWatermark()).sequence, 0);
   * await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
   * assert.equal((await memory.deletionWatermark()).sequence, 1);
   * ```
   */
  deletionWatermark(): Promise<Watermark> {
    return this.#engine.watermark();
  }

  /**
   * Copies the store, as it is at one moment, into one private file; other writers go on and do not make it start over.
   * The file is made under another name (with `.partial` appended), looked through, synced, and only then gets its own.
   * What can be made again, indexes and cached responses, is left out, and so is every trace of what was deleted.
   *
   * With `damaged: "skip"` a damaged row is left out with what cites it, and the report lists both as `skipped`. Totals
   * and names of scopes are put right where the rest tells them. What SQLite itself cannot read, meta rows, events and
   * floors are still an error.
   *
   * @param destination where nothing is yet
   * @returns what it holds; keep its watermark, or a later one, apart from the store
   * @throws {ContractError} naming what is wrong
   * @throws {StorageError} `EXISTS`, `BUSY`, `PERMISSION`, `UNSAFE`, `FULL`, `IO`, `REPLACED`, `CLOSED`
   * @throws {IntegrityError} if the store is damaged: a copy could not be restored; `details` names the first row
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * const directory = await Deno.makeTempDir();
   * await using memory = await openMemory(`${directory}/agent.db`);
   * await memory.conversation({ tenantId: "orchard", sessionId: "spring" }).append([{ role: "user", content: "Hi." }]);
   * const { watermark } = await memory.backup(`${directory}/agent.backup`);
   * assert.deepEqual(watermark, await memory.deletionWatermark());
   * ```
   */
  async backup(destination: string | URL, options: BackupOptions = {}): Promise<BackupReport> {
    return await this.#backUp("store", destination, options);
  }

  /**
   * Copies the deletion ledger into one private file, in the same way. It holds hashes and counts, no text. A restore can
   * use it if the ledger itself is lost; deletions that came later are missing in it.
   *
   * @param destination where nothing is yet
   * @throws {ContractError} naming what is wrong
   * @throws {StorageError} as {@linkcode Memory.backup}
   * @throws {IntegrityError} if the ledger is damaged
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * const directory = await Deno.makeTempDir();
   * await using memory = await openMemory(`${directory}/agent.db`);
   * assert.equal((await memory.exportLedger(`${directory}/agent.ledger`)).of, "ledger");
   * ```
   */
  async exportLedger(
    destination: string | URL,
    options: Omit<BackupOptions, "damaged"> = {},
  ): Promise<BackupReport> {
    return await this.#backUp("ledger", destination, options);
  }

  async #backUp(
    of: BackupReport["of"],
    destination: string | URL,
    options: BackupOptions,
  ): Promise<BackupReport> {
    const startedMs = monotonicMs();
    const { backUp } = await import("./backup.ts");
    const report = await backUp(destination, options, { engine: this.#engine, of, kinds: this.#kinds });
    const operation = of === "store" ? "backup" : "exportLedger";
    this.#tell({ operation, counts: { bytes: report.bytes } }, startedMs);
    return report;
  }

  /**
   * Looks over the store, a page at a time: tenants with records, then scopes, with counts, bytes, and when something is
   * next due. No text is read.
   *
   * @throws {ContractError} naming the option
   * @throws {IntegrityError} if a scope's row is damaged
   * @throws {StorageError} `BUSY`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const scope = { tenantId: "orchard", sessionId: "spring" };
   * await memory.conversation(scope).append([{ role: "user", content: "Which trees were grafted?" }]);
   * const { scopes, next } = await memory.inspect();
   * assert.deepEqual(scopes.map(({ scope, turns }) => [scope.sessionId, turns]), [["spring", 1]]);
   * assert.equal(next, null);
   * ```
   */
  async inspect(options: InspectOptions = {}): Promise<Inspection> {
    const { inspect } = await import("./inspect.ts");
    return await inspect(this.#engine, options);
  }

  /**
   * The store, or one scope, as JSON Lines: a header, then records, scopes, turns, summaries and pins, and a closing line
   * with counts and a digest. Each line ends with a line feed. Without `includeContent` it shows ids, revisions, counts
   * and bytes, and cannot be imported. What has expired, cached responses, indexes, operation ids and tombstones are left out.
   *
   * Read in pages, with other calls in between. Each scope is as it was at one moment, however busy it is; only one
   * larger than the default limit ends the export with `SNAPSHOT` if it changes while it is read.
   *
   * With `damaged: "skip"` a damaged row costs a line of its own that names it, and the closing line counts those;
   * `skipped` lists them once the export has ended. A damaged row of a scope costs that scope.
   *
   * @throws {ContractError} naming the option
   * @throws {ConflictError} `SNAPSHOT`; for one scope `MISSING`, `DELETED`
   * @throws {IntegrityError} if what is read is damaged
   * @throws {StorageError} `BUSY`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const scope = { tenantId: "orchard", sessionId: "spring" };
   * await memory.conversation(scope).append([{ role: "user", content: "Which trees were grafted?" }]);
   * const outline = await Array.fromAsync(memory.exportLines({ scope }));
   * assert.deepEqual(outline.map((line) => JSON.parse(line).type), ["header", "scope", "turn", "end"]);
   * assert(!outline.join("").includes("grafted"));
   * ```
   */
  exportLines(options: ExportLinesOptions = {}): Skipping<string> {
    const skipped: DamagedRow[] = [];
    return Object.assign(this.#exportLines(options, skipped), { skipped });
  }

  async *#exportLines(options: ExportLinesOptions, skipped: DamagedRow[]): AsyncGenerator<string, void> {
    const { exportLines } = await import("./lines/export_lines.ts");
    yield* exportLines(this.#engine, options, skipped);
  }

  /**
   * Brings in what `exportLines({ includeContent: true })` wrote: text of whole lines, or the bytes of a file in pieces.
   * Every line is validated as a put would be, and written only where nothing is: nothing is overwritten, and nothing that
   * was deleted here comes back. Turns, pins and records keep their own revisions and times; a scope's revision moves, as
   * with every change.
   *
   * Written in groups. After an error or an abort, what came before stays; importing the same lines again goes on where
   * it ended, and changes nothing where it was done.
   *
   * @returns what became of each line
   * @throws {ContractError} naming the field, with `details.line`; for lines that were cut off or changed, once the rest
   * is in
   * @throws {ConflictError} `CAPACITY`, with `details.line`; `CLOCK` where a line's deadline lies after the clock but not
   * after the highest time seen
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using from = await openMemory(":memory:");
   * await using to = await openMemory(":memory:");
   * const scope = { tenantId: "orchard", sessionId: "spring" };
   * await from.conversation(scope).append([{ role: "user", content: "Which trees were grafted?" }]);
   * const lines = await Array.fromAsync(from.exportLines({ includeContent: true }));
   * assert.equal((await to.importLines(lines)).imported.turns, 1);
   * assert.equal((await to.importLines(lines)).unchanged.turns, 1);
   * ```
   */
  async importLines(lines: Lines, options: ImportLinesOptions = {}): Promise<ImportReport> {
    const startedMs = monotonicMs();
    const { importLines } = await import("./lines/import_lines.ts");
    const target = { engine: this.#engine, kinds: this.#kinds, limits: this.#limits, tell: this.#tell };
    const report = await importLines(target, lines, options);
    this.#tell({ operation: "import", counts: { ...report.imported } }, startedMs);
    return report;
  }

  /**
   * Waits for queued writes, at most until each one's busy timeout, and closes the files. Repeating it is harmless;
   * every other call after it rejects with `CLOSED`.
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * const memory = await openMemory(":memory:");
   * await memory.close();
   * await memory.close();
   * await assert.rejects(memory.deletionWatermark(), { code: "CLOSED" });
   * ```
   */
  async close(): Promise<void> {
    const startedMs = monotonicMs();
    await this.#engine.close();
    this.#tell({ operation: "close", counts: {} }, startedMs);
  }

  /** The same as {@linkcode Memory.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

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
import type { EmitEvent } from "./contracts/options/memory_options.ts";
import type { SessionPage, SessionsOptions } from "./contracts/options/session_options.ts";
import type {
  EraseOptions,
  EraseTarget,
  PruneOptions,
  PruneReport,
  Receipt,
  ReceiptReport,
  ReceiptSubject,
} from "./contracts/options/receipt.ts";
import type { RecordKind } from "./contracts/record_kind.ts";
import { type Scope, toScope } from "./contracts/scope.ts";
import type { Watermark } from "./contracts/watermark.ts";
import { LateModule, validateLate } from "./contracts/late_module.ts";
import type { TenantSearchOptions } from "./conversations/context_options.ts";
import { Conversation } from "./conversations/conversation.ts";
import type { Hits } from "./search/evidence_source.ts";
import type { ScopeLimits } from "./conversations/put_turn.ts";
import type { Engine } from "./engine/engine.ts";
import type { EngineFiles } from "./engine/engine_files.ts";
import { Journal } from "./journals/journal.ts";
import { Records } from "./records/record_calls.ts";
import {
  type PendingCall,
  transact,
  type Transaction,
  type TransactionOptions,
  type TransactionResult,
  type TransactionResults,
} from "./transaction.ts";

const SESSIONS = new LateModule(() => import("./sessions/session_calls.ts"));
const TENANT_SEARCH = new LateModule(() => import("./conversations/tenants/tenant_search.ts"));

/** The files of a memory's store, for the command line; not part of the public interface. */
export let filesOf: (memory: Memory) => Promise<EngineFiles | undefined>;

/** The engine of a memory. For the test kit, which looks at rows through it; no part of the interface. */
export let engineOf: (memory: Memory) => Engine;

/**
 * An open store: records and conversations in one database file, and a ledger of deletions next to it. Returned by
 * `openMemory` and `restoreMemory`.
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
    engineOf = (memory) => memory.#engine;
  }

  /** Checkpoints, facts, and further kinds. */
  readonly records: Records;
  /** The report of the restore; null in a store that was opened. */
  readonly restored: RestoreReport | null;
  readonly #engine: Engine;
  readonly #kinds: ReadonlyMap<string, RecordKind>;
  readonly #limits: ScopeLimits;
  readonly #emit: EmitEvent;

  /** Use `openMemory` or `restoreMemory` instead. */
  constructor(
    engine: Engine,
    { kinds, limits, emit, restored }: {
      readonly kinds: ReadonlyMap<string, RecordKind>;
      readonly limits: ScopeLimits;
      readonly emit: EmitEvent;
      readonly restored: RestoreReport | null;
    },
  ) {
    this.#engine = engine;
    this.#kinds = kinds;
    this.#limits = limits;
    this.#emit = emit;
    this.restored = restored;
    this.records = new Records(engine, kinds, emit);
  }

  /**
   * Returns a handle on a scope's turns, pins, summary and response cache; reads and writes nothing.
   *
   * @throws {ContractError} naming the field
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-7" });
   * await conversation.append([{ role: "user", content: "Where is order 7?" }]);
   * const same = memory.conversation({ tenantId: "acme", sessionId: "ticket-7" });
   * assert.equal((await same.snapshot()).turnCount, 1);
   * ```
   */
  conversation(scope: Scope): Conversation {
    return new Conversation(this.#engine, toScope(scope), { limits: this.#limits, emit: this.#emit });
  }

  /**
   * A journal of a scope: an ordered list of JSON entries, for protocols that keep their own items. Nothing is read or
   * written yet.
   *
   * @param part which journal of the scope, where it has several: text of at most 1 000 code points
   * @throws {ContractError} naming the field
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const scope = { tenantId: "acme", sessionId: "ticket-4711" };
   * await memory.journal(scope).append([{ json: { role: "user", content: "Where is order 7?" } }]);
   * await memory.journal(scope, "subagents/tracker").append([{ json: { tool: "track", order: 7 } }]);
   * const [entry] = await Array.fromAsync(memory.journal(scope).read());
   * assert.deepEqual(entry?.json, { role: "user", content: "Where is order 7?" });
   * ```
   */
  journal(scope: Scope, part?: string): Journal {
    return new Journal(this.#engine, { scope: toScope(scope), part }, {
      limits: this.#limits,
      emit: this.#emit,
    });
  }

  /**
   * Searches all sessions of a tenant in one ranking. Sessions that are not indexed yet are indexed first.
   *
   * Scores compare what a chunk says with everything that the tenant's sessions say, or those of `sessions`. What was said
   * while the call ran may be missing; nothing that was deleted or has expired when it returns is among the hits.
   *
   * @returns the best chunks, best first, as `conversation.search` returns them
   * @throws {ContractError} naming the invalid argument
   * @throws {ConflictError} `SNAPSHOT` if a session keeps changing; `NOT_READY` if an index is not complete in a store that
   * was opened read-only
   * @throws {IntegrityError} if a row is damaged
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * for (const [sessionId, content] of [["ticket-7", "Customs has held order 7."], ["ticket-8", "Order 8 was paid."]]) {
   *   await memory.conversation({ tenantId: "acme", sessionId: sessionId! }).append([{ role: "user", content: content! }]);
   * }
   * const [best] = await memory.search({ tenantId: "acme" }, "customs");
   * assert.deepEqual([best?.sessionId, best?.content], ["ticket-7", "Customs has held order 7."]);
   * ```
   */
  async search(
    of: { readonly tenantId: string },
    query: string,
    options: TenantSearchOptions = {},
  ): Promise<Hits> {
    const validated = await validateLate(
      TENANT_SEARCH,
      [of, query, options],
      ({ validateTenantSearch }, given) => validateTenantSearch(...given),
    );
    return await TENANT_SEARCH.module.searchTenant({ engine: this.#engine, emit: this.#emit }, validated);
  }

  /**
   * Lists a tenant's sessions with their titles, a page at a time: the session that was written to last comes first. A page
   * costs the same however many sessions there are; one of a single person by id reads past the sessions of others.
   *
   * @throws {ContractError} naming the argument
   * @throws {IntegrityError} if a row is damaged, unless damaged ones are skipped
   * @throws {StorageError} `BUSY`, `IO`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const chat = memory.conversation({ tenantId: "acme", sessionId: "ticket-7" });
   * await chat.append([{ role: "user", content: "Where is order 7?" }]);
   * await chat.describe({ title: "Order 7", metadata: { language: "en" } });
   * const { items, next } = await memory.sessions("acme", { limit: 20 });
   * assert.deepEqual(items.map(({ sessionId, title, turns }) => [sessionId, title, turns]), [["ticket-7", "Order 7", 1]]);
   * assert.equal(next, null);
   * ```
   */
  async sessions(tenantId: string, options: SessionsOptions = {}): Promise<SessionPage> {
    const validated = await validateLate(
      SESSIONS,
      [tenantId, options],
      ({ validateList }, given) => validateList(this.#engine.hashKey, ...given),
    );
    return await SESSIONS.module.readSessionPage(this.#engine, validated);
  }

  /**
   * Erases everything of a tenant, or of one person in it: sessions with all that lies under them, and records. From the
   * moment the erasure is recorded no call finds any of it. The rows go in bounded groups, and the call resolves once they are
   * gone; if it is cancelled before, the receipt is not yet valid, and `prune` or the next open erases the rest. What is
   * written later is not touched.
   *
   * A restore of an older backup erases it too. Sessions and records are of the person that `append`, `describe`, `put` or
   * `label` said last.
   *
   * @returns the receipt of the erasure, also where there was nothing to erase
   * @throws {ContractError} naming the field
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const gwen = { tenantId: "acme", subject: "gwen@example.org" };
   * const chat = memory.conversation({ tenantId: "acme", sessionId: "ticket-7" });
   * await chat.append([{ role: "user", content: "I live in Cardiff." }], { subject: gwen.subject });
   * const receipt = await memory.erase(gwen);
   * assert.deepEqual([receipt.erased.sessions, receipt.erased.turns], [1, 1]);
   * assert.equal((await memory.verifyReceipt(receipt, gwen)).valid, true);
   * assert.deepEqual((await memory.sessions("acme")).items, []);
   * ```
   */
  async erase(target: EraseTarget, options: EraseOptions = {}): Promise<Receipt> {
    const validated = await validateLate(
      SESSIONS,
      [target, options],
      ({ validateErase }, given) => validateErase(...given),
    );
    const startedMs = monotonicMs();
    const receipt = await SESSIONS.module.eraseEverything(this.#engine, validated);
    this.#emit({ operation: "erase", counts: { ...receipt.erased } }, startedMs);
    return receipt;
  }

  /**
   * Writes appends, puts, pins and summaries of one tenant together: in one commit, all or none. Durable when it resolves.
   *
   * The function only collects the calls, which are validated as they are made; it must not be async. A later call sees
   * what earlier ones of the transaction change, and may expect the revision that one of them makes. Calls that delete
   * (`forget`, `delete` and the like) cannot be part of a transaction.
   *
   * @param collect adds at most 100 calls; returns those whose results are wanted, or nothing for all of them
   * @returns the results of the returned calls, or of all calls in their order
   * @throws {ContractError} naming the call and the field, such as `calls[2].messages[0].role`
   * @throws {ConflictError} as the calls, with `details.call`; `IDEMPOTENCY`
   * @throws {KindError} as `Records.put`, with `details.call`
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   * @throws what `collect` throws; then nothing is written
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const scope = { tenantId: "acme", sessionId: "ticket-7" };
   * const run = { tenantId: "acme", kind: "checkpoint", key: "ticket-7" } as const;
   * const [answer, checkpoint] = await memory.transaction((transaction) => [
   *   transaction.append(scope, [{ role: "assistant", content: "Customs has held order 7 since Tuesday." }]),
   *   transaction.put(run, { schema: 1, step: 1, items: [] }, { expectedRevision: null, ttl: 3_600 }),
   * ], { operationId: "ticket-7/step-1" });
   * assert.equal((await memory.records.get(run))?.revision, checkpoint);
   * assert.equal(await memory.conversation(scope).revision(), answer.revision);
   * ```
   */
  transaction<const Calls extends readonly PendingCall<unknown>[]>(
    collect: (transaction: Transaction) => Calls,
    options?: TransactionOptions,
  ): Promise<TransactionResults<Calls>>;
  /** Writes calls together, as above; resolves to the results of all of them. */
  transaction(
    collect: (transaction: Transaction) => void,
    options?: TransactionOptions,
  ): Promise<readonly TransactionResult[]>;
  transaction(collect: unknown, options: TransactionOptions = {}): Promise<unknown> {
    const parts = { engine: this.#engine, records: this.records, limits: this.#limits };
    return transact(parts, collect, options);
  }

  /**
   * Erases what has expired, completes pending deletions, and scrubs the files.
   *
   * Covers every tenant and every scope, and removes replaced indexes. Writes in bounded groups, so that other calls run in
   * between. While the scrub rewrites a table, the process is blocked.
   *
   * @throws {ContractError} naming the invalid option
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * let nowMs = Date.UTC(2026, 2, 1);
   * await using memory = await openMemory(":memory:", { clock: () => nowMs });
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-7" });
   * await conversation.append([{ role: "user", content: "The deployment is running." }], { expiresAt: new Date(nowMs + 60_000) });
   * nowMs += 60_000;
   * const { expired, scrub } = await memory.prune();
   * assert.deepEqual([expired.turns, scrub?.complete], [1, true]);
   * ```
   */
  async prune(options: PruneOptions = {}): Promise<PruneReport> {
    const startedMs = monotonicMs();
    const { prune } = await import("./prune.ts");
    const report = await prune(this.#engine, options);
    this.#emit(
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
   * Verifies a receipt of a deletion.
   *
   * It is valid if this store issued it and no field was changed, if the ledger's chain is intact and contains the event,
   * and if no table holds what was deleted. With a subject, it must also be about that tenant, session, turn or pin.
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
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-7" });
   * await conversation.append([{ role: "user", content: "Customs has held order 7 since Tuesday." }]);
   * const receipt = await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
   * const { valid, remains } = await memory.verifyReceipt(receipt);
   * assert.deepEqual([valid, remains], [true, {}]);
   * assert.equal((await memory.verifyReceipt(receipt, conversation.scope)).valid, true);
   * assert.equal((await memory.verifyReceipt(receipt, { tenantId: "globex" })).valid, false);
   * ```
   */
  async verifyReceipt(receipt: Receipt, subject?: ReceiptSubject): Promise<ReceiptReport> {
    const { verifyReceipt } = await import("./deletion/verify_receipt.ts");
    return await verifyReceipt(this.#engine, receipt, subject);
  }

  /**
   * Checks the whole store: pages, checksums, record bodies, and the ledger's chain. Reads in batches, so that other calls
   * run in between.
   *
   * @returns the damage found; damage is reported, not thrown
   * @throws {ContractError} naming the invalid option
   * @throws {StorageError} `BUSY`, `IO`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-7" });
   * await conversation.append([{ role: "user", content: "Customs has held order 7 since Tuesday." }]);
   * const { ok, rows } = await memory.check();
   * assert.deepEqual([ok, rows.turns], [true, 1]);
   * ```
   */
  async check(options: CheckOptions = {}): Promise<CheckReport> {
    const startedMs = monotonicMs();
    const given = readFields("options", options, ["signal", "onProgress"]);
    const signal = requireSignal(given.signal);
    const onProgress = requireCallback("onProgress", given.onProgress) as CheckOptions["onProgress"];
    const [{ CheckCollector }, { checkRecords }, { checkConversations }, { checkJournals }] = await Promise
      .all([
        import("./engine/check_collector.ts"),
        import("./records/check_records.ts"),
        import("./conversations/check_conversations.ts"),
        import("./journals/check_journals.ts"),
      ]);
    const collector = new CheckCollector({ signal, onProgress });
    await this.#engine.check(collector);
    await checkRecords(this.#engine, this.#kinds, collector);
    await checkConversations(this.#engine, collector);
    await checkJournals(this.#engine, collector);
    const report = collector.report();
    this.#emit({ operation: "check", counts: { problems: report.problems.length } }, startedMs);
    return report;
  }

  /**
   * Returns the position in the ledger up to which deletions are recorded and applied.
   *
   * Keep it apart from the store: a restore then refuses a ledger that lacks any of these deletions.
   *
   * @throws {StorageError} `BUSY`, `IO`, `REPLACED`, `READONLY`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-7" });
   * await conversation.append([{ role: "user", content: "Customs has held order 7 since Tuesday." }]);
   * assert.equal((await memory.deletionWatermark()).sequence, 0);
   * await conversation.delete({ kind: "scope", expectedRevision: await conversation.revision() });
   * assert.equal((await memory.deletionWatermark()).sequence, 1);
   * ```
   */
  deletionWatermark(): Promise<Watermark> {
    return this.#engine.watermark();
  }

  /**
   * Copies the store, as it is at one moment, into one private file. Other processes can keep writing meanwhile.
   *
   * The file is written under a temporary name (with `.partial` appended), checked and synced before it gets its own.
   * Indexes and cached responses, which can be rebuilt, are left out, and so is every trace of deleted content.
   *
   * With `damaged: "skip"` damaged rows are left out together with rows that cite them, and the report lists both as
   * `skipped`. Totals and names of scopes are repaired from the other rows where possible. Pages that SQLite cannot read,
   * and damaged meta rows, events and floors, are still errors.
   *
   * @param destination a path that does not exist yet
   * @returns a report; keep its watermark, or a later one, apart from the store
   * @throws {ContractError} naming the invalid argument
   * @throws {StorageError} `EXISTS`, `BUSY`, `PERMISSION`, `UNSAFE`, `FULL`, `IO`, `REPLACED`, `CLOSED`
   * @throws {IntegrityError} if the store is damaged, since the copy could not be restored; `details` names the first row
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * const directory = await Deno.makeTempDir();
   * await using memory = await openMemory(`${directory}/agent.db`);
   * await memory.conversation({ tenantId: "acme", sessionId: "ticket-7" }).append([{ role: "user", content: "Hi." }]);
   * const { watermark } = await memory.backup(`${directory}/agent.backup`);
   * assert.deepEqual(watermark, await memory.deletionWatermark());
   * ```
   */
  async backup(destination: string | URL, options: BackupOptions = {}): Promise<BackupReport> {
    return await this.#backUp("store", destination, options);
  }

  /**
   * Copies the deletion ledger into one private file, as `backup` does. It holds hashes and counts, no text.
   *
   * A restore can use the copy if the ledger itself is lost; deletions after the copy are then lost.
   *
   * @param destination a path that does not exist yet
   * @throws {ContractError} naming the invalid argument
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
    this.#emit({ operation, counts: { bytes: report.bytes } }, startedMs);
    return report;
  }

  /**
   * Lists tenants with records, then scopes, a page at a time. Each has counts, bytes and the next expiry; no text is read.
   *
   * @throws {ContractError} naming the invalid option
   * @throws {IntegrityError} if a scope's row is damaged
   * @throws {StorageError} `BUSY`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const scope = { tenantId: "acme", sessionId: "ticket-7" };
   * await memory.conversation(scope).append([{ role: "user", content: "Where is order 7?" }]);
   * const { scopes, next } = await memory.inspect();
   * assert.deepEqual(scopes.map(({ scope, turns }) => [scope.sessionId, turns]), [["ticket-7", 1]]);
   * assert.equal(next, null);
   * ```
   */
  async inspect(options: InspectOptions = {}): Promise<Inspection> {
    const { inspect } = await import("./inspect.ts");
    return await inspect(this.#engine, options);
  }

  /**
   * Exports the store, or one scope, as JSON Lines, each ending with a line feed.
   *
   * A header comes first, then records, then scopes with their turns, summaries, pins, journals and entries, then a
   * closing line with counts and a digest.
   * Without `includeContent` the lines hold ids, revisions, counts and bytes only, and cannot be imported. Expired items,
   * cached responses, indexes, operation ids and tombstones are left out.
   *
   * Reads in pages, so that other calls run in between. Each scope is exported as it was at one moment. Only a scope that is
   * larger than the default limit and changes while it is read ends the export with `SNAPSHOT`. The same holds for each
   * journal, which is exported as it was at a moment of its own.
   *
   * With `damaged: "skip"` each damaged row becomes a line that names it, counted in the closing line; `skipped` lists
   * these rows once the export has ended. If the row of a scope itself is damaged, the whole scope is left out.
   *
   * @throws {ContractError} naming the invalid option
   * @throws {ConflictError} `SNAPSHOT`; for one scope `MISSING`, `DELETED`
   * @throws {IntegrityError} if a row is damaged
   * @throws {StorageError} `BUSY`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const scope = { tenantId: "acme", sessionId: "ticket-7" };
   * await memory.conversation(scope).append([{ role: "user", content: "Where is order 7?" }]);
   * const outline = await Array.fromAsync(memory.exportLines({ scope }));
   * assert.deepEqual(outline.map((line) => JSON.parse(line).type), ["header", "scope", "turn", "end"]);
   * assert(!outline.join("").includes("order"));
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
   * Imports what `exportLines({ includeContent: true })` wrote.
   *
   * The source yields text of whole lines, or the bytes of a file in chunks.
   * Every line is validated as a put is. Nothing is overwritten, and nothing that was deleted here comes back. Turns, pins
   * and records keep their revisions and times; a scope's revision increases, as with every change.
   *
   * Writes in groups. After an error or an abort, earlier groups stay; importing the same lines again continues from there,
   * and a completed import changes nothing when it is repeated.
   *
   * @returns the number of lines by outcome
   * @throws {ContractError} naming the field, with `details.line`; for missing or changed lines only after all others are
   * imported
   * @throws {ConflictError} `CAPACITY`, with `details.line`; `CLOCK` if a line's deadline is after the clock but not after
   * the highest time seen
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using from = await openMemory(":memory:");
   * await using to = await openMemory(":memory:");
   * const scope = { tenantId: "acme", sessionId: "ticket-7" };
   * await from.conversation(scope).append([{ role: "user", content: "Where is order 7?" }]);
   * const lines = await Array.fromAsync(from.exportLines({ includeContent: true }));
   * assert.equal((await to.importLines(lines)).imported.turns, 1);
   * assert.equal((await to.importLines(lines)).unchanged.turns, 1);
   * ```
   */
  async importLines(lines: Lines, options: ImportLinesOptions = {}): Promise<ImportReport> {
    const startedMs = monotonicMs();
    const { importLines } = await import("./lines/import_lines.ts");
    const target = { engine: this.#engine, kinds: this.#kinds, limits: this.#limits, emit: this.#emit };
    const report = await importLines(target, lines, options);
    this.#emit({ operation: "import", counts: { ...report.imported } }, startedMs);
    return report;
  }

  /**
   * Waits for queued writes, each at most for its busy timeout, and closes the files. Repeating it is harmless; every other
   * call after it rejects with `CLOSED`.
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
    this.#emit({ operation: "close", counts: {} }, startedMs);
  }

  /** The same as {@linkcode Memory.close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

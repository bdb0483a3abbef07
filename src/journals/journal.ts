import { canonicalJson, type CanonicalValue } from "../canonical/canonical_json.ts";
import { copyPlain, type Json, PlainFailure } from "../canonical/plain.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import { utf8Length } from "../canonical/utf8.ts";
import { monotonicMs } from "../clock.ts";
import {
  readFields,
  requireBoolean,
  requireDamaged,
  requireInteger,
  requireList,
  requireSignal,
  requireText,
} from "../contracts/arguments.ts";
import type { DamagedRow, Skipping } from "../contracts/damaged.ts";
import { printedAs } from "../contracts/discreet.ts";
import { LateModule } from "../contracts/late_module.ts";
import type { CallOptions } from "../contracts/options/conversation_options.ts";
import type {
  AppendEntriesOptions,
  EraseJournalOptions,
  JournalEntry,
  NewJournalEntry,
  PopOptions,
  ReadJournalOptions,
  ReplaceSuffixOptions,
  SuffixToReplace,
} from "../contracts/options/journal_options.ts";
import type { EmitEvent } from "../contracts/options/memory_options.ts";
import type { Receipt } from "../contracts/options/receipt.ts";
import type { Scope } from "../contracts/scope.ts";
import type { ScopeLimits } from "../conversations/put_turn.ts";
import { ScopeAccess } from "../conversations/scope_access.ts";
import type { Engine } from "../engine/engine.ts";
import { ContractError } from "../errors.ts";
import {
  JOURNAL_ENTRIES_PER_CALL_MAX,
  JOURNAL_ENTRY_BYTES_MAX,
  JOURNAL_PART_CODE_POINTS_MAX,
  JOURNAL_POP_MAX,
  JOURNAL_UUID_CODE_POINTS_MAX,
} from "../limits.ts";
import { operationKey, type Place, placeOf } from "../scopes/place.ts";
import type { OperationKey } from "../tables/operation_ids.ts";
import type { EncodedEntry } from "./append_entries.ts";
import type { JournalView } from "./read_entries.ts";

const CALLS = new LateModule(() => import("./journal_calls.ts"));

// Arguments are validated, copied and hashed when a call is made; what runs in the store is loaded by the first call.

/**
 * A list of JSON entries in the order in which they were appended, for protocols that keep their own items. Get one from
 * `memory.journal(scope, part)`. It lies under its scope: what deletes the scope deletes its journals. A journal that is
 * not there counts as empty; the first append makes it, and its scope.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
 * await journal.append([{ json: { role: "user", content: "Where is order 7?" } }]);
 * await journal.append([{ json: { role: "assistant", content: "At customs." } }]);
 * const [newest] = await Array.fromAsync(journal.read({ last: 1 }));
 * assert.deepEqual(newest, { place: 2, uuid: null, json: { role: "assistant", content: "At customs." } });
 * ```
 */
export class Journal {
  /** Whose journal it is. */
  readonly scope: Scope;
  /** Which journal of its scope; empty for the one without a name. */
  readonly part: string;
  readonly #engine: Engine;
  readonly #place: Place;
  readonly #access: ScopeAccess;
  readonly #limits: ScopeLimits;
  readonly #emit: EmitEvent;

  /** Made by `memory.journal`. */
  constructor(
    engine: Engine,
    { scope, part }: { readonly scope: Scope; readonly part: unknown },
    { limits, emit }: { readonly limits: ScopeLimits; readonly emit: EmitEvent },
  ) {
    this.scope = scope;
    this.part = requirePart(part);
    this.#engine = engine;
    this.#place = placeOf(engine.hashKey, scope);
    this.#access = new ScopeAccess(engine, this.#place, emit, CALLS);
    this.#limits = limits;
    this.#emit = emit;
  }

  /**
   * The journal's revision, which moves with every change of it; 0 if there is no journal.
   *
   * @throws {ConflictError} `DELETED`
   * @throws {StorageError} `BUSY`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
   * assert.equal(await journal.revision(), 0);
   * assert.equal(await journal.append([{ json: "Hello." }]), await journal.revision());
   * ```
   */
  async revision(options: CallOptions = {}): Promise<number> {
    const signal = requireSignal(readFields("options", options, ["signal"]).signal);
    const place = this.#where();
    return await this.#access.read(
      (transaction) => CALLS.module.readJournalRevision(transaction, place),
      signal,
    );
  }

  /**
   * Appends entries, all of them or none. An entry whose uuid the journal has already is skipped if its JSON is the same,
   * whatever the order of its keys.
   *
   * @returns the journal's revision: a new one, or the old one where every entry was skipped
   * @throws {ContractError} naming the field, such as `entries[0].json`
   * @throws {ConflictError} `IDEMPOTENCY` for a uuid or an operation id that was used with other JSON; `REVISION`,
   * `CAPACITY`, `DELETED`
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
   * const entry = { uuid: "e1", json: { type: "user", text: "Where is order 7?" } };
   * const revision = await journal.append([entry]);
   * assert.equal(await journal.append([entry]), revision); // sent again: nothing changed
   * ```
   */
  async append(entries: readonly NewJournalEntry[], options: AppendEntriesOptions = {}): Promise<number> {
    const given = readFields("options", options, ["expectedRevision", "operationId", "signal"]);
    return await this.#append("appendEntries", entries, given, null);
  }

  /**
   * Replaces the entries from a place on by others, all of it or nothing: what a compaction of a history does. An edit,
   * like a turn's next revision: it has no receipt, and an older backup has the older entries.
   *
   * @returns the journal's new revision
   * @throws {ContractError} naming the field; `from` where it lies beyond the end
   * @throws {ConflictError} `REVISION`; else as `append`
   * @throws {StorageError} as `append`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
   * const expectedRevision = await journal.append(["Hello.", "Order 7?", "At customs."].map((json) => ({ json })));
   * await journal.replaceSuffix({ from: 2, expectedRevision }, [{ json: "Customs has order 7." }]);
   * const texts = await Array.fromAsync(journal.read(), ({ json }) => json);
   * assert.deepEqual(texts, ["Hello.", "Customs has order 7."]);
   * ```
   */
  async replaceSuffix(
    suffix: SuffixToReplace,
    entries: readonly NewJournalEntry[],
    options: ReplaceSuffixOptions = {},
  ): Promise<number> {
    const { from, expectedRevision } = readFields("suffix", suffix, ["from", "expectedRevision"]);
    const first = requireInteger("from", from, 1, Number.MAX_SAFE_INTEGER);
    const revision = requireInteger("expectedRevision", expectedRevision, 0, Number.MAX_SAFE_INTEGER);
    const given = readFields("options", options, ["operationId", "signal"]);
    return await this.#append("replaceSuffix", entries, { ...given, expectedRevision: revision }, first);
  }

  async #append(
    verb: string,
    value: unknown,
    given: Readonly<Record<string, unknown>>,
    from: number | null,
  ): Promise<number> {
    const entries = requireList("entries", value, JOURNAL_ENTRIES_PER_CALL_MAX).map((entry, index) =>
      encodeEntry(entry, `entries[${index}]`)
    );
    const said =
      (): readonly unknown[] => [from, ...entries.map(({ uuid, payload }) => [uuid, sorted(payload)])];
    const plan = {
      ...this.#where(),
      entries,
      from,
      expectedRevision: optionalRevision(given.expectedRevision),
      operation: this.#operation(given.operationId, verb, said),
      generation: this.#engine.generation,
      limits: this.#limits,
    };
    return await this.#access.write((transaction) => CALLS.module.appendEntries(transaction, plan), {
      bytes: entries.reduce((sum, { bytes }) => sum + bytes, 0),
      signal: requireSignal(given.signal),
    });
  }

  /**
   * The entries, first to last, read in pages: other calls run in between. What is appended meanwhile is not read; if an
   * entry goes meanwhile, it ends with `SNAPSHOT`. With `damaged: "skip"` it leaves damaged entries out, and `skipped`
   * lists them once it has ended.
   *
   * @throws {ContractError} naming the option
   * @throws {ConflictError} `SNAPSHOT`, `DELETED`
   * @throws {IntegrityError} if an entry is damaged; `details` has its `tenantId`, `sessionId`, `part` and `place`
   * @throws {StorageError} as `revision`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" }, "subagents/reviewer");
   * await journal.append(["one", "two", "three"].map((json) => ({ json })));
   * const places = await Array.fromAsync(journal.read({ after: 1, last: 1 }), ({ place }) => place);
   * assert.deepEqual(places, [3]);
   * ```
   */
  read(options: ReadJournalOptions = {}): Skipping<JournalEntry> {
    const skipped: DamagedRow[] = [];
    return Object.assign(this.#read(options, skipped), { skipped });
  }

  async *#read(options: ReadJournalOptions, skipped: DamagedRow[]): AsyncGenerator<JournalEntry, void> {
    const given = readFields("options", options, ["last", "after", "before", "damaged", "signal"]);
    const whole = (name: "last" | "after" | "before", otherwise: number): number =>
      given[name] === undefined ? otherwise : requireInteger(name, given[name], 0, Number.MAX_SAFE_INTEGER);
    const last = given.last === undefined ? null : whole("last", 0);
    const range = { last, after: whole("after", 0), before: whole("before", Number.MAX_SAFE_INTEGER) };
    const damaged = requireDamaged(given.damaged);
    const signal = requireSignal(given.signal);
    const journal = this.#where();
    const view = await this.#access.read(
      (transaction) => CALLS.module.viewJournal(transaction, journal, range),
      signal,
    );
    if (view === null) return;
    const damage = new CALLS.module.Damage(damaged, skipped);
    for (let next: number | null = view.first; next !== null;) {
      const from: number = next;
      const page = await this.#access.read(
        (transaction) => CALLS.module.readEntryPage(transaction, { journal, view, damage }, from),
        signal,
      );
      for (const entry of page.entries) {
        yield toJournalEntry(entry);
        // What was deleted while the caller held this entry must not follow it out of the page.
        await this.#requireAsViewed(view, signal);
      }
      next = page.next;
    }
  }

  async #requireAsViewed(view: JournalView, signal: AbortSignal | undefined): Promise<void> {
    const { changedMeanwhile, isAsViewed, peekJournal } = CALLS.module;
    const { scopeHash } = this.#place;
    const now = this.#engine.peek?.((transaction) => peekJournal(transaction, scopeHash, this.part)) ??
      await this.#access.read((transaction) => peekJournal(transaction, scopeHash, this.part), signal);
    if (!isAsViewed(now, view)) throw changedMeanwhile();
  }

  /**
   * Takes the newest entries off. An edit, like `replaceSuffix`. It takes no operation id, since what it returned is gone;
   * `expectedRevision` keeps a repeated call from taking more.
   *
   * @param count how many: 1 to 1 000
   * @returns them, in the order of the journal; fewer where the journal has fewer
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `REVISION`, `DELETED`
   * @throws {IntegrityError} if one of them is damaged: `replaceSuffix` and `clear` do without reading it
   * @throws {StorageError} as `append`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
   * await journal.append(["Hello.", "Order 7?"].map((json) => ({ json })));
   * const [popped] = await journal.pop();
   * assert.equal(popped?.json, "Order 7?");
   * ```
   */
  async pop(count = 1, options: PopOptions = {}): Promise<readonly JournalEntry[]> {
    const given = readFields("options", options, ["expectedRevision", "signal"]);
    const plan = {
      ...this.#where(),
      count: requireInteger("count", count, 1, JOURNAL_POP_MAX),
      expectedRevision: optionalRevision(given.expectedRevision),
    };
    const popped = await this.#access.write((transaction) => CALLS.module.popEntries(transaction, plan), {
      signal: requireSignal(given.signal),
    });
    return popped.map(toJournalEntry);
  }

  /**
   * Erases every entry. The journal can be used again, with revisions that go on; no restore and no import brings back
   * what was in it. The receipt is valid as long as no entry from before is there.
   *
   * @returns a receipt, with `reserved: false`
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `REVISION`, `IDEMPOTENCY`, `DELETED`
   * @throws {IntegrityError} if the journal's own row is damaged: `delete` does without it
   * @throws {StorageError} as `append`; with `details.recorded` the deletion is irrevocable and will be completed
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
   * await journal.append([{ json: "My door code is 4711." }]);
   * const receipt = await journal.clear({ scrub: true });
   * assert.deepEqual([receipt.erased.entries, receipt.scrubbed], [1, true]);
   * await journal.append([{ json: "Hello again." }]);
   * assert.equal((await memory.verifyReceipt(receipt)).valid, true);
   * ```
   */
  async clear(options: EraseJournalOptions = {}): Promise<Receipt> {
    return await this.#erase(options, false);
  }

  /**
   * Deletes the journal for ever: its part can never be used again in this scope, and no restore brings it back.
   * Repeating it is harmless and resolves to the receipt of the first deletion.
   *
   * @returns a receipt, with `reserved: true`
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `REVISION`, `IDEMPOTENCY`; `MISSING` or `DELETED` where there is no such scope
   * @throws {StorageError} as `clear`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const journal = memory.journal({ tenantId: "acme", sessionId: "ticket-4711" });
   * await journal.append([{ json: "My door code is 4711." }]);
   * const receipt = await journal.delete();
   * assert.deepEqual([receipt.erased.journals, receipt.reserved], [1, true]);
   * await assert.rejects(journal.append([{ json: "Hello again." }]), { reason: "DELETED" });
   * ```
   */
  async delete(options: EraseJournalOptions = {}): Promise<Receipt> {
    return await this.#erase(options, true);
  }

  async #erase(options: EraseJournalOptions, reserved: boolean): Promise<Receipt> {
    const given = readFields("options", options, ["expectedRevision", "scrub", "operationId", "signal"]);
    const signal = requireSignal(given.signal);
    const wanted = given.scrub === undefined ? false : requireBoolean("scrub", given.scrub);
    const verb = reserved ? "deleteJournal" : "clearJournal";
    const plan = {
      ...this.#where(),
      reserved,
      expectedRevision: optionalRevision(given.expectedRevision),
      operation: this.#operation(given.operationId, verb, () => []),
      generation: this.#engine.generation,
    };
    const startedMs = monotonicMs();
    const deleted = await this.#access.write((transaction) => CALLS.module.clearOrDelete(transaction, plan), {
      ledger: true,
      signal,
    });
    if (deleted.when === "now") this.#emit({ operation: "delete", counts: { ...deleted.erased } }, startedMs);
    const scrubbed = wanted && await CALLS.module.tryScrub(this.#engine, signal);
    const item = { place: this.#place, kind: "journal", key: this.part } as const;
    return CALLS.module.receiptOf(item, deleted, { lineage: this.#engine.lineage, reserved, scrubbed });
  }

  #where(): { readonly place: Place; readonly part: string } {
    return { place: this.#place, part: this.part };
  }

  #operation(id: unknown, verb: string, said: () => readonly unknown[]): OperationKey | null {
    if (id === undefined) return null;
    return operationKey(this.#place, id, verb, sha256Hex(JSON.stringify([this.part, ...said()])));
  }
}

/**
 * Requires the name of a journal; empty for the one that has none.
 *
 * @throws {ContractError} naming the field
 */
export function requirePart(value: unknown): string {
  if (value === undefined || value === "") return "";
  return withoutNul("part", requireText("part", value, JOURNAL_PART_CODE_POINTS_MAX));
}

function withoutNul(field: string, text: string): string {
  if (!text.includes("\0")) return text;
  throw new ContractError(field, `${field} must not hold U+0000`);
}

function optionalRevision(value: unknown): number | null {
  return value === undefined ? null : requireInteger("expectedRevision", value, 0, Number.MAX_SAFE_INTEGER);
}

/** Validates an entry; its JSON is written as `JSON.stringify` does, with its keys in the order given. */
export function encodeEntry(value: unknown, field: string): EncodedEntry {
  const given = readFields(field, value, ["uuid", "json"]);
  const uuid = given.uuid === undefined ? null : requireUuid(`${field}.uuid`, given.uuid);
  const payload = JSON.stringify(toJson(`${field}.json`, given.json));
  const bytes = utf8Length(payload);
  if (bytes <= JOURNAL_ENTRY_BYTES_MAX) return { uuid, payload, bytes: bytes + utf8Length(uuid ?? "") };
  throw new ContractError(`${field}.json`, `${field}.json must be at most ${JOURNAL_ENTRY_BYTES_MAX} bytes`, {
    details: { maximum: JOURNAL_ENTRY_BYTES_MAX, bytes },
  });
}

function requireUuid(field: string, value: unknown): string {
  return withoutNul(field, requireText(field, value, JOURNAL_UUID_CODE_POINTS_MAX));
}

/** The order of keys is no part of what was said. */
function sorted(payload: string): string {
  return canonicalJson(JSON.parse(payload) as CanonicalValue);
}

function toJson(field: string, value: unknown): Json {
  try {
    return copyPlain(value);
  } catch (error) {
    if (error instanceof PlainFailure) throw new ContractError(field, `${field} ${error.rule}`);
    throw error;
  }
}

/** Printed, an entry shows no content. */
const printed = printedAs<JournalEntry>("JournalEntry", ({ place, uuid }) => ({ place, uuid }));

function toJournalEntry({ place, uuid, payload }: {
  readonly place: number;
  readonly uuid: string | null;
  readonly payload: string;
}): JournalEntry {
  return printed({ place, uuid, json: JSON.parse(payload) as Json });
}

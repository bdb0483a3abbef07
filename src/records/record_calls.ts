import { equalBytes, keyedHash, toHex } from "../canonical/keyed_hash.ts";
import type { Json } from "../canonical/plain.ts";
import { monotonicMs } from "../clock.ts";
import type { EmitEvent } from "../contracts/options/memory_options.ts";
import {
  isFunction,
  isRevoked,
  readFields,
  requireBoolean,
  requireInteger,
  requireSignal,
  requireSubject,
  requireText,
} from "../contracts/arguments.ts";
import type {
  Checkpoint,
  Fact,
  ForgetOptions,
  GetOptions,
  ListOptions,
  PurgeOptions,
  RecordIdentity,
  RecordInput,
  RecordPage,
  RecordValue,
  StoredRecord,
} from "../contracts/record.ts";
import type { CallOptions } from "../contracts/options/conversation_options.ts";
import type { PutOptions, UpdateOptions } from "../contracts/options/record_options.ts";
import { isBuiltIn, type RecordKind, requireIdentifier } from "../contracts/record_kind.ts";
import { tenantHash } from "../deletion/scope_hashes.ts";
import type { Engine } from "../engine/engine.ts";
import type { DeletionEvent, GroupTime } from "../engine/operation.ts";
import { ConflictError, ContractError } from "../errors.ts";
import {
  LIST_ITEMS_DEFAULT,
  LIST_ITEMS_MAX,
  OPERATION_ID_CODE_POINTS_MAX,
  RECORD_SECONDS_MAX,
  UPDATE_ATTEMPTS_DEFAULT,
  UPDATE_ATTEMPTS_MAX,
} from "../limits.ts";
import {
  type Ending,
  type Lifetime,
  LIFETIME_NAMES,
  lifetimeText,
  readLifetime,
} from "../contracts/options/lifetime.ts";
import { LateModule } from "../contracts/late_module.ts";
import { KindRecords } from "./kind_records.ts";
import { fromStored } from "./stored_value.ts";
import type { PutPlan } from "./put.ts";
import { toBody } from "./validate_value.ts";
import type { OperationKey } from "../tables/operation_ids.ts";
import { type Identity, isExpired, type RawValue, readValue, recordHash } from "../tables/records.ts";

// Loaded by the first list or change, to keep start-up short.
const READING = new LateModule(() => import("./read.ts"));
const PUTTING = new LateModule(() => import("./put.ts"));
const LABELLING = new LateModule(() => import("./label_record.ts"));
const FORGETTING = new LateModule(() => import("./forget.ts"));

const NO_OPTIONS: { readonly now?: undefined; readonly signal?: undefined } = Object.freeze({});

/** The plan of a put, for a transaction that runs it with others; not part of the public interface. */
export let planPutOf: (
  records: Records,
  identity: RecordIdentity,
  value: unknown,
  options: PutOptions,
) => PutPlan;

/**
 * Checkpoints, facts and other kinds of small, validated, expiring records. Writes compare and swap their revision.
 * Available as {@linkcode Memory.records}.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const identity = { tenantId: "acme", kind: "checkpoint", key: "deployment-7" } as const;
 * const revision = await memory.records.put(identity, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 60 });
 * assert.equal((await memory.records.get(identity))?.revision, revision);
 * ```
 */
export class Records {
  static {
    planPutOf = (records, ...given) => records.#planPut(...given, null).plan;
  }

  readonly #engine: Engine;
  readonly #kinds: ReadonlyMap<string, RecordKind>;
  readonly #tenantFormat: RecordKind["identifiers"];

  readonly #emit: EmitEvent;

  /** Use {@linkcode Memory.records} instead. */
  constructor(engine: Engine, kinds: ReadonlyMap<string, RecordKind>, emit: EmitEvent) {
    this.#engine = engine;
    this.#emit = emit;
    this.#kinds = kinds;
    this.#tenantFormat = [...kinds.values()].some((kind) => kind.identifiers === "text") ? "text" : "narrow";
  }

  /**
   * Writes a record if its revision is the expected one, and sets a new deadline. Durable when it resolves.
   *
   * @returns the new revision
   * @throws {ContractError} naming the invalid field
   * @throws {ConflictError} `REVISION` with the current one, `EXPIRED` (purge it first; a kind of your own replaces an
   * expired record if nothing is expected), `DELETED` (revoked), `IDEMPOTENCY`, or `CLOCK`
   * @throws {KindError} if a newer version of the kind wrote the record
   * @throws {StorageError} `BUSY`, `FULL`, `IO`, `READONLY`, `REPLACED`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const run = { tenantId: "acme", kind: "checkpoint", key: "deployment-7" } as const;
   * const start = { schema: 1, step: 0, items: [] } as const;
   * const revision = await memory.records.put(run, start, { expectedRevision: null, ttl: 3_600 });
   * await memory.records.put(run, { ...start, step: 1 }, { expectedRevision: revision, ttl: 3_600 });
   * // A writer that still has the old revision lost the race; the error has the current one.
   * const late = memory.records.put(run, { ...start, step: 2 }, { expectedRevision: revision, ttl: 3_600 });
   * await assert.rejects(late, { reason: "REVISION", currentRevision: revision + 1 });
   * ```
   */
  async put<Kind extends string>(
    identity: RecordIdentity<Kind>,
    value: RecordInput<Kind>,
    options: PutOptions<Kind>,
  ): Promise<number> {
    return await this.#put(identity, value, options as PutOptions, null);
  }

  /** Puts a record; one that is given no lifetime gets that of the last argument, where its kind requires none. */
  async #put(
    identity: RecordIdentity,
    value: unknown,
    options: PutOptions,
    unlessGiven: "kept" | null,
  ): Promise<number> {
    const { plan, signal } = this.#planPut(identity, value, options, unlessGiven);
    return await this.#engine.write((transaction) => PUTTING.module.putRecord(transaction, plan), {
      needs: PUTTING.load(),
      bytes: plan.body.length,
      signal,
    });
  }

  #planPut(
    identity: RecordIdentity,
    value: unknown,
    options: PutOptions,
    unlessGiven: "kept" | null,
  ): { readonly plan: PutPlan; readonly signal: AbortSignal | undefined } {
    const { kind, ...id } = this.#identity(identity);
    const body = toBody(kind, value);
    const given = readFields("options", options, [
      "expectedRevision",
      ...LIFETIME_NAMES,
      "now",
      "operationId",
      "maxAge",
      "subject",
      "signal",
    ]);
    const lifetime = requireLifetime(kind, given, unlessGiven);
    const maxAge = given.maxAge === undefined
      ? null
      : requireInteger("maxAge", given.maxAge, 1, RECORD_SECONDS_MAX);
    const expectedRevision = requireExpected(given.expectedRevision);
    const now = given.now === undefined ? null : requireNow(given.now);
    const record = { ...id, kind: kind.name };
    const subject = given.subject === undefined ? undefined : requireSubject(given.subject);
    const operation = this.#operation(id.tenantId, given.operationId, [
      "put",
      kind.name,
      id.key,
      body,
      lifetime === "kept" ? lifetime : `${lifetimeText(lifetime)}`,
      `${maxAge}`,
      ...given.subject === undefined ? [] : [`subject:${given.subject}`],
    ]);
    const keyHash = (): Uint8Array => recordHash(this.#engine.hashKey, record);
    const plan = {
      ...{ identity: record, keyHash, body, expectedRevision, maxAge, now, operation },
      ...{ lifetime, ttlMax: kind.ttlMax ?? RECORD_SECONDS_MAX },
      ...{ version: kind.version, replacesExpired: !isBuiltIn(kind) },
      ...{ subject, hashKey: this.#engine.hashKey },
    };
    return { plan, signal: requireSignal(given.signal) };
  }

  /**
   * Reads a record. It is visible while its deadline is after now; reading changes nothing.
   *
   * @returns a new copy, or null if there is no live record
   * @throws {ContractError} naming the invalid field
   * @throws {KindError} if a newer version of the kind wrote the value, or if it does not fit the kind any more
   * @throws {IntegrityError} if the record is damaged
   * @throws {StorageError} `BUSY`, `IO`, `CORRUPT`, `REPLACED`, `READONLY`, `CLOSED`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const run = { tenantId: "acme", kind: "checkpoint", key: "deployment-7" } as const;
   * const start = { schema: 1, step: 0, items: [] } as const;
   * assert.equal(await memory.records.get(run), null);
   * await memory.records.put(run, start, { expectedRevision: null, ttl: 60, now: 1_000 });
   * assert.deepEqual((await memory.records.get(run, { now: 1_059 }))?.value, start);
   * assert.equal(await memory.records.get(run, { now: 1_060 }), null);
   * ```
   */
  get(identity: RecordIdentity<"checkpoint">, options?: GetOptions): Promise<StoredRecord<Checkpoint> | null>;
  /** Reads a fact. */
  get(identity: RecordIdentity<"fact">, options?: GetOptions): Promise<StoredRecord<Fact> | null>;
  /** Reads a record of any kind. */
  get<Value = Json>(identity: RecordIdentity, options?: GetOptions): Promise<StoredRecord<Value> | null>;
  async get(
    identity: RecordIdentity,
    options: GetOptions = NO_OPTIONS,
  ): Promise<StoredRecord<unknown> | null> {
    const { kind, tenantId, key } = this.#identity(identity);
    const given = options === NO_OPTIONS ? NO_OPTIONS : readFields("options", options, ["now", "signal"]);
    if (given.now !== undefined) requireNow(given.now);
    const signal = requireSignal(given.signal);
    signal?.throwIfAborted();
    const record = { tenantId, kind: kind.name, key };
    const peeked = this.#engine.peek?.((transaction) => readValue(transaction, record));
    const found = peeked === undefined ? await this.#read(record, signal) : peeked;
    if (found === null) return null;
    const { revision, expires } = found;
    // The time is taken after the read, which may have seen a clock mark that another process wrote.
    if (isExpired(expires, this.#now(given.now))) return null;
    return { revision, expires, value: fromStored(kind, found) };
  }

  #read(record: Identity, signal: AbortSignal | undefined): Promise<RawValue | null> {
    return this.#engine.read((transaction) => readValue(transaction, record), {
      concerns: (event) =>
        equalBytes(event.keyHash, recordHash(this.#engine.hashKey, record)) ||
        event.kind === "erase" && this.#concernsTenant(event, record.tenantId),
      signal,
    });
  }

  /**
   * Removes a record, expired or not, if its revision is the expected one.
   *
   * The removal is recorded in the deletion ledger, so that no restore brings the record back. With `revoke` the identity is
   * permanently reserved, even if there is no record.
   *
   * @returns true only if a record was removed; false is no proof of absence
   * @throws {ContractError} naming the invalid field
   * @throws {ConflictError} `IDEMPOTENCY`
   * @throws {StorageError} as `put`; with `details.recorded` the removal is irrevocable and will be completed
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const run = { tenantId: "acme", kind: "checkpoint", key: "deployment-7" } as const;
   * const start = { schema: 1, step: 0, items: [] } as const;
   * const revision = await memory.records.put(run, start, { expectedRevision: null, ttl: 3_600 });
   * assert.equal(await memory.records.forget(run, revision), true);
   * assert.equal(await memory.records.get(run), null);
   * assert.equal((await memory.deletionWatermark()).sequence, 1);
   * ```
   */
  async forget(
    identity: RecordIdentity,
    expectedRevision: number | null,
    options: ForgetOptions = NO_OPTIONS,
  ): Promise<boolean> {
    const { kind, tenantId, key } = this.#identity(identity);
    const given = readFields("options", options, ["revoke", "operationId", "signal"]);
    const record = { tenantId, kind: kind.name, key };
    const revoke = given.revoke === undefined ? false : requireBoolean("revoke", given.revoke);
    const plan = {
      identity: record,
      scopeHash: tenantHash(this.#engine.hashKey, tenantId),
      keyHash: recordHash(this.#engine.hashKey, record),
      expectedRevision: requireExpected(expectedRevision),
      revoke,
      operation: this.#operation(tenantId, given.operationId, ["forget", kind.name, key, `${revoke}`]),
    };
    const startedMs = monotonicMs();
    const removed = await this.#engine.write(
      (transaction) => FORGETTING.module.forgetRecord(transaction, plan),
      {
        needs: FORGETTING.load(),
        ledger: true,
        signal: requireSignal(given.signal),
      },
    );
    this.#emit({ operation: "forget", counts: { records: removed ? 1 : 0 } }, startedMs);
    return removed;
  }

  /**
   * Sets the person whose data a record is, or removes it with null. `memory.erase` finds all sessions and records of a
   * person by it. Neither the value nor the revision changes; a restore of an older backup sets the subject too.
   *
   * @returns whether there is such a record, expired or not
   * @throws {ContractError} naming the field
   * @throws {IntegrityError} if the row is damaged
   * @throws {StorageError} as `put`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const fact = { tenantId: "acme", kind: "fact", key: "language" } as const;
   * const value = { schema: 1, text: "Speaks Welsh.", source: "ticket-7", reviewed: true } as const;
   * await memory.records.put(fact, value, { expectedRevision: null, ttl: 3_600 });
   * assert.equal(await memory.records.label(fact, "gwen@example.org"), true);
   * const { erased } = await memory.erase({ tenantId: "acme", subject: "gwen@example.org" });
   * assert.equal(erased.records, 1);
   * ```
   */
  async label(
    identity: RecordIdentity,
    subject: string | null,
    options: CallOptions = NO_OPTIONS,
  ): Promise<boolean> {
    const { kind, tenantId, key } = this.#identity(identity);
    const signal = requireSignal(readFields("options", options, ["signal"]).signal);
    const { hashKey } = this.#engine;
    const record = { tenantId, kind: kind.name, key };
    const plan = {
      identity: record,
      hashKey,
      scopeHash: tenantHash(hashKey, tenantId),
      keyHash: recordHash(hashKey, record),
      subject: subject === null ? null : requireSubject(subject),
    };
    const needs = LABELLING.load();
    // The name is written first: the event, which holds none, may outlive what is written with it.
    const found = await this.#engine.write((transaction) => LABELLING.module.nameRecord(transaction, plan), {
      needs,
      signal,
    });
    if (found !== "other") return found !== "none";
    return await this.#engine.write((transaction) => LABELLING.module.labelRecord(transaction, plan), {
      ledger: true,
      signal,
    });
  }

  /**
   * Removes a tenant's records of every kind whose deadline is not after now; never another tenant's.
   *
   * @returns how many were removed
   * @throws {ContractError} naming the invalid field
   * @throws {StorageError} as `put`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const run = { tenantId: "acme", kind: "checkpoint", key: "deployment-7" } as const;
   * const start = { schema: 1, step: 0, items: [] } as const;
   * await memory.records.put(run, start, { expectedRevision: null, ttl: 60, now: 1_000 });
   * assert.equal(await memory.records.purge("acme", { now: 1_059 }), 0);
   * assert.equal(await memory.records.purge("acme", { now: 1_060 }), 1);
   * ```
   */
  async purge(tenantId: string, options: PurgeOptions = NO_OPTIONS): Promise<number> {
    const whose = requireIdentifier("tenantId", tenantId, this.#tenantFormat);
    const given = readFields("options", options, ["now", "signal"]);
    const now = given.now === undefined ? null : requireNow(given.now);
    const startedMs = monotonicMs();
    const records = await this.#engine.write(
      (transaction) => READING.module.purgeRecords(transaction, whose, now),
      { needs: READING.load(), signal: requireSignal(given.signal) },
    );
    this.#emit({ operation: "purge", counts: { records } }, startedMs);
    return records;
  }

  /**
   * Reads a record, computes a new value, and puts it; after a conflict it rereads and recomputes. If `change` returns
   * `null`, nothing is written.
   *
   * @returns the new revision, or the revision read if nothing was written
   * @throws {ContractError} naming the invalid field
   * @throws {ConflictError} `MISSING` if there is no live record, `REVISION` after the last attempt, otherwise as `put`
   * @throws {KindError} as `get`
   * @throws {StorageError} as `get` and `put`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const run = { tenantId: "acme", kind: "checkpoint", key: "deployment-7" } as const;
   * const start = { schema: 1, step: 0, items: [] } as const;
   * await memory.records.put(run, start, { expectedRevision: null, ttl: 3_600 });
   * const note = (item: string) =>
   *   memory.records.update(run, (now) => ({ ...now, items: [...now.items, item] }), { ttl: 3_600 });
   * await Promise.all([note("build"), note("test")]);
   * assert.deepEqual((await memory.records.get(run))?.value.items.toSorted(), ["build", "test"]);
   * ```
   */
  async update<Kind extends string, Value = RecordValue<Kind>>(
    identity: RecordIdentity<Kind>,
    change: (value: Value) => RecordInput<Kind> | null | Promise<RecordInput<Kind> | null>,
    options: UpdateOptions<Kind>,
  ): Promise<number> {
    const { kind } = this.#identity(identity);
    if (!isFunction(change)) throw new ContractError("change", "Expected change to be a function");
    const given = readFields("options", options, [...LIFETIME_NAMES, "attempts", "signal"]);
    const lasting = lifetimeOptions(requireLifetime(kind, given, "kept"));
    const attempts = given.attempts === undefined
      ? UPDATE_ATTEMPTS_DEFAULT
      : requireInteger("attempts", given.attempts, 1, UPDATE_ATTEMPTS_MAX);
    const signal = requireSignal(given.signal);
    for (let attempt = 1;; attempt++) {
      const found = await this.get<Value>(identity, { signal });
      if (found === null) throw missing();
      const changed = change(found.value);
      if (isRevoked(changed)) throw new ContractError("change", "Expected change to return a value");
      const value = await changed;
      if (value === null) return found.revision;
      try {
        const options = { ...lasting, expectedRevision: found.revision, signal };
        return await this.#put(identity, value, options, "kept");
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error;
        if (error.reason === "EXPIRED") throw missing();
        if (error.reason !== "REVISION" || attempt >= attempts) throw error;
      }
    }
  }

  /**
   * Lists a tenant's live records by kind and key, in code point order, without their values.
   *
   * @returns one page, and the cursor of the next
   * @throws {ContractError} naming the invalid field
   * @throws {IntegrityError} if a listed row is damaged
   * @throws {StorageError} as `get`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { openMemory } from "@holdfast/memory";
   *
   * await using memory = await openMemory(":memory:");
   * const run = { tenantId: "acme", kind: "checkpoint", key: "deployment-7" } as const;
   * const start = { schema: 1, step: 0, items: [] } as const;
   * await memory.records.put(run, start, { expectedRevision: null, ttl: 3_600 });
   * const { items, next } = await memory.records.list("acme");
   * assert.deepEqual([items.map(({ key }) => key), next], [["deployment-7"], null]);
   * ```
   */
  async list(tenantId: string, options: ListOptions = NO_OPTIONS): Promise<RecordPage> {
    const whose = requireIdentifier("tenantId", tenantId, this.#tenantFormat);
    const given = readFields("options", options, ["kind", "after", "limit", "now", "signal"]);
    const kind = given.kind === undefined ? null : this.#kind(given.kind).name;
    const limit = given.limit === undefined
      ? LIST_ITEMS_DEFAULT
      : requireInteger("limit", given.limit, 0, LIST_ITEMS_MAX);
    if (given.now !== undefined) requireNow(given.now);
    const after = readCursor(given.after, kind);
    const signal = requireSignal(given.signal);
    // The time is taken within the read, which may see a clock mark that another process wrote.
    const found = await this.#engine.read(
      (transaction) =>
        READING.module.listRecords(transaction, {
          tenantId: whose,
          kind,
          after,
          limit: limit + 1,
          now: this.#now(given.now, transaction),
        }),
      { concerns: (event) => this.#concernsTenant(event, whose), needs: READING.load(), signal },
    );
    const items = found.slice(0, limit).map(({ kind, key, revision, expires }) => ({
      kind,
      key,
      revision,
      expires,
    }));
    const last = items.at(-1);
    return { items, next: found.length > limit && last !== undefined ? `${last.kind}/${last.key}` : null };
  }

  /**
   * Returns a handle on the records of one kind, typed by its schema; reads and writes nothing.
   *
   * @param kind one that was passed to `openMemory`
   * @throws {ContractError} `kind`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { defineKind, openMemory } from "@holdfast/memory";
   * import { z } from "zod";
   *
   * const customer = defineKind("customer", z.strictObject({ name: z.string() }));
   * await using memory = await openMemory(":memory:", { kinds: [customer] });
   * const customers = memory.records.of(customer);
   * await customers.put({ tenantId: "acme", key: "ann@example.com" }, { name: "Ann" }, { expectedRevision: null });
   * const { items: [ann] } = await customers.list("acme");
   * assert.deepEqual([ann?.key, ann?.value?.name], ["ann@example.com", "Ann"]);
   * ```
   */
  of<Value>(kind: RecordKind<Value>): KindRecords<Value> {
    if (![...this.#kinds.values()].includes(kind) || isBuiltIn(kind)) {
      throw new ContractError("kind", "Expected kind to be one of those passed to openMemory");
    }
    return new KindRecords(this, kind, {
      read: (tenantId, factory, options) =>
        this.#engine.read(factory, {
          ...options,
          concerns: (event) => this.#concernsTenant(event, tenantId),
        }),
      time: (given) => {
        const now = given === undefined ? undefined : requireNow(given);
        return (transaction) => this.#now(now, transaction);
      },
    });
  }

  #identity(identity: unknown): Omit<Identity, "kind"> & { readonly kind: RecordKind } {
    const { tenantId, kind, key } = readFields("identity", identity, ["tenantId", "kind", "key"]);
    const known = this.#kind(kind);
    return {
      tenantId: requireIdentifier("tenantId", tenantId, known.identifiers),
      kind: known,
      key: requireIdentifier("key", key, known.identifiers),
    };
  }

  #kind(name: unknown): RecordKind {
    const kind = typeof name === "string" ? this.#kinds.get(name) : undefined;
    if (kind === undefined) {
      throw new ContractError("kind", "Expected kind to be checkpoint, fact, or a kind passed to openMemory");
    }
    return kind;
  }

  #now(given: unknown, store: { time(): GroupTime } = this.#engine): number {
    return given === undefined ? Math.floor(store.time().effectiveMs / 1000) : requireNow(given);
  }

  #operation(tenant: string, id: unknown, input: readonly string[]): OperationKey | null {
    if (id === undefined) return null;
    const text = requireText("operationId", id, OPERATION_ID_CODE_POINTS_MAX);
    const { hashKey } = this.#engine;
    const scopeHash = tenantHash(hashKey, tenant);
    return {
      scopeHash,
      operationHash: keyedHash(hashKey, ["operation", toHex(scopeHash), text]),
      inputHash: keyedHash(hashKey, ["input", toHex(scopeHash), ...input]),
    };
  }

  #concernsTenant(event: DeletionEvent, tenant: string): boolean {
    return (event.kind === "record" || event.kind === "erase") &&
      equalBytes(event.scopeHash, tenantHash(this.#engine.hashKey, tenant));
  }
}

/** Requires a lifetime as the kind has it; null where it never ends. Only kinds without a longest one need none. */
function requireLifetime(
  { ttlMax }: RecordKind,
  given: Parameters<typeof readLifetime>[0],
  unlessGiven: "kept" | null,
): Ending | "kept" | null {
  const lifetime = readLifetime(given, { ttlMax: ttlMax ?? RECORD_SECONDS_MAX, orNever: ttlMax === null });
  if (lifetime !== undefined) return lifetime;
  if (ttlMax === null) return unlessGiven;
  throw new ContractError("ttl", "Expected ttl, in seconds, or expiresAt");
}

/** A lifetime as the options that say the same. */
function lifetimeOptions(lifetime: Ending | "kept" | null): Lifetime {
  if (lifetime === "kept") return {};
  if (lifetime === null) return { ttl: null };
  return "ttl" in lifetime ? { ttl: lifetime.ttl } : { expiresAt: lifetime.at.text };
}

function requireNow(now: unknown): number {
  return requireInteger("now", now, 0, RECORD_SECONDS_MAX);
}

function requireExpected(expected: unknown): number | null {
  if (expected === null) return null;
  const field = "expectedRevision";
  if (typeof expected === "number") return requireInteger(field, expected, 1, Number.MAX_SAFE_INTEGER);
  throw new ContractError(field, `Expected ${field} to be a revision, or null to create the record`);
}

/** Parses a cursor. Kinds contain no slash, so the first one ends the kind. */
function readCursor(after: unknown, listed: string | null): { readonly kind: string; readonly key: string } {
  if (after === undefined) return { kind: "", key: "" };
  const cut = typeof after === "string" && after.isWellFormed() ? after.indexOf("/") : -1;
  if (typeof after !== "string" || cut < 1 || after.includes("\0")) {
    throw new ContractError("after", "Expected after to be the next of an earlier page");
  }
  const kind = after.slice(0, cut);
  if (listed !== null && kind !== listed) {
    throw new ContractError("after", "Expected after to be the next of a page of the same kind");
  }
  return { kind, key: after.slice(cut + 1) };
}

function missing(): ConflictError {
  return new ConflictError("MISSING", "Cannot update record: there is no live record", {
    currentRevision: null,
  });
}

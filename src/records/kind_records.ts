import { yieldIfBusy } from "../clock.ts";
import { readFields, requireInteger, requireList, requireSignal } from "../contracts/arguments.ts";
import { LateModule } from "../contracts/late_module.ts";
import type {
  ListValuesOptions,
  RecordPlace,
  ValueItem,
  ValuePage,
} from "../contracts/options/kind_options.ts";
import type { PutOptions, UpdateOptions } from "../contracts/options/record_options.ts";
import type { ForgetOptions, GetOptions, RecordIdentity, StoredRecord } from "../contracts/record.ts";
import { type RecordKind, requireIdentifier } from "../contracts/record_kind.ts";
import type { GroupTime, Operation, ReadTransaction } from "../engine/operation.ts";
import { ContractError } from "../errors.ts";
import { GET_MANY_KEYS_MAX, LIST_ITEMS_DEFAULT, LIST_ITEMS_MAX, LIST_VALUES_BYTES_MAX } from "../limits.ts";
import { isExpired } from "../tables/records.ts";
import type { KeyedValue, ValueRange } from "./list_values.ts";
import type { Records } from "./record_calls.ts";
import { readStored } from "./stored_value.ts";

// Loaded by the first list, to keep start-up short.
const VALUES = new LateModule(() => import("./list_values.ts"));

/** What the calls on one kind need of the store. */
interface KindReading {
  /** Reads one moment of a tenant's records. */
  read<T>(
    tenantId: string,
    factory: (transaction: ReadTransaction) => Operation<T>,
    options: { readonly needs: Promise<void> | undefined; readonly signal: AbortSignal | undefined },
  ): Promise<T>;
  /** The time of a call in seconds: as given, or the store's at the moment of a transaction. */
  time(given: unknown): (transaction: { time(): GroupTime }) => number;
}

/**
 * Records of one kind, typed by its schema. Returned by {@linkcode Records.of}.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { defineKind, openMemory } from "@holdfast/memory";
 * import { z } from "zod";
 *
 * const deployment = defineKind("deployment", z.strictObject({ step: z.enum(["build", "test", "release"]) }));
 * await using memory = await openMemory(":memory:", { kinds: [deployment] });
 * const deployments = memory.records.of(deployment);
 * const shop = { tenantId: "acme", key: "web-shop" };
 * await deployments.put(shop, { step: "build" }, { expectedRevision: null });
 * await deployments.update(shop, (value) => ({ ...value, step: "test" }));
 * assert.equal((await deployments.get(shop))?.value.step, "test");
 * ```
 */
export class KindRecords<Value> {
  readonly #records: Records;
  readonly #kind: RecordKind;
  readonly #reading: KindReading;

  /** Use {@linkcode Records.of} instead. */
  constructor(records: Records, kind: RecordKind, reading: KindReading) {
    this.#records = records;
    this.#kind = kind;
    this.#reading = reading;
  }

  /**
   * Writes a record as {@linkcode Records.put} does. Durable when it resolves.
   *
   * @returns the new revision
   * @throws {ContractError} naming the field, also where the value is no plain JSON or does not fit the kind
   * @throws {ConflictError} `REVISION`, `EXPIRED`, `DELETED`, `IDEMPOTENCY`, or `CLOCK`
   * @throws {KindError} if a newer version of the kind wrote the record
   * @throws {StorageError} as `Records.put`
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
   * const ann = { tenantId: "acme", key: "ann@example.com" };
   * const revision = await customers.put(ann, { name: "Ann" }, { expectedRevision: null });
   * await customers.put(ann, { name: "Ann Lee" }, { expectedRevision: revision });
   * assert.equal((await customers.get(ann))?.value.name, "Ann Lee");
   * ```
   */
  async put(place: RecordPlace, value: Value, options: PutOptions): Promise<number> {
    return await this.#records.put(this.#identity(place), value, options);
  }

  /**
   * Reads a record as {@linkcode Records.get} does.
   *
   * @returns a new copy, migrated to the version of the kind; null if there is no live record
   * @throws {ContractError} naming the field
   * @throws {KindError} if a newer version of the kind wrote the value, or if it does not fit the kind any more
   * @throws {IntegrityError} if the record is damaged
   * @throws {StorageError} as `Records.get`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { defineKind, openMemory } from "@holdfast/memory";
   * import { z } from "zod";
   *
   * const plan = defineKind("plan", z.array(z.string()));
   * await using memory = await openMemory(":memory:", { kinds: [plan] });
   * const plans = memory.records.of(plan);
   * const lisbon = { tenantId: "acme", key: "trips/lisbon" };
   * assert.equal(await plans.get(lisbon), null);
   * await plans.put(lisbon, ["flight"], { expectedRevision: null });
   * assert.deepEqual(await plans.get(lisbon), { revision: 1, expires: null, value: ["flight"] });
   * ```
   */
  async get(place: RecordPlace, options?: GetOptions): Promise<StoredRecord<Value> | null> {
    return await this.#records.get<Value>(this.#identity(place), options);
  }

  /**
   * Reads a record, computes a new value, and puts it, as {@linkcode Records.update} does. Without a lifetime, the record
   * keeps the one that it has.
   *
   * @returns the new revision, or the revision read if `change` returned `null`
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `MISSING` if there is no live record, `REVISION` after the last attempt, otherwise as `put`
   * @throws {KindError} as `get`
   * @throws {StorageError} as `Records.update`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { defineKind, openMemory } from "@holdfast/memory";
   * import { z } from "zod";
   *
   * const budget = defineKind("budget", z.strictObject({ tokens: z.int() }));
   * await using memory = await openMemory(":memory:", { kinds: [budget] });
   * const budgets = memory.records.of(budget);
   * const run = { tenantId: "acme", key: "review-42" };
   * await budgets.put(run, { tokens: 1_000 }, { expectedRevision: null });
   * const spend = (tokens: number) => budgets.update(run, (value) => ({ tokens: value.tokens - tokens }));
   * await Promise.all([spend(300), spend(200)]);
   * assert.equal((await budgets.get(run))?.value.tokens, 500);
   * ```
   */
  async update(
    place: RecordPlace,
    change: (value: Value) => Value | null | Promise<Value | null>,
    options: UpdateOptions = {},
  ): Promise<number> {
    return await this.#records.update<string, Value>(this.#identity(place), change, options);
  }

  /**
   * Removes a record as {@linkcode Records.forget} does: recorded in the deletion ledger, so that no restore brings it back.
   *
   * @returns true only if a record was removed
   * @throws {ContractError} naming the field
   * @throws {ConflictError} `IDEMPOTENCY`
   * @throws {StorageError} as `Records.forget`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { defineKind, openMemory } from "@holdfast/memory";
   * import { z } from "zod";
   *
   * const note = defineKind("note", z.string());
   * await using memory = await openMemory(":memory:", { kinds: [note] });
   * const notes = memory.records.of(note);
   * const door = { tenantId: "acme", key: "door" };
   * const revision = await notes.put(door, "The code is 4711.", { expectedRevision: null });
   * assert.equal(await notes.forget(door, revision), true);
   * assert.equal(await notes.get(door), null);
   * ```
   */
  async forget(
    place: RecordPlace,
    expectedRevision: number | null,
    options?: ForgetOptions,
  ): Promise<boolean> {
    return await this.#records.forget(this.#identity(place), expectedRevision, options);
  }

  /**
   * Lists a tenant's live records of the kind with their values, by key or the newest first.
   *
   * A record whose value does not fit the kind is listed with its `error`.
   *
   * @returns one page, and the cursor of the next. Pages neither repeat nor skip a record that is not written meanwhile
   * @throws {ContractError} naming the field
   * @throws {IntegrityError} if a listed row is damaged
   * @throws {StorageError} as `get`
   *
   * @example
   * ```ts
   * import assert from "node:assert/strict";
   * import { defineKind, openMemory } from "@holdfast/memory";
   * import { z } from "zod";
   *
   * const file = defineKind("file", z.strictObject({ summary: z.string() }));
   * await using memory = await openMemory(":memory:", { kinds: [file] });
   * const files = memory.records.of(file);
   * for (const key of ["src/open.ts", "src/close.ts", "README.md"]) {
   *   await files.put({ tenantId: "acme", key }, { summary: `What ${key} does.` }, { expectedRevision: null });
   * }
   * const { items } = await files.list("acme", { prefix: "src/" });
   * assert.deepEqual(items.map(({ value }) => value?.summary), ["What src/close.ts does.", "What src/open.ts does."]);
   * const newest = await files.list("acme", { order: "newest", limit: 1 });
   * assert.equal(newest.items[0]?.key, "README.md");
   * assert.equal((await files.list("acme", { order: "newest", after: newest.next! })).items.length, 2);
   * ```
   */
  async list(tenantId: string, options: ListValuesOptions = {}): Promise<ValuePage<Value>> {
    const kind = this.#kind;
    const whose = requireIdentifier("tenantId", tenantId, kind.identifiers);
    const given = readFields("options", options, ["prefix", "order", "after", "limit", "now", "signal"]);
    const order = requireOrder(given.order);
    const prefix = requirePrefix(given.prefix);
    const asked = given.limit === undefined
      ? LIST_ITEMS_DEFAULT
      : requireInteger("limit", given.limit, 1, LIST_ITEMS_MAX);
    const limit = Math.min(asked, Math.max(1, Math.floor(LIST_VALUES_BYTES_MAX / kind.maxBytes)));
    const from = readCursor(given.after, order, prefix);
    const time = this.#reading.time(given.now);
    const signal = requireSignal(given.signal);
    const found = await this.#reading.read(
      whose,
      (transaction) =>
        VALUES.module.listValues(transaction, {
          ...{ tenantId: whose, kind: kind.name, from, order, prefix },
          limit: limit + 1,
          now: time(transaction),
        }),
      { needs: VALUES.load(), signal },
    );
    const after = found[limit];
    return {
      items: await this.#items(found.slice(0, limit)),
      next: after === undefined ? null : `${order}:${order === "key" ? after.key : after.revision}`,
    };
  }

  /**
   * Reads several records of a tenant at one moment.
   *
   * @param keys at most 100
   * @returns one item for each key, in the same order; null where there is no live record. A record whose value does not fit
   * the kind is an item with its `error`
   * @throws {ContractError} naming the field
   * @throws {IntegrityError} if one of the rows is damaged
   * @throws {StorageError} as `get`
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
   * const [ann, ben] = await customers.getMany("acme", ["ann@example.com", "ben@example.com"]);
   * assert.deepEqual([ann?.value, ben], [{ name: "Ann" }, null]);
   * ```
   */
  async getMany(
    tenantId: string,
    keys: readonly string[],
    options: GetOptions = {},
  ): Promise<readonly (ValueItem<Value> | null)[]> {
    const { name: kind, identifiers } = this.#kind;
    const whose = requireIdentifier("tenantId", tenantId, identifiers);
    const asked = requireList("keys", keys, GET_MANY_KEYS_MAX)
      .map((key, index) => requireIdentifier(`keys[${index}]`, key, identifiers));
    const given = readFields("options", options, ["now", "signal"]);
    const time = this.#reading.time(given.now);
    const signal = requireSignal(given.signal);
    const found = await this.#reading.read(
      whose,
      function* (transaction): Operation<readonly (KeyedValue | null)[]> {
        const values = yield* VALUES.module.readValues(transaction, { tenantId: whose, kind }, asked);
        const now = time(transaction);
        return values.map((value) => value === null || isExpired(value.expires, now) ? null : value);
      },
      { needs: VALUES.load(), signal },
    );
    const items = (await this.#items(found.filter((value) => value !== null))).values();
    return found.map((value) => value === null ? null : items.next().value!);
  }

  /** Runs the kind's migration and schema, so it is called outside transactions. */
  async #items(stored: readonly KeyedValue[]): Promise<readonly ValueItem<Value>[]> {
    const items: ValueItem<Value>[] = [];
    for (const each of stored) {
      const { key, revision, expires } = each;
      items.push({ key, revision, expires, ...readStored(this.#kind, each) } as ValueItem<Value>);
      await yieldIfBusy();
    }
    return items;
  }

  #identity(place: RecordPlace): RecordIdentity {
    const { tenantId, key } = readFields("place", place, ["tenantId", "key"]);
    return { tenantId, kind: this.#kind.name, key } as RecordIdentity;
  }
}

function requireOrder(order: unknown): ValueRange["order"] {
  if (order === undefined || order === "key" || order === "newest") return order ?? "key";
  throw new ContractError("order", 'Expected order to be "key" or "newest"');
}

function requirePrefix(prefix: unknown): string {
  if (prefix === undefined || prefix === "") return "";
  return requireIdentifier("prefix", prefix, "text");
}

const REVISION = /^[1-9]\d{0,15}$/;

/** Parses a cursor, with which the next page begins: its first key, or its first revision. */
function readCursor(after: unknown, order: ValueRange["order"], prefix: string): string | number | null {
  if (after === undefined) return null;
  const rest = typeof after === "string" && after.startsWith(`${order}:`)
    ? after.slice(order.length + 1)
    : "";
  if (order === "newest" && REVISION.test(rest)) return Number(rest);
  if (
    order === "key" && rest.startsWith(prefix) && rest.isWellFormed() && !/\p{Cc}/u.test(rest) && rest !== ""
  ) {
    return rest;
  }
  throw new ContractError(
    "after",
    "Expected after to be the next of an earlier page in the same order and prefix",
  );
}

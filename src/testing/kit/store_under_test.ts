/** One store under test, with a way to look at its rows and to damage them, both through its own engine. */

import assert from "node:assert/strict";
import { toHex } from "../../canonical/keyed_hash.ts";
import type { StoreOptions } from "../../contracts/options/memory_options.ts";
import type { Operation, RecordedEvent, StoreFacts } from "../../engine/operation.ts";
import type { Row, SqlValue } from "../../engine/values.ts";
import { StorageError } from "../../errors.ts";
import { engineOf, type Memory } from "../../memory.ts";
import { columnName, type TableShape } from "../../tables/schema/descriptor.ts";
import { MAIN_TABLES } from "../../tables/schema/main_tables.ts";
import type { RefusedChange, TestEngine, TestPlace } from "./test_engine.ts";

/** A table whose rows become objects. */
interface ReadableTable<Fields> extends TableShape {
  toFields(row: Row): Fields;
}

/** What an engine keeps of itself, in tables that a commit changes; `facts` has what they say. */
const ENGINES_OWN: ReadonlySet<string> = new Set(["meta"]);

/** Stands for the clock while a test looks: no store has seen an earlier time. */
const EARLIEST_MS = 0;

/** Opens the same store as often as a test wants, and at the end checks it, closes it and removes it. */
export class StoreUnderTest implements AsyncDisposable {
  /** Where it is. */
  readonly place: TestPlace;
  /** Set by tests that damage the store on purpose: no check at the end. */
  damaged = false;
  readonly #engine: TestEngine;
  readonly #opened: Memory[] = [];
  #looks = 0;

  constructor(engine: TestEngine, place: TestPlace) {
    this.#engine = engine;
    this.place = place;
  }

  async open(options: StoreOptions = {}): Promise<Memory> {
    const memory = await this.place.open({ ...options, ...this.#withPatientClock(options) });
    this.#opened.push(memory);
    return memory;
  }

  /** Rows of a table in the order of its key, as the store sees them. */
  async rows<Fields>(table: ReadableTable<Fields>): Promise<readonly Fields[]> {
    return (await this.#readTable(table)).map((row) => table.toFields(row));
  }

  /** The same, as lists of chosen fields. */
  async cells<Fields, Name extends keyof Fields>(
    table: ReadableTable<Fields>,
    ...names: readonly Name[]
  ): Promise<readonly (readonly Fields[Name][])[]> {
    return (await this.rows(table)).map((fields) => names.map((name) => fields[name]));
  }

  /** How many rows a table has. */
  async count(table: TableShape): Promise<number> {
    return (await this.#readTable(table)).length;
  }

  /** What the store says of itself. */
  async facts(): Promise<StoreFacts> {
    return await this.#look((memory) => engineOf(memory).read((transaction) => transaction.facts()));
  }

  /** The newest revision of the store-wide counter. */
  async counter(): Promise<number> {
    return (await this.facts()).counter;
  }

  /** The highest time that the store has seen, in milliseconds. */
  highestTimeMs(): number {
    return engineOf(this.#newest()).highestTimeMs();
  }

  /** Every deletion that was applied, oldest first. */
  async events(): Promise<readonly RecordedEvent[]> {
    return await this.#look((memory) =>
      engineOf(memory).read(function* (transaction): Operation<readonly RecordedEvent[]> {
        const events: RecordedEvent[] = [];
        const { applied } = yield* transaction.facts();
        for (let sequence = 1; sequence <= applied; sequence++) {
          const event = yield* transaction.eventAt(sequence);
          assert(event !== null, `event ${sequence} is there`);
          events.push(event);
        }
        return events;
      })
    );
  }

  /** Overwrites columns of the rows that hold these values, with no regard to checksums; of all rows if omitted. */
  async damage(
    table: TableShape,
    columns: Readonly<Record<string, SqlValue>>,
    where: Readonly<Record<string, SqlValue>> = {},
  ): Promise<void> {
    const [names, keys] = [Object.keys(columns), Object.keys(where)];
    const sets = names.map((name, place) => `${columnName(name)} = $${place + 1}`).join(", ");
    const wheres = keys.map((name, place) => `${columnName(name)} = $${names.length + place + 1}`);
    const condition = keys.length === 0 ? "" : ` WHERE ${wheres.join(" AND ")}`;
    await this.change(`UPDATE ${table.name} SET ${sets}${condition}`, [
      ...Object.values(columns),
      ...Object.values(where),
    ]);
  }

  /** Runs one statement that the store itself has no call for. */
  async change(sql: string, parameters: readonly SqlValue[] = []): Promise<void> {
    await this.#look((memory) =>
      engineOf(memory).write((transaction) => transaction.run(sql, ...parameters), { alone: true })
    );
  }

  /** Makes the database refuse a change, until the result is called. */
  async refuse(change: RefusedChange): Promise<() => Promise<void>> {
    return await this.#engine.refuse!(this.place, change);
  }

  /** Everything that the store holds, in a form that can be compared. */
  async state(): Promise<unknown> {
    if (this.place.state !== undefined) return await this.place.state();
    const tables: Record<string, unknown> = {};
    for (const table of MAIN_TABLES.filter(({ name }) => !ENGINES_OWN.has(name))) {
      tables[table.name] = (await this.#readTable(table)).map((row) => row.map(toComparable));
    }
    const { hashKey: _hashKey, ...facts } = await this.facts();
    const watermark = await this.#look((memory) => engineOf(memory).watermark());
    return { tables, facts, watermark };
  }

  /** Requires that a call rejects as told, and that the store holds the same as before. */
  async assertChangesNothing(call: () => Promise<unknown>, error: assert.AssertPredicate): Promise<void> {
    await this.assertUnchangedBy(() => assert.rejects(call, error));
  }

  /** Requires that the store holds the same after this as before. */
  async assertUnchangedBy(body: () => Promise<void>): Promise<void> {
    const before = await this.state();
    await body();
    assert.deepEqual(await this.state(), before);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      for (const memory of this.#opened) {
        if (!this.damaged) await assertIntactIfOpen(memory);
      }
    } finally {
      for (const memory of this.#opened) await memory.close();
      await this.place.remove();
    }
  }

  #newest(): Memory {
    const memory = this.#opened.at(-1);
    assert(memory !== undefined, "the store was opened");
    return memory;
  }

  async #readTable(table: TableShape): Promise<readonly Row[]> {
    const order = table.key.length === 0 ? "" : ` ORDER BY ${table.key.map(columnName).join(", ")}`;
    return await this.#look((memory) =>
      engineOf(memory).read((transaction) => transaction.all(`${table.select}${order}`))
    );
  }

  /** Looks at the newest opening, while the clock of the test is left alone. */
  async #look<T>(look: (memory: Memory) => Promise<T>): Promise<T> {
    this.#looks++;
    try {
      return await look(this.#newest());
    } finally {
      this.#looks--;
    }
  }

  /** A test's clock may be broken on purpose, and is asked only on behalf of the test's own calls. */
  #withPatientClock({ clock }: StoreOptions): Pick<StoreOptions, "clock"> {
    if (typeof clock !== "function") return {};
    return { clock: () => this.#looks > 0 ? EARLIEST_MS : clock() };
  }
}

function toComparable(value: SqlValue): SqlValue {
  return value instanceof Uint8Array ? toHex(value) : value;
}

/** Requires that `check()` finds nothing damaged. */
async function assertIntactIfOpen(memory: Memory): Promise<void> {
  try {
    const { ok, problems } = await memory.check();
    const found = problems.map(({ database, table, row, problem }) =>
      `${database} ${table} ${row}: ${problem}`
    );
    assert.deepEqual(found, [], "check() found problems");
    assert.equal(ok, true);
  } catch (error) {
    if (!(error instanceof StorageError && error.code === "CLOSED")) throw error;
  }
}

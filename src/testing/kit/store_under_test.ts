/** One store under test, with a way to look at its rows and to damage them, both through its own engine. */

import assert from "node:assert/strict";
import { toHex } from "../../canonical/keyed_hash.ts";
import type { BackupOptions } from "../../contracts/options/backup_options.ts";
import type { StoreOptions } from "../../contracts/options/memory_options.ts";
import type { Operation, RecordedEvent, StoreFacts, WriteTransaction } from "../../engine/operation.ts";
import type { Row, SqlValue } from "../../engine/values.ts";
import { StorageError } from "../../errors.ts";
import { engineOf, type Memory } from "../../memory.ts";
import { columnName, type TableShape } from "../../tables/schema/descriptor.ts";
import { MAIN_TABLES } from "../../tables/schema/main_tables.ts";
import type { RefusedChange, RestoredOptions, TestEngine, TestPlace } from "./test_engine.ts";

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

  /**
   * Overwrites columns of every row, or of those for which the function returns what to overwrite, with no regard to
   * checksums.
   */
  async damage<Fields extends object>(
    table: ReadableTable<Fields>,
    change: Partial<Fields> | ((row: Fields) => Partial<Fields> | null),
  ): Promise<void> {
    const rows = await this.rows(table);
    await this.#write(function* (transaction): Operation<void> {
      for (const row of rows) {
        const changes = typeof change === "function" ? change(row) : change;
        if (changes === null) continue;
        const names = Object.keys(changes);
        const sets = names.map((name, place) => `${columnName(name)} = $${place + 1}`).join(", ");
        const [where, key] = wherePlace(table, row, names.length);
        const values = Object.values(changes) as SqlValue[];
        yield* transaction.run(`UPDATE ${table.name} SET ${sets} WHERE ${where}`, ...values, ...key);
      }
    });
  }

  /** Removes every row of a table, or those for which the function returns true, and nothing that belongs to them. */
  async discard<Fields extends object>(
    table: ReadableTable<Fields>,
    isDiscarded: (row: Fields) => boolean = () => true,
  ): Promise<void> {
    const rows = (await this.rows(table)).filter(isDiscarded);
    await this.#write(function* (transaction): Operation<void> {
      for (const row of rows) {
        const [where, key] = wherePlace(table, row, 0);
        yield* transaction.run(`DELETE FROM ${table.name} WHERE ${where}`, ...key);
      }
    });
  }

  /** Keeps the rows of a table, which there must be; the result puts them back once they are gone. */
  async keep(table: TableShape): Promise<() => Promise<void>> {
    const rows = await this.#readTable(table);
    assert(rows.length > 0, `${table.name} has rows`);
    return () =>
      this.#write(function* (transaction): Operation<void> {
        for (const row of rows) yield* transaction.run(table.insert, ...row);
      });
  }

  /** Backs the store up, and returns where to. */
  async backUp(name = "agent.backup", options: BackupOptions = {}): Promise<string> {
    const path = this.#engine.backups!.path(this.place, name);
    await this.#newest().backup(path, options);
    return path;
  }

  /** Restores a backup next to the store. */
  async restore(backup: string, options: RestoredOptions): Promise<Memory> {
    const memory = await this.#engine.backups!.restore(this.place, backup, options);
    this.#opened.push(memory);
    return memory;
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

  /** Requires that a call rejects with this error, and that the store holds the same as before. */
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

  async #write(factory: (transaction: WriteTransaction) => Operation<void>): Promise<void> {
    await this.#look((memory) => engineOf(memory).write(factory, { alone: true }));
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

/** The condition that finds a row by its key, after so many other parameters, and its parameters. */
function wherePlace(
  { key }: TableShape,
  row: object,
  before: number,
): readonly [where: string, parameters: readonly SqlValue[]] {
  const where = key.map((name, place) => `${columnName(name)} = $${before + place + 1}`).join(" AND ");
  return [where, key.map((name) => (row as Readonly<Record<string, SqlValue>>)[name]!)];
}

function toComparable(value: SqlValue): SqlValue {
  return value instanceof Uint8Array ? toHex(value) : value;
}

/** A store that was closed, or replaced by one that was restored, is not looked at. */
async function assertIntactIfOpen(memory: Memory): Promise<void> {
  try {
    await assertIntact(memory);
  } catch (error) {
    if (!(error instanceof StorageError && ["CLOSED", "REPLACED"].includes(error.code))) throw error;
  }
}

/** Requires that `check()` finds nothing damaged. */
export async function assertIntact(memory: Memory): Promise<void> {
  const { ok, problems } = await memory.check();
  const found = problems.map(({ database, table, row, problem }) =>
    `${database} ${table} ${row}: ${problem}`
  );
  assert.deepEqual(found, [], "check() found problems");
  assert.equal(ok, true);
}

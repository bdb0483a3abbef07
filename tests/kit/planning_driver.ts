/** A driver that asks SQLite, for each statement it compiles, how it will go about it: which index, by which columns. */

import type {
  SqliteConnection,
  SqliteDriver,
  SqliteOpenOptions,
  SqliteStatement,
} from "../../src/engines/sqlite/drivers/driver.ts";
import type { DatabaseName } from "./database_names.ts";
import { type ObservableDriver, TappedDriver } from "./tapped_driver.ts";

/** What reads or writes rows; the rest has no plan. */
const HAS_PLAN = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/;

/** See the module's documentation. */
export class PlanningDriver implements ObservableDriver {
  readonly name: string;
  /** The plans of each statement, as steps joined by "; ": one, unless two files made it differ. */
  readonly plans: Map<string, Set<string>> = new Map();
  readonly #tapped: TappedDriver;

  constructor(inner: SqliteDriver) {
    this.#tapped = new TappedDriver(inner);
    this.name = inner.name;
  }

  connection(database: DatabaseName): SqliteConnection {
    return this.#tapped.connection(database);
  }

  open(path: string, options: SqliteOpenOptions): SqliteConnection {
    return new PlanningConnection(this.#tapped.open(path, options), this.plans);
  }
}

class PlanningConnection implements SqliteConnection {
  readonly #inner: SqliteConnection;
  readonly #plans: Map<string, Set<string>>;

  constructor(inner: SqliteConnection, plans: Map<string, Set<string>>) {
    this.#inner = inner;
    this.#plans = plans;
  }

  get isTransaction(): boolean {
    return this.#inner.isTransaction;
  }

  prepare(sql: string): SqliteStatement {
    const statement = this.#inner.prepare(sql);
    if (HAS_PLAN.test(sql)) {
      const steps = this.#inner.prepare(`EXPLAIN QUERY PLAN ${sql}`).all([]);
      const plan = steps.map((step) => String(step[3])).join("; ");
      this.#plans.set(sql, (this.#plans.get(sql) ?? new Set()).add(plan));
    }
    return statement;
  }

  close(): void {
    this.#inner.close();
  }
}

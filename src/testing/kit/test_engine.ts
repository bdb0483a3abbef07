/** What an engine offers to the suites: a fresh store whenever they ask, and what else only some can do. */

import type { StoreOptions } from "../../contracts/options/memory_options.ts";
import type { Watermark } from "../../contracts/watermark.ts";
import type { Memory } from "../../memory.ts";

/**
 * How tests are registered: `Deno.test`, or `test` of `node:test` or Vitest. A promise that needs more than the engine has
 * is registered by `ignore` or `skip`; a runner that has neither does not see it.
 */
export interface TestRunner {
  /** Registers one test. */
  (title: string, body: () => Promise<void>): unknown;
  /** Registers a test that is not run. */
  readonly ignore?: (title: string, body: () => Promise<void>) => unknown;
  /** The same, as other runners call it. */
  readonly skip?: (title: string, body: () => Promise<void>) => unknown;
}

/** One kind of store that the suites run on. What is optional here not every engine can do. */
export interface TestEngine {
  /** As in the titles of tests. */
  readonly name: string;
  /** Whether a store outlives its process, so that it can be opened again and by several. */
  readonly durable: boolean;
  /** Makes room for one fresh store, apart from all others; opens nothing. */
  make(): Promise<TestPlace>;
  /** Makes the database refuse a change of one row until the result is called. */
  refuse?(place: TestPlace, change: RefusedChange): Promise<() => Promise<void>>;
  /** How a store is backed up and restored, where it can be. */
  readonly backups?: TestBackups;
  /** Counts what stores hold open in this process: files, connections. */
  countOpen?(): number;
}

/** Backups of a store under test. */
export interface TestBackups {
  /** A path for a backup or another file of the store, where nothing is yet; it goes when the store is removed. */
  path(place: TestPlace, name: string): string;
  /** Restores a backup of the store, next to it, with the store's own ledger; may be called several times. */
  restore(place: TestPlace, backup: string, options: RestoredOptions): Promise<Memory>;
}

/** How a restored store is opened. */
export interface RestoredOptions extends StoreOptions {
  /** What was deleted so far: an older ledger is refused. */
  readonly watermark: Watermark;
}

/** Where one store under test is. */
export interface TestPlace {
  /** Opens the store: the same one each time, several at once if the engine is durable. */
  open(options: StoreOptions): Promise<Memory>;
  /** Removes the store; every opening has been closed. */
  remove(): Promise<void>;
  /**
   * Everything that the store holds, to be compared before and after a call, and that no transaction is open. Where it
   * is absent, the rows of all tables are read through the engine.
   */
  state?(): unknown;
}

/** A change that a database refuses. */
export interface RefusedChange {
  /** The table's name. */
  readonly table: string;
  /** Which statement. */
  readonly verb: "INSERT" | "UPDATE" | "DELETE";
  /** Refuses only rows that hold this text in this column; every row if omitted. */
  readonly where?: { readonly column: string; readonly text: string } | undefined;
}

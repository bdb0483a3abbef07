/** The two ways in which a store in a file makes its commits durable. */

import type { SqliteDriver } from "../../src/engines/sqlite/drivers/driver.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { AlteredDriver, OLD_VERSION } from "../kit/altered_driver.ts";

/** A driver for each. */
export const JOURNALS: readonly (readonly [name: string, driver: () => SqliteDriver])[] = [
  ["WAL", () => nodeSqlite],
  ["rollback journal", () => new AlteredDriver(nodeSqlite, OLD_VERSION)],
];

/** The two files of a store, opened. */

import type { SqliteDriver } from "../drivers/driver.ts";
import type { FileIdentity } from "../files/private_file.ts";
import type { Sentinel } from "../files/sentinel.ts";
import type { Connection } from "./connection.ts";
import type { DatabaseKind } from "./database.ts";
import type { Ledger } from "./ledger.ts";
import type { JournalMode } from "./settings.ts";

/** The two databases of a store, and what has to be undone when they are closed. */
export interface OpenedStore {
  readonly main: Connection;
  readonly ledger: Ledger;
  readonly journalMode: JournalMode;
  /** Null for a store in memory. */
  readonly sentinel: Sentinel | null;
  /** What lay under main's name when it was opened; null for a store in memory. */
  readonly mainFile: { readonly path: string; readonly identity: FileIdentity } | null;
  /** Where the two files lie; none for a store in memory. */
  readonly directories: readonly string[];
  readonly driver: SqliteDriver;
  /** Opens a further connection to one of the files, for reading alone; null for a store in memory. */
  readonly openReader: ((kind: DatabaseKind) => Connection) | null;
  /** Closes both databases; all of it, whatever fails. */
  readonly close: () => void;
  /** Closes them because of an error, which is given back. */
  readonly abandon: (error: unknown) => unknown;
}

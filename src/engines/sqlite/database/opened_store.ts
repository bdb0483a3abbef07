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
  /** Main's file as it was when it was opened; null for a store in memory. */
  readonly mainFile: { readonly path: string; readonly identity: FileIdentity } | null;
  /** Directories of the two files; none for a store in memory. */
  readonly directories: readonly string[];
  readonly driver: SqliteDriver;
  /** Opens another, read-only connection to one of the files; null for a store in memory. */
  readonly openReader: ((kind: DatabaseKind) => Connection) | null;
  /** Closes both databases, even if one of them fails to close. */
  readonly close: () => void;
  /** Closes them because of an error, and returns it. */
  readonly abandon: (error: unknown) => unknown;
}

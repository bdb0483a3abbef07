/** The schema versions of both files as append-only lists of statements. */

import type { TableShape } from "./descriptor.ts";
import { createIndexes, createTable, SQLITE } from "./dialects.ts";
import { LEDGER_TABLES } from "./ledger_tables.ts";
import { MAIN_TABLES } from "./main_tables.ts";

/** One step from a version to the next. */
export interface Migration {
  /** The version it leads to; the first is 1. */
  readonly version: number;
  /** What it runs, in order, inside the one transaction that also sets the version. */
  readonly statements: readonly string[];
  /** Sets the version. */
  readonly setVersion: string;
}

// Until 0.1.0 is published, version 1 is edited in place: change the descriptor, let `tests/migration/schema_test.ts` show
// the new text for `version_1.sql`, and make the fixture anew with `tests/fixtures/make_version_1.ts`. After that a change
// is a new version below the last.

/** Main's migrations, oldest first: live state, and a copy of every deletion that was applied to it. */
export const MAIN_MIGRATIONS: readonly Migration[] = [
  { version: 1, setVersion: "PRAGMA user_version = 1", statements: MAIN_TABLES.flatMap(createStatements) },
];

/** The ledger's migrations, oldest first. */
export const LEDGER_MIGRATIONS: readonly Migration[] = [
  { version: 1, setVersion: "PRAGMA user_version = 1", statements: LEDGER_TABLES.flatMap(createStatements) },
];

function createStatements(table: TableShape): readonly string[] {
  return [createTable(table, SQLITE), ...createIndexes(table)];
}

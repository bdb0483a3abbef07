import type { TableShape } from "../../../tables/schema/descriptor.ts";
import { copyOf, type TableCopy } from "../../../tables/schema/dialects.ts";
import { LEDGER_TABLES } from "../../../tables/schema/ledger_tables.ts";
import { MAIN_TABLES } from "../../../tables/schema/main_tables.ts";
import { LEDGER_MIGRATIONS, MAIN_MIGRATIONS, type Migration } from "../../../tables/schema/migrations.ts";
import type { Connection } from "./connection.ts";
import { schemaVersion } from "./database.ts";
import type { DatabaseName } from "../drivers/result_codes.ts";

/** The schema versions of a file: how to migrate between them, and how to copy each. */
export interface Format {
  /** Migrations from each version to the next, oldest first. */
  readonly migrations: readonly Migration[];
  /** The tables to copy, by schema version. The list of a released version never changes. */
  readonly copies: ReadonlyMap<number, readonly TableCopy[]>;
}

/** The formats of both files. */
export type Formats = Readonly<Record<DatabaseName, Format>>;

/** The formats of this release. */
export const FORMATS: Formats = {
  main: { migrations: MAIN_MIGRATIONS, copies: new Map([[1, copiesOf(MAIN_TABLES)]]) },
  ledger: { migrations: LEDGER_MIGRATIONS, copies: new Map([[1, copiesOf(LEDGER_TABLES)]]) },
};

function copiesOf(tables: readonly TableShape[]): readonly TableCopy[] {
  return tables.filter(({ isBackedUp }) => isBackedUp).map(copyOf);
}

/**
 * Migrates a schema from nothing or an older version to version `to`, or to the newest if omitted.
 *
 * Must run within a write transaction of the connection.
 */
export function upgradeSchema(
  connection: Connection,
  { migrations }: Format = FORMATS[connection.name],
  to: number = Infinity,
): void {
  const version = schemaVersion(connection);
  for (const migration of migrations) {
    if (migration.version <= version || migration.version > to) continue;
    for (const statement of migration.statements) connection.run(statement);
    connection.get(migration.setVersion);
  }
}

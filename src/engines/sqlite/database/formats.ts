import type { TableShape } from "../../../tables/schema/descriptor.ts";
import { copyOf, type TableCopy } from "../../../tables/schema/dialects.ts";
import { LEDGER_TABLES } from "../../../tables/schema/ledger_tables.ts";
import { MAIN_TABLES } from "../../../tables/schema/main_tables.ts";
import { LEDGER_MIGRATIONS, MAIN_MIGRATIONS, type Migration } from "../../../tables/schema/migrations.ts";
import type { Connection } from "./connection.ts";
import { schemaVersion } from "./database.ts";
import type { DatabaseName } from "../drivers/result_codes.ts";

/** How a file came to be, version by version. */
export interface Format {
  /** What leads from each version to the next, oldest first. */
  readonly migrations: readonly Migration[];
  /** How a file of each version is copied. A released version's list never changes. */
  readonly copies: ReadonlyMap<number, readonly TableCopy[]>;
}

/** The formats of both files. */
export type Formats = Readonly<Record<DatabaseName, Format>>;

/** Those of this release. */
export const FORMATS: Formats = {
  main: { migrations: MAIN_MIGRATIONS, copies: new Map([[1, copiesOf(MAIN_TABLES)]]) },
  ledger: { migrations: LEDGER_MIGRATIONS, copies: new Map([[1, copiesOf(LEDGER_TABLES)]]) },
};

function copiesOf(tables: readonly TableShape[]): readonly TableCopy[] {
  return tables.filter(({ isBackedUp }) => isBackedUp).map(copyOf);
}

/**
 * Brings a schema up to a version, from nothing or from an older one; the newest if omitted. Within a write transaction of
 * the connection.
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

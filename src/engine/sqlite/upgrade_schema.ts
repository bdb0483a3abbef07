import { LEDGER_MIGRATIONS } from "../schema/ledger_schema.ts";
import { MAIN_MIGRATIONS } from "../schema/main_schema.ts";
import type { Migration } from "../schema/migrations.ts";
import type { Connection } from "./connection.ts";
import { schemaVersion } from "./database.ts";
import type { DatabaseName } from "./result_codes.ts";

/** The migrations of both files. */
export const MIGRATIONS: Readonly<Record<DatabaseName, readonly Migration[]>> = {
  main: MAIN_MIGRATIONS,
  ledger: LEDGER_MIGRATIONS,
};

/** Brings a schema up to date, from nothing or from an older version; within a write transaction of the connection. */
export function upgradeSchema(
  connection: Connection,
  migrations: readonly Migration[] = MIGRATIONS[connection.name],
): void {
  const version = schemaVersion(connection);
  for (const migration of migrations) {
    if (migration.version <= version) continue;
    for (const statement of migration.statements) connection.run(statement);
    connection.get(migration.setVersion);
  }
}

/** Everything that both databases hold, in a form that can be compared. */

import { toHex } from "../../src/canonical/keyed_hash.ts";
import type { SqlValue } from "../../src/engine/values.ts";
import type { SqliteConnection } from "../../src/engines/sqlite/drivers/driver.ts";
import type { DatabaseName } from "./database_names.ts";

/** A row by its columns; bytes are hex digits. */
export type DumpedRow = Readonly<Record<string, SqlValue>>;

/** All rows by table, and the schema itself. */
export type DatabaseDump = Readonly<Record<string, readonly DumpedRow[]>>;

/** Both databases. */
export type StoreDump = Readonly<Record<DatabaseName, DatabaseDump>>;

const SELECT_SCHEMA = `SELECT type, name, sql FROM sqlite_schema ORDER BY type, name`;

/** Dumps what these connections see. */
export function dumpStore(connectionOf: (database: DatabaseName) => SqliteConnection): StoreDump {
  return { main: dumpDatabase(connectionOf("main")), ledger: dumpDatabase(connectionOf("ledger")) };
}

function dumpDatabase(connection: SqliteConnection): DatabaseDump {
  const schema = connection.prepare(SELECT_SCHEMA).all([]);
  const dump: Record<string, readonly DumpedRow[]> = {
    schema: schema.map(([type, name, sql]) => ({ type: type!, name: name!, sql: sql! })),
  };
  for (const [type, name, sql] of schema) {
    if (type === "table") dump[String(name)] = dumpTable(connection, String(name), String(sql));
  }
  return dump;
}

/** By the statement that made the table. */
const columnsOf = new Map<string, readonly string[]>();

function dumpTable(connection: SqliteConnection, table: string, sql: string): readonly DumpedRow[] {
  const columns = columnsOf.get(sql) ?? readColumns(connection, table);
  columnsOf.set(sql, columns);
  const rows = connection.prepare(`SELECT * FROM "${table}"`).all([]);
  return rows.map((row) =>
    Object.fromEntries(columns.map((column, index) => [column, toComparable(row[index]!)]))
  );
}

function readColumns(connection: SqliteConnection, table: string): readonly string[] {
  const rows = connection.prepare(`SELECT name FROM pragma_table_info($1)`).all([table]);
  return rows.map(([name]) => String(name));
}

function toComparable(value: SqlValue): SqlValue {
  return value instanceof Uint8Array ? `x'${toHex(value)}'` : value;
}

/**
 * The same dump without what is random in every commit or moves with a probe, what only says that a deletion is coming,
 * and the checksum over both.
 */
export function withoutProbe(dump: StoreDump): StoreDump {
  return { main: dropProbe(dump.main), ledger: dropProbe(dump.ledger) };
}

function dropProbe(dump: DatabaseDump): DatabaseDump {
  return {
    ...dump,
    meta: (dump.meta ?? []).map(({ probe: _probe, announced: _announced, checksum: _checksum, ...rest }) =>
      rest
    ),
  };
}

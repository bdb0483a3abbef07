import { IntegrityError } from "../../../errors.ts";
import { Connection } from "./connection.ts";
import { type DatabaseKind, schemaVersion } from "./database.ts";
import { upgradeSchema } from "./formats.ts";
import { nodeSqlite } from "../drivers/node_sqlite.ts";

const SELECT_SCHEMA = `SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name`;

const GET_ENCODING = "PRAGMA encoding";

/** Ignored when schemas are compared. SQLite quotes a table's name when it is renamed, as a rewrite does. */
const QUOTES_AND_SPACE = /["\s]+/g;

/**
 * Requires exactly the tables and indexes that this module creates.
 *
 * A file from elsewhere may contain triggers and views, which would run with any statement on it.
 */
export function assertSchema(connection: Connection, kind: DatabaseKind): void {
  const version = schemaVersion(connection);
  if (version === 0) throw new IntegrityError(`Cannot use ${kind.what}: its creation is unfinished`);
  if (connection.get(GET_ENCODING)![0] !== "UTF-8") {
    throw new IntegrityError(
      `Cannot use ${kind.what}: its encoding must be UTF-8, which determines the order of texts`,
    );
  }
  // Every SQLite library stores the text of a CREATE statement verbatim, so the built-in one can build the model.
  const model = Connection.open(kind.name, nodeSqlite, ":memory:", { readOnly: false });
  try {
    upgradeSchema(model, undefined, version);
    if (describe(connection) === describe(model)) return;
  } finally {
    model.close();
  }
  throw new IntegrityError(`Cannot use ${kind.what}: its tables differ from those of its schema version`, {
    details: { version },
  });
}

function describe(connection: Connection): string {
  return JSON.stringify(
    connection.all(SELECT_SCHEMA).map((row) =>
      row.map((cell) => String(cell).replace(QUOTES_AND_SPACE, " ").trim())
    ),
  );
}

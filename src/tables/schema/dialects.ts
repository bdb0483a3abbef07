/** The statements that follow from a table's shape, as SQLite and PostgreSQL spell them. */

import type { SqlValue } from "../../engine/values.ts";
import { type Column, columnName, type TableShape } from "./descriptor.ts";

/** How a database spells tables. */
interface Dialect {
  readonly types: Readonly<Record<Column["type"], string>>;
  /** What follows the closing parenthesis. */
  suffix(table: Pick<TableShape, "isClustered">): string;
}

/** SQLite: strict types; rows in the order of the key where the table says so. */
export const SQLITE: Dialect = {
  types: { integer: "INTEGER", text: "TEXT", bytes: "BLOB" },
  suffix: ({ isClustered }) => isClustered ? " STRICT, WITHOUT ROWID" : " STRICT",
};

/** PostgreSQL: texts are compared by their bytes, as in SQLite. */
export const POSTGRES: Dialect = {
  types: { integer: "BIGINT", text: `TEXT COLLATE "C"`, bytes: "BYTEA" },
  suffix: () => "",
};

/** Creates a table. */
export function createTable(table: TableShape, dialect: Dialect, name: string = table.name): string {
  const { key, onlyRow } = table;
  const lines = Object.entries(table.columns).map(([field, { type, isNullable }]) => {
    const words = [columnName(field), dialect.types[type]];
    if (key.length === 1 && key[0] === field) {
      words.push("PRIMARY KEY");
      if (onlyRow !== undefined) words.push(`CHECK (${columnName(field)} = ${onlyRow})`);
    } else if (!isNullable) words.push("NOT NULL");
    return words.join(" ");
  });
  if (key.length > 1) lines.push(`PRIMARY KEY (${key.map(columnName).join(", ")})`);
  const [only] = lines;
  const body = lines.length === 1 ? only! : `\n  ${lines.join(",\n  ")}\n`;
  return `CREATE TABLE ${name} (${body})${dialect.suffix(table)}`;
}

/** Creates its indexes. */
export function createIndexes(table: TableShape): readonly string[] {
  return (table.indexes ?? []).map(({ name, columns, isUnique, where }) => {
    const on = `${table.name}_by_${name} ON ${table.name} (${columns.map(columnName).join(", ")})`;
    const only = where === undefined ? "" : ` WHERE ${columnName(where)} IS NOT NULL`;
    return `CREATE ${isUnique ? "UNIQUE INDEX" : "INDEX"} ${on}${only}`;
  });
}

/**
 * Rewrites a table in order: a new one in key order takes the place of the old, and has a name of its own until the old
 * one is gone. Empty for a table that no scrub rewrites.
 */
export function rewriteStatements(table: TableShape): readonly string[] {
  const { name, rewrittenBy } = table;
  if (rewrittenBy === undefined) return [];
  const columns = table.columnNames.join(", ");
  return [
    createTable(table, SQLITE, "rewritten"),
    `INSERT INTO rewritten (${columns}) ${table.select} ORDER BY ${rewrittenBy.map(columnName).join(", ")}`,
    `DROP TABLE ${name}`,
    `ALTER TABLE rewritten RENAME TO ${name}`,
    ...createIndexes(table),
  ];
}

/** How one table is copied, page by page in key order. */
export interface TableCopy {
  readonly name: string;
  /** A page of rows after a key; the key's columns are the first parameters and come first in a row; the limit is last. */
  readonly select: string;
  /** Less than any key. */
  readonly start: readonly SqlValue[];
  readonly insert: string;
  readonly count: string;
}

const LEAST: Readonly<Record<Column["type"], SqlValue>> = { integer: 0, text: "", bytes: new Uint8Array() };

/** The statements that copy a table. */
export function copyOf(table: TableShape): TableCopy {
  const { name, key } = table;
  const names = key.map(columnName).join(", ");
  const marks = key.map((_, index) => `$${index + 1}`).join(", ");
  const after = key.length === 1 ? `${names} > ${marks}` : `(${names}) > (${marks})`;
  return {
    name,
    select: `${table.select} WHERE ${after} ORDER BY ${names} LIMIT $${key.length + 1}`,
    start: key.map((field) => LEAST[table.columns[field]!.type]),
    insert: table.insert,
    count: `SELECT count(*) FROM ${name}`,
  };
}

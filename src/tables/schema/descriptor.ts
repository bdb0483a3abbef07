/** A table's shape, written once: its columns, its keys, its indexes, and how a row becomes an object and back. */

import { checksumOf } from "../../canonical/checksum.ts";
import type { Row, SqlValue } from "../../engine/values.ts";

/** What a column holds. */
export interface Column<Value extends SqlValue = SqlValue> {
  readonly type: "integer" | "text" | "bytes";
  readonly isNullable: boolean;
  /** Never set: carries the type of the value. */
  readonly value?: Value;
}

/** A whole number. */
export const INTEGER: Column<number> = { type: "integer", isNullable: false };
/** A whole number, or null. */
export const INTEGER_OR_NULL: Column<number | null> = { type: "integer", isNullable: true };
/** A text, compared by its bytes. */
export const TEXT: Column<string> = { type: "text", isNullable: false };
/** A text, or null. */
export const TEXT_OR_NULL: Column<string | null> = { type: "text", isNullable: true };
/** Bytes. */
export const BYTES: Column<Uint8Array> = { type: "bytes", isNullable: false };
/** Bytes, or null. */
export const BYTES_OR_NULL: Column<Uint8Array | null> = { type: "bytes", isNullable: true };

/** The columns of a table in order, each under the name of its field; the field `turnId` is the column `turn_id`. */
type Columns = Readonly<Record<string, Column>>;

/** A row as an object. */
export type Fields<C extends Columns> = {
  -readonly [Name in keyof C]: C[Name] extends Column<infer Value> ? Value : never;
};

/** A row as an object, without its content. */
export type Head<C extends Columns> = Omit<Fields<C>, "payload" | "body">;

/** A row as an object, without the checksum that is computed from it. */
type Unchecked<C extends Columns> = Omit<Fields<C>, "checksum">;

/** An index of a table. */
interface TableIndex<Name extends string> {
  /** What follows `turns_by_` in the name of the index. */
  readonly name: string;
  readonly columns: readonly Name[];
  readonly isUnique?: boolean;
  /** A column: the index holds only rows in which it is not null. */
  readonly where?: Name;
}

/** What defines a table. Names are those of fields. */
interface TableOptions<C extends Columns, Name extends string> {
  readonly name: string;
  readonly columns: C;
  /** Columns of the primary key; none where a unique index takes its place. */
  readonly key: readonly Name[];
  /** Columns that `UPDATE` leaves out, and with them their indexes: they never change, or have a statement of their own. */
  readonly fixed?: readonly Name[];
  /** The last column, where it holds the content; `selectHead` leaves it out, since content may fill pages of its own. */
  readonly content?: "payload" | "body";
  /** Whether rows lie in the order of the key, without a row number. */
  readonly isClustered?: boolean;
  /** The id of the one row, in a table that never has another. */
  readonly onlyRow?: number;
  readonly indexes?: readonly TableIndex<Name>[];
  /** The columns that `checksum` covers, in this order; absent where a table has no such column. */
  readonly checksumOver?: readonly Name[];
  /** Whether a backup holds the table. Backups leave out what can be rebuilt. */
  readonly isBackedUp: boolean;
  /** Set if a scrub rewrites the table, because it holds content or what was derived from content; the order of its rows. */
  readonly rewrittenBy?: readonly Name[];
}

/** A table, whatever its columns. */
export interface TableShape extends TableOptions<Columns, string> {
  /** The names of the columns, in order. */
  readonly columnNames: readonly string[];
  /** Every column with the name of the table, for a `SELECT` from several. */
  readonly qualified: string;
  /** `SELECT` with every column, up to and including the name of the table; conditions stand next to the operation. */
  readonly select: string;
  /** The same without the content. */
  readonly selectHead: string;
  /** `INSERT` of a whole row, its values in the order of the columns. */
  readonly insert: string;
  /** The same; where the key is taken, the row's columns are replaced, those apart that never change. */
  readonly upsert: string;
  /** `UPDATE` of the columns that may change; the columns of the key are the last parameters. */
  readonly update: string;
}

/** A table and its row codec. */
interface Table<C extends Columns> extends TableShape {
  readonly columns: C;
  /** Turns a row of {@linkcode TableShape.select} into an object; verifies nothing. */
  toFields(row: Row): Fields<C>;
  /** The same without the content, which the row may have or not. */
  toHead(row: Row): Head<C>;
  /** Whether the checksum is the one over the columns that it covers. */
  isIntact(head: Head<C>): boolean;
  /** The checksum over the columns that it covers. */
  checksum(covered: Partial<Fields<C>>): number;
  /** The values of {@linkcode TableShape.insert}; the checksum is computed. */
  toValues(fields: Unchecked<C>): SqlValue[];
  /** The values of {@linkcode TableShape.update}; the checksum is computed. */
  toUpdate(fields: Unchecked<C>): SqlValue[];
}

/** The column of a field: `turn_id` for `turnId`. */
export function columnName(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Defines a table. */
export function defineTable<const C extends Columns>(options: TableOptions<C, keyof C & string>): Table<C> {
  const { checksumOver = [], columns, key }: TableOptions<Columns, string> = options;
  const statements = statementsOf(options);
  const fields = Object.keys(options.columns);
  const heads = options.content === undefined ? fields : fields.slice(0, -1);
  const updated = [...changingFields(options), ...key];
  type Loose = Readonly<Record<string, SqlValue>>;
  const checksum = (row: object): number =>
    checksumOf(...checksumOver.map((field) => (row as Loose)[field]!));
  const read = (row: Row, names: readonly string[]): object => {
    const result: Record<string, SqlValue> = {};
    for (let place = 0; place < names.length; place++) result[names[place]!] = row[place]!;
    return result;
  };
  const write = (row: object, names: readonly string[]): SqlValue[] => {
    const sum = checksumOver.length === 0 ? null : checksum(row);
    return names.map((field) => {
      const value = field === "checksum" && sum !== null ? sum : (row as Loose)[field];
      if (value !== undefined) return value;
      if (columns[field]!.isNullable) return null;
      throw new Error(`A row of ${options.name} has no ${field}`);
    });
  };
  return {
    ...options,
    ...statements,
    toFields: (row) => read(row, fields) as Fields<C>,
    toHead: (row) => read(row, heads) as Head<C>,
    isIntact: (row) => checksumOver.length === 0 || checksum(row) === (row as Loose).checksum,
    checksum,
    toValues: (row) => write(row, fields),
    toUpdate: (row) => write(row, updated),
  };
}

/** What an `UPDATE` sets. */
function changingFields({ columns, key, fixed = [] }: TableOptions<Columns, string>): readonly string[] {
  return Object.keys(columns).filter((field) => !key.includes(field) && !fixed.includes(field));
}

function statementsOf(
  options: TableOptions<Columns, string>,
): Pick<TableShape, "columnNames" | "qualified" | "select" | "selectHead" | "insert" | "upsert" | "update"> {
  const { name, columns, key, content } = options;
  const columnNames = Object.keys(columns).map(columnName);
  const listed = columnNames.join(", ");
  const heads = columnNames.filter((column) => column !== content).join(", ");
  const marks = columnNames.map((_, place) => `$${place + 1}`).join(", ");
  const insert = `INSERT INTO ${name} (${listed}) VALUES (${marks})`;
  const changing = changingFields(options).map(columnName);
  const keyed = key.map(columnName);
  const sets = changing.map((column, place) => `${column} = $${place + 1}`).join(", ");
  const where = keyed.map((column, place) => `${column} = $${changing.length + place + 1}`).join(" AND ");
  const replaced = changing.map((column) => `${column} = excluded.${column}`).join(", ");
  return {
    columnNames,
    qualified: columnNames.map((column) => `${name}.${column}`).join(", "),
    select: `SELECT ${listed} FROM ${name}`,
    selectHead: `SELECT ${heads} FROM ${name}`,
    insert,
    upsert: `${insert} ON CONFLICT (${keyed.join(", ")}) DO UPDATE SET ${replaced}`,
    update: `UPDATE ${name} SET ${sets} WHERE ${where}`,
  };
}

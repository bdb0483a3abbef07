/** Every statement that reads or writes rows: those that the source spells, and those that follow from descriptors. */

import { copyOf, rewriteStatements } from "../../src/tables/schema/dialects.ts";
import { HEAD_COLUMNS } from "../../src/tables/records.ts";
import { EVENT_COLUMNS } from "../../src/engines/sqlite/database/ledger.ts";
import * as index from "../../src/tables/schema/index_tables.ts";
import * as journal from "../../src/tables/schema/journal_tables.ts";
import * as ledger from "../../src/tables/schema/ledger_tables.ts";
import * as media from "../../src/tables/schema/media_tables.ts";
import * as main from "../../src/tables/schema/main_tables.ts";

const SOURCE = new URL("../../src/", import.meta.url);
const COMMENT = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const STATEMENT =
  /(?:const ([A-Z][A-Z0-9_]*)[^=\n]*=\s*)?(["`])(\s*(?:SELECT|INSERT|UPDATE|DELETE|WITH)\b[^"`]*)\2/g;

/** One statement. */
export interface SourceStatement {
  /** The file, from `src/`. */
  readonly file: string;
  /** The constant it is in; its text, without its columns, where it has none of its own. */
  readonly name: string;
  readonly sql: string;
}

const TABLES = { ...main, ...media, ...index, ...journal, ...ledger } as unknown as Readonly<
  Record<string, Readonly<Record<string, string>>>
>;

/** Lists of columns that several statements begin with. */
const LISTS: Readonly<Record<string, string>> = { EVENT_COLUMNS, HEAD_COLUMNS };

/** Code with the columns of a table in place of each `${TURNS.select}` and the like. */
export function expandDescriptors(code: string): string {
  return code.replace(/\$\{([A-Z]+_COLUMNS)\}/g, (_, name) => LISTS[name]!).replace(
    /\$\{([A-Z_]+)\.(select|selectHead|qualified)\}/g,
    (_, table, verb) => TABLES[table]![verb]!,
  );
}

/** Writes of whole rows, where the source runs them: `transaction.run(TURNS.insert, …)`. */
export function findRowWrites(file: string, code: string): readonly SourceStatement[] {
  return [...code.matchAll(/\b([A-Z_]+)\.(insert|upsert|update)\b/g)].map(([name, table, verb]) => ({
    file,
    name,
    sql: TABLES[table!]![verb!]!,
  }));
}

/** The statements that copy and rewrite whole tables; no source spells them. */
export function readDescriptorStatements(): readonly SourceStatement[] {
  const file = "tables/schema/dialects.ts";
  return [...main.MAIN_TABLES, ...ledger.LEDGER_TABLES].flatMap((table) => {
    const { select, insert, count } = copyOf(table);
    const copied = table.isBackedUp ? [select, insert, count] : [];
    const rewritten = rewriteStatements(table).filter((sql) => sql.startsWith("INSERT "));
    return [
      ...copied.map((sql) => ({ file, name: shorten(sql), sql })),
      ...rewritten.map((sql) => ({ file, name: `rewrite ${table.name}`, sql })),
    ];
  });
}

/** Finds them all. */
export function readSourceStatements(): readonly SourceStatement[] {
  // The published suites make theirs from descriptors, and no store runs them.
  const files = filesBelow("").filter((file) => !file.startsWith("testing/"));
  const inSource = files.flatMap((file) => {
    const code = expandDescriptors(Deno.readTextFileSync(new URL(file, SOURCE)).replace(COMMENT, ""));
    // What is left with a piece in it is the descriptors' own template.
    const spelt = [...code.matchAll(STATEMENT)].filter(([, , , sql]) => !sql!.includes("${"));
    return [
      ...spelt.map(([, name, , sql]) => ({ file, name: name ?? shorten(sql!), sql: sql! })),
      ...findRowWrites(file, code),
    ];
  });
  return [...inSource, ...readDescriptorStatements()];
}

function filesBelow(folder: string): readonly string[] {
  return [...Deno.readDirSync(new URL(folder, SOURCE))].flatMap(({ name, isDirectory }) =>
    isDirectory ? filesBelow(`${folder}${name}/`) : name.endsWith(".ts") ? [`${folder}${name}`] : []
  ).sort();
}

function shorten(sql: string): string {
  return sql.replace(/\s+/g, " ").replace(/^SELECT [a-z_, ]+ FROM/, "SELECT … FROM").replace(
    /^(INSERT INTO \w+) .*$/,
    "$1 …",
  );
}

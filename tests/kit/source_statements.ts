/** Every statement that reads or writes rows, as the source spells it. */

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

/** Finds them all. */
export function readSourceStatements(): readonly SourceStatement[] {
  return filesBelow("").flatMap((file) => {
    const code = Deno.readTextFileSync(new URL(file, SOURCE)).replace(COMMENT, "");
    return [...code.matchAll(STATEMENT)].map(([, name, , sql]) => ({
      file,
      name: name ?? shorten(sql!),
      sql: sql!,
    }));
  });
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

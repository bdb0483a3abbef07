/** Rules about the source that a machine can see. */

import assert from "node:assert/strict";

const ROOT = new URL("../", import.meta.url);

interface Source {
  readonly path: string;
  readonly text: string;
}

function readSources(folder: string): Source[] {
  const sources: Source[] = [];
  for (const entry of Deno.readDirSync(new URL(`${folder}/`, ROOT))) {
    const path = `${folder}/${entry.name}`;
    if (entry.isDirectory) sources.push(...readSources(path));
    else if (entry.name.endsWith(".ts")) {
      sources.push({ path, text: Deno.readTextFileSync(new URL(path, ROOT)) });
    }
  }
  return sources;
}

const SOURCES = readSources("src");

/** Code without its comments, in which words may stand for what the code must not do. */
function codeOf({ text }: Source): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
}

function offenders(pattern: RegExp, allowed: (path: string) => boolean): string[] {
  return SOURCES.filter((source) => !allowed(source.path) && pattern.test(codeOf(source))).map(({ path }) =>
    path
  );
}

Deno.test("only the clock reads time, sleeps, yields or draws random numbers", () => {
  const pattern =
    /\bDate\.now\b|\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b|\bsetTimeout\b|\bsetImmediate\b/;
  assert.deepEqual(offenders(pattern, (path) => path === "src/clock.ts"), []);
});

Deno.test("only the engine begins, commits, rolls back, or sets savepoints", () => {
  const pattern = /["'`](BEGIN|COMMIT|ROLLBACK|SAVEPOINT|RELEASE)\b/;
  assert.deepEqual(offenders(pattern, (path) => path.startsWith("src/engine/")), []);
});

Deno.test("only drivers import a SQLite binding", () => {
  const pattern = /from "(node:sqlite|@db\/sqlite)"/;
  const drivers = ["src/engine/sqlite/node_sqlite.ts", "src/engine/sqlite/db_sqlite.ts"];
  assert.deepEqual(offenders(pattern, (path) => drivers.includes(path)), []);
});

Deno.test("nothing but the driver ./ffi names a registry that may be out of reach", () => {
  assert.deepEqual(
    offenders(/from "(jsr:|@std\/|@db\/)/, (path) => path === "src/engine/sqlite/db_sqlite.ts"),
    [],
  );
});

Deno.test("only the command line imports what only it needs", () => {
  assert.deepEqual(
    offenders(/from "(commander|get-east-asian-width)"/, (path) => path.startsWith("src/cli/")),
    [],
  );
});

Deno.test("no statement reads every column, replaces rows, or matches patterns", () => {
  assert.deepEqual(offenders(/SELECT \*|INSERT OR REPLACE|\bLIKE\b/, () => false), []);
});

Deno.test("every table is STRICT", () => {
  const loose = SOURCES.flatMap(({ path, text }) =>
    [...text.matchAll(/CREATE TABLE \w+ \(\n[\s\S]*?`/g)].filter(([sql]) =>
      !/\) STRICT(, WITHOUT ROWID)?`/.test(sql)
    )
      .map(
        () => path,
      )
  );
  assert.deepEqual(loose, []);
});

Deno.test("no file is named for what it is rather than for what it holds", () => {
  const vague = SOURCES.filter(({ path }) => /\/(utils?|helpers?|types?|index|common|misc)\.ts$/.test(path));
  assert.deepEqual(vague.map(({ path }) => path), []);
});

Deno.test("arrows between folders point one way", () => {
  const forbidden: readonly (readonly [from: RegExp, to: RegExp])[] = [
    [/^src\/canonical\//, /\/(records|conversations|context|deletion|retrieval|files)\//],
    [/^src\/contracts\//, /\/(records|conversations|context|deletion|retrieval|files)\//],
    [/^src\/files\//, /\/(records|conversations|context|deletion|retrieval|engine)\//],
    [/^src\/engine\//, /\/(records|conversations|context|deletion|retrieval)\//],
    [/^src\/deletion\//, /\/(records|conversations|context)\//],
    [/^src\/retrieval\//, /\/(records|conversations|context)\//],
    [/^src\/records\//, /\/(conversations|context)\//],
    [/^src\/[a-z]+\/(?<!^src\/lines\/)/, /\/lines\//],
    [/^src\/(?!cli\/)/, /\/cli\//],
  ];
  const wrong = SOURCES.flatMap(({ path, text }) =>
    [...text.matchAll(/from "(\.[^"]+)"/g)]
      .filter(([, target]) => forbidden.some(([from, to]) => from.test(path) && to.test(`/${target}`)))
      .map(([, target]) => `${path} -> ${target}`)
  );
  assert.deepEqual(wrong, []);
});

/** What only tests call, and why it is there all the same. */
const FOR_TESTS_ALONE: Readonly<Record<string, string>> = {
  "src/files/open_files.ts countOpenFiles": "looks for stores left open, which no sanitizer of Deno sees",
};

const { exports: ENTRIES } = JSON.parse(Deno.readTextFileSync(new URL("deno.json", ROOT)));
const ENTRY_PATHS: readonly string[] = Object.values<string>(ENTRIES).map((entry) =>
  entry.slice("./".length)
);

/** What a file takes from others by name, as `path name`; `path *` where it takes all. */
function takenBy(source: Source): string[] {
  const pathOf = (target: string): string => new URL(target, `file:///${source.path}`).pathname.slice(1);
  const code = codeOf(source);
  const named = [...code.matchAll(/\{([^{}]*)\} from "(\.[^"]+)"/g)].flatMap(([, names = "", target = ""]) =>
    names.split(",").map((name) => `${pathOf(target)} ${name.trim().replace(/^type /, "").split(" as ")[0]}`)
  );
  const whole = [...code.matchAll(/(?:\bimport\(|\* as \w+ from )"(\.[^"]+)"/g)];
  return [...named, ...whole.map(([, target = ""]) => `${pathOf(target)} *`)];
}

/** Whether another file says a name, of a module that it imports late and whole. */
function isSaidElsewhere(path: string, name: string): boolean {
  const word = new RegExp(`\\b${name}\\b`);
  return SOURCES.some((source) => source.path !== path && word.test(codeOf(source)));
}

Deno.test("what src/ exports is used by another file of it, or public: nothing is there for tests alone", () => {
  const entry = { path: "mod.ts", text: Deno.readTextFileSync(new URL("mod.ts", ROOT)) };
  const taken = new Set([entry, ...SOURCES].flatMap(takenBy));
  const exported = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm;
  const idle = SOURCES.filter(({ path }) => !ENTRY_PATHS.includes(path)).flatMap((source) =>
    [...codeOf(source).matchAll(exported)].map(([, name = ""]) => name).filter((name) =>
      !taken.has(`${source.path} ${name}`) &&
      !(taken.has(`${source.path} *`) && isSaidElsewhere(source.path, name))
    ).map((name) => `${source.path} ${name}`)
  );
  assert.deepEqual(idle, Object.keys(FOR_TESTS_ALONE));
});

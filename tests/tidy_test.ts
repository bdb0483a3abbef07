/** Rules about the source that a machine can see. */

import assert from "node:assert/strict";
import { LEDGER_MIGRATIONS, MAIN_MIGRATIONS } from "../src/tables/schema/migrations.ts";

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
  assert.deepEqual(offenders(pattern, (path) => path.startsWith("src/engines/")), []);
});

Deno.test("only the engine asks what it keeps of itself, and says what only its database has", () => {
  const pattern = /\bPRAGMA\b|\b(?:FROM|JOIN|INTO|UPDATE) (?:meta|deletions|events)\b/;
  const isAllowed = (path: string): boolean =>
    path.startsWith("src/engines/") || path.startsWith("src/tables/schema/");
  assert.deepEqual(offenders(pattern, isAllowed), []);
});

Deno.test("only drivers import a SQLite binding", () => {
  const pattern = /from "(node:sqlite|@db\/sqlite)"/;
  const drivers = ["src/engines/sqlite/drivers/node_sqlite.ts", "src/engines/sqlite/drivers/db_sqlite.ts"];
  assert.deepEqual(offenders(pattern, (path) => drivers.includes(path)), []);
});

Deno.test("nothing but the driver ./ffi names a registry that may be out of reach", () => {
  assert.deepEqual(
    offenders(/from "(jsr:|@std\/|@db\/)/, (path) => path === "src/engines/sqlite/drivers/db_sqlite.ts"),
    [],
  );
});

Deno.test("the published suites name no runtime, and import no package and no driver", () => {
  const pattern = /\bDeno\b|\bBun\b|\bprocess\.|from "(?!node:|\.)/;
  assert.deepEqual(offenders(pattern, (path) => !path.startsWith("src/testing/")), []);
});

Deno.test("only the command line imports what only it needs", () => {
  assert.deepEqual(
    offenders(/from "(commander|get-east-asian-width)"/, (path) => path.startsWith("src/cli/")),
    [],
  );
});

Deno.test("nothing that is published imports the SDKs whose messages it knows", () => {
  assert.deepEqual(offenders(/from "(openai|ai|@anthropic-ai|@langchain)[/"]/, () => false), []);
});

Deno.test("no statement reads every column, replaces rows, or matches patterns", () => {
  assert.deepEqual(offenders(/SELECT \*|INSERT OR REPLACE|\bLIKE\b/, () => false), []);
});

Deno.test("no statement's text stands twice", () => {
  const places = new Map<string, string[]>();
  for (const { path, text } of SOURCES) {
    if (path.startsWith("src/testing/")) continue;
    for (const [, sql] of text.matchAll(/[`"]((?:SELECT|INSERT|UPDATE|DELETE|WITH) [^`"]+)[`"]/g)) {
      const statement = sql!.replace(/\s+/g, " ");
      places.set(statement, [...places.get(statement) ?? [], path]);
    }
  }
  assert.deepEqual([...places].filter(([, paths]) => paths.length > 1), []);
});

Deno.test("every table is STRICT, and only the descriptors create tables", () => {
  const loose = [...MAIN_MIGRATIONS, ...LEDGER_MIGRATIONS].flatMap(({ statements }) => statements).filter((
    sql,
  ) => sql.startsWith("CREATE TABLE ") && !/\) STRICT(, WITHOUT ROWID)?$/.test(sql));
  assert.deepEqual(loose, []);
  assert.deepEqual(
    offenders(/CREATE (TABLE|INDEX|UNIQUE)/, (path) => path === "src/tables/schema/dialects.ts"),
    [],
  );
});

Deno.test("no file is named for what it is rather than for what it holds", () => {
  const vague = SOURCES.filter(({ path }) => /\/(utils?|helpers?|types?|index|common|misc)\.ts$/.test(path));
  assert.deepEqual(vague.map(({ path }) => path), []);
});

/**
 * Which rooms a room may import from, besides itself; ordered so that a room imports only from rooms above it in this
 * table. `src/` itself is two rooms: the ground that everything stands on, and the facade.
 */
const ROOMS: Readonly<Record<string, readonly string[]>> = {
  ground: [],
  canonical: ["ground"],
  contracts: ["ground", "canonical"],
  formats: ["ground", "canonical", "contracts"],
  "contracts/stored": ["ground", "canonical", "contracts"],
  "contracts/options": ["ground", "canonical", "contracts"],
  engine: ["ground", "canonical", "contracts", "contracts/options"],
  "tables/schema": ["ground", "canonical", "engine"],
  tables: ["ground", "canonical", "contracts", "contracts/stored", "engine", "tables/schema"],
  deletion: ["ground", "canonical", "contracts", "contracts/options", "engine", "tables"],
  scopes: [
    "ground",
    "canonical",
    "contracts",
    "contracts/stored",
    "contracts/options",
    "engine",
    "tables",
    "deletion",
  ],
  media: [
    ...["ground", "canonical", "contracts", "engine", "tables", "deletion", "scopes"],
  ],
  "index/analysis": ["canonical"],
  index: ["ground", "canonical", "contracts", "engine", "tables", "deletion", "scopes", "index/analysis"],
  search: ["ground", "canonical", "contracts", "engine", "tables", "deletion", "index/analysis", "index"],
  "context/counting": ["ground", "canonical", "contracts"],
  context: ["ground", "canonical", "contracts", "index/analysis", "index", "search", "context/counting"],
  "context/messages": [
    ...["ground", "canonical", "contracts", "formats", "search", "context/counting", "context"],
  ],
  records: ["ground", "canonical", "contracts", "contracts/options", "engine", "tables", "deletion"],
  sessions: [
    "ground",
    "canonical",
    "contracts",
    "contracts/options",
    "engine",
    "tables",
    "deletion",
    "scopes",
  ],
  conversations: [
    ...["ground", "canonical", "contracts", "contracts/options", "engine", "tables", "deletion", "scopes"],
    ...["sessions"],
    ...["contracts/stored", "index", "search", "context/counting", "context", "context/messages", "media"],
  ],
  "conversations/tenants": [
    ...["ground", "canonical", "contracts", "contracts/options", "engine", "tables", "scopes", "index"],
    ...["search", "context", "conversations"],
  ],
  journals: [
    ...["ground", "canonical", "contracts", "contracts/options", "engine", "tables", "deletion", "scopes"],
    ...["conversations"],
  ],
  lines: [
    ...["ground", "canonical", "contracts", "contracts/options", "engine", "tables", "deletion", "scopes"],
    ...["contracts/stored", "records", "conversations", "journals", "media"],
  ],
  platform: ["ground"],
  "engines/sqlite/drivers": ["ground", "engine"],
  "engines/sqlite/files": ["ground", "canonical", "contracts", "contracts/options", "engine", "platform"],
  "engines/sqlite/database": [
    ...[
      "ground",
      "canonical",
      "platform",
      "engine",
      "tables/schema",
      "engines/sqlite/drivers",
      "engines/sqlite/files",
    ],
  ],
  "engines/sqlite/read": [
    ...[
      "ground",
      "canonical",
      "contracts/options",
      "engine",
      "tables/schema",
      "engines/sqlite/drivers",
      "engines/sqlite/database",
    ],
  ],
  "engines/sqlite/write": [
    ...[
      "ground",
      "canonical",
      "engine",
      "tables/schema",
      "tables",
      "engines/sqlite/drivers",
      "engines/sqlite/files",
    ],
    ...["engines/sqlite/database"],
  ],
  "engines/sqlite/open": [
    ...["ground", "engine", "platform", "engines/sqlite/drivers", "engines/sqlite/files"],
    ...["engines/sqlite/database", "engines/sqlite/read"],
  ],
  "engines/sqlite/restore": [
    ...["ground", "contracts", "engine", "tables", "engines/sqlite/drivers", "engines/sqlite/files"],
    ...["engines/sqlite/database", "engines/sqlite/read", "engines/sqlite/write", "engines/sqlite/open"],
  ],
  "engines/sqlite": [
    ...[
      "ground",
      "contracts",
      "contracts/options",
      "engine",
      "engines/sqlite/drivers",
      "engines/sqlite/files",
      "engines/sqlite/database",
      "engines/sqlite/read",
    ],
    ...["engines/sqlite/write", "engines/sqlite/open"],
  ],
  facade: [
    ...["ground", "canonical", "contracts", "contracts/options", "engine", "tables", "deletion", "scopes"],
    ...[
      "index",
      "search",
      "records",
      "sessions",
      "conversations",
      "conversations/tenants",
      "journals",
      "lines",
      "platform",
    ],
  ],
  "testing/kit": [
    "ground",
    "canonical",
    "contracts",
    "contracts/options",
    "engine",
    "tables/schema",
    "facade",
  ],
  "testing/records": [
    ...["ground", "canonical", "contracts", "contracts/options", "engine", "tables/schema", "tables"],
    ...["records", "facade", "testing/kit"],
  ],
  "testing/conversations": [
    ...["ground", "canonical", "contracts", "tables/schema", "facade", "testing/kit"],
  ],
  "testing/deletion": ["ground", "canonical", "tables/schema", "facade", "testing/kit"],
  "testing/lines": ["facade", "testing/kit", "testing/records"],
  "testing/backups": ["tables/schema", "facade", "testing/kit", "testing/records", "testing/lines"],
  "testing/searches": ["facade", "testing/kit"],
  "testing/sessions": ["tables/schema", "facade", "testing/kit"],
  testing: [
    ...["testing/kit", "testing/records", "testing/conversations", "testing/deletion", "testing/lines"],
    ...["testing/backups", "testing/searches", "testing/sessions"],
  ],
  "cli/terminal": ["ground", "contracts"],
  "cli/commands": [
    ...["ground", "contracts", "contracts/options", "context", "conversations", "platform", "facade"],
    ...["cli/terminal"],
  ],
  cli: ["ground", "cli/terminal", "cli/commands"],
};

/** Files of `src/` itself that every room may import. */
const GROUND: readonly string[] = ["clock", "errors", "limits", "pace", "package_version"]
  .map((name) => `src/${name}.ts`);

/** Only these choose an engine; everything else outside `src/engines/` knows the port. */
const ENGINE_CHOOSERS: readonly string[] = ["src/open.ts", "src/restore.ts"];

/** The room that a file is in. */
function roomOf(path: string): string {
  const folder = path.slice("src/".length, Math.max("src/".length, path.lastIndexOf("/")));
  if (folder !== "") return folder;
  return GROUND.includes(path) ? "ground" : "facade";
}

/** The relative imports of a file, those that wait for a first call included. */
function importsOf(source: Source): string[] {
  const targets = [...codeOf(source).matchAll(/(?:from |\bimport\()"(\.[^"]+)"/g)];
  return targets.map(([, target = ""]) => new URL(target, `file:///${source.path}`).pathname.slice(1));
}

Deno.test("a room imports only from rooms that the table allows it", () => {
  const wrong = SOURCES.flatMap((source) => {
    const room = roomOf(source.path);
    const allowed = ROOMS[room] ?? [];
    return importsOf(source).filter((target) => {
      const other = roomOf(target);
      if (other.startsWith("engines/") && ENGINE_CHOOSERS.includes(source.path)) return false;
      return other !== room && !allowed.includes(other);
    }).map((target) => `${source.path} -> ${target}`);
  });
  assert.deepEqual(wrong, []);
});

Deno.test("the table of rooms names every room, and each only imports from rooms above it", () => {
  const names = Object.keys(ROOMS);
  assert.deepEqual([...new Set(SOURCES.map(({ path }) => roomOf(path)))].sort(), [...names].sort());
  const upward = names.flatMap((name, place) =>
    ROOMS[name]!.filter((other) => !names.slice(0, place).includes(other)).map((other) =>
      `${name} -> ${other}`
    )
  );
  assert.deepEqual(upward, []);
});

Deno.test("the engine's port, and what stands on it, imports no engine", () => {
  const reaching = Object.entries(ROOMS).filter(([name, others]) =>
    !name.startsWith("engines/") && others.some((other) => other.startsWith("engines/"))
  );
  assert.deepEqual(reaching, []);
});

const FILES_PER_ROOM_MAX = 25;

Deno.test("a room has at most 25 files", () => {
  const rooms = Map.groupBy(SOURCES, ({ path }) => roomOf(path));
  const full = [...rooms].filter(([, files]) => files.length > FILES_PER_ROOM_MAX).map(([name]) => name);
  assert.deepEqual(full, []);
});

Deno.test("no two files bear one name, and no six begin with one word", () => {
  const nameOf = ({ path }: Source): string => path.slice(path.lastIndexOf("/") + 1, -".ts".length);
  const twice = [...Map.groupBy(SOURCES, nameOf)].filter(([, files]) => files.length > 1);
  assert.deepEqual(twice.map(([name]) => name), []);
  const assembling = SOURCES.map(nameOf).filter((name) => name.startsWith("assemble"));
  assert.ok(assembling.length < 6, assembling.join(", "));
  assert.deepEqual(SOURCES.map(nameOf).filter((name) => /(^|_)judge/.test(name)), []);
});

/** What only tests call, and why it is there all the same. */
const FOR_TESTS_ALONE: Readonly<Record<string, string>> = {
  "src/engines/sqlite/database/connection.ts countTrips": "holds how many round trips an operation takes",
  "src/engines/sqlite/files/open_files.ts countOpenFiles":
    "looks for stores left open, which no sanitizer of Deno sees",
  "src/tables/schema/dialects.ts POSTGRES": "how an engine on PostgreSQL will create the same tables",
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
  assert.deepEqual(idle.sort(), Object.keys(FOR_TESTS_ALONE).sort());
});

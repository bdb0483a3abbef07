/** The campaign of random breaks, on a toy of which it is known what its test notices, and on a quick room. */

import assert from "node:assert/strict";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { type CampaignOptions, type Result, runCampaign } from "./campaign.ts";
import { BLIND, type Room, ROOMS } from "./rooms.ts";
import { findSqlBreaks } from "./sql_breaks.ts";
import { Tree } from "./tree.ts";

const ROOT = new URL("../../", import.meta.url).pathname;
const TOY: Room = { folder: "src/toy/", runs: ["toy"] };
const TOY_TEST = `import { answer } from "../../src/toy/toy.ts";
Deno.test("grown-ups are let in", () => {
  if (!answer(30) || answer(10)) throw new Error("let in the wrong one");
});
`;

async function tryToy(source: string, options: Partial<CampaignOptions> = {}): Promise<readonly Result[]> {
  await using directory = await TemporaryDirectory.make();
  await Deno.mkdir(directory.file("src/toy"), { recursive: true });
  await Deno.mkdir(directory.file("tests/toy"), { recursive: true });
  await Deno.writeTextFile(directory.file("deno.json"), "{}");
  await Deno.writeTextFile(directory.file("src/toy/toy.ts"), source);
  await Deno.writeTextFile(directory.file("tests/toy/toy_test.ts"), TOY_TEST);
  const results = await campaign({ root: `${directory.path}/`, rooms: [TOY], allRooms: [TOY], ...options });
  assert.equal(await Deno.readTextFile(directory.file("src/toy/toy.ts")), source);
  return results;
}

function campaign(
  options: Partial<CampaignOptions> & Pick<CampaignOptions, "root" | "rooms" | "allRooms">,
): Promise<readonly Result[]> {
  return runCampaign({
    seed: 1,
    count: 100,
    limitMs: 60_000,
    trees: 1,
    ignored: [],
    spared: [],
    onResult: () => {},
    ...options,
  });
}

function verdicts(results: readonly Result[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    results.map(({ shown, verdict }) => [shown.split("\n+ ")[1]!.trim(), verdict] as const)
      .toSorted(([left], [right]) => left < right ? -1 : 1),
  );
}

Deno.test("A campaign tells the breaks that a test notices from those that survive it", async () => {
  const results = await tryToy("export const answer = (age: number): boolean =>\n  age >= 18;\n");
  assert.deepEqual(verdicts(results), {
    "age < 18;": "noticed",
    "age > 18;": "survived",
    "age >= (18 + 1);": "survived",
    "age >= (18 - 1);": "survived",
  });
});

Deno.test("A campaign sets apart the breaks that do not compile, and runs no test for them", async () => {
  const source =
    "export const answer = (age: number | null): boolean => {\n  if (age === null) return false;\n  return 18 <= age;\n};\n";
  const results = await tryToy(source, { count: 0 });
  assert.deepEqual(results, []);
  const all = verdicts(await tryToy(source));
  assert.equal(all[";"], "untyped");
  assert.equal(all["if (age !== null) return false;"], "untyped");
  assert.equal(all["return 18 > age;"], "noticed");
});

Deno.test("Tests that do not end are ended at their time limit, and count as having noticed", async () => {
  await using directory = await TemporaryDirectory.make();
  await Deno.mkdir(directory.file("tests"));
  await Deno.writeTextFile(
    directory.file("tests/endless_test.ts"),
    `Deno.test("endless", () => { for (;;); });`,
  );
  await using tree = await Tree.copy(`${directory.path}/`, { limitMs: 1_000, ignored: [] });
  assert.deepEqual(await tree.test(["endless_test.ts"]), { passed: false, noticedBy: "timeout" });
});

Deno.test("One seed draws the same breaks again, and one of them can be tried alone", async () => {
  const source = "export const answer = (age: number): boolean =>\n  age >= 18 && age < 130;\n";
  const draws = async (options: Partial<CampaignOptions>): Promise<readonly string[]> =>
    (await tryToy(source, options)).map(({ id, shown }) => `${id} ${shown}`);
  const drawn = await draws({ count: 3 });
  assert.deepEqual(await draws({ only: new Set(["1/2"]) }), [drawn[1]]);
  for (const one of await draws({ kinds: new Set(["boundary"]) })) assert.match(one, /\(boundary\)/);
  assert.notDeepEqual(await draws({ seed: 2, count: 3 }), drawn);
});

Deno.test("A few breaks of a room of the source are tried in a copy", async () => {
  const room = { folder: "src/records/", runs: ["records"] };
  const allRooms = ROOMS.map((one) => one.folder === room.folder ? room : one);
  const results = await campaign({ root: ROOT, rooms: [room], allRooms, count: 3, ignored: BLIND });
  const tried = results.filter(({ verdict }) => verdict !== "untyped");
  assert.equal(tried.length, 3);
  for (const { found } of results) assert.ok(found.file.startsWith("src/records/"));
});

Deno.test("A signal ends a campaign at once, and its copies are removed", async () => {
  const interruption = new AbortController();
  const reason = new Error("enough");
  const source = "export const answer = (age: number): boolean =>\n  age >= 18;\n";
  const onResult = (): void => interruption.abort(reason);
  await assert.rejects(tryToy(source, { trees: 2, signal: interruption.signal, onResult }), reason);
  const tree = await Tree.copy(`${ROOT}tests/mutate/`, { limitMs: 1, ignored: [] });
  await tree[Symbol.asyncDispose]();
  await assert.rejects(Deno.stat(tree.root.slice(0, -"/tree/".length)), Deno.errors.NotFound);
});

Deno.test("Every room has files and every run has tests", async () => {
  for (const { folder, runs } of ROOMS) {
    assert.ok([...Deno.readDirSync(ROOT + folder)].some(({ name }) => name.endsWith(".ts")), folder);
    for (const path of runs.flatMap((run) => run.split(" "))) await Deno.stat(`${ROOT}tests/${path}`);
  }
});

Deno.test("A statement of SQL is broken in its conditions, its order and its limit, and binds what it did", () => {
  const sql = "SELECT id FROM turns WHERE scope = $1 AND id > $2 ORDER BY id DESC LIMIT $3";
  const broken = findSqlBreaks(sql).map(({ start, end, replacement }) =>
    sql.slice(0, start) + replacement + sql.slice(end)
  );
  assert.deepEqual(broken, [
    "SELECT id FROM turns WHERE ($1 IS $1) AND id > $2 ORDER BY id DESC LIMIT $3",
    "SELECT id FROM turns WHERE scope = $1 AND ($2 IS $2) ORDER BY id DESC LIMIT $3",
    "SELECT id FROM turns WHERE scope = $1 AND id >= $2 ORDER BY id DESC LIMIT $3",
    "SELECT id FROM turns WHERE scope = $1 AND id > $2 ORDER BY id ASC LIMIT $3",
    "SELECT id FROM turns WHERE scope = $1 AND id > $2 ORDER BY id DESC LIMIT $3 + 1",
  ]);
  assert.deepEqual(findSqlBreaks("CREATE TABLE turns (id INTEGER CHECK (id > 0)) STRICT"), []);
  assert.deepEqual(findSqlBreaks("Where is it?"), []);
});

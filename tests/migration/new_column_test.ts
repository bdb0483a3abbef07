/** That whole rows carry a new column, after one edit in its descriptor: a copy of the source gets one, and is used. */

import assert from "node:assert/strict";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const ROOT = new URL("../../", import.meta.url);

function copyFolder(from: URL, to: string): void {
  Deno.mkdirSync(to);
  for (const { name, isDirectory } of Deno.readDirSync(from)) {
    if (isDirectory) copyFolder(new URL(`${name}/`, from), `${to}/${name}`);
    else Deno.copyFileSync(new URL(name, from), `${to}/${name}`);
  }
}

/** The edit: one line in the descriptor of pins. */
const LINE = "    sourceTurn: INTEGER_OR_NULL,\n";
const WITH_COLUMN = `${LINE}    carriedAlong: TEXT_OR_NULL,\n`;

/** Uses a store of the changed source. What the release does not know of the column is written by another hand. */
const PROGRAM = `
import { DatabaseSync } from "node:sqlite";
import { openMemory, restoreMemory } from "./mod.ts";

const SCOPE = { tenantId: "travel", sessionId: "lisbon" };
const [path, backup, restored, deletionPath] = ["agent.db", "agent.backup", "new.db", "agent.db.deletions"]
  .map((name) => new URL(name, import.meta.url));
const columnIn = (file) => {
  const database = new DatabaseSync(file);
  const row = database.prepare("SELECT carried_along FROM pins WHERE key = 'seat'").get();
  database.close();
  return row?.carried_along ?? null;
};
const values = [];

let memory = await openMemory(path);
let conversation = memory.conversation(SCOPE);
await conversation.append([{ role: "user", content: "An aisle seat, please." }]);
for (const key of ["seat", "diet"]) {
  const expectedRevision = await conversation.revision();
  await conversation.putPin({ scope: SCOPE, key, value: "aisle", origin: "user" }, { expectedRevision });
}
await memory.close();
values.push(columnIn(path));

const database = new DatabaseSync(path);
database.exec("UPDATE pins SET carried_along = 'by the window if full' WHERE key = 'seat'");
database.close();

memory = await openMemory(path);
conversation = memory.conversation(SCOPE);
await conversation.delete({ kind: "pin", key: "diet", expectedRevision: await conversation.revision() });
const { scrub } = await memory.prune();
await memory.backup(backup);
const watermark = await memory.deletionWatermark();
const checks = [await memory.check()];
await memory.close();
values.push(columnIn(path), columnIn(backup));

memory = await restoreMemory(backup, restored, { deletionPath, watermark });
checks.push(await memory.check());
const { pins } = await memory.conversation(SCOPE).snapshot();
await memory.close();
values.push(columnIn(restored));
console.log(JSON.stringify({
  values,
  tables: scrub.tables,
  complete: scrub.complete,
  checks: checks.map(({ ok }) => ok),
  pins: pins.map(({ key, value }) => [key, value]),
}));
`;

Deno.test("whole rows carry a new column: created, copied, rewritten, restored and checked", async () => {
  await using directory = await TemporaryDirectory.make();
  copyFolder(new URL("src/", ROOT), directory.file("src"));
  for (const name of ["mod.ts", "deno.json"]) Deno.copyFileSync(new URL(name, ROOT), directory.file(name));
  const tables = directory.file("src/tables/schema/main_tables.ts");
  const source = Deno.readTextFileSync(tables);
  assert.equal(source.split(LINE).length, 2, "the line is found once");
  Deno.writeTextFileSync(tables, source.replace(LINE, WITH_COLUMN));
  Deno.writeTextFileSync(directory.file("program.ts"), PROGRAM);

  const { stdout, stderr, success } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", "--no-lock", directory.file("program.ts")],
  }).output();
  assert.ok(success, new TextDecoder().decode(stderr));
  assert.deepEqual(JSON.parse(new TextDecoder().decode(stdout)), {
    values: [null, "by the window if full", "by the window if full", "by the window if full"],
    tables: 1,
    complete: true,
    checks: [true, true],
    pins: [["seat", "aisle"]],
  });
});

import assert from "node:assert/strict";
import type { Memory, Scope } from "@holdfast/memory";
import { HurriedStopwatch } from "../../kit/hurried_stopwatch.ts";
import { COUNTER, TestBed } from "./store.ts";

const SCOPE: Scope = { tenantId: "orchard", sessionId: "spring" };
const COUNT = { tenantId: "orchard", kind: COUNTER.name, key: "a" };
const TEN_SECONDS = "1970-01-12T13:46:50Z";

type Fields = Record<string, unknown>;

/** A scope of one turn `t1`, which expires in ten seconds, and one counter. */
async function fill(memory: Memory): Promise<void> {
  const conversation = memory.conversation(SCOPE);
  await conversation.create();
  const messages = [{ messageId: "m1", role: "user", content: "pears" }] as const;
  await conversation.putTurn({ turnId: "t1", scope: SCOPE, messages }, {
    operationId: "1",
    expectedRevision: 0,
    expiresAt: TEN_SECONDS,
  });
  await memory.records.put(COUNT, { n: 1 }, { expectedRevision: null, ttl: null });
}

function exported(memory: Memory): Promise<string[]> {
  return Array.fromAsync(memory.exportLines({ includeContent: true }));
}

/** Imports lines that were changed: what the closing line says of them is left aside. */
async function importChanged(memory: Memory, lines: readonly string[]): Promise<void> {
  await memory.importLines(lines).catch(({ code }) => assert.equal(code, "CONTRACT"));
}

/** A turn's line without its deadline, perhaps as another revision. */
function withoutDeadline(line: string, revision = 1): string {
  const fields = JSON.parse(line) as Fields & { turn?: Fields };
  if (fields.turn === undefined) return line;
  return JSON.stringify({ ...fields, expires_at: null, turn: { ...fields.turn, revision } });
}

async function turnIds(memory: Memory): Promise<string[]> {
  return (await Array.fromAsync(memory.conversation(SCOPE).turns())).map(({ turnId }) => turnId);
}

Deno.test("An import does not bring back a turn that expired here", async () => {
  await using source = await TestBed.inMemory();
  await using bed = await TestBed.inMemory();
  await fill(source.memory);
  const lines = await exported(source.memory);
  await bed.memory.importLines(lines);
  bed.seconds += 10;
  await bed.memory.prune();
  await importChanged(bed.memory, lines.map((line) => withoutDeadline(line)));
  assert.deepEqual(await turnIds(bed.memory), []);
});

Deno.test("An import into the same store skips what something happened to since", async () => {
  await using bed = await TestBed.inMemory();
  await fill(bed.memory);
  const lines = await exported(bed.memory);
  bed.seconds += 10;
  await bed.memory.prune();
  await importChanged(bed.memory, lines.map((line) => withoutDeadline(line, 2)));
  assert.deepEqual(await turnIds(bed.memory), []);
});

Deno.test("An import does not bring back a record that was forgotten here, whatever its revision elsewhere", async () => {
  await using source = await TestBed.inMemory();
  await using bed = await TestBed.inMemory();
  await bed.records.put(COUNT, { n: 1 }, { expectedRevision: null, ttl: null });
  await bed.records.forget(COUNT, 1);
  await source.records.put({ ...COUNT, key: "b" }, { n: 1 }, { expectedRevision: null, ttl: null });
  await source.records.put(COUNT, { n: 1 }, { expectedRevision: null, ttl: null });
  await bed.memory.importLines(await exported(source.memory));
  assert.equal(await bed.records.get(COUNT), null);
});

Deno.test("No put is given a revision that came in", async () => {
  await using source = await TestBed.inMemory();
  await using bed = await TestBed.inMemory();
  await fill(source.memory);
  await bed.memory.importLines(await exported(source.memory));
  const { revision } = (await bed.records.get(COUNT))!;
  assert(await bed.records.put(COUNT, { n: 2 }, { expectedRevision: revision, ttl: null }) > revision);
});

Deno.test("Lines that were cut off are told", async () => {
  await using source = await TestBed.inMemory();
  await using bed = await TestBed.inMemory();
  await fill(source.memory);
  const lines = await exported(source.memory);
  const code = await bed.memory.importLines(lines.slice(0, -1)).then(() => "none", (error) => error.code);
  assert.equal(code, "CONTRACT");
});

Deno.test("Lines that were changed are told", async () => {
  await using source = await TestBed.inMemory();
  await using bed = await TestBed.inMemory();
  await fill(source.memory);
  const lines = (await exported(source.memory)).map((line) => line.replace("pears", "plums"));
  const code = await bed.memory.importLines(lines).then(() => "none", (error) => error.code);
  assert.equal(code, "CONTRACT");
});

Deno.test("What is due is in no export", async () => {
  await using bed = await TestBed.inMemory();
  await fill(bed.memory);
  bed.seconds += 10;
  assert.equal((await exported(bed.memory)).join("").includes("pears"), false);
});

Deno.test("An import overwrites nothing", async () => {
  await using source = await TestBed.inMemory();
  await using bed = await TestBed.inMemory();
  await fill(source.memory);
  await bed.records.put(COUNT, { n: 7 }, { expectedRevision: null, ttl: null });
  await bed.memory.importLines(await exported(source.memory));
  assert.deepEqual((await bed.records.get(COUNT))?.value, { n: 7 });
});

Deno.test("A scope that changes while it is exported in pages is exported as it was at one moment", async () => {
  await using bed = await TestBed.inMemory();
  const conversation = bed.memory.conversation(SCOPE);
  const content = "pears";
  await Promise.all(Array.from({ length: 3_000 }, () => conversation.append([{ role: "user", content }])));
  const ids = await turnIds(bed.memory);
  const [first, last] = [ids[0]!, ids.at(-1)!];
  const page = Promise.withResolvers<void>();
  bed.driver.hook = (_database, sql, run) => {
    if (sql.includes("FROM turns WHERE scope = $1 AND id > $2")) page.resolve();
    return run();
  };
  using _ = new HurriedStopwatch(); // gives way after each page, however short it took
  const exporting = exported(bed.memory);
  await page.promise;
  // Some ninety pages are still to be read.
  for (const key of [first, last]) {
    await conversation.delete({ kind: "turn", key, expectedRevision: await conversation.revision() });
  }
  const text = (await exporting).join("");
  assert.equal(text.includes(first) && !text.includes(last), false, "a mixture of two moments");
});

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { SqliteFailure } from "@holdfast/memory";
import { checksumOf } from "../../../src/canonical/checksum.ts";
import { fact, factId, TestBed } from "./store.ts";

const FULL = 13;

async function putAll(bed: TestBed, keys: readonly string[]): Promise<number[]> {
  const revisions: number[] = [];
  for (const key of keys) {
    revisions.push(await bed.records.put(factId(key), fact(), { expectedRevision: null, ttl: 60 }));
  }
  return revisions;
}

/** Main's next COMMIT after the ledger's is refused: the deletion is recorded and not applied. */
function leavePending(bed: TestBed, key: string, revision: number): Promise<void> {
  return pendingAfter(bed, () => bed.records.forget(factId(key), revision));
}

/** The same of any deletion. */
async function pendingAfter(bed: TestBed, erase: () => Promise<unknown>): Promise<void> {
  let recorded = false;
  const { driver } = bed;
  driver.hook = (database, sql, run) => {
    if (database === "main" && sql === "COMMIT" && recorded) {
      recorded = false;
      driver.rows("main", "ROLLBACK");
      throw new SqliteFailure(FULL, "full");
    }
    const result = run();
    if (database === "ledger" && sql === "COMMIT") recorded = true;
    return result;
  };
  await assert.rejects(erase(), { code: "FULL" });
  driver.hook = (_database, _sql, run) => run();
}

Deno.test("A revoked record is never put again", async () => {
  await using bed = await TestBed.inMemory();
  const [revision] = await putAll(bed, ["a"]);
  assert.equal(await bed.records.forget(factId("a"), revision!, { revoke: true }), true);
  await assert.rejects(bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 60 }), {
    reason: "DELETED",
  });
});

Deno.test("The ledger is committed before main", async () => {
  await using bed = await TestBed.inMemory();
  const [revision] = await putAll(bed, ["a"]);
  const commits: string[] = [];
  bed.driver.hook = (database, sql, run) => {
    if (sql === "COMMIT") commits.push(database);
    return run();
  };
  await bed.records.forget(factId("a"), revision!);
  assert.deepEqual(commits, ["ledger", "main"]);
});

Deno.test("A recorded deletion is completed before its record is read again", async () => {
  await using bed = await TestBed.inFile();
  const [revision] = await putAll(bed, ["a"]);
  await leavePending(bed, "a", revision!);
  const listed = bed.records.list("orchard").then(({ items }) => items, ({ code }) => code);
  assert.deepEqual(await listed, []);
});

Deno.test("A recorded deletion is completed before its record is read, also right after another record was", async () => {
  await using bed = await TestBed.inFile();
  const [revision] = await putAll(bed, ["a", "b"]);
  await leavePending(bed, "a", revision!);
  assert.equal((await bed.records.get(factId("b")))?.value.text, fact().text);
  assert.equal(await bed.records.get(factId("a")).then((found) => found, ({ code }) => code), null);
});

Deno.test("A recorded deletion is completed before the next write", async () => {
  await using bed = await TestBed.inFile();
  const [revision] = await putAll(bed, ["a"]);
  await leavePending(bed, "a", revision!);
  const put = bed.records.put(factId("b"), fact(), { expectedRevision: null, ttl: 60 });
  await assert.doesNotReject(put);
  assert.deepEqual(bed.driver.rows("main", "SELECT key FROM records"), [["b"]]);
});

Deno.test("A message whose deletion another process completed cannot be sent again", async () => {
  await using bed = await TestBed.inFile();
  const conversation = bed.memory.conversation({ tenantId: "orchard", sessionId: "spring" });
  const message = { messageId: "m", role: "user", content: "My door code is 4711." } as const;
  const { turnId: key, revision: expectedRevision } = await conversation.append([message]);
  await pendingAfter(bed, () => conversation.delete({ kind: "turn", key, expectedRevision }));
  const again = await conversation.append([message]).then(() => "stored", ({ reason }) => reason);
  assert.equal(again, "DELETED");
});

Deno.test("A store that a restore has replaced writes nothing more", async () => {
  await using bed = await TestBed.inFile();
  const [[lineage, count, head]] = bed.driver.rows("ledger", "SELECT lineage, count, head FROM meta") as [
    [string, number, string],
  ];
  const checksum = checksumOf(lineage, 1, "f".repeat(32), count, head, 0, null);
  using other = new OtherProgram(`${bed.path}.deletions`);
  other.run(`UPDATE meta SET generation = 1, epoch = '${"f".repeat(32)}', probe = 0, checksum = ${checksum}`);
  const put = bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 60 });
  await assert.rejects(put, { code: "REPLACED" });
});

Deno.test("A ledger of another store is refused", async () => {
  await using bed = await TestBed.inFile();
  await using other = await TestBed.inFile();
  const [[epoch]] = bed.driver.rows("main", "SELECT epoch FROM meta") as [[string]];
  await bed.close();
  const [[lineage, count, head]] = other.driver.rows("ledger", "SELECT lineage, count, head FROM meta") as [
    [string, number, string],
  ];
  await other.close();
  Deno.copyFileSync(`${other.path}.deletions`, `${bed.path}.deletions`);
  using program = new OtherProgram(`${bed.path}.deletions`);
  const checksum = checksumOf(lineage, 0, epoch, count, head, 0, null);
  program.run(`UPDATE meta SET epoch = '${epoch}', probe = 0, checksum = ${checksum}`);
  await assert.rejects(bed.open(), { code: "INTEGRITY", message: /another store/ });
});

Deno.test("A ledger that tells another history is refused", async () => {
  await using bed = await TestBed.inFile();
  const [a, b] = await putAll(bed, ["a", "b"]);
  await bed.close();
  for (const name of ["", ".deletions"]) Deno.copyFileSync(bed.path + name, `${bed.directory}/then${name}`);
  await bed.open();
  await bed.records.forget(factId("a"), a!);
  await bed.close();
  Deno.renameSync(bed.path, `${bed.directory}/main-a`);
  for (const name of ["", ".deletions"]) Deno.renameSync(`${bed.directory}/then${name}`, bed.path + name);
  await bed.open();
  await bed.records.forget(factId("b"), b!);
  await bed.close();
  Deno.renameSync(`${bed.directory}/main-a`, bed.path);
  await assert.rejects(bed.open(), { code: "INTEGRITY" });
});

Deno.test("A main that is older than its ledger by more than one deletion is refused", async () => {
  await using bed = await TestBed.inFile();
  const [a, b] = await putAll(bed, ["a", "b"]);
  await bed.close();
  Deno.copyFileSync(bed.path, `${bed.directory}/older`);
  await bed.open();
  await bed.records.forget(factId("a"), a!);
  await bed.records.forget(factId("b"), b!);
  await bed.close();
  Deno.renameSync(`${bed.directory}/older`, bed.path);
  await assert.rejects(bed.open(), { code: "INTEGRITY" });
});

Deno.test("check() finds an event that was changed", async () => {
  await using bed = await TestBed.inFile();
  const [revision] = await putAll(bed, ["a"]);
  await bed.records.forget(factId("a"), revision!);
  bed.driver.rows("ledger", "UPDATE events SET floor = 7");
  const { problems } = await bed.memory.check();
  assert.ok(problems.some(({ database, table }) => database === "ledger" && table === "events"));
});

Deno.test("What another connection did to the ledger is seen before the next write", async () => {
  await using bed = await TestBed.inFile();
  const [revision] = await putAll(bed, ["a"]);
  const first = bed.memory;
  await bed.open();
  await bed.records.forget(factId("a"), revision!);
  const put = first.records.put(factId("b"), fact(), { expectedRevision: null, ttl: 60 });
  await assert.doesNotReject(put);
  await first.close();
});

/** Plain SQLite on one of a store's files. */
class OtherProgram implements Disposable {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path);
  }

  run(sql: string): void {
    this.#database.prepare(sql).run();
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openMemory } from "@holdfast/memory";
import { HookedDriver } from "./hooked_driver.ts";
import { fact, factId, TestBed } from "./store.ts";

const FILES = ["agent.db", "agent.db-shm", "agent.db-wal", "agent.db.deletions", "agent.db.deletions-shm"];

function modeOf(path: string): number {
  return Deno.lstatSync(path).mode! & 0o777;
}

Deno.test("PRM-01, PRM-02: every file of a store is private, whatever the mask of its process", async () => {
  const mask = Deno.umask(0);
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-target-" });
  try {
    const opened = openMemory(`${directory}/made/agent.db`);
    await assert.doesNotReject(opened);
    await using _memory = await opened;
    assert.deepEqual(FILES.map((name) => modeOf(`${directory}/made/${name}`)), FILES.map(() => 0o600));
    assert.equal(modeOf(`${directory}/made`), 0o700);
  } finally {
    Deno.umask(mask);
    Deno.removeSync(directory, { recursive: true });
  }
});

Deno.test("The names of a new store are durable before its ledger calls it live", async () => {
  const order: string[] = [];
  const { syncSync } = Deno.FsFile.prototype;
  Deno.FsFile.prototype.syncSync = function (this: Deno.FsFile): void {
    order.push("sync");
    syncSync.call(this);
  };
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-target-" });
  try {
    const driver = new HookedDriver();
    driver.hook = (database, sql, run) => {
      if (database === "ledger" && sql.startsWith("UPDATE meta")) order.push("live");
      return run();
    };
    await (await openMemory(`${directory}/agent.db`, { driver })).close();
    assert.deepEqual(order, ["sync", "live"]);
  } finally {
    Deno.FsFile.prototype.syncSync = syncSync;
    Deno.removeSync(directory, { recursive: true });
  }
});

Deno.test("PRM-01: a store that others may read is refused", async () => {
  await using bed = await TestBed.inFile();
  await bed.close();
  Deno.chmodSync(bed.path, 0o644);
  await assert.rejects(bed.open(), { code: "UNSAFE" });
});

Deno.test("PRM-04: a symbolic link in place of the store is refused", async () => {
  await using bed = await TestBed.inFile();
  await bed.close();
  Deno.renameSync(bed.path, `${bed.directory}/elsewhere.db`);
  Deno.symlinkSync(`${bed.directory}/elsewhere.db`, bed.path);
  await assert.rejects(bed.open(), { code: "UNSAFE" });
});

Deno.test("A store with a second hard link is refused", async () => {
  await using bed = await TestBed.inFile();
  await bed.close();
  Deno.linkSync(bed.path, `${bed.directory}/second.db`);
  await assert.rejects(bed.open(), { code: "UNSAFE" });
});

Deno.test("A directory in which others may replace files is refused", async () => {
  await using bed = await TestBed.inFile();
  await bed.close();
  Deno.chmodSync(bed.directory!, 0o777);
  await assert.rejects(bed.open(), { code: "UNSAFE" });
});

Deno.test("A foreign database is refused without a byte of it changed", async () => {
  await using bed = await TestBed.inFile();
  await bed.close();
  for (const { name } of [...Deno.readDirSync(bed.directory!)]) Deno.removeSync(`${bed.directory}/${name}`);
  const foreign = new DatabaseSync(bed.path + ".deletions");
  foreign.exec("CREATE TABLE theirs (a)");
  foreign.close();
  Deno.chmodSync(`${bed.path}.deletions`, 0o600);
  const before = Deno.readFileSync(`${bed.path}.deletions`);
  await assert.rejects(bed.open(), { code: "UNSAFE" });
  assert.deepEqual(Deno.readFileSync(`${bed.path}.deletions`), before);
});

Deno.test("A store without its ledger is refused", async () => {
  await using bed = await TestBed.inFile();
  await bed.close();
  Deno.removeSync(`${bed.path}.deletions`);
  await assert.rejects(bed.open(), { code: "INTEGRITY" });
  assert.throws(() => Deno.lstatSync(`${bed.path}.deletions`), Deno.errors.NotFound);
});

Deno.test("A ledger without its store is refused", async () => {
  await using bed = await TestBed.inFile();
  await bed.close();
  Deno.removeSync(bed.path);
  await assert.rejects(bed.open(), { code: "RESTORE" });
  assert.throws(() => Deno.lstatSync(bed.path), Deno.errors.NotFound);
});

Deno.test("Nothing is acknowledged that went to a file which is no longer the store's", async () => {
  await using bed = await TestBed.inFile();
  await bed.records.put(factId("a"), fact(), { expectedRevision: null, ttl: 60 });
  Deno.renameSync(bed.path, `${bed.directory}/moved.db`);
  Deno.writeFileSync(bed.path, Deno.readFileSync(`${bed.directory}/moved.db`), { mode: 0o600 });
  const put = bed.records.put(factId("b"), fact(), { expectedRevision: null, ttl: 60 });
  await assert.rejects(put, { code: "REPLACED" });
});

Deno.test("DRV-23: store and ledger are synced at each commit, and clear what they delete", async () => {
  await using bed = await TestBed.inFile();
  for (const database of ["main", "ledger"] as const) {
    assert.deepEqual(bed.driver.rows(database, "PRAGMA synchronous"), [[2]]);
    assert.deepEqual(bed.driver.rows(database, "PRAGMA journal_mode"), [["wal"]]);
    assert.deepEqual(bed.driver.rows(database, "PRAGMA secure_delete"), [[1]]);
    assert.deepEqual(bed.driver.rows(database, "PRAGMA trusted_schema"), [[0]]);
    assert.deepEqual(bed.driver.rows(database, "PRAGMA busy_timeout"), [[0]]);
  }
});

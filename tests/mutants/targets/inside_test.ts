import assert from "node:assert/strict";
import { fact, factId, TestBed } from "./store.ts";

const CREATE = { expectedRevision: null, ttl: 60 } as const;

Deno.test("The caller's clock is never read while a transaction is open", async () => {
  let isOpen = false;
  let [outside, inside] = [0, 0];
  const clock = (): number => {
    if (isOpen) inside++;
    else outside++;
    return 1_000_000_000;
  };
  await using bed = await TestBed.inMemory({ clock });
  bed.driver.hook = (database, sql, run) => {
    const done = run();
    if (database === "main" && sql.startsWith("BEGIN")) isOpen = true;
    if (database === "main" && (sql === "COMMIT" || sql === "ROLLBACK")) isOpen = false;
    return done;
  };
  await bed.records.put(factId("a"), fact(), CREATE);
  await bed.records.list("orchard");
  const talk = bed.memory.conversation({ tenantId: "orchard", sessionId: "spring" });
  await talk.append([{ role: "user", content: "It rains." }]);
  await talk.snapshot();
  assert(outside > 4);
  assert.equal(inside, 0);
});

Deno.test("A record that is read from inside a transaction is read once it has ended, and the transaction goes on", async () => {
  await using bed = await TestBed.inMemory();
  await bed.records.put(factId("kept"), fact("kept"), CREATE);
  const look = () => bed.records.list("orchard");
  await look(); // What lists is loaded by the first call.
  let asked: ReturnType<typeof look> | undefined;
  bed.driver.hook = (database, sql, run) => {
    const done = run();
    if (database === "main" && sql.startsWith("INSERT INTO records")) asked ??= look();
    return done;
  };
  const put = bed.records.put(factId("a"), fact(), CREATE);
  const other = bed.records.put(factId("b"), fact(), CREATE);
  const settled = await Promise.allSettled([put, other]);
  assert.deepEqual(settled.map((each) => each.status === "fulfilled" && each.value), [2, 3]);
  const { items } = (await asked)!;
  assert.deepEqual(items.map(({ key }) => key), ["a", "b", "kept"]);
  assert.equal((await bed.records.get(factId("b")))?.revision, 3);
});

Deno.test("A record that is looked up from inside a transaction is not the one that is not committed yet", async () => {
  await using bed = await TestBed.inMemory();
  const revision = await bed.records.put(factId("a"), fact("before"), CREATE);
  await bed.records.get(factId("a"));
  const look = () => bed.records.get(factId("a"));
  let asked: ReturnType<typeof look> | undefined;
  bed.driver.hook = (database, sql, run) => {
    const done = run();
    if (database !== "main" || !sql.startsWith("INSERT INTO records")) return done;
    asked ??= look();
    throw new Error("the disk broke");
  };
  await assert.rejects(bed.records.put(factId("a"), fact("after"), { expectedRevision: revision, ttl: 60 }));
  assert.equal((await asked)?.value.text, "before");
});

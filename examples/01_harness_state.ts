/**
 * One run of a small harness on a real file: it resumes after a restart, a stale write is rejected, tenants do not see
 * each other, a fact expires, and everything is removed. Times are passed explicitly, so that each run prints the same.
 *
 * Run it with `deno task demo`, or by hand with exactly the permissions it needs:
 * `deno run --allow-read=.demo --allow-write=.demo examples/01_harness_state.ts`
 */
import { ConflictError, type Memory, openMemory } from "../mod.ts";
import { demo, print } from "./demo.ts";

const RUN = { tenantId: "acme", kind: "checkpoint", key: "release-42" } as const;
const PREFERENCE = { tenantId: "acme", kind: "fact", key: "preference" } as const;
const START = { schema: 1, step: 0, items: [] } as const;
const LAST_STEP = 2;

/** One step of the run. A missing checkpoint is an error, never permission to start again. */
async function advance({ records }: Memory, item: string, now: number): Promise<number> {
  const found = await records.get(RUN, { now });
  if (found === null) throw new Error("There is no live checkpoint to advance");
  if (found.value.step === LAST_STEP) return found.revision;
  const next = { ...found.value, step: found.value.step + 1, items: [...found.value.items, item] };
  return await records.put(RUN, next, { expectedRevision: found.revision, now, ttl: 60 });
}

await demo(async () => {
  {
    await using memory = await openMemory(".demo/agent.db");
    await memory.records.put(RUN, START, { expectedRevision: null, now: 100, ttl: 60 });
    await advance(memory, "collected", 101);
  }
  await using memory = await openMemory(".demo/agent.db");
  const { records } = memory;
  print(`resumed step: ${(await records.get(RUN, { now: 102 }))?.value.step}`);

  await advance(memory, "drafted", 102);
  const revision = await advance(memory, "published", 103);
  const stale = await records.put(RUN, START, { expectedRevision: 1, now: 103, ttl: 60 }).catch((error) =>
    error
  );
  print(`stale write: ${stale instanceof ConflictError ? "rejected" : "accepted"}`);

  const fact = {
    schema: 1,
    text: "Fictional team likes checklists.",
    source: "workshop-note-1",
    reviewed: false,
  } as const;
  await records.put(PREFERENCE, fact, { expectedRevision: null, now: 103, ttl: 5 });
  const other = await records.get({ ...PREFERENCE, tenantId: "globex" }, { now: 104 });
  print(`other tenant: ${other?.value.text ?? "None"}`);

  const before = await records.get(PREFERENCE, { now: 107 });
  const after = await records.get(PREFERENCE, { now: 108 });
  if (before === null) throw new Error("The fact should still be visible one second before its deadline");
  print(`at expiry: ${after?.value.text ?? "None"}`);
  print(`expired rows purged: ${await records.purge("acme", { now: 108 })}`);

  print(`checkpoint forgotten: ${await records.forget(RUN, revision) ? "True" : "False"}`);
  print(`remaining rows: ${(await records.list("acme", { now: 0 })).items.length}`);
});

/** What one of several processes or threads on one store does. */

import { DatabaseSync } from "node:sqlite";
import { type Memory, openMemory } from "@holdfast/memory";
import { Thread } from "../kit/thread.ts";
import { mix } from "./mix.ts";
import { oldLibrary } from "./old_library.ts";
import { reopen, writeTurns } from "./reopening.ts";
import { COUNTER, THREAD, VISITS } from "./shared_names.ts";
import type { Task } from "./task.ts";

const THREAD_MODULE = new URL("thread.ts", import.meta.url);

let opened: Memory | null = null;
let holder: DatabaseSync | null = null;
let threads: readonly Thread<Task>[] = [];

/** Performs one task; what it opens stays open for the next. */
export async function perform(task: Task): Promise<unknown> {
  switch (task.do) {
    case "open": {
      const driver = task.old === true ? oldLibrary : undefined;
      opened = await openMemory(task.path, { kinds: [COUNTER], busyTimeoutMs: task.busyTimeoutMs, driver });
      return null;
    }
    case "close":
      return await opened!.close();
    case "increment":
      return await increment(opened!, task.times);
    case "facts":
      return await putFacts(opened!, task.prefix, task.count);
    case "append":
      return await append(opened!, task.prefix, task.count);
    case "first open":
      return await firstOpen(task);
    case "mix":
      return await mix(opened!, task);
    case "forgets":
      return await forgetOverAndOver(opened!, task.key, task.times);
    case "write turns":
      return await writeTurns(task);
    case "reopen":
      return await reopen(task);
    case "start threads":
      threads = Array.from({ length: task.count }, () => new Thread(THREAD_MODULE));
      return await Promise.all(threads.map((thread) => thread.perform({ do: "nothing" })));
    case "in threads":
      return await Promise.all(threads.map((thread, index) => thread.perform(task.of[index]!)));
    case "end threads":
      for (const thread of threads) thread[Symbol.dispose]();
      return null;
    case "nothing":
      return null;
    case "hold":
      holder = new DatabaseSync(task.path);
      holder.prepare("BEGIN IMMEDIATE").run();
      return null;
    case "hold written":
      holder = new DatabaseSync(task.path);
      holder.prepare("BEGIN IMMEDIATE").run();
      return Number(holder.prepare("DELETE FROM records").run().changes);
    case "release":
      holder!.prepare("ROLLBACK").run();
      holder!.close();
      return null;
  }
}

async function increment({ records }: Memory, times: number): Promise<number> {
  for (let time = 0; time < times; time++) {
    await records.update(VISITS, ({ n }: { n: number }) => ({ n: n + 1 }), { ttl: null, attempts: 1_000 });
  }
  return times;
}

async function putFacts({ records }: Memory, prefix: string, count: number): Promise<number[]> {
  const revisions: number[] = [];
  for (let index = 0; index < count; index++) {
    const identity = { tenantId: "orchard", kind: "fact", key: `${prefix}-${index}` } as const;
    const value = { schema: 1, text: `fact ${index}`, source: prefix, reviewed: false } as const;
    revisions.push(await records.put(identity, value, { expectedRevision: null, ttl: 3_600 }));
  }
  return revisions;
}

async function append(memory: Memory, prefix: string, count: number): Promise<number[]> {
  const conversation = memory.conversation(THREAD);
  const revisions: number[] = [];
  for (let index = 0; index < count; index++) {
    const content = `${prefix}-${index}`;
    revisions.push((await conversation.append([{ role: "user", content }])).revision);
  }
  return revisions;
}

async function firstOpen(
  { path, key, old }: Task & { do: "first open" },
): Promise<{ lineage: string; revision: number }> {
  await using memory = await openMemory(path, { driver: old === true ? oldLibrary : undefined });
  const { lineage } = await memory.deletionWatermark();
  const value = { schema: 1, text: key, source: "first", reviewed: false } as const;
  const identity = { tenantId: "orchard", kind: "fact", key } as const;
  return {
    lineage,
    revision: await memory.records.put(identity, value, { expectedRevision: null, ttl: 3_600 }),
  };
}

async function forgetOverAndOver({ records }: Memory, key: string, times: number): Promise<number> {
  const identity = { tenantId: "orchard", kind: "fact", key } as const;
  const value = { schema: 1, text: "gone soon", source: key, reviewed: false } as const;
  let forgotten = 0;
  for (let time = 0; time < times; time++) {
    const revision = await records.put(identity, value, { expectedRevision: null, ttl: 3_600 });
    if (await records.forget(identity, revision)) forgotten++;
  }
  return forgotten;
}

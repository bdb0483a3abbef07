/** `demo`: runs a small harness on a real file, in a new directory that it removes afterwards. */

import { ConflictError } from "../../errors.ts";
import type { Memory } from "../../memory.ts";
import { openMemory } from "../../open.ts";
import { type Declare, type Session, withPermissions } from "./command.ts";
import { requireDirectory } from "./file_access.ts";

/** Declares the command. */
export const DEMO: Declare = (program, run) => {
  withPermissions(program.command("demo"), "write", "DIR")
    .summary("Run the worked example on a real file")
    .description(
      "Run the worked example on a real file: a run resumes, a stale write is rejected, tenants do not see each other, " +
        "a fact expires, and everything is removed. It works in a new directory below the given one, and removes it " +
        "at the end.",
    )
    .argument("[directory]", "where to create that directory", ".")
    .action((directory: string) => run((session) => demo(session, directory)));
};

/** The results, by name. */
type Results = Record<string, string | number | boolean | null>;

/** The worked example prints these values in Python's words, as the reference does. */
const IN_WORDS: ReadonlyMap<unknown, string> = new Map<unknown, string>([[null, "None"], [true, "True"], [
  false,
  "False",
]]);

async function demo({ screen, signal }: Session, directory: string): Promise<boolean> {
  requireDirectory(directory);
  const place = await Deno.makeTempDir({ dir: directory, prefix: ".holdfast-demo-" });
  const results: Results = {};
  try {
    await begin(`${place}/agent.db`);
    signal.throwIfAborted();
    await using memory = await openMemory(`${place}/agent.db`);
    await resume(memory, results);
    signal.throwIfAborted();
  } catch (error) {
    // The first failure is the one to report.
    await Deno.remove(place, { recursive: true }).catch(() => {});
    throw error;
  }
  await Deno.remove(place, { recursive: true });
  if (screen.json) await screen.value(results);
  else {for (const [name, value] of Object.entries(results)) {
      await screen.line(`${name}: ${IN_WORDS.get(value) ?? value}`);
    }}
  return true;
}

const RUN = { tenantId: "acme", kind: "checkpoint", key: "run-a" } as const;
const PREFERENCE = { tenantId: "acme", kind: "fact", key: "preference" } as const;
const START = { schema: 1, step: 0, items: [] } as const;

/** Times are passed explicitly, so that each run prints the same. */
async function begin(path: string): Promise<void> {
  await using memory = await openMemory(path);
  await memory.records.put(RUN, START, { expectedRevision: null, now: 100, ttl: 60 });
  await advance(memory, "collected", 101);
}

async function advance({ records }: Memory, item: string, now: number): Promise<number> {
  const found = await records.get(RUN, { now });
  if (found === null) throw new TypeError("The checkpoint of the example is missing");
  const next = { ...found.value, step: found.value.step + 1, items: [...found.value.items, item] };
  return await records.put(RUN, next, { expectedRevision: found.revision, now, ttl: 60 });
}

async function resume(memory: Memory, results: Results): Promise<void> {
  const { records } = memory;
  results["resumed step"] = (await records.get(RUN, { now: 102 }))?.value.step ?? null;
  const revision = await advance(memory, "drafted", 102);
  const stale = await records.put(RUN, START, { expectedRevision: 1, now: 103, ttl: 60 }).catch((error) =>
    error
  );
  results["stale write"] = stale instanceof ConflictError ? "rejected" : "accepted";
  const fact = {
    schema: 1,
    text: "Fictional team likes checklists.",
    source: "workshop-note-1",
    reviewed: false,
  } as const;
  await records.put(PREFERENCE, fact, { expectedRevision: null, now: 103, ttl: 5 });
  const other = await records.get({ ...PREFERENCE, tenantId: "harbour" }, { now: 104 });
  results["other tenant"] = other?.value.text ?? null;
  results["at expiry"] = (await records.get(PREFERENCE, { now: 108 }))?.value.text ?? null;
  results["expired rows purged"] = await records.purge("acme", { now: 108 });
  results["checkpoint forgotten"] = await records.forget(RUN, revision);
  results["remaining rows"] = (await records.list("acme", { now: 0 })).items.length;
}

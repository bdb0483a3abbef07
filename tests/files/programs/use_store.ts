/**
 * Uses a store with this process's permissions, and prints as JSON what it read, or the error. Arguments: the options
 * of opening as JSON, and the path.
 */
import { type MemoryOptions, openMemory, StorageError } from "../../../mod.ts";

const [given, path] = Deno.args as [string, string];
const options = JSON.parse(given) as MemoryOptions;
const FACT = { tenantId: "orchard", kind: "fact", key: "oldest" } as const;
const LATER = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;

async function write(): Promise<void> {
  await using memory = await openMemory(path, options);
  const { records } = memory;
  const text = { schema: 1, text: "Pear.", source: "bed-4", reviewed: false } as const;
  await records.put(FACT, text, { expectedRevision: null, ttl: 86_400, operationId: "plant" });
  await records.put(LATER, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 60, now: 100 });
  await records.update(FACT, (fact) => ({ ...fact, reviewed: true }), { ttl: 86_400 });
  await records.purge("orchard", { now: 160 });
  await records.put(LATER, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 60 });
  await records.forget(LATER, 4, { revoke: true });
}

async function read(): Promise<unknown> {
  await using memory = await openMemory(path, options);
  const { records } = memory;
  return {
    text: (await records.get(FACT))?.value.text ?? null,
    reviewed: (await records.get(FACT))?.value.reviewed ?? null,
    listed: (await records.list("orchard")).items.length,
    deletions: (await memory.deletionWatermark()).sequence,
    problems: (await memory.check()).problems.length,
  };
}

function print(result: unknown): void {
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(result)));
}

try {
  if (options.readOnly !== true) await write();
  print(await read());
} catch (error) {
  if (!(error instanceof StorageError)) throw error;
  print({ code: error.code, message: error.message, flags: error.details.flags ?? null });
}

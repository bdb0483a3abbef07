/**
 * The process that is killed. It works on a store, and reports each call before it makes it and each answer once it
 * has it, one JSON line each, written to a pipe before anything else happens. Its one argument is an {@linkcode
 * Errand}.
 */

import { ConflictError, type Memory, MemoryError, nodeSqlite, openMemory } from "@holdfast/memory";
import { oldLibrary } from "../contention/old_library.ts";
import { Seeded } from "../model/records/seeded.ts";
import { type Call, type Errand, type Line, NOW } from "./errand.ts";
import { playMixed, playScript } from "./scripts.ts";
import { Striker, strikingDriver, watchFiles } from "./strike.ts";

const encoder = new TextEncoder();

/** The parent reads a written line even if this process has ended. */
function say(line: Line): void {
  const bytes = encoder.encode(`${JSON.stringify(line)}\n`);
  for (let written = 0; written < bytes.length;) written += Deno.stdout.writeSync(bytes.subarray(written));
}

function make({ records }: Memory, call: Call): Promise<number | boolean> {
  if (call.op === "purge") return records.purge(call.tenantId, { now: call.now });
  const identity = { tenantId: call.tenantId, kind: "fact", key: call.key } as const;
  if (call.op === "forget") return records.forget(identity, call.expectedRevision, { revoke: call.revoke });
  const value = { schema: 1, text: call.text, source: "child", reviewed: false } as const;
  if (call.op === "update") return records.update(identity, () => value, { ttl: call.ttl });
  const { expectedRevision, ttl, operationId } = call;
  return records.put(identity, value, { expectedRevision, ttl, now: NOW, operationId });
}

async function work(errand: Errand): Promise<void> {
  const tell = errand.trace ? (call: string): void => say({ type: "call", call }) : null;
  const striker = new Striker(errand.strike, errand.refusal, tell);
  if (errand.script === "creation") watchFiles(striker);
  if (errand.script === "creation" || errand.script === "completion") striker.arm();
  say({ type: "opening" });
  const memory = await openMemory(errand.path, {
    clock: () => NOW * 1_000,
    driver: strikingDriver(striker, errand.old ? oldLibrary : nodeSqlite),
  });
  say({ type: "open" });
  let count = errand.firstCall;
  const run = async (call: Call): Promise<number | boolean | null> => {
    const number = count++;
    say({ type: "intent", number, call });
    try {
      const result = await make(memory, call);
      say({ type: "ack", number, result });
      return result;
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      say({ type: "refused", number, reason: error.reason });
      return null;
    }
  };
  if (errand.script === "mixed") await playMixed(memory, new Seeded(errand.seed), errand, run);
  else await playScript(memory, errand, run, striker);
  await memory.close();
}

try {
  await work(JSON.parse(Deno.args[0]!) as Errand);
  say({ type: "end" });
} catch (error) {
  const { name, message, stack = "" } = error as Error;
  say({ type: "error", code: error instanceof MemoryError ? error.code : name, message, stack });
  Deno.exit(1);
}

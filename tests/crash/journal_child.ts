/** What is killed: a process that appends to a journal, pops, replaces and clears, and tells each answer once it has it. */

import { nodeSqlite, openMemory } from "@holdfast/memory";
import { journalCalls, type JournalErrand, type JournalLine } from "./journal_script.ts";
import { Striker, strikingDriver } from "./strike.ts";

const CALLS_MAX = 300;
const encoder = new TextEncoder();

function say(line: JournalLine): void {
  const bytes = encoder.encode(`${JSON.stringify(line)}\n`);
  for (let written = 0; written < bytes.length;) written += Deno.stdout.writeSync(bytes.subarray(written));
}

const errand = JSON.parse(Deno.args[0]!) as JournalErrand;
const striker = new Striker(errand.strike, null, null);
const memory = await openMemory(errand.path, { driver: strikingDriver(striker, nodeSqlite) });
const journal = memory.journal({ tenantId: "orchard", sessionId: "spring" });
say({ type: "open" });
striker.arm();
let call = 0;
for (const { make } of journalCalls(errand)) {
  if (call === CALLS_MAX) break;
  await make(journal);
  say({ type: "done", call: call++ });
}
await memory.close();
say({ type: "end" });

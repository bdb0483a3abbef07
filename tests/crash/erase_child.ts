/** What is killed: a process that erases a person, and answers once it has the receipt. */

import { nodeSqlite, openMemory } from "@holdfast/memory";
import { Striker, strikingDriver } from "./strike.ts";
import type { Strike } from "./strike.ts";

/** What its parent process asks it to do. */
export interface EraseErrand {
  readonly path: string;
  readonly subject: string;
  readonly strike: Strike | null;
}

/** What it answers. */
export interface EraseLine {
  readonly type: "open" | "erased";
}

function say(line: EraseLine): void {
  const bytes = new TextEncoder().encode(`${JSON.stringify(line)}\n`);
  for (let written = 0; written < bytes.length;) written += Deno.stdout.writeSync(bytes.subarray(written));
}

if (import.meta.main) {
  const { path, subject, strike } = JSON.parse(Deno.args[0]!) as EraseErrand;
  const striker = new Striker(strike, null, null);
  const memory = await openMemory(path, { driver: strikingDriver(striker, nodeSqlite) });
  say({ type: "open" });
  striker.arm();
  await memory.erase({ tenantId: "orchard", subject });
  say({ type: "erased" });
  await memory.close();
}

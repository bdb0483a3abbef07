/** A process that is always busy, and sends itself signals: prints after how many turns of the event loop it saw each. */

import { monotonicMs, yieldToEventLoop } from "../src/clock.ts";

const SIGNALS = 11;
const WORK_MS = 12;
const TURNS_MAX = 100;
/** Turns before each signal, which falls between two looks at what came. */
const TURNS_BEFORE = 7;

async function turn(): Promise<void> {
  const startedMs = monotonicMs();
  while (monotonicMs() - startedMs < WORK_MS) { /* as a batch does */ }
  await yieldToEventLoop();
}

if (import.meta.main) {
  let seen = 0;
  Deno.addSignalListener("SIGINT", () => {
    seen++;
  });
  const turns: number[] = [];
  for (let sent = 1; sent <= SIGNALS; sent++) {
    for (let before = 0; before < TURNS_BEFORE; before++) await turn();
    Deno.kill(Deno.pid, "SIGINT");
    let count = 0;
    for (; seen < sent && count < TURNS_MAX; count++) await turn();
    turns.push(count);
  }
  await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(turns)));
  Deno.exit(0);
}

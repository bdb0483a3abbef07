/** A directory for one test's store, and what is said of a run. */

import assert from "node:assert/strict";
import { type Memory, type MemoryOptions, openMemory } from "@holdfast/memory";
import { COUNTER } from "./shared_names.ts";

/** A private directory that goes with the test. */
export class StoreDirectory implements Disposable {
  readonly directory: string = Deno.makeTempDirSync({ prefix: "holdfast-contention-" });

  /** The path of the one store in it. */
  get path(): string {
    return `${this.directory}/agent.db`;
  }

  open(options: MemoryOptions = {}): Promise<Memory> {
    return openMemory(this.path, { kinds: [COUNTER], ...options });
  }

  [Symbol.dispose](): void {
    Deno.removeSync(this.directory, { recursive: true });
  }
}

/** Requires that a check finds nothing wrong. */
export async function assertIntact(memory: Memory): Promise<void> {
  const { problems } = await memory.check();
  assert.deepEqual(problems, []);
}

/** Says one line of a test's numbers. */
export function say(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

/** Median and worst of sorted numbers, in words. */
export function medianAndWorst(sortedMs: readonly number[]): string {
  const median = sortedMs[sortedMs.length >> 1] ?? 0;
  return `median ${median.toFixed(1)} ms, worst ${(sortedMs.at(-1) ?? 0).toFixed(1)} ms`;
}

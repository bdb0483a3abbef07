/** Reading a store in small batches does not wait after each of them. */

import assert from "node:assert/strict";
import { type Memory, openMemory } from "@holdfast/memory";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { StoppedStopwatch } from "../kit/stopped_stopwatch.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const SCOPES = 60;

/** Counts how often the event loop gets a turn. */
class CountedTurns implements Disposable {
  count = 0;
  readonly #immediate = globalThis.setImmediate;
  readonly #timeout = globalThis.setTimeout;

  constructor() {
    globalThis.setImmediate = ((...given: Parameters<typeof setImmediate>) => {
      this.count++;
      return this.#immediate(...given);
    }) as typeof setImmediate;
    globalThis.setTimeout = ((...given: Parameters<typeof setTimeout>) => {
      this.count++;
      return this.#timeout(...given);
    }) as typeof setTimeout;
  }

  [Symbol.dispose](): void {
    globalThis.setImmediate = this.#immediate;
    globalThis.setTimeout = this.#timeout;
  }
}

const CALLS: Readonly<Record<string, (memory: Memory, path: string) => Promise<unknown>>> = {
  check: (memory) => memory.check(),
  backup: (memory, path) => memory.backup(path),
  exportLines: (memory) => Array.fromAsync(memory.exportLines({ includeContent: true })),
};

for (const [name, call] of Object.entries(CALLS)) {
  Deno.test(`${name}() of many small scopes does not yield to the event loop while no time has passed`, async () => {
    await using directory = await TemporaryDirectory.makeInMemory();
    await using memory = await openMemory(directory.file("agent.db"));
    for (let scope = 0; scope < SCOPES; scope++) {
      const talk = memory.conversation({ tenantId: "orchard", sessionId: `s${scope}` });
      await talk.append([{ role: "user", content: `pear ${scope}` }]);
    }
    await call(memory, directory.file("first")); // loads its code
    using _ = new StoppedStopwatch();
    using turns = new CountedTurns();
    await call(memory, directory.file("second"));
    assert.ok(turns.count < SCOPES / 4, `${turns.count} turns`);
  });
}

testThatNothingIsLeftOpen();

/** The calls on journals that are made from inside another. */

import assert from "node:assert/strict";
import type { Journal, Memory, Scope } from "@holdfast/memory";
import type { InnerCall } from "./inner_calls.ts";

const PART = "inner";

/** Puts the journal that the calls are about into a store. */
export async function prepareInnerJournal(memory: Memory, scope: Scope): Promise<void> {
  await memory.journal(scope, PART).append(["one", "two"].map((json) => ({ json })));
}

/** The calls, each with the values of the journal that it leaves. */
export function innerJournalCalls(scope: Scope): Readonly<Record<string, InnerCall>> {
  const journal = (memory: Memory): Journal => memory.journal(scope, PART);
  const call = (
    run: (journal: Journal) => Promise<unknown>,
    left: readonly string[] | null,
  ): InnerCall => ({
    call: ({ memory }) => run(journal(memory)),
    promised: async (_, { memory }) => {
      const reading = Array.fromAsync(journal(memory).read(), ({ json }) => json);
      if (left === null) await assert.rejects(reading, { reason: "DELETED" });
      else assert.deepEqual(await reading, left);
    },
  });
  return {
    "Memory.journal": call((journal) => journal.revision(), ["one", "two"]),
    "Journal.revision": call((journal) => journal.revision(), ["one", "two"]),
    "Journal.append": call((journal) => journal.append([{ json: "three" }]), ["one", "two", "three"]),
    "Journal.replaceSuffix": call(
      (journal) => journal.replaceSuffix({ from: 2, expectedRevision: 1 }, [{ json: "three" }]),
      ["one", "three"],
    ),
    "Journal.read": call((journal) => Array.fromAsync(journal.read()), ["one", "two"]),
    "Journal.pop": call((journal) => journal.pop(), ["one"]),
    "Journal.clear": call((journal) => journal.clear(), []),
    "Journal.delete": call((journal) => journal.delete(), null),
  };
}

/** The operations on a whole store, for the matrices. */

import assert from "node:assert/strict";
import type { Memory } from "@holdfast/memory";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { EXPIRES_MS, prepareTalk, REVISION, talkOf } from "./conversation_operations.ts";
import { prepareMuch } from "./index_operations.ts";
import { prepareOthers } from "./record_operations.ts";
import type { StruckOperation } from "./struck_operation.ts";

const CREATE = { expectedRevision: null, ttl: 60 };

/** A turn that was deleted, so that many tables have to be rewritten. */
async function prepareScrubbable(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  await talkOf(memory).delete({ kind: "turn", key: "t1", expectedRevision: REVISION });
}

/** Makes a copy in a directory of its own, in which nothing is left if that fails. */
async function copyTo(copy: (file: string) => Promise<unknown>): Promise<unknown> {
  await using directory = await TemporaryDirectory.makeInMemory();
  try {
    return await copy(directory.file("copy.db"));
  } catch (error) {
    assert.deepEqual([...Deno.readDirSync(directory.path)], [], "a copy that failed is still there");
    throw error;
  }
}

/** See the module's documentation. */
export const STORE_OPERATIONS: readonly StruckOperation[] = [
  {
    name: "a prune without scrub",
    calls: "Memory.prune",
    prepare: prepareMuch,
    laterMs: EXPIRES_MS,
    steps: true,
    run: (memory, signal) => memory.prune({ scrub: false, signal }),
  },
  {
    name: "a prune that scrubs",
    calls: "Memory.prune",
    prepare: prepareScrubbable,
    steps: true,
    rests: true,
    run: (memory, signal) => memory.prune({ signal }),
  },
  {
    name: "a prune that accepts the clock",
    calls: "Memory.prune",
    prepare: prepareOthers,
    laterMs: -600_000,
    steps: true,
    run: (memory, signal) => memory.prune({ acceptClock: true, scrub: false, signal }),
  },
  {
    name: "a backup",
    calls: "Memory.backup",
    prepare: prepareTalk,
    readsAtOnce: true,
    run: (memory, signal) => copyTo((file) => memory.backup(file, { signal })),
  },
  {
    name: "an export of the ledger",
    calls: "Memory.exportLedger",
    prepare: prepareTalk,
    readsAtOnce: true,
    run: (memory, signal) => copyTo((file) => memory.exportLedger(file, { signal })),
  },
  {
    name: "a close after a put",
    calls: "Memory.close",
    prepare: prepareOthers,
    closes: true,
    run: async (memory, signal) => {
      const put = memory.records.put(factAt("last"), factOf("x"), { ...CREATE, signal });
      const [ended, closed] = await Promise.allSettled([put, memory.close()]);
      if (closed.status === "rejected") throw closed.reason;
      if (ended.status === "rejected") throw ended.reason;
      return ended.value;
    },
  },
];

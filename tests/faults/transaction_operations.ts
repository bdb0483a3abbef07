/** The transactions that matrices strike. */

import type { Memory } from "@holdfast/memory";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";
import { after, ORCHARD, pinOf, turnOf } from "../conversations/samples.ts";
import { prepareExpiring, prepareTalk } from "./conversation_operations.ts";
import type { StruckOperation } from "./struck_operation.ts";

const OTHER = { ...ORCHARD, sessionId: "another" };

const CREATE = { expectedRevision: null, ttl: 60 };

/** Appends to two scopes, pins, and puts two records, the second of which expects the first. */
function write(
  memory: Memory,
  options: { signal: AbortSignal | undefined; operationId?: string },
): Promise<unknown> {
  return memory.transaction((transaction) => {
    const asked = transaction.append(ORCHARD, turnOf("asked").messages, { expiresAt: after(600) });
    transaction.append(OTHER, turnOf("told").messages, { onDuplicate: "skip" });
    transaction.putPin(pinOf("colour"), { expectedRevision: asked });
    const put = transaction.put(factAt("answer"), factOf("one"), CREATE);
    transaction.put(factAt("answer"), factOf("two"), { expectedRevision: put, ttl: 60 });
  }, options);
}

/** See `struck_operation.ts`. */
export const TRANSACTION_OPERATIONS: readonly StruckOperation[] = [
  {
    name: "a transaction with an operation id",
    calls: "Memory.transaction",
    prepare: prepareTalk,
    run: (memory, signal) => write(memory, { signal, operationId: "whole" }),
  },
  {
    name: "a transaction repeated",
    calls: "Memory.transaction",
    prepare: async (memory) => {
      await prepareTalk(memory);
      await write(memory, { signal: undefined, operationId: "whole" });
    },
    run: (memory, signal) => write(memory, { signal, operationId: "whole" }),
  },
  {
    name: "a transaction in a scope of which a part has expired",
    calls: "Memory.transaction",
    prepare: prepareExpiring,
    laterMs: 60_000,
    steps: true,
    run: (memory, signal) => write(memory, { signal, operationId: "whole" }),
  },
];

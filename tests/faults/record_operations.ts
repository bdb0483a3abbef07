/** The operations on records that fault matrices strike, each on a store that was prepared for it. */

import type { MemoryOptions } from "../../src/contracts/memory_options.ts";
import type { Memory } from "../../src/memory.ts";
import { factAt, factOf, RUN, START } from "../conformance/records/samples.ts";

/** The time at which everything happens, in milliseconds. */
export const NOW_MS = 1_000_000;

const CREATE = { expected: null, ttl: 60 };

/** One operation, and what lies in the store before it. */
export interface StruckOperation {
  readonly name: string;
  readonly prepare: (memory: Memory) => Promise<unknown>;
  readonly run: (memory: Memory) => Promise<unknown>;
}

/** How the stores of all cases are opened. */
export function optionsFor(busyTimeoutMs: number): Omit<MemoryOptions, "driver"> {
  return { clock: () => NOW_MS, busyTimeoutMs };
}

/** Something that is there before every operation, so that no table is empty. */
async function prepareOthers({ records }: Memory): Promise<void> {
  await records.put(factAt("other"), factOf("other"), { ...CREATE, operationId: "other" });
  const revision = await records.put(factAt("forgotten"), factOf("x"), CREATE);
  await records.forget(factAt("forgotten"), revision);
}

/** Revision 3: after those of the others. */
async function prepareRun(memory: Memory): Promise<void> {
  await prepareOthers(memory);
  await memory.records.put(RUN, START, { ...CREATE, operationId: "first" });
}

const NEXT = { ...START, step: 1 };

export const RECORD_OPERATIONS: readonly StruckOperation[] = [
  {
    name: "a put that creates",
    prepare: prepareOthers,
    run: ({ records }) => records.put(RUN, START, CREATE),
  },
  {
    name: "a put that replaces",
    prepare: prepareRun,
    run: ({ records }) => records.put(RUN, NEXT, { expected: 3, ttl: 60 }),
  },
  {
    name: "a put with an operation id",
    prepare: prepareRun,
    run: ({ records }) => records.put(RUN, NEXT, { expected: 3, ttl: 60, operationId: "second" }),
  },
  {
    name: "a put that is recalled",
    prepare: prepareRun,
    run: ({ records }) => records.put(RUN, START, { ...CREATE, operationId: "first" }),
  },
  {
    name: "a put that conflicts",
    prepare: prepareRun,
    run: ({ records }) => records.put(RUN, NEXT, { expected: 2, ttl: 60 }),
  },
  {
    name: "an update",
    prepare: prepareRun,
    run: ({ records }) => records.update(RUN, (value) => ({ ...value, step: 1 }), { ttl: 60 }),
  },
  {
    name: "a forget",
    prepare: prepareRun,
    run: ({ records }) => records.forget(RUN, 3),
  },
  {
    name: "a forget with an operation id",
    prepare: prepareRun,
    run: ({ records }) => records.forget(RUN, 3, { operationId: "second" }),
  },
  {
    name: "a forget that revokes",
    prepare: prepareRun,
    run: ({ records }) => records.forget(RUN, 3, { revoke: true }),
  },
  {
    name: "a revocation where no row is",
    prepare: prepareOthers,
    run: ({ records }) => records.forget(RUN, null, { revoke: true }),
  },
  {
    name: "a forget of another revision",
    prepare: prepareRun,
    run: ({ records }) => records.forget(RUN, 2),
  },
  {
    name: "a purge",
    prepare: prepareRun,
    run: ({ records }) => records.purge("orchard", { now: 1_060 }),
  },
  {
    name: "a get",
    prepare: prepareRun,
    run: ({ records }) => records.get(RUN),
  },
  {
    name: "a list",
    prepare: prepareRun,
    run: ({ records }) => records.list("orchard"),
  },
  {
    name: "a list of one kind",
    prepare: prepareRun,
    run: ({ records }) => records.list("orchard", { kind: "checkpoint" }),
  },
  {
    name: "a watermark",
    prepare: prepareRun,
    run: (memory) => memory.deletionWatermark(),
  },
];

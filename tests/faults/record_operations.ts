/** The operations on records, for the matrices. */

import type { Memory } from "../../src/memory.ts";
import { COUNTER, factAt, factOf, RUN, START } from "../../src/testing/records/record_samples.ts";
import { NOON } from "../conversations/samples.ts";
import type { StruckOperation } from "./struck_operation.ts";

const CREATE = { expectedRevision: null, ttl: 60 };

/** Content that exists before every operation, so that no table is empty. */
export async function prepareOthers({ records }: Memory): Promise<void> {
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

const VISITS = { tenantId: "orchard", key: "visits" };

/** Revisions 3 and 4; the second expires with the next minute. */
async function prepareCounters(memory: Memory): Promise<void> {
  await prepareOthers(memory);
  const counters = memory.records.of(COUNTER);
  await counters.put(VISITS, { n: 1 }, { expectedRevision: null });
  await counters.put({ ...VISITS, key: "today" }, { n: 1 }, CREATE);
}

/** The calls on records of one kind. */
const KIND_OPERATIONS: readonly StruckOperation[] = [
  {
    name: "a put of a kind",
    calls: "KindRecords.put",
    prepare: prepareCounters,
    run: ({ records }, signal) => records.of(COUNTER).put(VISITS, { n: 2 }, { expectedRevision: 3, signal }),
  },
  {
    name: "a put in place of an expired record",
    calls: "KindRecords.put",
    prepare: prepareCounters,
    laterMs: 60_000,
    run: ({ records }, signal) =>
      records.of(COUNTER).put({ ...VISITS, key: "today" }, { n: 2 }, { expectedRevision: null, signal }),
  },
  {
    name: "an update of a kind",
    calls: "KindRecords.update",
    prepare: prepareCounters,
    run: ({ records }, signal) => records.of(COUNTER).update(VISITS, ({ n }) => ({ n: n + 1 }), { signal }),
  },
  {
    name: "a forget of a kind",
    calls: "KindRecords.forget",
    prepare: prepareCounters,
    run: ({ records }, signal) => records.of(COUNTER).forget(VISITS, 3, { signal }),
  },
  {
    name: "a get of a kind",
    calls: "KindRecords.get",
    prepare: prepareCounters,
    run: ({ records }, signal) => records.of(COUNTER).get(VISITS, { signal }),
  },
  {
    name: "a list of a kind by key",
    calls: "KindRecords.list",
    prepare: prepareCounters,
    run: ({ records }, signal) => records.of(COUNTER).list("orchard", { prefix: "v", signal }),
  },
  {
    name: "a list of the newest of a kind",
    calls: "KindRecords.list",
    prepare: prepareCounters,
    run: ({ records }, signal) => records.of(COUNTER).list("orchard", { order: "newest", signal }),
  },
  {
    name: "a read of several records",
    calls: "KindRecords.getMany",
    prepare: prepareCounters,
    run: ({ records }, signal) => records.of(COUNTER).getMany("orchard", ["visits", "none"], { signal }),
  },
];

/** See the module's documentation. */
export const RECORD_OPERATIONS: readonly StruckOperation[] = [
  {
    name: "a put that creates",
    calls: "Records.put",
    prepare: prepareOthers,
    run: ({ records }, signal) => records.put(RUN, START, { ...CREATE, signal }),
  },
  {
    name: "a put that replaces",
    calls: "Records.put",
    prepare: prepareRun,
    run: ({ records }, signal) => records.put(RUN, NEXT, { expectedRevision: 3, ttl: 60, signal }),
  },
  {
    name: "a put with an operation id",
    calls: "Records.put",
    prepare: prepareRun,
    run: ({ records }, signal) =>
      records.put(RUN, NEXT, { expectedRevision: 3, ttl: 60, operationId: "second", signal }),
  },
  {
    name: "a put that is recalled",
    calls: "Records.put",
    prepare: prepareRun,
    run: ({ records }, signal) => records.put(RUN, START, { ...CREATE, operationId: "first", signal }),
  },
  {
    name: "a put that conflicts",
    calls: "Records.put",
    prepare: prepareRun,
    run: ({ records }, signal) => records.put(RUN, NEXT, { expectedRevision: 2, ttl: 60, signal }),
  },
  {
    name: "an update",
    calls: "Records.update",
    prepare: prepareRun,
    run: ({ records }, signal) =>
      records.update(RUN, (value) => ({ ...value, step: 1 }), { ttl: 60, signal }),
  },
  {
    name: "a forget",
    calls: "Records.forget",
    prepare: prepareRun,
    run: ({ records }, signal) => records.forget(RUN, 3, { signal }),
  },
  {
    name: "a forget with an operation id",
    calls: "Records.forget",
    prepare: prepareRun,
    run: ({ records }, signal) => records.forget(RUN, 3, { operationId: "second", signal }),
  },
  {
    name: "a forget that revokes",
    calls: "Records.forget",
    prepare: prepareRun,
    run: ({ records }, signal) => records.forget(RUN, 3, { revoke: true, signal }),
  },
  {
    name: "a revocation where no row is",
    calls: "Records.forget",
    prepare: prepareOthers,
    run: ({ records }, signal) => records.forget(RUN, null, { revoke: true, signal }),
  },
  {
    name: "a forget of another revision",
    calls: "Records.forget",
    prepare: prepareRun,
    run: ({ records }, signal) => records.forget(RUN, 2, { signal }),
  },
  {
    name: "a purge",
    calls: "Records.purge",
    prepare: prepareRun,
    run: ({ records }, signal) => records.purge("orchard", { now: NOON + 60, signal }),
  },
  {
    name: "a get",
    calls: "Records.get",
    prepare: prepareRun,
    run: ({ records }, signal) => records.get(RUN, { signal }),
  },
  {
    name: "a list",
    calls: "Records.list",
    prepare: prepareRun,
    run: ({ records }, signal) => records.list("orchard", { signal }),
  },
  {
    name: "a list of one kind",
    calls: "Records.list",
    prepare: prepareRun,
    run: ({ records }, signal) => records.list("orchard", { kind: "checkpoint", signal }),
  },
  {
    name: "a watermark",
    calls: "Memory.deletionWatermark",
    prepare: prepareRun,
    run: (memory) => memory.deletionWatermark(),
  },
  ...KIND_OPERATIONS,
];

/** The operations on records. */

import { factOf, identityOf, TENANT } from "../stores.ts";
import { type GrowthOperation, operation, reading } from "./operation.ts";

/** The number of calls that are timed together. */
const OFTEN = 20;

const TTL = 86_400;

/** The operations on records. */
export const RECORD_OPERATIONS: readonly GrowthOperation[] = [
  reading({
    name: "records.get",
    calls: "Records.get",
    often: OFTEN,
    run: async ({ memory }) => (await memory.records.get(identityOf(7)))!.value.text.length,
  }),
  operation({
    name: "records.put",
    calls: "Records.put",
    ready: async ({ memory }) => (await memory.records.get(identityOf(1)))!.revision,
    run: async ({ memory }, expectedRevision) =>
      await memory.records.put(identityOf(1), factOf(expectedRevision), { expectedRevision, ttl: TTL }) > 0
        ? 1
        : 0,
  }),
  reading({
    name: "records.update",
    calls: "Records.update",
    run: async ({ memory }) => {
      const change = (fact: ReturnType<typeof factOf>) => ({ ...fact, reviewed: !fact.reviewed });
      return await memory.records.update(identityOf(2), change, { ttl: TTL }) > 0 ? 1 : 0;
    },
  }),
  operation({
    name: "records.forget",
    calls: "Records.forget",
    ready: ({ memory }) =>
      memory.records.put(identityOf(1_000), factOf(0), { expectedRevision: null, ttl: TTL }),
    run: async ({ memory }, revision) => Number(await memory.records.forget(identityOf(1_000), revision)),
  }),
  reading({
    name: "records.list, a page of 10",
    calls: "Records.list",
    often: OFTEN,
    run: async ({ memory }) => (await memory.records.list(TENANT, { limit: 10 })).items.length,
  }),
  operation({
    name: "records.purge, one expired",
    calls: "Records.purge",
    ready: ({ memory }) =>
      memory.records.put(identityOf(1_001), factOf(0), { expectedRevision: null, ttl: 1, now: 1 }),
    run: ({ memory }) => memory.records.purge(TENANT, { now: 10 }),
  }),
];

/** The operations on records. */

import { factOf, identityOf, TENANT } from "../stores.ts";
import { type GrowthOperation, operation, reading } from "./operation.ts";
import { NOTE } from "./world.ts";

/** The number of calls that are timed together. */
const OFTEN = 20;

const TTL = 86_400;

/** The place of a note that every store has. */
const SEVENTH = { tenantId: TENANT, key: "src/file-7.ts" };

/** The operations on records of one kind. */
const KIND_OPERATIONS: readonly GrowthOperation[] = [
  reading({
    name: "records.of",
    calls: "Records.of",
    often: 200,
    run: ({ memory }) => Number(memory.records.of(NOTE) !== null),
  }),
  reading({
    name: "records.of(kind).get",
    calls: "KindRecords.get",
    often: OFTEN,
    run: async ({ memory }) => (await memory.records.of(NOTE).get(SEVENTH))!.value.length,
  }),
  operation({
    name: "records.of(kind).put",
    calls: "KindRecords.put",
    ready: async ({ memory }) => (await memory.records.of(NOTE).get(SEVENTH))!.revision,
    run: async ({ memory }, expectedRevision) =>
      Number(await memory.records.of(NOTE).put(SEVENTH, "Moved.", { expectedRevision }) > 0),
  }),
  reading({
    name: "records.of(kind).update",
    calls: "KindRecords.update",
    run: async ({ memory }) =>
      Number(await memory.records.of(NOTE).update(SEVENTH, (text) => text === "a" ? "b" : "a") > 0),
  }),
  operation({
    name: "records.of(kind).forget",
    calls: "KindRecords.forget",
    ready: ({ memory }) =>
      memory.records.of(NOTE).put({ ...SEVENTH, key: "forgotten" }, "x", { expectedRevision: null }),
    run: async ({ memory }, revision) =>
      Number(await memory.records.of(NOTE).forget({ ...SEVENTH, key: "forgotten" }, revision)),
  }),
  reading({
    name: "records.of(kind).list, a page of 10",
    calls: "KindRecords.list",
    often: OFTEN,
    run: async ({ memory }) => (await memory.records.of(NOTE).list(TENANT, { limit: 10 })).items.length,
  }),
  reading({
    name: "records.of(kind).list, the newest 10",
    calls: "KindRecords.list",
    often: OFTEN,
    run: async ({ memory }) =>
      (await memory.records.of(NOTE).list(TENANT, { limit: 10, order: "newest" })).items.length,
  }),
  reading({
    name: "records.of(kind).getMany, 10 keys",
    calls: "KindRecords.getMany",
    often: OFTEN,
    run: async ({ memory }) => {
      const keys = Array.from({ length: 10 }, (_, index) => `src/file-${index}.ts`);
      return (await memory.records.of(NOTE).getMany(TENANT, keys)).filter((item) => item !== null).length;
    },
  }),
];

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
  operation({
    name: "records.label",
    calls: "Records.label",
    ready: async ({ memory }) => {
      await memory.records.put(identityOf(1_000), factOf(0), { expectedRevision: null, ttl: TTL });
    },
    run: async ({ memory }) => Number(await memory.records.label(identityOf(1_000), "gwen")),
    undo: async ({ memory }) => {
      const found = await memory.records.get(identityOf(1_000));
      await memory.records.forget(identityOf(1_000), found!.revision);
    },
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
  ...KIND_OPERATIONS,
];

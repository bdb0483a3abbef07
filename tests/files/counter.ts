import { z } from "zod";
import { defineKind, type Memory, type RecordKind } from "../../mod.ts";

/** A kind of records that count. */
export const COUNTER: RecordKind<number> = defineKind("counter", z.int(), { ttlMax: null });

const VISITS = { tenantId: "orchard", kind: "counter", key: "visits" };

/** Sets the counter to 0. */
export async function startCounter({ records }: Memory): Promise<void> {
  await records.put(VISITS, 0, { expectedRevision: null, ttl: null });
}

/** Adds one, so many times, while others do so too. */
export async function countUp({ records }: Memory, times: number): Promise<void> {
  for (let time = 0; time < times; time++) {
    await records.update(VISITS, (count: number) => count + 1, { ttl: null, attempts: 1_000 });
  }
}

/** The counter's value. */
export async function readCounter({ records }: Memory): Promise<number | null> {
  return (await records.get<number>(VISITS))?.value ?? null;
}

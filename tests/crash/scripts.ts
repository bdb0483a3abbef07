/** The calls that a child makes. */

import type { Memory } from "@holdfast/memory";
import type { Seeded } from "../model/records/seeded.ts";
import { type Call, type Errand, NOW } from "./errand.ts";
import type { Striker } from "./strike.ts";

/** Makes one call, and reports its intent and its answer; returns the answer, or null if it was refused. */
export type Run = (call: Call) => Promise<number | boolean | null>;

/** Whose records are put, updated and forgotten. */
export const KEPT_TENANT = "orchard";

/** Whose records are purged. */
export const PURGED_TENANT = "harbour";

const KEPT_KEYS = ["k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"];
const PURGED_KEYS = ["p0", "p1", "p2", "p3", "p4"];
const BATCHES_MAX = 400;

/** The revisions that a child knows, so that most of its calls succeed. */
class Known {
  readonly #revisions = new Map<string, number | null>();
  readonly #memory: Memory;

  constructor(memory: Memory) {
    this.#memory = memory;
  }

  async revision(tenantId: string, key: string): Promise<number | null> {
    const name = `${tenantId}/${key}`;
    if (!this.#revisions.has(name)) {
      const found = await this.#memory.records.get({ tenantId, kind: "fact", key });
      this.#revisions.set(name, found?.revision ?? null);
    }
    return this.#revisions.get(name)!;
  }

  note(call: Call, answer: number | boolean | null): void {
    if (answer === null || answer === false) return;
    if (call.op === "purge") {
      for (const key of PURGED_KEYS) this.#revisions.delete(`${call.tenantId}/${key}`);
    } else {
      this.#revisions.set(`${call.tenantId}/${call.key}`, call.op === "forget" ? null : Number(answer));
    }
  }
}

/** Batches of calls at once, each on an identity of its own; until the process is killed. */
export async function playMixed(memory: Memory, seeded: Seeded, errand: Errand, run: Run): Promise<void> {
  const known = new Known(memory);
  let text = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch++) {
    const calls: Call[] = [];
    for (const key of seeded.shuffled(KEPT_KEYS).slice(0, seeded.integer(0, 6))) {
      calls.push(drawCall(seeded, key, await known.revision(KEPT_TENANT, key), `${errand.cycle}.${text++}`));
    }
    if (seeded.chance(0.2)) {
      calls.push({ op: "purge", tenantId: PURGED_TENANT, now: NOW + seeded.integer(1, 40) });
    } else {
      for (const key of seeded.shuffled(PURGED_KEYS).slice(0, seeded.integer(0, 2))) {
        const expected = await known.revision(PURGED_TENANT, key);
        calls.push(put(PURGED_TENANT, key, `${errand.cycle}.${text++}`, expected, seeded.integer(1, 40)));
      }
    }
    calls.push(...await drawRevocation(seeded, known, `r-${errand.cycle}-${batch >> 2}`, batch % 4));
    await Promise.all(calls.map(async (call) => known.note(call, await run(call))));
  }
}

function drawCall(seeded: Seeded, key: string, revision: number | null, text: string): Call {
  const wrong = revision === null ? 1 : null;
  return seeded.weighted<Call>([
    [5, put(KEPT_TENANT, key, text, revision, 60)],
    [2, { ...put(KEPT_TENANT, key, text, revision, 60), operationId: `op-${text}` }],
    [1, put(KEPT_TENANT, key, text, wrong, 60)],
    [2, { op: "update", tenantId: KEPT_TENANT, key, text, ttl: 60 }],
    [3, { op: "forget", tenantId: KEPT_TENANT, key, expectedRevision: revision, revoke: false }],
    [1, { op: "forget", tenantId: KEPT_TENANT, key, expectedRevision: wrong, revoke: false }],
  ]);
}

/** Puts and revokes a key of its own, and puts it again, which is refused. */
async function drawRevocation(seeded: Seeded, known: Known, key: string, stage: number): Promise<Call[]> {
  const revision = await known.revision(KEPT_TENANT, key);
  if (stage === 0 && seeded.chance(0.5)) return [put(KEPT_TENANT, key, key, revision, 60)];
  if (stage === 1 && revision !== null) {
    return [{ op: "forget", tenantId: KEPT_TENANT, key, expectedRevision: revision, revoke: true }];
  }
  return stage === 2 ? [put(KEPT_TENANT, key, "again", revision, 60)] : [];
}

/** The one thing that a child does to reach a named step. */
export async function playScript(memory: Memory, errand: Errand, run: Run, striker: Striker): Promise<void> {
  const known = new Known(memory);
  const revision = (key: string): Promise<number | null> => known.revision(KEPT_TENANT, key);
  const text = (index: number): string => `${errand.cycle}.${index}`;
  if (errand.script === "group") {
    const revisions = [await revision("k0"), await revision("k1"), await revision("k2")];
    const calls = [
      put(KEPT_TENANT, "k0", text(0), revisions[0]!, 60),
      put(KEPT_TENANT, "k3", text(1), 999_999_999, 60),
      put(KEPT_TENANT, "k1", text(2), revisions[1]!, 60),
      put(KEPT_TENANT, "k2", text(3), revisions[2]!, 60),
    ];
    striker.arm();
    await Promise.all(calls.map(run));
  } else if (errand.script === "deletion") {
    await Promise.all(["k4", "k5"].map(async (key, index) => {
      if (await revision(key) === null) await run(put(KEPT_TENANT, key, text(index), null, 60));
    }));
    const revisions = await Promise.all(
      ["k4", "k5"].map(async (key) => (await memory.records.get(fact(key)))!.revision),
    );
    striker.arm();
    await Promise.all(
      ["k4", "k5"].map((key, index) =>
        run({ op: "forget", tenantId: KEPT_TENANT, key, expectedRevision: revisions[index]!, revoke: false })
      ),
    );
  } else {
    await run(put(KEPT_TENANT, "k0", text(0), await revision("k0"), 60));
  }
}

function fact(key: string): { readonly tenantId: string; readonly kind: "fact"; readonly key: string } {
  return { tenantId: KEPT_TENANT, kind: "fact", key };
}

function put(
  tenantId: string,
  key: string,
  text: string,
  expectedRevision: number | null,
  ttl: number,
): Call & { op: "put" } {
  return { op: "put", tenantId, key, text, expectedRevision, ttl };
}

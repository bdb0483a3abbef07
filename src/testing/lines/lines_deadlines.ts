/** Imported items with a deadline, each type alone: the next expiry is known, and they are erased when it comes. */

import assert from "node:assert/strict";
import type { LinesSuite } from "./line_stores.ts";
import type { Memory } from "../../../mod.ts";
import {
  after,
  clockAtNoon,
  NOON,
  ORCHARD,
  pinOf,
  pinUp,
  readTurns,
  summaryOf,
  talk,
} from "../kit/conversation_samples.ts";
import { assertIntact } from "../kit/store_under_test.ts";
import { exported, NOTE } from "./filled_store.ts";

const IDENTITY = { tenantId: "orchard", kind: NOTE.name, key: "k" } as const;

/** Items with a deadline a minute after noon, and how to count them. */
interface Sort {
  readonly name: "turns" | "pins" | "summaries" | "records";
  readonly put: (memory: Memory) => Promise<unknown>;
  readonly count: (memory: Memory) => Promise<number>;
}

const SORTS: readonly Sort[] = [
  {
    name: "turns",
    put: async (memory) => {
      const conversation = memory.conversation(ORCHARD);
      return await conversation.append([{ role: "user", content: "x" }], { expiresAt: after(60) });
    },
    count: async (memory) => (await memory.conversation(ORCHARD).snapshot()).turnCount,
  },
  {
    name: "pins",
    put: async (memory) => await pinUp(await talk(memory, []), pinOf("k", "v", { expiresAt: after(60) })),
    count: async (memory) => (await memory.conversation(ORCHARD).snapshot()).pins.length,
  },
  {
    name: "summaries",
    put: async (memory) => {
      const conversation = await talk(memory, ["t1"]);
      const summary = summaryOf(await readTurns(conversation), "x", { expiresAt: after(60) });
      return await conversation.putSummary(await conversation.snapshot(), summary);
    },
    count: async (memory) => (await memory.conversation(ORCHARD).snapshot()).summary === null ? 0 : 1,
  },
  {
    name: "records",
    put: ({ records }) => records.put(IDENTITY, "x", { expectedRevision: null, ttl: 60 }),
    count: async ({ records }) => await records.get(IDENTITY) === null ? 0 : 1,
  },
];

/** A minute after noon, as inspections and snapshots print it. */
const EXPIRES_AT = "2027-01-15T08:01:00+00:00";

export function testDeadlines({ promise }: LinesSuite): void {
  for (const { name, put, count } of SORTS) {
    promise(
      `TST-07 Imported ${name} with a deadline, and nothing else, say when they expire, and are pruned`,
      async (fresh) => {
        const clock = clockAtNoon();
        await using source = await fresh(clock);
        await put(source);
        const lines = await exported(source);
        await using memory = await fresh(clock);
        assert.equal((await memory.importLines(lines)).imported[name], 1);
        const { tenants, scopes } = await memory.inspect();
        assert.deepEqual([...tenants, ...scopes].map(({ nextExpiryAt }) => nextExpiryAt), [EXPIRES_AT]);
        if (name !== "records") {
          assert.equal((await memory.conversation(ORCHARD).snapshot()).nextExpiryAt, EXPIRES_AT);
        }
        clock.set(NOON + 59);
        assert.equal(await count(memory), 1);
        clock.set(NOON + 60);
        const { expired } = await memory.prune();
        assert.deepEqual(expired, { turns: 0, pins: 0, summaries: 0, replay: 0, records: 0, [name]: 1 });
        assert.equal(await count(memory), 0);
        await assertIntact(memory);
      },
    );

    promise(
      `TST-07 Imported ${name} are hidden at their deadline before anything erases them`,
      async (fresh) => {
        const clock = clockAtNoon();
        await using source = await fresh(clock);
        await put(source);
        const lines = await exported(source);
        await using memory = await fresh(clock);
        await memory.importLines(lines);
        clock.set(NOON + 60);
        assert.equal(JSON.parse((await exported(memory)).at(-1)!)[name], 0);
        assert.equal(await count(memory), 0);
        await using late = await fresh(clock);
        assert.equal((await late.importLines(lines)).expired[name], 1);
      },
    );
  }

  promise("TST-07 An imported deadline before an existing one becomes the next expiry", async (fresh) => {
    const clock = clockAtNoon();
    await using source = await fresh(clock);
    await pinUp(await talk(source, []), pinOf("k", "v", { expiresAt: after(60) }));
    const lines = await exported(source);
    await using memory = await fresh(clock);
    const conversation = await talk(memory, []);
    await conversation.append([{ role: "user", content: "x" }], { expiresAt: after(3_600) });
    await memory.importLines(lines);
    assert.equal((await conversation.snapshot()).nextExpiryAt, EXPIRES_AT);
    clock.set(NOON + 60);
    assert.deepEqual((await memory.prune({ scrub: false })).expired.pins, 1);
    assert.equal((await conversation.snapshot()).nextExpiryAt, "2027-01-15T09:00:00+00:00");
  });
}

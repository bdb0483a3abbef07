/** Every call that sets a lifetime takes it as `ttl` or as `expiresAt`, and both mean the same. */

import assert from "node:assert/strict";
import {
  type Conversation,
  defineKind,
  type Lifetime,
  type Memory,
  openMemory,
  type Snapshot,
  type Summary,
  summaryFromHistory,
} from "@holdfast/memory";
import { z } from "zod";
import { MutableClock } from "../../src/testing/kit/mutable_clock.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";

const NOON = 1_800_000_000;
const SCOPE = { tenantId: "acme", sessionId: "ticket-1" };
const RUN = { tenantId: "acme", kind: "state", key: "run-a" };
const STATE = defineKind("state", z.strictObject({ step: z.int() }), { ttlMax: null });

/** A store at noon with a conversation of one turn. */
interface Stage {
  readonly clock: MutableClock;
  readonly memory: Memory;
  readonly conversation: Conversation;
}

/** One call that sets a lifetime. */
interface Call {
  readonly name: string;
  /** Whether null, for never, is accepted. */
  readonly orNever: boolean;
  /** Makes the call. */
  readonly put: (stage: Stage, lifetime: Lifetime, more?: { operationId: string }) => Promise<unknown>;
  /** Whether what the call stored is there. */
  readonly isThere: (stage: Stage) => Promise<boolean>;
  /** Whether the call takes an operation id. */
  readonly repeatable: boolean;
}

const PIN = { scope: SCOPE, key: "language", value: "Answer in Welsh.", origin: "settings" };
const MESSAGES = [{ messageId: "m2", role: "user", content: "The build fails." }] as const;

async function snapshotAndSummary(
  { conversation }: Stage,
): Promise<{ readonly snapshot: Snapshot; readonly summary: Summary }> {
  const snapshot = await conversation.snapshot();
  const history = await Array.fromAsync(conversation.turns({ snapshot, last: 1 }));
  const made = { content: "A failing build.", policyVersion: "1", createdAt: "2027-01-01T00:00:00Z" };
  return { snapshot, summary: summaryFromHistory({ scope: SCOPE, history, ...made }) };
}

async function hasTurns({ conversation }: Stage, turns: number): Promise<boolean> {
  return (await conversation.snapshot()).turnCount === turns;
}

const isThereAsRecord = async ({ memory }: Stage): Promise<boolean> =>
  (await memory.records.get(RUN)) !== null;

/** The revision that every first call of a test expects; a repeated call expects the same. */
const REVISION = 1;

const CALLS: readonly Call[] = [
  {
    ...{ name: "records.put", orNever: true, repeatable: true, isThere: isThereAsRecord },
    put: ({ memory }, lifetime, more) =>
      memory.records.put(RUN, { step: 0 }, { expectedRevision: null, ...lifetime, ...more } as never),
  },
  {
    ...{ name: "records.update", orNever: true, repeatable: false, isThere: isThereAsRecord },
    put: async ({ memory }, lifetime) => {
      if (await memory.records.get(RUN) === null) {
        await memory.records.put(RUN, { step: 0 }, { expectedRevision: null, ttl: 5 });
      }
      return await memory.records.update(RUN, () => ({ step: 1 }), lifetime as never);
    },
  },
  {
    ...{ name: "append", orNever: true, repeatable: true },
    put: ({ conversation }, lifetime, more) => conversation.append(MESSAGES, { ...lifetime, ...more }),
    isThere: (stage) => hasTurns(stage, 2),
  },
  {
    ...{ name: "putTurn", orNever: true, repeatable: true },
    put: ({ conversation }, lifetime, more = { operationId: "op" }) =>
      conversation.putTurn({ turnId: "t2", scope: SCOPE, messages: MESSAGES }, {
        ...{ expectedRevision: REVISION, ...lifetime, ...more },
      }),
    isThere: (stage) => hasTurns(stage, 2),
  },
  {
    ...{ name: "putPin", orNever: true, repeatable: true },
    put: ({ conversation }, lifetime, more) =>
      conversation.putPin(PIN, { expectedRevision: REVISION, ...lifetime, ...more }),
    isThere: async ({ conversation }) => (await conversation.snapshot()).pins.length === 1,
  },
  {
    ...{ name: "putSummary", orNever: true, repeatable: true },
    put: async (stage, lifetime, more) => {
      const { snapshot, summary } = await snapshotAndSummary(stage);
      return await stage.conversation.putSummary(snapshot, summary, { ...lifetime, ...more });
    },
    isThere: async ({ conversation }) => (await conversation.snapshot()).summary !== null,
  },
  {
    ...{ name: "cachePut", orNever: false, repeatable: false },
    put: async ({ conversation }, lifetime) =>
      await conversation.cachePut(await conversation.snapshot(), "k", { n: 1 }, lifetime),
    isThere: async ({ conversation }) =>
      (await conversation.cacheGet(await conversation.snapshot(), "k")) !== null,
  },
];

async function onStage(body: (stage: Stage) => Promise<void>): Promise<void> {
  const clock = new MutableClock(NOON);
  await using memory = await openMemory(":memory:", { clock: clock.now, kinds: [STATE] });
  const conversation = memory.conversation(SCOPE);
  await conversation.append([{ messageId: "m1", role: "user", content: "The build is slow." }]);
  await body({ clock, memory, conversation });
}

function at(seconds: number): Date {
  return new Date((NOON + seconds) * 1_000);
}

for (const { name, put, isThere, orNever, repeatable } of CALLS) {
  for (const [way, lifetime] of [["ttl", { ttl: 60 }], ["expiresAt", { expiresAt: at(60) }]] as const) {
    Deno.test(`${name}() takes a lifetime as ${way}, and what it stored is hidden from its end on (TTL-01)`, async () => {
      await onStage(async (stage) => {
        await put(stage, lifetime);
        stage.clock.set(NOON + 59);
        assert.equal(await isThere(stage), true);
        stage.clock.set(NOON + 60);
        assert.equal(await isThere(stage), false);
      });
    });
  }

  Deno.test(`${name}() refuses ttl and expiresAt together, null included, and changes nothing (TTL-02)`, async () => {
    await onStage(async (stage) => {
      const message = "Expected ttl or expiresAt, not both";
      for (
        const both of [
          { ttl: 60, expiresAt: at(60) },
          { ttl: null, expiresAt: at(60) },
          { ttl: 60, expiresAt: null },
        ]
      ) {
        await assert.rejects(put(stage, both), { code: "CONTRACT", field: "ttl", message });
      }
      stage.clock.set(NOON + 5); // when the record that update() begins with has expired
      assert.equal(await isThere(stage), false);
    });
  });

  Deno.test(`${name}() names the option whose value is no lifetime, and null where it is accepted (TTL-03)`, async () => {
    await onStage(async (stage) => {
      for (const ttl of [0, -1, 1.5, "60", NaN, 2e10]) {
        await assert.rejects(put(stage, { ttl } as never), (error: { field?: string; message: string }) => {
          assert.equal(error.field, "ttl");
          assert.equal(error.message.endsWith(", or null"), orNever, error.message);
          return true;
        });
      }
      for (const expiresAt of ["tomorrow", 7, at(0), at(-60)]) {
        const refused = { code: "CONTRACT", field: "expiresAt" };
        await assert.rejects(put(stage, { expiresAt } as never), refused);
      }
    });
  });

  for (const lifetime of [{ ttl: null }, { expiresAt: null }]) {
    const option = Object.keys(lifetime)[0]!;
    Deno.test(`${name}() ${orNever ? "takes" : "refuses"} null as ${option} (TTL-04)`, async () => {
      await onStage(async (stage) => {
        if (!orNever) {
          return await assert.rejects(put(stage, lifetime), { code: "CONTRACT", field: option });
        }
        await put(stage, lifetime);
        stage.clock.set(NOON + 100_000_000);
        assert.equal(await isThere(stage), true);
      });
    });
  }

  if (!repeatable) continue;

  Deno.test(`${name}() with a repeated operation id compares the lifetime as it was given (TTL-05)`, async () => {
    await onStage(async (stage) => {
      const more = { operationId: "op-1" };
      const first = await put(stage, { ttl: 60 }, more);
      stage.clock.advance(10); // the same ttl would end later: it is the same input all the same
      const second = await put(stage, { ttl: 60 }, more).catch((error: unknown) => error);
      assert.deepEqual(second, first);
      stage.clock.set(NOON + 59);
      assert.equal(await isThere(stage), true);
      for (const other of [{ ttl: 61 }, { expiresAt: at(60) }, { ttl: null }]) {
        await assert.rejects(put(stage, other, more), { code: "CONFLICT", reason: "IDEMPOTENCY" });
      }
      stage.clock.set(NOON + 60); // the repeated call has prolonged nothing
      assert.equal(await isThere(stage), false);
    });
  });

  Deno.test(`${name}() sets no deadline from a clock that is behind, as ttl or as expiresAt (CLK-02)`, async () => {
    await onStage(async (stage) => {
      stage.clock.set(NOON - 3_600);
      const refused = { code: "CONFLICT", reason: "CLOCK" };
      await assert.rejects(put(stage, { ttl: 60 }), refused);
      await assert.rejects(put(stage, { expiresAt: at(-60) }), refused);
    });
  });
}

Deno.test("putPin() and putSummary() take one lifetime: the option, or the field of what is put (TTL-02)", async () => {
  await onStage(async (stage) => {
    const { conversation } = stage;
    const { snapshot, summary } = await snapshotAndSummary(stage);
    const lasting = { ...summary, expiresAt: at(60).toISOString() };
    for (const [field, lifetime] of [["ttl", { ttl: 60 }], ["expiresAt", { expiresAt: null }]] as const) {
      await assert.rejects(
        conversation.putPin({ ...PIN, expiresAt: at(60) }, { expectedRevision: REVISION, ...lifetime }),
        { code: "CONTRACT", field, message: `Expected ${field} or pin.expiresAt, not both` },
      );
      await assert.rejects(
        conversation.putSummary(snapshot, lasting, lifetime),
        { code: "CONTRACT", field, message: `Expected ${field} or summary.expiresAt, not both` },
      );
    }
  });
});

Deno.test("A lifetime as expiresAt has the bounds that one as ttl has (TTL-06)", async () => {
  await onStage(async ({ memory, conversation }) => {
    const run = { tenantId: "acme", kind: "checkpoint", key: "run-a" } as const;
    const start = { schema: 1, step: 0, items: [] } as const;
    const put = (options: Record<string, unknown>): Promise<number> =>
      memory.records.put(run, start, { expectedRevision: null, ...options } as never);
    const tooFar = {
      code: "CONTRACT",
      field: "expiresAt",
      message: "expiresAt must lie at most 86400 seconds ahead",
    };
    await assert.rejects(put({ expiresAt: at(86_401) }), tooFar);
    await assert.rejects(put({ expiresAt: null }), { code: "CONTRACT", field: "expiresAt" });
    await assert.rejects(put({}), {
      code: "CONTRACT",
      field: "ttl",
      message: "Expected ttl, in seconds, or expiresAt",
    });
    await assert.rejects(put({ expiresAt: at(60), now: NOON + 60 }), {
      code: "CONTRACT",
      field: "expiresAt",
      message: "expiresAt must lie in the future",
    });
    await put({ expiresAt: new Date((NOON + 86_400) * 1_000 + 999) });
    assert.equal((await memory.records.get(run))?.expires, NOON + 86_400); // whole seconds, rounded down
    const snapshot = await conversation.snapshot();
    await assert.rejects(conversation.cachePut(snapshot, "k", {}, { expiresAt: at(86_401) }), tooFar);
    await conversation.cachePut(snapshot, "k", {}, { expiresAt: at(86_400) });
  });
});

Deno.test("A turn's revision keeps its lifetime where none is given, and sets it by ttl (TTL-07)", async () => {
  await onStage(async (stage) => {
    const { conversation, clock } = stage;
    const turn = { turnId: "t2", scope: SCOPE, messages: MESSAGES };
    const put = (revision: number, options: Lifetime): Promise<number> =>
      conversation.putTurn({ ...turn, revision }, {
        ...{ operationId: `op-${revision}`, expectedRevision: revision, ...options },
      });
    await put(1, { ttl: 60 });
    await put(2, {});
    clock.set(NOON + 30);
    await put(3, { ttl: 60 });
    clock.set(NOON + 89);
    assert.equal(await hasTurns(stage, 2), true);
    clock.set(NOON + 90);
    assert.equal(await hasTurns(stage, 2), false);
  });
});

testThatNothingIsLeftOpen();

/** What backups and restores do in pages, batches and steps: around each limit nothing is left out. */

import assert from "node:assert/strict";
import { type Conversation, type Memory, openMemory, restoreMemory, type TimedTurn } from "../../mod.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import {
  CHAIN_EVENTS_PER_BATCH,
  COPIED_BYTES_PER_BATCH,
  COPIED_ROWS_PER_BATCH,
  LEDGER_TAIL_EVENTS,
  SCOPES_MOVED_PER_STEP,
} from "../../src/limits.ts";
import { sourceOf } from "../conversations/samples.ts";
import { MutableClock } from "../../src/testing/kit/mutable_clock.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { factOf } from "./shelf.ts";

const RANGE = 2 ** 32;
const NOON = 1_800_000_000;

function sessionOf(memory: Memory, index: number): ReturnType<Memory["conversation"]> {
  return memory.conversation({ tenantId: "orchard", sessionId: `s${index}` });
}

function putFact(memory: Memory, index: number): Promise<number> {
  const identity = { tenantId: "orchard", kind: "fact", key: `k${index}` } as const;
  return memory.records.put(identity, factOf(`${index}`), { expectedRevision: null, ttl: 86_400 });
}

function times<T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => make(index)));
}

/** Fills a store, backs it up, does something to it, and restores the backup. */
async function restoreAfter(
  fill: (memory: Memory) => Promise<unknown>,
  since: (memory: Memory, clock: MutableClock) => Promise<unknown>,
  check: (restored: Memory) => Promise<void>,
): Promise<void> {
  await using directory = await TemporaryDirectory.makeInMemory();
  const clock = new MutableClock(NOON);
  const path = directory.file("agent.db");
  const options = { clock: clock.now };
  await using memory = await openMemory(path, options);
  await fill(memory);
  await memory.backup(directory.file("agent.backup"));
  await since(memory, clock);
  const watermark = await memory.deletionWatermark();
  await using restored = await restoreMemory(directory.file("agent.backup"), directory.file("restored.db"), {
    deletionPath: `${path}.deletions`,
    watermark,
    ...options,
  });
  await check(restored);
  await assertIntact(restored);
}

for (const count of [600, SCOPES_MOVED_PER_STEP - 1, SCOPES_MOVED_PER_STEP, SCOPES_MOVED_PER_STEP + 1]) {
  Deno.test(`TST-04 A restore moves the revision of each of ${count} scopes into the new range`, async () => {
    await restoreAfter(
      (memory) => times(count, (index) => sessionOf(memory, index).create()),
      () => Promise.resolve(),
      async (restored) => {
        const revisions = await times(count, (index) => sessionOf(restored, index).revision());
        assert.deepEqual(revisions.filter((revision) => revision < RANGE || revision >= 2 * RANGE), []);
      },
    );
  });
}

const ROWS = COPIED_ROWS_PER_BATCH;

/** Puts pins that cite a conversation's first turn, and loses them to a revision of it. */
async function leaveFloors(talk: Conversation, count: number): Promise<void> {
  const [first] = await Array.fromAsync(talk.turns()) as [TimedTurn];
  const { turnId, messages } = first;
  const source = sourceOf(first);
  let expectedRevision = await talk.revision();
  for (let index = 0; index < count; index++) {
    const pin = { scope: talk.scope, key: `k${index}`, value: "v", origin: "test", source };
    expectedRevision = await talk.putPin(pin, { expectedRevision });
  }
  const turn = { turnId, scope: talk.scope, messages, revision: 2 };
  await talk.putTurn(turn, { operationId: "revise", expectedRevision });
}

/** Requires that pins that were lost may come back with their next revision, and with no other. */
async function assertFloors(talk: Conversation, count: number): Promise<void> {
  const expectedRevision = await talk.revision();
  for (let index = 0; index < count; index++) {
    const pin = { scope: talk.scope, key: `k${index}`, value: "v", origin: "test", revision: 1 };
    await assert.rejects(talk.putPin(pin, { expectedRevision }), { reason: "REVISION", currentRevision: 1 });
  }
}

for (const count of [ROWS - 1, ROWS, ROWS + 1, 2 * ROWS + 1]) {
  Deno.test(`TST-04 A backup holds each of ${count} rows of every table, and a restore brings them back`, async () => {
    const textOf = (index: number): string => `${index} ${"x".repeat(40)}`;
    await restoreAfter(
      async (memory) => {
        await times(count, (index) => putFact(memory, index));
        await times(
          count,
          (index) => sessionOf(memory, 0).append([{ role: "user", content: textOf(index) }]),
        );
        await times(count, (index) => sessionOf(memory, index + 1).create());
        await times(
          count,
          (index) =>
            sessionOf(memory, 0).append([{ role: "user", content: "x" }], {
              operationId: `operation ${index}`,
            }),
        );
        await leaveFloors(sessionOf(memory, 0), count);
        for (let index = 1; index <= count; index++) {
          const pin = { scope: sessionOf(memory, index).scope, key: "k", value: "v", origin: "test" };
          await sessionOf(memory, index).putPin(pin, { expectedRevision: 0 });
        }
        await times(
          count,
          (index) =>
            memory.records.forget({ tenantId: "harbour", kind: "fact", key: `k${index}` }, null, {
              revoke: true,
            }),
        );
      },
      () => Promise.resolve(),
      async (restored) => {
        const facts = await times(
          count,
          (index) => restored.records.get({ tenantId: "orchard", kind: "fact", key: `k${index}` }),
        );
        assert.deepEqual(facts.map((found) => found?.value.text), facts.map((_, index) => `${index}`));
        const talk = sessionOf(restored, 0);
        const texts = (await Array.fromAsync(talk.turns())).map(({ messages }) => messages[0]!.content);
        assert.deepEqual(texts.slice(0, count), texts.slice(0, count).map((_, index) => textOf(index)));
        assert.equal(texts.length, 2 * count);
        const before = await talk.revision();
        await times(
          count,
          (index) => talk.append([{ role: "user", content: "x" }], { operationId: `operation ${index}` }),
        );
        assert.equal(await talk.revision(), before, "an operation was not remembered");
        await assert.rejects(
          restored.records.put(
            { tenantId: "harbour", kind: "fact", key: `k${count - 1}` },
            factOf("x"),
            { expectedRevision: null, ttl: 60 },
          ),
          { reason: "DELETED" },
        );
        const { scopes } = await restored.inspect({ limit: 1_000 });
        assert.deepEqual(scopes.map(({ pins }) => pins), [0, ...Array.from({ length: count }, () => 1)]);
        await assertFloors(talk, count);
      },
    );
  });
}

const EVENTS = CHAIN_EVENTS_PER_BATCH;

for (const count of [EVENTS - 1, EVENTS, EVENTS + 1, 2 * EVENTS + 1]) {
  Deno.test(`A restore applies each of ${count} newer deletions, and every opening verifies their chain`, async () => {
    const scope = { tenantId: "orchard", sessionId: "spring" };
    await restoreAfter(
      (memory) =>
        times(count + 1, (index) => {
          const expiresAt = new Date((NOON + (index === count ? 3_600 : 60)) * 1_000);
          return memory.conversation(scope).append([{ role: "user", content: `${index}` }], { expiresAt });
        }),
      async (memory, clock) => {
        clock.advance(60);
        assert.equal((await memory.prune({ scrub: false })).expired.turns, count);
      },
      async (restored) => {
        assert.equal(restored.restored!.erased.turns, count);
        const [left, ...more] = await Array.fromAsync(restored.conversation(scope).turns());
        assert.deepEqual([left?.messages[0]?.content, more], [`${count}`, []]);
        assert.equal((await restored.deletionWatermark()).sequence, count);
      },
    );
  });
}

/** Raises or lowers the floor of one event directly in a closed store's ledger. */
function changeEvent(path: string, sequence: number, by: 1 | -1): void {
  const connection = nodeSqlite.open(`${path}.deletions`, { readOnly: false });
  connection.prepare("UPDATE events SET floor = floor + $1 WHERE sequence = $2").run([by, sequence]);
  connection.close();
}

Deno.test("A changed event is found by check() or by opening, and by a restore, in whichever batch it is", async () => {
  await using directory = await TemporaryDirectory.makeInMemory();
  const clock = new MutableClock(NOON);
  const path = directory.file("agent.db");
  const backup = directory.file("agent.backup");
  let watermark;
  {
    await using memory = await openMemory(path, { clock: clock.now });
    const expiresAt = new Date((NOON + 60) * 1_000);
    await times(
      2 * EVENTS + 1,
      () => sessionOf(memory, 0).append([{ role: "user", content: "x" }], { expiresAt }),
    );
    await memory.backup(backup);
    clock.advance(60);
    await memory.prune({ scrub: false });
    watermark = await memory.deletionWatermark();
  }
  const deletionPath = `${path}.deletions`;
  for (const changed of [1, EVENTS, EVENTS + 1, 2 * EVENTS, 2 * EVENTS + 1]) {
    changeEvent(path, changed, 1);
    if (changed > 2 * EVENTS + 1 - LEDGER_TAIL_EVENTS) {
      await assert.rejects(openMemory(path, { clock: clock.now }), { code: "INTEGRITY" }, `${changed}`);
    } else {
      await using memory = await openMemory(path, { clock: clock.now });
      assert.equal((await memory.check()).ok, false, `${changed}`);
    }
    const restore = restoreMemory(backup, directory.file("restored.db"), { deletionPath, watermark });
    await assert.rejects(restore, { code: "INTEGRITY" }, `${changed}`);
    changeEvent(path, changed, -1);
  }
  await using memory = await openMemory(path, { clock: clock.now });
  await assertIntact(memory);
});

Deno.test("A backup of more bytes than a restore copies at once is restored whole", async () => {
  const content = "x".repeat(100_000);
  const count = Math.ceil(2.5 * COPIED_BYTES_PER_BATCH / content.length);
  await restoreAfter(
    (memory) =>
      times(
        count,
        (index) => sessionOf(memory, 0).append([{ role: "user", content: `${index} ${content}` }]),
      ),
    () => Promise.resolve(),
    async (restored) => {
      const turns = await Array.fromAsync(sessionOf(restored, 0).turns());
      assert.deepEqual(
        turns.map(({ messages }) => messages[0]!.content),
        turns.map((_, index) => `${index} ${content}`),
      );
      assert.equal(turns.length, count);
    },
  );
});

testThatNothingIsLeftOpen();

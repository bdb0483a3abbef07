/** Every public read of a store, held to the model: it shows exactly what is there, and nothing that an event covers. */

import assert from "node:assert/strict";
import type { Conversation, Memory } from "@holdfast/memory";
import { readTurns } from "../../conversations/samples.ts";
import { STUB4 } from "../../context/golden.ts";
import { assertIntact } from "../../kit/soundness.ts";
import type { History } from "./history.ts";
import { markOf, marksIn } from "./marks.ts";
import type { Scene } from "./play.ts";
import { knownRecords, markIn } from "./record_steps.ts";
import { assertJournals } from "./journal_steps.ts";
import { nameOf, recordNameOf } from "./state.ts";

/** How many of the slower reads are made. */
const SEARCHES = 2;
const PUTS = 6;
const RECEIPTS = 4;

/** Requires every public read to be as the model says; what has passed its deadline expires meanwhile. */
export async function assertReads(scene: Scene): Promise<void> {
  const { memory, history, scopes, receipts, seeded, tenants } = scene;
  const { sequence } = await memory.deletionWatermark();
  assert.equal(sequence, history.events.length, "the store has every event");
  // Records first, and with the clock as it is: their expiry is not an event.
  await assertRecords(scene);
  for (const tenant of tenants) await assertList(scene, tenant);
  for (const scope of scopes) await assertScope(scene, memory.conversation(scope), nameOf(scope));
  await assertExport(scene);
  for (const receipt of seeded.shuffled(receipts).slice(0, RECEIPTS)) {
    const report = await memory.verifyReceipt(receipt);
    assert.equal(report.valid, true, JSON.stringify(report));
  }
  await assertIntact(memory);
}

/** An export has what is live, and nothing else. */
async function assertExport({ memory, history }: Scene): Promise<void> {
  const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
  const shown = marksIn(lines.join(""));
  const own = new Set([...history.main.texts()].map(markOf));
  assert.deepEqual(shown.filter((mark) => !own.has(mark)), []);
  assertNotGone(history, shown);
  const contents = [...history.main.scopes.values()].flatMap(({ turns, pins, journals }) => [
    ...[...journals.values()].flat(),
    ...[...turns.values()].map(({ content }) => content),
    ...[...pins.values()].map(({ value }) => value),
  ]);
  assert.deepEqual(contents.map(markOf).filter((mark) => !shown.includes(mark)), []);
}

async function assertRecords({ memory, history, clock, ...rest }: Scene): Promise<void> {
  const seconds = Math.floor(clock.ms / 1_000);
  for (const identity of knownRecords({ history })) {
    const found = await memory.records.get(identity);
    const held = history.main.records.get(recordNameOf(identity));
    const live = held === undefined || (held.expires !== null && held.expires <= seconds) ? null : held;
    assert.deepEqual(
      found === null ? null : [found.revision, found.expires, markIn(found.value)],
      live === null ? null : [live.revision, live.expires, live.content],
    );
    if (live !== null) assertNotGone(history, [live.content, live.key]);
    const { tenantId, kind, key } = identity;
    if (held !== undefined || !history.tombstone("record", tenantId, `${kind}/${key}`).reserved) continue;
    if (!rest.seeded.chance(0.5)) continue;
    const put = memory.records.put(identity, found as never ?? VALUES[kind], {
      expectedRevision: null,
      ttl: 60,
    });
    await assert.rejects(put, { reason: "DELETED" });
  }
}

const VALUES: Readonly<Record<string, never>> = {
  fact: { schema: 1, text: "again", source: "play", reviewed: false } as never,
  checkpoint: { schema: 1, step: 0, items: [] } as never,
  note: { note: "again" } as never,
};

async function assertList({ memory, history, clock }: Scene, tenant: string): Promise<void> {
  const seconds = Math.floor(clock.ms / 1_000);
  const live = [...history.main.records.values()].filter((record) =>
    record.tenantId === tenant && (record.expires === null || record.expires > seconds)
  );
  const { items } = await memory.records.list(tenant, { limit: 1_000 });
  const sorted = live.map(({ kind, key, revision, expires }) => ({ kind, key, revision, expires }))
    .sort((a, b) => `${a.kind}/${a.key}` < `${b.kind}/${b.key}` ? -1 : 1);
  assert.deepEqual(items, sorted);
}

async function assertScope(scene: Scene, talk: Conversation, name: string): Promise<void> {
  const { history, clock } = scene;
  if (!history.main.scopes.has(name)) {
    const reason = history.tombstone("scope", name, name).reserved ? "DELETED" : "MISSING";
    for (const read of [() => talk.revision(), () => talk.snapshot()]) {
      await assert.rejects(read(), { reason });
    }
    if (reason === "DELETED") {
      await assert.rejects(talk.search("zqx"), { reason });
      await assert.rejects(talk.create(), { reason });
    } else assert.deepEqual(await talk.search("zqx"), []);
    return;
  }
  history.upkeep(name, clock.ms);
  const { turns, pins, summary } = history.scope(name);
  const snapshot = await talk.snapshot();
  history.see(snapshot.revision);
  assert.equal(snapshot.turnCount, turns.size);
  assert.deepEqual(
    (await readTurns(talk)).map((
      { turnId, revision, messages: [message] },
    ) => [turnId, revision, message!.messageId, message!.content]),
    [...turns.values()].map((turn) => [turn.turnId, turn.revision, turn.messageId, turn.content]),
  );
  assert.deepEqual(
    snapshot.pins.map(({ key, revision, value }) => [key, revision, value]),
    [...pins.values()].map(({ key, revision, value }) => [key, revision, value]).sort(),
  );
  assert.equal(snapshot.summary?.content ?? null, summary?.content ?? null);
  assertNotGone(history, [
    ...[...turns.values()].flatMap((turn) => [turn.turnId, turn.messageId, markOf(turn.content)]),
    ...[...pins.values()].flatMap(({ key, value }) => [key, markOf(value)]),
  ]);
  await assertJournals(scene, talk, name);
  await assertFound(scene, talk, name);
  await assertTombstones(scene, talk, name);
}

function assertNotGone({ gone }: History, texts: readonly string[]): void {
  assert.deepEqual(texts.filter((text) => gone.has(text)), [], "shown although an event covers it");
}

/** Searches and a context show live texts of this scope, and no others. */
async function assertFound({ history, seeded }: Scene, talk: Conversation, name: string): Promise<void> {
  const scope = history.scope(name);
  for (const { turnId, content } of seeded.shuffled([...scope.turns.values()]).slice(0, SEARCHES)) {
    const hits = await talk.search(markOf(content));
    assert(hits.some(({ source }) => source.turnId === turnId), "a live turn is found");
  }
  const texts = new Set([...scope.turns.values()].flatMap((turn) => [turn.messageId, markOf(turn.content)]));
  for (const gone of seeded.shuffled([...history.gone]).slice(0, SEARCHES)) {
    const hits = await talk.search(gone);
    const found = hits.flatMap(({ content }) => marksIn(content));
    assert.deepEqual(found.filter((mark) => !texts.has(mark)), []);
    assert.equal(found.includes(gone), false);
  }
  const { context } = await talk.assemble("What was said?", {
    maxInputTokens: 20_000,
    retrievalReserve: 2_000,
  }, {
    system: "S",
    counting: { counter: STUB4 },
  });
  const own = new Set([...history.main.texts()].map(markOf));
  const shown = marksIn(JSON.stringify([context.request, context.blocks]));
  assert.deepEqual(shown.filter((mark) => !own.has(mark)), []);
  assertNotGone(history, shown);
}

/** What is missing can only come back above its floor, or never. */
async function assertTombstones({ history, seeded }: Scene, talk: Conversation, name: string): Promise<void> {
  const { turns, pins } = history.scope(name);
  const identifiers = history.identifiersOf(name).map((identifier) => identifier.split(" "));
  for (const [kind, , key] of seeded.shuffled(identifiers).slice(0, PUTS)) {
    if ((kind !== "turn" && kind !== "pin") || turns.has(key!) || pins.has(key!)) continue;
    const { reserved, floor } = history.tombstone(kind, name, key!);
    if (!reserved && floor === 0) continue;
    const expectedRevision = await talk.revision();
    const revision = reserved ? floor + 1 : seeded.integer(1, floor);
    const put = kind === "turn"
      ? talk.putTurn({
        turnId: key!,
        scope: talk.scope,
        revision,
        messages: [{ messageId: "again", role: "user", content: "again" }],
      }, { operationId: `again ${key} ${seeded.integer(0, 1_000_000)}`, expectedRevision })
      : talk.putPin({ scope: talk.scope, key: key!, value: "again", origin: "play", revision }, {
        expectedRevision,
      });
    await assert.rejects(
      put,
      reserved ? { reason: "DELETED" } : { reason: "REVISION", currentRevision: floor },
    );
    assert.equal(await talk.revision(), expectedRevision);
  }
}

/** Requires a store that another one has replaced to say so. */
export async function assertFenced(memory: Memory): Promise<void> {
  const fenced = { code: "REPLACED", details: { by: "restore" } };
  await assert.rejects(memory.deletionWatermark(), fenced);
  await assert.rejects(memory.prune({ scrub: false }), fenced);
}

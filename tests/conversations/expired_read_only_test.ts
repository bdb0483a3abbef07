/** What has expired and cannot be erased, since the store is open read-only, is in nothing that a reader is given. */

import assert from "node:assert/strict";
import { type Conversation, type Memory, nodeSqlite, restoreMemory } from "@holdfast/memory";
import { sha256Hex } from "../../src/canonical/sha256.ts";
import { TURNS_PER_PAGE } from "../../src/limits.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { fileTarget } from "../kit/store_target.ts";
import { TappedDriver } from "../kit/tapped_driver.ts";
import type { TestStore } from "../kit/test_store.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  readIds,
  readTurns,
  revise,
  sourceOf,
  summaryOf,
  talk,
  turnOf,
} from "./samples.ts";

const FILE = fileTarget("file", () => new TappedDriver(nodeSqlite));
const COUNT = 2 * TURNS_PER_PAGE + 3;
const SECRET = "quetzal";

/** Whether a turn expires: the first, the last, one in between, and every one of the second page. */
function isBrief(index: number): boolean {
  return [0, 5, COUNT - 1].includes(index) || (index >= TURNS_PER_PAGE && index < 2 * TURNS_PER_PAGE);
}

const IDS = Array.from({ length: COUNT }, (_, index) => `t${index}`);
const KEPT = IDS.filter((_, index) => !isBrief(index));
const GALLERY = { tenantId: "harbour", sessionId: "gallery" };
const PICTURE = new TextEncoder().encode(SECRET);
const FACT = { schema: 1, text: SECRET, source: "y", reviewed: false } as const;

async function fill(memory: Memory): Promise<void> {
  const conversation = await talk(memory, IDS);
  for (const [index, id] of IDS.entries()) {
    if (isBrief(index)) await revise(conversation, turnOf(id, SECRET, { revision: 2 }), after(60));
  }
  const [expiring, , kept] = await readTurns(conversation);
  await pinUp(conversation, pinOf("brief", SECRET, { expiresAt: after(60) }));
  await pinUp(conversation, pinOf("cites", "x", { source: sourceOf(expiring!) }));
  await pinUp(conversation, pinOf("kept", "kept", { source: sourceOf(kept!) }));
  const summary = summaryOf(await readTurns(conversation), SECRET);
  await conversation.putSummary(await conversation.snapshot(), summary);
  await conversation.search(SECRET);
  const picture = [{ type: "media", mediaType: "image/png", data: PICTURE }] as const;
  await memory.conversation(GALLERY).append([{ role: "user", content: picture }], { expiresAt: after(60) });
  for (const [tenantId, ttl] of [["orchard", 60], ["harbour", 3_600]] as const) {
    await memory.records.put({ tenantId, kind: "fact", key: "a" }, FACT, { expectedRevision: null, ttl });
  }
}

/** A store in which things have expired, open read-only a minute later. */
async function expired(
  store: TestStore,
): Promise<{ readonly memory: Memory; readonly conversation: Conversation }> {
  store.damaged = true; // not damaged, but a store that is open read-only cannot be upkept by a check
  const writable = await store.open(atNoon());
  await fill(writable);
  await writable.close();
  const clock = clockAtNoon();
  clock.advance(60);
  const memory = await store.open({ clock: clock.now, readOnly: true });
  return { memory, conversation: memory.conversation(ORCHARD) };
}

function promise(title: string, body: (store: TestStore) => Promise<void>): void {
  Deno.test(`What has expired and is still there is ${title}`, async () => {
    await using store = await FILE.make();
    await body(store);
  });
}

promise("in no snapshot, and not counted there", async (store) => {
  const { conversation } = await expired(store);
  const { turnCount, pins, summary } = await conversation.snapshot();
  assert.deepEqual([turnCount, pins.map(({ key }) => key), summary], [KEPT.length, ["kept"], null]);
});

promise("not read, whichever turns are asked for", async (store) => {
  const { conversation } = await expired(store);
  assert.deepEqual(await readIds(conversation), KEPT);
  const page = TURNS_PER_PAGE;
  for (const last of [1, 2, 3, page - 1, page, page + 1, KEPT.length - 1, KEPT.length, KEPT.length + 1]) {
    assert.deepEqual(await readIds(conversation, undefined, { last }), KEPT.slice(-last), `last ${last}`);
  }
  for (const id of ["t1", KEPT[page - 3]!, KEPT.at(-1)!]) {
    const expected = KEPT.slice(KEPT.indexOf(id) + 1);
    assert.deepEqual(await readIds(conversation, undefined, { after: id }), expected, `after ${id}`);
  }
});

promise("no place to read on after", async (store) => {
  const { conversation } = await expired(store);
  for (const id of [IDS[0]!, IDS[5]!, IDS.at(-1)!]) {
    await assert.rejects(readIds(conversation, undefined, { after: id }), { reason: "MISSING" });
  }
});

promise("neither got nor listed", async (store) => {
  const { memory } = await expired(store);
  assert.equal(await memory.records.get({ tenantId: "orchard", kind: "fact", key: "a" }), null);
  assert.deepEqual((await memory.records.list("orchard")).items, []);
  assert.equal((await memory.records.list("harbour")).items.length, 1);
});

promise("media that nobody can read", async (store) => {
  const { memory } = await expired(store);
  const ref = sha256Hex(PICTURE);
  await assert.rejects(memory.conversation(GALLERY).media(ref), { code: "CONFLICT", reason: "MISSING" });
});

promise("in no export, with content or without, and counted in no line of it", async (store) => {
  const { memory } = await expired(store);
  for (const includeContent of [true, false]) {
    const lines = await Array.fromAsync(memory.exportLines({ includeContent }));
    const parsed = lines.map((line) => JSON.parse(line));
    const { records, turns, pins, summaries } = parsed.at(-1);
    assert.deepEqual([records, turns, pins, summaries], [1, KEPT.length, 1, 0]);
    const orchard = parsed.filter(({ tenant }) => tenant !== "harbour").map((line) => JSON.stringify(line));
    assert.equal(orchard.join("").includes(SECRET), false);
    if (includeContent) continue;
    const scope = parsed.find(({ type }) => type === "scope");
    const sizes = parsed.filter(({ type }) => type === "turn").map(({ bytes }) => bytes as number);
    const turnBytes = sizes.reduce((sum, bytes) => sum + bytes, 0);
    assert.deepEqual([scope.turns, scope.turn_bytes], [KEPT.length, turnBytes]);
  }
});

promise("not found, and in no context", async (store) => {
  const { conversation } = await expired(store);
  assert.deepEqual((await conversation.search(SECRET)).filter(({ score }) => score.lexical > 0), []);
  const budget = { maxInputTokens: 2_000, contextWindow: 8_000, maxOutputTokens: 100, retrievalReserve: 500 };
  const { context } = await conversation.assemble("Where is the quarry?", budget, { system: "S" });
  assert.equal(JSON.stringify(context.request).includes(SECRET), false);
  assert.equal(context.diagnostics.keptTurnIds.some((id) => !KEPT.includes(id)), false);
  assert.equal(context.diagnostics.keptTurnIds.length + context.diagnostics.omittedTurnCount, KEPT.length);
  const index = await conversation.chunkIndex(await conversation.snapshot());
  assert.deepEqual(index.chunks.map(({ source }) => source.turnId), KEPT);
});

promise("in no restore of a backup", async (store) => {
  const { memory } = await expired(store);
  const [backup, restored] = [`${store.path}.backup`, `${store.path}.restored`];
  await memory.backup(backup);
  const watermark = await memory.deletionWatermark();
  await memory.close();
  const clock = clockAtNoon();
  clock.advance(60);
  await using again = await restoreMemory(backup, restored, {
    deletionPath: `${store.path}.deletions`,
    watermark,
    clock: clock.now,
  });
  const conversation = again.conversation(ORCHARD);
  assert.deepEqual(await readIds(conversation), KEPT);
  assert.deepEqual((await conversation.snapshot()).pins.map(({ key }) => key), ["kept"]);
  assert.equal(await again.records.get({ tenantId: "orchard", kind: "fact", key: "a" }), null);
  assert.deepEqual((await again.prune({ scrub: false })).expired.records, 1);
});

promise("hidden from a handle whose clock has fallen too far behind to erase it", async (store) => {
  const clock = clockAtNoon();
  const memory = await store.open({ clock: clock.now });
  await fill(memory);
  const other = await store.open({ clock: () => clock.now() + 3_000_000 });
  await talk(other, ["h1"], HARBOUR);
  const conversation = memory.conversation(ORCHARD);
  assert.deepEqual(await readIds(conversation), KEPT);
  assert.deepEqual((await conversation.snapshot()).turnCount, KEPT.length);
  assert.equal(JSON.parse((await Array.fromAsync(memory.exportLines())).at(-1)!).turns, KEPT.length + 1);
});

testThatNothingIsLeftOpen();

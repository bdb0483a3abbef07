/** DEL-09: an import respects every tombstone, of the store that the lines come from and of any other. */

import assert from "node:assert/strict";
import type { LinesSuite } from "./line_stores.ts";
import type { ImportReport, Memory } from "../../../mod.ts";
import {
  after,
  clockAtNoon,
  erase,
  HARBOUR,
  ORCHARD,
  readIds,
  readTurns,
  revise,
  turnOf,
} from "../kit/conversation_samples.ts";
import { assertIntact } from "../kit/store_under_test.ts";
import { exported, fill, held, NONE, NOTE, ONE_OF_EACH } from "./filled_store.ts";

const NOTE_A = { tenantId: "orchard", kind: NOTE.name, key: "a" };
const NOTE_B = { tenantId: "orchard", kind: NOTE.name, key: "b" };

/** Tests a promise in the store that the lines come from, and in one of another lineage. */
type Body = (memory: Memory, lines: readonly string[]) => Promise<void>;

function statePromise({ promise }: LinesSuite, title: string, body: Body): void {
  for (const which of ["same store", "another store"] as const) {
    promise(`DEL-09 ${title}, ${which}`, async (fresh) => {
      await using own = await fresh();
      await fill(own, ONE_OF_EACH);
      const lines = await exported(own);
      await using other = await fresh();
      await other.importLines(lines);
      const memory = which === "same store" ? own : other;
      await body(memory, lines);
      await assertIntact(memory);
    });
  }
}

function refusedOf({ refused }: ImportReport): Record<string, number> {
  return Object.fromEntries(Object.entries(refused).filter(([, count]) => count > 0));
}

export function testTombstones(suite: LinesSuite): void {
  const { promise } = suite;
  const stated = (title: string, body: Body): void => statePromise(suite, title, body);

  stated("a deleted scope and everything in it is refused", async (memory, lines) => {
    await erase(memory.conversation(ORCHARD), "scope");
    const report = await memory.importLines(lines);
    assert.deepEqual(refusedOf(report), { scopes: 1, turns: 2, pins: 2, summaries: 1 });
    assert.deepEqual(report.imported, NONE);
    await assert.rejects(memory.conversation(ORCHARD).snapshot(), { reason: "DELETED" });
  });

  stated("a deleted turn is refused, and everything derived from it", async (memory, lines) => {
    await erase(memory.conversation(ORCHARD), "turn", "pears0");
    const report = await memory.importLines(lines);
    assert.deepEqual(refusedOf(report), { turns: 1, pins: 1, summaries: 1 });
    assert.deepEqual(await readIds(memory.conversation(ORCHARD)), ["plums1"]);
  });

  stated("a deleted pin is refused", async (memory, lines) => {
    await erase(memory.conversation(ORCHARD), "pin", "brief1");
    assert.deepEqual(refusedOf(await memory.importLines(lines)), { pins: 1 });
    assert.deepEqual((await memory.conversation(ORCHARD).snapshot()).pins.map(({ key }) => key), [
      "grafted0",
    ]);
  });

  stated("a pin that was lost to a revision of its source is refused", async (memory, lines) => {
    const conversation = memory.conversation(ORCHARD);
    await revise(conversation, turnOf("pears0", "revised", { revision: 3 }));
    const report = await memory.importLines(lines);
    assert.deepEqual(refusedOf(report), { pins: 1, summaries: 1 });
    assert.deepEqual(report.conflicting, { ...NONE, turns: 1 });
    assert.deepEqual((await conversation.snapshot()).pins.map(({ key }) => key), ["brief1"]);
  });

  stated("a forgotten record is refused", async (memory, lines) => {
    const { revision } = (await memory.records.get(NOTE_A))!;
    await memory.records.forget(NOTE_A, revision);
    assert.deepEqual(refusedOf(await memory.importLines(lines)), { records: 1 });
    assert.equal(await memory.records.get(NOTE_A), null);
  });

  stated("a permanently reserved record is refused", async (memory, lines) => {
    const { revision } = (await memory.records.get(NOTE_A))!;
    await memory.records.forget(NOTE_A, revision, { revoke: true });
    assert.deepEqual(refusedOf(await memory.importLines(lines)), { records: 1 });
    assert.equal(await memory.records.get(NOTE_A), null);
  });

  stated("a record that was put again after it was forgotten stays unchanged", async (memory, lines) => {
    const { revision } = (await memory.records.get(NOTE_B))!;
    await memory.records.forget(NOTE_B, revision);
    await memory.records.put(NOTE_B, "again", { expectedRevision: null, ttl: null });
    assert.deepEqual((await memory.importLines(lines)).conflicting, { ...NONE, records: 1 });
    assert.equal((await memory.records.get(NOTE_B))?.value, "again");
  });

  promise(
    "DEL-09 an item that expired here is not imported with its old revision, though its lines have a later deadline",
    async (fresh) => {
      await using source = await fresh();
      const there = source.conversation(HARBOUR);
      await there.create();
      const boat = turnOf("boat", "afloat", { scope: HARBOUR, timestamp: after(-60) });
      await there.putTurn(boat, { operationId: "1", expectedRevision: 0, expiresAt: after(9_000) });
      const lines = await exported(source);
      const clock = clockAtNoon();
      await using memory = await fresh(clock);
      const here = memory.conversation(HARBOUR);
      await here.create();
      await here.putTurn(boat, { operationId: "1", expectedRevision: 0, expiresAt: after(60) });
      clock.advance(60);
      await memory.prune();
      assert.deepEqual(refusedOf(await memory.importLines(lines)), { turns: 1 });
      assert.deepEqual(await readIds(here), []);
    },
  );

  promise("DEL-09 a newer revision of an item that expired here is imported", async (fresh) => {
    await using source = await fresh();
    const there = source.conversation(HARBOUR);
    await there.create();
    const boat = turnOf("boat", "afloat", { scope: HARBOUR });
    await there.putTurn(boat, { operationId: "1", expectedRevision: 0, expiresAt: after(9_000) });
    await there.putTurn({ ...boat, revision: 2 }, { operationId: "2", expectedRevision: 1 });
    const lines = await exported(source);
    const clock = clockAtNoon();
    await using memory = await fresh(clock);
    const here = memory.conversation(HARBOUR);
    await here.create();
    await here.putTurn(boat, { operationId: "1", expectedRevision: 0, expiresAt: after(60) });
    clock.advance(60);
    await memory.prune();
    assert.equal((await memory.importLines(lines)).imported.turns, 1);
    assert.deepEqual((await readTurns(here)).map(({ revision }) => revision), [2]);
  });

  promise(
    "DEL-09 a forgotten record is not imported from another store, however high its revision",
    async (fresh) => {
      await using source = await fresh();
      for (let round = 0; round < 9; round++) {
        await source.records.put({ ...NOTE_A, key: `filler ${round}` }, round, {
          expectedRevision: null,
          ttl: null,
        });
      }
      await source.records.put(NOTE_A, "theirs", { expectedRevision: null, ttl: null });
      const lines = await exported(source);
      await using memory = await fresh();
      await memory.records.put(NOTE_A, "mine", { expectedRevision: null, ttl: null });
      await memory.records.forget(NOTE_A, 1);
      assert.deepEqual(refusedOf(await memory.importLines(lines)), { records: 1 });
      assert.equal(await memory.records.get(NOTE_A), null);
    },
  );

  promise(
    "DEL-06 lines written before a deletion and read after it do not undo it, even if the item was put again in between",
    async (fresh) => {
      await using memory = await fresh();
      await memory.records.put(NOTE_A, "first", { expectedRevision: null, ttl: null });
      await memory.records.forget(NOTE_A, 1);
      await memory.records.put(NOTE_A, "second", { expectedRevision: null, ttl: null });
      const lines = await exported(memory);
      const report = await memory.importLines(lines);
      assert.equal(report.unchanged.records, 1);
      await memory.records.forget(NOTE_A, 2);
      assert.deepEqual(refusedOf(await memory.importLines(lines)), { records: 1 });
    },
  );

  promise(
    "A scope that changed while it was exported says after how many deletions it was read",
    async (fresh) => {
      await using memory = await fresh();
      await fill(memory, ONE_OF_EACH);
      const lines: string[] = [];
      for await (const line of memory.exportLines({ includeContent: true })) {
        lines.push(line);
        // The second scope is read later, after it was deleted and created again.
        if (lines.length !== 4) continue;
        const harbour = memory.conversation(HARBOUR);
        await harbour.putPin({ scope: HARBOUR, key: "k", value: "v", origin: "test", expiresAt: after(5) }, {
          expectedRevision: await harbour.revision(),
        });
        await erase(harbour, "turn", "boats0");
      }
      const types = lines.map((line) => JSON.parse(line).type);
      assert.deepEqual(types.slice(-4), ["mark", "scope", "pin", "end"]);
      assert.deepEqual(JSON.parse(lines.at(-4)!), { type: "mark", sequence: 1 });
      assert.deepEqual((await memory.importLines(lines)).refused, NONE);
      await using target = await fresh();
      await target.importLines(lines);
      assert.equal(
        held(await exported(target)),
        lines.slice(1, -1).filter((line) => !line.includes('"mark"')).join(""),
      );
    },
  );

  promise(
    "Records that changed after an export began say after how many deletions they were read",
    async (fresh) => {
      await using memory = await fresh();
      await memory.records.put(NOTE_A, "first", { expectedRevision: null, ttl: null });
      const lines: string[] = [];
      for await (const line of memory.exportLines({ includeContent: true })) {
        lines.push(line);
        if (lines.length !== 1) continue;
        await memory.records.forget(NOTE_A, 1);
        await memory.records.put(NOTE_A, "second", { expectedRevision: null, ttl: null });
      }
      assert.deepEqual(lines.map((line) => JSON.parse(line).type), ["header", "mark", "record", "end"]);
      assert.deepEqual(JSON.parse(lines[1]!), { type: "mark", sequence: 1 });
    },
  );

  promise("A watermark that is no position in this store's history is refused", async (fresh) => {
    await using memory = await fresh();
    await fill(memory, ONE_OF_EACH);
    const lines = await exported(memory);
    const [header, ...rest] = lines;
    for (
      const watermark of [{ sequence: 1 }, { sequence: 0, head: "0".repeat(64) }]
    ) {
      const parsed = JSON.parse(header!);
      const forged = JSON.stringify({ ...parsed, watermark: { ...parsed.watermark, ...watermark } });
      await assert.rejects(memory.importLines([forged, ...rest]), { code: "CONTRACT", field: "watermark" });
    }
  });
}

/** An import restores what was exported, equal to the byte, however often it is repeated or interrupted. */

import assert from "node:assert/strict";
import type { LinesSuite } from "./line_stores.ts";
import type { ConflictError } from "../../../mod.ts";
import { atNoon, clockAtNoon, HARBOUR, ORCHARD, readIds, turnOf } from "../kit/conversation_samples.ts";
import { assertIntact } from "../kit/store_under_test.ts";
import { ALL_OF_EACH, exported, fill, held, NONE, NOTE, ONE_OF_EACH, refusedAt } from "./filled_store.ts";

export function testRoundTrip({ promise, durable }: LinesSuite): void {
  promise("An import that stops after any line and is repeated makes the same store", async (fresh) => {
    await using source = await fresh();
    await fill(source, ONE_OF_EACH);
    const lines = await exported(source);
    for (let stop = 0; stop < lines.length; stop++) {
      await using target = await fresh();
      await assert.rejects(target.importLines(lines.slice(0, stop)), { code: "CONTRACT" });
      await assertIntact(target);
      const { imported, unchanged, conflicting, refused, expired } = await target.importLines(lines);
      assert.deepEqual({ conflicting, refused, expired }, {
        conflicting: NONE,
        refused: NONE,
        expired: NONE,
      });
      for (const sort of ["records", "scopes", "turns", "pins", "summaries"] as const) {
        assert.equal(imported[sort] + unchanged[sort], ALL_OF_EACH[sort], `${sort} after ${stop} lines`);
      }
      assert.equal(held(await exported(target)), held(lines), `after ${stop} lines`);
      await assertIntact(target);
    }
  });

  promise("An export of one scope holds that scope alone, and can be imported", async (fresh) => {
    await using source = await fresh();
    await fill(source, ONE_OF_EACH);
    const lines = await exported(source, ORCHARD);
    const types = lines.map((line) => JSON.parse(line).type);
    assert.deepEqual(types, ["header", "scope", "turn", "turn", "summary", "pin", "pin", "end"]);
    await using target = await fresh();
    const { imported } = await target.importLines(lines);
    assert.deepEqual(imported, {
      records: 0,
      scopes: 1,
      turns: 2,
      pins: 2,
      summaries: 1,
      journals: 0,
      entries: 0,
    });
    assert.equal(held(await exported(target)), held(lines));
  });

  promise("Revisions of turns, pins and records continue where they were", async (fresh) => {
    await using source = await fresh();
    await fill(source, ONE_OF_EACH);
    await using target = await fresh();
    await target.importLines(await exported(source));
    const conversation = target.conversation(ORCHARD);
    const put = (revision: number): Promise<number> =>
      (async () =>
        await conversation.putTurn(turnOf("pears0", "as of 3", { revision }), {
          operationId: `${revision}`,
          expectedRevision: await conversation.revision(),
        }))();
    await assert.rejects(put(2), { reason: "REVISION", currentRevision: 2 });
    await put(3);
    const note = { tenantId: "orchard", kind: "note", key: "b" };
    const before = await source.records.get(note);
    const found = await target.records.get(note);
    assert.deepEqual(found, before);
    const next = await target.records.put(note, "new", { expectedRevision: found!.revision, ttl: 60 });
    assert(next > found!.revision, "the counter is behind an imported revision");
    await assertIntact(target);
  });

  promise("A record keeps its creation: maxAge counts from there", async (fresh) => {
    const clock = clockAtNoon();
    await using source = await fresh(clock);
    await fill(source, ONE_OF_EACH);
    const lines = await exported(source);
    clock.advance(30);
    await using target = await fresh(clock);
    await target.importLines(lines);
    const note = { tenantId: "orchard", kind: "note", key: "b" };
    const { revision } = (await target.records.get(note))!;
    await target.records.put(note, "late", { expectedRevision: revision, ttl: 86_400 });
    assert.equal((await target.records.get(note))?.expires, 1_800_000_000 + 1_000);
  });

  promise("An export without content shows ids, revisions and sizes, and no text", async (fresh) => {
    await using source = await fresh();
    await fill(source, ONE_OF_EACH);
    const outline = await Array.fromAsync(source.exportLines());
    for (const word of ["as of", 'grafted"', "what was said", "for ever", "look"]) {
      assert.equal(outline.join("").includes(word), false, word);
    }
    assert.deepEqual(outline.slice(1, -1).map((line) => JSON.parse(line)), [
      {
        type: "record",
        tenant: "orchard",
        kind: "note",
        key: "a",
        revision: 1,
        created: 1_800_000_000,
        max_age: null,
        expires: null,
        bytes: 20,
      },
      {
        type: "record",
        tenant: "orchard",
        kind: "note",
        key: "b",
        revision: 2,
        created: 1_800_000_000,
        max_age: 1_000,
        expires: 1_800_000_060,
        bytes: 21,
      },
      {
        type: "scope",
        scope: { tenant_id: "orchard", session_id: "spring" },
        created_at: "2027-01-15T08:00:00+00:00",
        updated_at: "2027-01-15T08:00:00+00:00",
        recent: 1,
        revision: 6,
        turns: 2,
        turn_bytes: 744,
      },
      { type: "turn", turn_id: "pears0", revision: 2, bytes: 236, expires_at: null },
      { type: "turn", turn_id: "plums1", revision: 1, bytes: 508, expires_at: "2027-01-15T09:00:00+00:00" },
      { type: "summary", bytes: 956 },
      { type: "pin", key: "brief1", revision: 1, bytes: 213 },
      { type: "pin", key: "grafted0", revision: 1, bytes: 396 },
      {
        type: "scope",
        scope: { tenant_id: "harbour", session_id: "spring" },
        created_at: "2027-01-15T08:00:00+00:00",
        updated_at: "2027-01-15T08:00:00+00:00",
        recent: 1,
        revision: 1,
        turns: 1,
        turn_bytes: 236,
      },
      { type: "turn", turn_id: "boats0", revision: 1, bytes: 236, expires_at: null },
    ]);
    await using target = await fresh();
    await assert.rejects(target.importLines(outline), { code: "CONTRACT", field: "content" });
  });

  promise("The closing line has the digest of the file without that line", async (fresh) => {
    await using source = await fresh();
    await fill(source, ONE_OF_EACH);
    const lines = await exported(source);
    const bytes = new TextEncoder().encode(lines.slice(0, -1).join(""));
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex();
    assert.equal(JSON.parse(lines.at(-1)!).digest, digest);
  });

  promise("REC-01 expired items are in no export, before and after they are erased", async (fresh) => {
    const clock = clockAtNoon();
    await using source = await fresh(clock);
    await fill(source, ONE_OF_EACH);
    clock.advance(3_600);
    const before = await exported(source);
    assert.deepEqual(before.slice(1, -1).map((line) => JSON.parse(line).type), [
      "record",
      "scope",
      "turn",
      "pin",
      "scope",
      "turn",
    ]);
    await source.prune();
    assert.equal(held(await exported(source)), held(before));
  });

  promise("REC-12 items that expired since they were exported are left out, and counted", async (fresh) => {
    const clock = clockAtNoon();
    await using source = await fresh(clock);
    await fill(source, ONE_OF_EACH);
    const lines = await exported(source);
    clock.advance(3_600);
    await using target = await fresh(clock);
    const { imported, expired, refused } = await target.importLines(lines);
    assert.deepEqual(expired, {
      records: 1,
      scopes: 0,
      turns: 1,
      pins: 1,
      summaries: 1,
      journals: 0,
      entries: 0,
    });
    assert.deepEqual(imported, {
      records: 1,
      scopes: 2,
      turns: 2,
      pins: 1,
      summaries: 0,
      journals: 0,
      entries: 0,
    });
    assert.deepEqual(refused, NONE);
    await assertIntact(target);
  });

  promise(
    "CLK-02 an import leaves out no line that has expired only by a clock that was once ahead",
    async (fresh) => {
      const clock = clockAtNoon();
      await using source = await fresh(clock);
      await fill(source, ONE_OF_EACH);
      const lines = await exported(source);
      await using target = await fresh(clock);
      clock.advance(4 * 86_400);
      await target.conversation(HARBOUR).append([{ role: "user", content: "moves the mark" }]);
      clock.advance(-4 * 86_400);
      await assert.rejects(target.importLines(lines), (error: ConflictError) => {
        const { imported, line } = error.details as unknown as { imported: typeof NONE; line: number };
        const upTo = lines.slice(0, line).map((text) => JSON.parse(text).type);
        assert.deepEqual([error.reason, imported.records], ["CLOCK", upTo.length - 2], upTo.join());
        return true;
      });
      await target.prune({ scrub: false, acceptClock: true });
      const { imported, unchanged, expired } = await target.importLines(lines);
      assert.deepEqual(expired, NONE);
      assert.equal(imported.records + unchanged.records, 2);
      assert.equal(held(await exported(target, ORCHARD)), held(await exported(source, ORCHARD)));
      await assertIntact(target);
    },
  );

  promise("Existing items with other content stay unchanged, and are counted", async (fresh) => {
    await using source = await fresh();
    await fill(source, ONE_OF_EACH);
    const lines = await exported(source);
    await using other = await fresh();
    const conversation = other.conversation(ORCHARD);
    await conversation.create();
    await conversation.putTurn(turnOf("pears0", "mine"), { operationId: "1", expectedRevision: 0 });
    await conversation.putTurn(
      turnOf("own", "mine", { messages: [{ messageId: "m1-call", role: "user", content: "taken" }] }),
      { operationId: "2", expectedRevision: 1 },
    );
    await other.records.put({ tenantId: "orchard", kind: "note", key: "a" }, "mine", {
      expectedRevision: null,
      ttl: null,
    });
    const { imported, conflicting, refused } = await other.importLines(lines);
    assert.deepEqual(conflicting, {
      records: 1,
      scopes: 0,
      turns: 2,
      pins: 0,
      summaries: 0,
      journals: 0,
      entries: 0,
    });
    // The summary and one pin stand on turns that are not there as they were.
    assert.deepEqual(refused, {
      records: 0,
      scopes: 0,
      turns: 0,
      pins: 1,
      summaries: 1,
      journals: 0,
      entries: 0,
    });
    assert.deepEqual(imported, {
      records: 1,
      scopes: 1,
      turns: 1,
      pins: 1,
      summaries: 0,
      journals: 0,
      entries: 0,
    });
    assert.deepEqual(await readIds(conversation), ["pears0", "own"]);
    assert.equal((await other.records.get({ tenantId: "orchard", kind: "note", key: "a" }))?.value, "mine");
    await assertIntact(other);
  });

  durable(
    "A record of an unknown kind stops the import at its line; with the kind it continues",
    async (fresh, store) => {
      await using source = await fresh();
      await fill(source, ONE_OF_EACH);
      const lines = await exported(source);
      const narrow = await store.open(atNoon());
      await assert.rejects(narrow.importLines(lines), refusedAt(2, "kind"));
      await narrow.close();
      const memory = await store.open({ ...atNoon(), kinds: [NOTE] });
      assert.deepEqual((await memory.importLines(lines)).imported, ALL_OF_EACH);
      assert.equal(held(await exported(memory)), held(lines));
    },
  );

  promise(
    "A scope that would exceed its limits stops the import at that line; earlier lines stay",
    async (fresh) => {
      await using source = await fresh();
      await fill(source, ONE_OF_EACH);
      const lines = await exported(source);
      await using small = await fresh(clockAtNoon(), { limits: { turnsPerScope: 1 } });
      await assert.rejects(small.importLines(lines), (error) => {
        const { reason, details } = error as { reason: string; details: Record<string, unknown> };
        assert.equal(reason, "CAPACITY");
        assert.equal(details.line, 6);
        assert.deepEqual(details.imported, {
          records: 2,
          scopes: 1,
          turns: 1,
          pins: 0,
          summaries: 0,
          journals: 0,
          entries: 0,
        });
        return true;
      });
      assert.deepEqual(await readIds(small.conversation(ORCHARD)), ["pears0"]);
      await assertIntact(small);
    },
  );
}

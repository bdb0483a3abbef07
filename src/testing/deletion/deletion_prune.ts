/** Pruning: everything that is due, everywhere, in bounded groups, told and cancellable. */

import assert from "node:assert/strict";
import { RECORDS, TURNS } from "../../tables/schema/main_tables.ts";
import type { Memory, PruneProgress } from "../../../mod.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  erase,
  HARBOUR,
  ORCHARD,
  pinOf,
  pinUp,
  readIds,
  talk,
} from "../kit/conversation_samples.ts";
import { forEachRow } from "../kit/each_row.ts";
import type { Suite } from "../kit/suite.ts";

const FACT = { schema: 1, text: "x", source: "y", reviewed: false } as const;

const NONE = { turns: 0, pins: 0, summaries: 0, replay: 0, records: 0 };

/** Turns of a scope that are all due a minute after noon. */
async function fillExpiring(memory: Memory, sessionId: string, count: number): Promise<void> {
  const conversation = memory.conversation({ tenantId: "orchard", sessionId });
  await Promise.all(
    Array.from(
      { length: count },
      () => conversation.append([{ role: "user", content: "x" }], { expiresAt: after(60) }),
    ),
  );
}

export function testPrune({ promise }: Suite): void {
  promise("prune() of a store with nothing due changes nothing but the scrub's count", async (store) => {
    const memory = await store.open(atNoon());
    await talk(memory, ["t1"]);
    const before = await store.state();
    assert.deepEqual(await memory.prune({ scrub: false }), {
      expired: NONE,
      retiredIndexes: 0,
      clockLoweredByMs: 0,
      leftovers: { removed: [], kept: [] },
      scrub: null,
    });
    assert.deepEqual(await store.state(), before);
    assert.deepEqual((await memory.prune()).scrub, { complete: true, by: null, tables: 0, bytesReturned: 0 });
  });

  promise("prune() erases what is due in every scope, and expired records of every tenant", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await fillExpiring(memory, "a", 3);
    await fillExpiring(memory, "b", 2);
    await talk(memory, ["h1"], HARBOUR);
    for (const [tenantId, ttl] of [["orchard", 60], ["harbour", 60], ["harbour-2", 3_600]] as const) {
      await memory.records.put({ tenantId, kind: "fact", key: "a" }, FACT, { expectedRevision: null, ttl });
    }
    clock.advance(60);
    const { expired } = await memory.prune({ scrub: false });
    assert.deepEqual(expired, { ...NONE, turns: 5, records: 2 });
    assert.equal(await store.count(TURNS), 1);
    assert.deepEqual(await store.cells(RECORDS, "tenant"), [["harbour-2"]]);
  });

  promise("prune() goes through more tenants than it looks at in one go", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await Promise.all(Array.from({ length: 600 }, (_, index) => {
      const ttl = index === 0 || index === 599 ? 60 : 3_600;
      const identity = {
        tenantId: `tenant-${String(index).padStart(3, "0")}`,
        kind: "fact",
        key: "a",
      } as const;
      return memory.records.put(identity, FACT, { expectedRevision: null, ttl });
    }));
    clock.advance(60);
    assert.deepEqual((await memory.prune({ scrub: false })).expired, { ...NONE, records: 2 });
    assert.equal(await store.count(RECORDS), 598);
  });

  promise("prune() goes through more scopes than it looks up at a time", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    for (let index = 0; index < 120; index++) await fillExpiring(memory, `s${index}`, 1);
    clock.advance(60);
    assert.equal((await memory.prune({ scrub: false })).expired.turns, 120);
    assert.equal(await store.count(TURNS), 0);
  });

  promise("prune() erases in groups of at most two hundred, between which other calls run", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await fillExpiring(memory, "a", 450);
    const other = await talk(memory, [], HARBOUR);
    clock.advance(60);
    const seen: PruneProgress[] = [];
    let appended: Promise<unknown> | null = null;
    const onProgress = (progress: PruneProgress): void => {
      seen.push(progress);
      appended ??= other.append([{ role: "user", content: "in between" }]);
    };
    await memory.prune({ scrub: false, onProgress });
    assert.deepEqual(seen.map(({ done }) => done), [200, 400, 450]);
    await appended;
    const batches = Map.groupBy(await store.events(), ({ batch }) => batch);
    assert.deepEqual([...batches.values()].map((events) => events.length), [200, 200, 50]);
  });

  promise("prune() tells expiry and scrubbing as they go", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await fillExpiring(memory, "a", 3);
    clock.advance(60);
    const seen: PruneProgress[] = [];
    await memory.prune({ onProgress: (progress) => seen.push(progress) });
    assert.deepEqual(seen, [
      { part: "expire", done: 3 },
      { part: "scrub", done: 1 },
      { part: "scrub", done: 2 },
    ]);
  });

  promise(
    "prune() that is cancelled between two groups keeps what it erased, and goes on next time",
    async (store) => {
      const clock = clockAtNoon();
      const memory = await store.open({ clock: clock.now });
      await fillExpiring(memory, "a", 450);
      clock.advance(60);
      const controller = new AbortController();
      const reason = new Error("enough");
      const onProgress = (): void => controller.abort(reason);
      await assert.rejects(
        memory.prune({ signal: controller.signal, onProgress }),
        (error) => error === reason,
      );
      assert.equal(await store.count(TURNS), 250);
      assert.equal((await memory.prune()).expired.turns, 250);
    },
  );

  promise("prune() with an aborted signal erases nothing", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await fillExpiring(memory, "a", 3);
    clock.advance(60);
    const reason = new Error("enough");
    await store.assertChangesNothing(
      () => memory.prune({ signal: AbortSignal.abort(reason) }),
      (error) => error === reason,
    );
  });

  promise("prune() refuses options that are none", async (store) => {
    const memory = await store.open(atNoon());
    const rows = [["scrub", 1], ["acceptClock", "yes"], ["signal", {}]] as const;
    await forEachRow(rows, async ([field, value]) => {
      await store.assertChangesNothing(() => memory.prune({ [field]: value }), { code: "CONTRACT", field });
    });
    await store.assertChangesNothing(() => memory.prune({ vacuum: true } as never), {
      code: "CONTRACT",
      field: "options",
    });
  });

  promise("prune() erases nothing while the clock is far behind, and still scrubs", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    await fillExpiring(memory, "a", 3);
    await erase(await talk(memory, ["t1"]), "turn", "t1");
    clock.advance(600);
    await talk(memory, [], HARBOUR);
    await memory.conversation(HARBOUR).append([{ role: "user", content: "x" }]);
    clock.advance(-600);
    const { expired, scrub } = await memory.prune();
    assert.deepEqual([expired, scrub?.complete, scrub?.tables], [NONE, true, 2]);
    assert.equal(await store.count(TURNS), 4);
  });

  promise("What prune() erased cannot be seen, and ids may come back above their floors", async (store) => {
    const clock = clockAtNoon();
    const memory = await store.open({ clock: clock.now });
    const conversation = await talk(memory, []);
    await pinUp(conversation, pinOf("k", "v", { expiresAt: after(60) }));
    clock.advance(60);
    assert.equal((await memory.prune()).expired.pins, 1);
    await assert.rejects(pinUp(conversation, pinOf("k", "k", { revision: 1 })), {
      reason: "REVISION",
      currentRevision: 1,
    });
    await pinUp(conversation, pinOf("k", "v", { revision: 2 }));
    assert.deepEqual(await readIds(memory.conversation(ORCHARD)), []);
  });

  promise("prune() after close is CLOSED", async (store) => {
    const memory = await store.open(atNoon());
    await memory.close();
    await assert.rejects(memory.prune(), { code: "CLOSED" });
  });
}

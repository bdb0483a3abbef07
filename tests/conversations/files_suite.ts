/** Promises about conversations that only a store in SQLite's files makes. */

import assert from "node:assert/strict";
import { checksumOf } from "../../src/canonical/checksum.ts";
import { firstHead } from "../../src/engine/chain.ts";
import type { ConversationsSuite } from "./promise.ts";
import { atNoon, clockAtNoon, erase, readIds, talk } from "./samples.ts";
import { runSlowProcess } from "./slow_process.ts";

export function testFiles({ promise, durable }: ConversationsSuite): void {
  promise("Reference list: a ledger that was emptied is INTEGRITY for every call", async (store) => {
    store.damaged = true;
    const conversation = await talk(await store.open(atNoon()), ["t1"]);
    await erase(conversation, "turn", "t1");
    const ledger = store.raw("ledger");
    const [[lineage, generation, epoch, probe, announced]] = ledger.prepare(
      "SELECT lineage, generation, epoch, probe, announced FROM meta",
    ).all([]) as [[string, number, string, number, string | null]];
    const head = firstHead(lineage);
    ledger.prepare("DELETE FROM events").run([]);
    ledger.prepare("UPDATE meta SET count = 0, head = $1, checksum = $2").run([
      head,
      checksumOf(lineage, generation, epoch, 0, head, probe, announced),
    ]);
    const target = { kind: "scope", expectedRevision: 2 } as const;
    await store.assertChangesNothing(() => conversation.delete(target), { code: "INTEGRITY" });
  });

  durable(
    "A process whose clock is ten minutes slow reads and deletes beside one that is right",
    async (store) => {
      const memory = await store.open({ clock: clockAtNoon().now });
      const conversation = await talk(memory, ["t1", "t2"]);
      assert.deepEqual(await runSlowProcess(store.path, "t1"), {
        seen: ["t1", "t2"],
        deletedAt: "2027-01-15T08:00:00+00:00",
        refused: "CLOCK",
      });
      assert.deepEqual(await readIds(conversation), ["t2"]);
      await conversation.cachePut(await conversation.snapshot(), "k", {});
    },
  );
}

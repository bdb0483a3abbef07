/** Optional parts of an engine: a store works without them, and says what it cannot do. */

import assert from "node:assert/strict";
import { LateModule } from "../../src/contracts/late_module.ts";
import type { Engine } from "../../src/engine/engine.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { openStoreInMemory } from "../../src/engines/sqlite/open/open_store.ts";
import { SqliteEngine } from "../../src/engines/sqlite/sqlite_engine.ts";
import { Memory } from "../../src/memory.ts";

const OPTIONAL: ReadonlySet<unknown> = new Set(["peek", "files", "scrubbing"]);

/** A store on an engine that has only the required parts. */
async function openBare(): Promise<Memory> {
  const full = await SqliteEngine.start(await openStoreInMemory(nodeSqlite), {
    readOnly: false,
    busyTimeoutMs: 1_000,
    clock: undefined,
    applying: new LateModule(() => import("../../src/apply_event.ts")),
  });
  const engine = new Proxy<Engine>(full, {
    get(target, name): unknown {
      if (OPTIONAL.has(name)) return undefined;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
  const limits = { turns: 10, bytes: 10_000, mediaBytes: 10_000 };
  return new Memory(engine, { kinds: new Map(), limits, emit: () => {}, restored: null });
}

const SCOPE = { tenantId: "acme", sessionId: "ticket-1" };

Deno.test("A store whose engine has no files, no scrubbing and no reads without a wait keeps and deletes as any other", async () => {
  await using memory = await openBare();
  const conversation = memory.conversation(SCOPE);
  const { turnId, revision } = await conversation.append([{ role: "user", content: "The build fails." }]);
  assert.equal((await Array.fromAsync(conversation.turns())).length, 1);
  const target = { kind: "turn", key: turnId, expectedRevision: revision } as const;
  const receipt = await conversation.delete(target, { scrub: true });
  assert.equal(receipt.scrubbed, false);
  assert.equal((await memory.verifyReceipt(receipt)).valid, true);
  const { scrub, leftovers } = await memory.prune();
  assert.deepEqual([scrub, leftovers], [null, { removed: [], kept: [] }]);
  assert.deepEqual((await memory.inspect()).leftovers, []);
  assert.equal((await memory.check()).ok, true);
});

Deno.test("A store whose engine has no files refuses a backup, and names the destination", async () => {
  await using memory = await openBare();
  await assert.rejects(memory.backup("agent.backup"), { name: "ContractError", field: "destination" });
  await assert.rejects(memory.exportLedger("agent.ledger"), { name: "ContractError", field: "destination" });
});

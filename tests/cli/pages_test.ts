/** Commands show everything after the first page that they read, too. */

import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { readDetails } from "../../src/cli/commands/inspected_lines.ts";
import type { InspectedScope } from "../../src/contracts/options/inspection.ts";
import { INSPECTED_MAX } from "../../src/limits.ts";
import { printed, value } from "./collected.ts";
import { StoredFile } from "./stored.ts";

const FACT = { schema: 1, text: "Prefers lists.", source: "chat-7", reviewed: false } as const;

Deno.test("inspect shows the tenants of every page, each once", async () => {
  const tenants = Array.from({ length: INSPECTED_MAX + 1 }, (_, index) => `tenant-${10_000 + index}`);
  await using store = await StoredFile.make(async ({ records }) => {
    await Promise.all(
      tenants.map((tenantId) =>
        records.put({ tenantId, kind: "fact", key: "style" }, FACT, { expectedRevision: null, ttl: 3_600 })
      ),
    );
  });
  const inspected = await value("inspect", store.path);
  assert.deepEqual(inspected.tenants.map(({ tenantId }: { tenantId: string }) => tenantId), tenants);
});

Deno.test("The details of inspect leave out conversations that were deleted, or are not there, when they are read", async () => {
  await using memory = await openMemory(":memory:");
  const scopes = ["gone", "kept", "never"].map((sessionId) => ({ tenantId: "acme", sessionId }));
  for (const scope of scopes.slice(0, 2)) {
    await memory.conversation(scope).append([{ role: "user", content: "Where is order 7?" }]);
  }
  await memory.conversation(scopes[0]!).delete({ kind: "scope", expectedRevision: 1 });
  const signal = new AbortController().signal;
  const shown = scopes.map((scope) => ({ scope }) as InspectedScope);
  const lines = await Array.fromAsync(
    readDetails(memory, shown, { tenant: "acme", session: "kept", signal }),
  );
  assert.deepEqual(lines.map(({ type }) => type), ["scope", "turn"]);
});

Deno.test("import takes a file that is read in many chunks, whose first ends within a line", async () => {
  await using store = await StoredFile.make(async (memory) => {
    const conversation = memory.conversation({ tenantId: "acme", sessionId: "ticket-7" });
    for (let turn = 0; turn < 8; turn++) {
      await conversation.append([{ role: "user", content: `${turn} ${"Where is order 7? ".repeat(4_000)}` }]);
    }
  });
  await printed("export", store.path, store.at("lines"), "--show-content");
  const { imported } = await value("import", store.at("new.db"), store.at("lines"));
  assert.deepEqual([imported.scopes, imported.turns], [1, 8]);
});

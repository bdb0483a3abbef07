/** Commands show everything after the first page that they read, too. */

import assert from "node:assert/strict";
import { INSPECTED_MAX } from "../../src/limits.ts";
import { value } from "./collected.ts";
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

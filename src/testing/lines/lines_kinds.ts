/** Versions of values in lines: validated after they are migrated, and stored as they were given. */

import assert from "node:assert/strict";
import type { Json, KindOptions, Memory, RecordKind } from "../../../mod.ts";
import { defineKind } from "../../../mod.ts";
import { clockAtNoon } from "../kit/conversation_samples.ts";
import { assertIntact } from "../kit/store_under_test.ts";
import { schemaOf, wholeNumbers } from "../records/record_samples.ts";
import { exported, refusedAt } from "./filled_store.ts";
import type { LinesSuite } from "./line_stores.ts";

const TICKET = { tenantId: "acme", kind: "ticket", key: "ticket-7" };

/** Tickets of version 2: `{ stage }`, once `{ step }`. */
function tickets(options: KindOptions = {}): RecordKind {
  const migrate = (value: Json): unknown => ({ stage: (value as { readonly step: number }).step * 10 });
  return defineKind("ticket", wholeNumbers("stage"), { version: 2, migrate, ...options });
}

/** Tickets of version 1: `{ step }`. */
const FIRST = defineKind("ticket", wholeNumbers("step"));

export function testKinds({ promise }: LinesSuite): void {
  const opened = (fresh: Parameters<Parameters<typeof promise>[1]>[0], kind: RecordKind): Promise<Memory> =>
    fresh(clockAtNoon(), { kinds: [kind] });

  promise(
    "A value of an older version is imported as it was given, once it fits after its migration (KND-01)",
    async (fresh) => {
      await using source = await opened(fresh, FIRST);
      await source.records.put(TICKET, { step: 4 }, { expectedRevision: null });
      const lines = await exported(source);
      assert.ok(!lines[1]!.includes('"version"'), "a first version is not written");
      await using target = await opened(fresh, tickets());
      assert.equal((await target.importLines(lines)).imported.records, 1);
      assert.deepEqual((await target.records.get(TICKET))?.value, { stage: 40 });
      assert.equal((await exported(target))[1], lines[1]);
      assert.equal((await target.importLines(lines)).unchanged.records, 1);
      await assertIntact(target);
    },
  );

  promise("The version of a value is exported and imported", async (fresh) => {
    await using source = await opened(fresh, tickets());
    await source.records.put(TICKET, { stage: 5 }, { expectedRevision: null });
    const lines = await exported(source);
    assert.ok(lines[1]!.includes('"version":2,"value":{"stage": 5}'));
    await using target = await opened(fresh, tickets({ version: 3, migrate: (value) => value }));
    assert.equal((await target.importLines(lines)).imported.records, 1);
    assert.deepEqual((await target.records.get(TICKET))?.value, { stage: 5 });
    assert.equal((await exported(target))[1], lines[1]);
  });

  promise("A line of a newer version of its kind stops the import there", async (fresh) => {
    await using source = await opened(fresh, tickets());
    await source.records.put(TICKET, { stage: 5 }, { expectedRevision: null });
    await using target = await opened(fresh, defineKind("ticket", wholeNumbers("stage")));
    await assert.rejects(target.importLines(await exported(source)), refusedAt(2, "version"));
    assert.equal(await target.records.get(TICKET), null);
  });

  promise("A line whose value does not fit after its migration stops the import there", async (fresh) => {
    await using source = await opened(fresh, FIRST);
    await source.records.put(TICKET, { step: 4 }, { expectedRevision: null });
    const lines = await exported(source);
    const unfit = [
      tickets({ migrate: (value) => value }),
      tickets({ maxBytes: 5 }),
      tickets({ migrate: () => JSON.parse("no JSON") }),
      defineKind("ticket", schemaOf(() => ({ issues: [{ message: "secret" }] })), { version: 2 }),
    ];
    for (const kind of unfit) {
      await using target = await opened(fresh, kind);
      await assert.rejects(target.importLines(lines), refusedAt(2, "value"));
      assert.equal((await target.records.list("acme")).items.length, 0);
    }
  });
}

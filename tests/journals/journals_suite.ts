/** What journals promise, on one kind of store. */

import assert from "node:assert/strict";
import { inspect } from "node:util";
import type { Journal, Json, Memory } from "@holdfast/memory";
import { suiteFor } from "../conversations/promise.ts";
import { HARBOUR, ORCHARD } from "../conversations/samples.ts";
import type { StoreTarget } from "../kit/store_target.ts";

/** Entries of these values. */
export function entriesOf(...values: readonly Json[]): { readonly json: Json }[] {
  return values.map((json) => ({ json }));
}

/** The values of a journal. */
export function valuesOf(journal: Journal): Promise<Json[]> {
  return Array.fromAsync(journal.read(), ({ json }) => json);
}

function journalOf(memory: Memory, part?: string): Journal {
  return memory.journal(ORCHARD, part);
}

/** Registers them. */
export function testJournals(target: StoreTarget): void {
  const { promise, durable } = suiteFor(target);

  promise("append() keeps entries in order, and read() resolves to them with their places", async (store) => {
    const journal = journalOf(await store.open());
    await journal.append([{ uuid: "a", json: 1 }, { json: { text: "two" } }]);
    await journal.append([{ json: [3] }]);
    assert.deepEqual(await Array.fromAsync(journal.read()), [
      { place: 1, uuid: "a", json: 1 },
      { place: 2, uuid: null, json: { text: "two" } },
      { place: 3, uuid: null, json: [3] },
    ]);
  });

  promise("JSON comes back as it was given: the order of keys, U+0000, numbers, __proto__", async (store) => {
    const journal = journalOf(await store.open());
    const json = JSON.parse(
      '{"b":1,"a":[1.5,1e21,-1,0.1],"__proto__":{"x":"\\u0000"},"é":"\\u2028 \ud83c\udf0d","":null,"n":{"1":true}}',
    );
    await journal.append([{ json }]);
    const [found] = await valuesOf(journal);
    assert.equal(JSON.stringify(found), JSON.stringify(json));
  });

  promise("What is no plain JSON is refused, and names its entry; nothing is stored", async (store) => {
    const journal = journalOf(await store.open());
    await journal.append(entriesOf(0));
    let deep: Json = 0;
    for (let depth = 0; depth < 129; depth++) deep = [deep];
    const bad: readonly unknown[] = [
      ...[NaN, -0, "\ud800", { "\ud800": 1 }, undefined, () => 1, new Date(), 1n, [, 1], deep],
      {
        get x() {
          return 1;
        },
      },
    ];
    for (const json of bad) {
      const call = () => journal.append([{ json: 1 }, { json: json as Json }]);
      await store.assertChangesNothing(call, { code: "CONTRACT", field: "entries[1].json" });
    }
    const large = "x".repeat(1_000_000 - 1);
    await store.assertChangesNothing(() => journal.append(entriesOf(large)), { field: "entries[0].json" });
    await journal.append(entriesOf(large.slice(1)));
  });

  promise(
    "A uuid or a part that is blank, ill-formed or too long is refused, and names its field",
    async (store) => {
      const memory = await store.open();
      const journal = journalOf(memory);
      for (const uuid of ["", " ", "\ud800", "a\0", "x".repeat(257), 1]) {
        await assert.rejects(journal.append([{ uuid: uuid as string, json: 1 }]), {
          field: "entries[0].uuid",
        });
      }
      for (const part of [" ", "\ud800", "a\0", "x".repeat(1_001), 1]) {
        assert.throws(() => journalOf(memory, part as string), { code: "CONTRACT", field: "part" });
      }
      await assert.rejects(journal.append([{ json: 1, id: 2 } as never]), { field: "entries[0]" });
      await assert.rejects(journal.append(Array(10_001).fill({ json: 1 })), { field: "entries" });
    },
  );

  promise(
    "A uuid seen before with the same JSON is skipped, with other JSON it is refused",
    async (store) => {
      const journal = journalOf(await store.open());
      const revision = await journal.append([{ uuid: "a", json: { x: 1, y: [2] } }]);
      assert.equal(await journal.append([{ uuid: "a", json: { y: [2], x: 1 } }]), revision);
      const conflict = { code: "CONFLICT", reason: "IDEMPOTENCY" };
      const other = [{ uuid: "b", json: 0 }, { uuid: "a", json: { x: 2, y: [2] } }];
      await store.assertChangesNothing(() => journal.append(other), conflict);
      const doubled = [{ uuid: "c", json: 1 }, { uuid: "c", json: 2 }];
      await store.assertChangesNothing(() => journal.append(doubled), conflict);
      assert.equal(await journal.append([{ uuid: "c", json: 1 }, { uuid: "c", json: 1 }]), revision + 1);
      assert.equal((await valuesOf(journal)).length, 2);
    },
  );

  promise("read() takes the newest, those after a place, and those before one", async (store) => {
    const journal = journalOf(await store.open());
    await journal.append(entriesOf(..."abcdefghij"));
    const read = (options: Parameters<Journal["read"]>[0]): Promise<string> =>
      Array.fromAsync(journal.read(options), ({ json }) => json).then((values) => values.join(""));
    assert.equal(await read({ last: 3 }), "hij");
    assert.equal(await read({ last: 0 }), "");
    assert.equal(await read({ last: 99 }), "abcdefghij");
    assert.equal(await read({ after: 8 }), "ij");
    assert.equal(await read({ before: 3 }), "ab");
    assert.equal(await read({ after: 2, before: 8, last: 2 }), "fg");
    assert.equal(await read({ after: 6, before: 8, last: 5 }), "g");
    assert.equal(await read({ after: 99 }), "");
    await assert.rejects(read({ last: -1 }), { field: "last" });
  });

  promise(
    "read() goes on over many pages while others append, and ends with SNAPSHOT when entries go",
    async (store) => {
      const journal = journalOf(await store.open());
      const values = Array.from({ length: 100 }, (_, index) => index);
      await journal.append(entriesOf(...values));
      const seen: Json[] = [];
      for await (const { json } of journal.read()) {
        seen.push(json);
        if (seen.length === 5) await journal.append(entriesOf("late"));
      }
      assert.deepEqual(seen, values);
      const reading = async (change: () => Promise<unknown>): Promise<void> => {
        for await (const { place } of journal.read()) if (place === 5) await change();
      };
      await assert.rejects(reading(() => journal.pop()), { reason: "SNAPSHOT" });
      await assert.rejects(reading(() => journal.clear()), { reason: "SNAPSHOT" });
    },
  );

  promise("A journal that is not there is empty; its scope is not made by reading it", async (store) => {
    const memory = await store.open();
    const journal = journalOf(memory);
    assert.deepEqual([await journal.revision(), await valuesOf(journal), await journal.pop()], [0, [], []]);
    await assert.rejects(memory.conversation(ORCHARD).revision(), { reason: "MISSING" });
    await assert.rejects(journal.delete(), { reason: "MISSING" });
  });

  promise("pop() takes the newest off and returns them in order; places are used again", async (store) => {
    const journal = journalOf(await store.open());
    await journal.append(entriesOf(1, 2, 3));
    assert.deepEqual((await journal.pop(2)).map(({ place, json }) => [place, json]), [[2, 2], [3, 3]]);
    await journal.append(entriesOf("two"));
    assert.deepEqual(await Array.fromAsync(journal.read(), ({ place, json }) => [place, json]), [
      [1, 1],
      [2, "two"],
    ]);
    assert.equal((await journal.pop(9)).length, 2);
    assert.deepEqual(await journal.pop(), []);
    await assert.rejects(journal.pop(0), { field: "count" });
  });

  promise("replaceSuffix() replaces from a place on, at the revision that is expected", async (store) => {
    const journal = journalOf(await store.open());
    const expectedRevision = await journal.append([{ uuid: "a", json: 1 }, { uuid: "b", json: 2 }, {
      json: 3,
    }]);
    const replaced = await journal.replaceSuffix({ from: 2, expectedRevision }, [{ uuid: "b", json: "two" }]);
    assert.deepEqual(await valuesOf(journal), [1, "two"]);
    const stale = () => journal.replaceSuffix({ from: 1, expectedRevision }, []);
    await store.assertChangesNothing(stale, { reason: "REVISION", currentRevision: replaced });
    const beyond = () => journal.replaceSuffix({ from: 4, expectedRevision: replaced }, []);
    await store.assertChangesNothing(beyond, { code: "CONTRACT", field: "from" });
    const kept = [{ uuid: "a", json: "other" }];
    const taken = () => journal.replaceSuffix({ from: 2, expectedRevision: replaced }, kept);
    await store.assertChangesNothing(taken, { reason: "IDEMPOTENCY" });
    const longer = await journal.replaceSuffix({ from: 3, expectedRevision: replaced }, entriesOf(3));
    await journal.replaceSuffix({ from: 1, expectedRevision: longer }, []);
    assert.deepEqual(await valuesOf(journal), []);
  });

  promise(
    "An operation id makes a call harmless to repeat, and other input with it is refused",
    async (store) => {
      const journal = journalOf(await store.open());
      const revision = await journal.append(entriesOf({ a: 1, b: 2 }), { operationId: "one" });
      assert.equal(await journal.append(entriesOf({ b: 2, a: 1 }), { operationId: "one" }), revision);
      await assert.rejects(journal.append(entriesOf(2), { operationId: "one" }), { reason: "IDEMPOTENCY" });
      await assert.rejects(journal.clear({ operationId: "one" }), { reason: "IDEMPOTENCY" });
      const suffix = { from: 1, expectedRevision: revision };
      const replaced = await journal.replaceSuffix(suffix, entriesOf(3), { operationId: "two" });
      assert.equal(await journal.replaceSuffix(suffix, entriesOf(3), { operationId: "two" }), replaced);
      const cleared = await journal.clear({ operationId: "three" });
      await journal.append(entriesOf(4));
      assert.deepEqual(await journal.clear({ operationId: "three" }), cleared);
      assert.deepEqual(await valuesOf(journal), [4]);
    },
  );

  promise("Any change asks for the revision that is expected, where one is given", async (store) => {
    const journal = journalOf(await store.open());
    const revision = await journal.append(entriesOf(1), { expectedRevision: 0 });
    const expected = { reason: "REVISION", currentRevision: revision };
    const expectedRevision = revision + 1;
    for (
      const call of [
        () => journal.append(entriesOf(2), { expectedRevision }),
        () => journal.pop(1, { expectedRevision }),
        () => journal.clear({ expectedRevision }),
        () => journal.delete({ expectedRevision }),
      ]
    ) await store.assertChangesNothing(call, expected);
  });

  promise("The journals of a scope, of two tenants and of two parts are apart", async (store) => {
    const memory = await store.open();
    const journals = [
      journalOf(memory),
      journalOf(memory, "a"),
      memory.journal(HARBOUR),
      memory.journal(HARBOUR, "a"),
    ];
    for (const [index, journal] of journals.entries()) await journal.append([{ uuid: "e", json: index }]);
    await journals[1]!.clear();
    assert.deepEqual(await Promise.all(journals.map(valuesOf)), [[0], [], [2], [3]]);
  });

  promise(
    "A journal moves no revision of its conversation, and no snapshot; both share the scope's bytes",
    async (store) => {
      const memory = await store.open({ limits: { bytesPerScope: 1_000 } });
      const conversation = memory.conversation(ORCHARD);
      await conversation.append([{ role: "user", content: "Hello." }]);
      const snapshot = await conversation.snapshot();
      const journal = journalOf(memory);
      await journal.append(entriesOf("x".repeat(400)));
      await conversation.assertCurrent(snapshot);
      const capacity = { reason: "CAPACITY" };
      await store.assertChangesNothing(() => journal.append(entriesOf("x".repeat(500))), capacity);
      const turn = () => conversation.append([{ role: "user", content: "x".repeat(300) }]);
      await store.assertChangesNothing(turn, capacity);
      const [inspected] = (await memory.inspect()).scopes;
      assert.deepEqual([inspected?.journals, inspected?.journalBytes], [1, 402]);
      await journal.pop();
      await turn();
    },
  );

  promise(
    "clear() leaves the journal usable with revisions that go on, and its receipt stays valid",
    async (store) => {
      const memory = await store.open();
      const journal = journalOf(memory);
      const revision = await journal.append([{ uuid: "a", json: 1 }]);
      const receipt = await journal.clear();
      assert.deepEqual(
        [receipt.kind, receipt.reserved, receipt.erased.entries, receipt.erased.journals],
        ["journal", false, 1, 0],
      );
      assert((await journal.append([{ uuid: "a", json: 2 }])) > revision);
      assert.equal((await memory.verifyReceipt(receipt)).valid, true);
      assert.equal((await memory.verifyReceipt(receipt, { ...ORCHARD, key: "" })).about, true);
      assert.equal((await memory.verifyReceipt(receipt, { ...ORCHARD, key: "a" })).about, false);
      const forged = await memory.verifyReceipt({ ...receipt, reserved: true });
      assert.deepEqual([forged.valid, forged.authentic, forged.event], [false, false, false]);
    },
  );

  promise("clear() of a journal that is not there has a receipt too, and makes the scope", async (store) => {
    const memory = await store.open();
    const receipt = await journalOf(memory).clear();
    assert.equal(receipt.erased.entries, 0);
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
    assert.equal(await memory.conversation(ORCHARD).revision(), 0);
  });

  promise(
    "delete() reserves the part for ever, and repeating it resolves to the first receipt",
    async (store) => {
      const memory = await store.open();
      const journal = journalOf(memory, "tools");
      await journal.append(entriesOf(1, 2));
      const receipt = await journal.delete();
      assert.deepEqual([receipt.erased.journals, receipt.erased.entries, receipt.reserved], [1, 2, true]);
      const again = await journal.delete();
      assert.deepEqual([again.sequence, again.already], [receipt.sequence, true]);
      for (
        const call of [
          () => journal.append(entriesOf(3)),
          () => journal.clear(),
          () => journal.revision(),
          () => journal.pop(),
          () => valuesOf(journal),
        ]
      ) await store.assertChangesNothing(call, { reason: "DELETED" });
      await journalOf(memory, "others").append(entriesOf(3));
      assert.equal((await memory.verifyReceipt(receipt, { ...ORCHARD, key: "tools" })).valid, true);
    },
  );

  promise("The scope's deletion takes all its journals along, and its receipt counts them", async (store) => {
    const memory = await store.open();
    await journalOf(memory).append(entriesOf(1, 2));
    await journalOf(memory, "tools").append(entriesOf(3));
    await memory.journal(HARBOUR).append(entriesOf(4));
    const expectedRevision = await memory.conversation(ORCHARD).revision();
    const receipt = await memory.conversation(ORCHARD).delete({ kind: "scope", expectedRevision });
    assert.deepEqual([receipt.erased.journals, receipt.erased.entries], [2, 3]);
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
    await assert.rejects(valuesOf(journalOf(memory)), { reason: "DELETED" });
    await assert.rejects(journalOf(memory, "new").append(entriesOf(5)), { reason: "DELETED" });
    assert.deepEqual(await valuesOf(memory.journal(HARBOUR)), [4]);
  });

  promise("A scope has at most a thousand journals", async (store) => {
    const memory = await store.open();
    await Promise.all(
      Array.from(
        { length: 1_000 },
        (_, index) => journalOf(memory, `part ${index}`).append(entriesOf(index)),
      ),
    );
    await store.assertChangesNothing(() => journalOf(memory).append(entriesOf(0)), { reason: "CAPACITY" });
  });

  promise(
    "Calls made at once take effect in the order in which they were made, the first of a store too",
    async (store) => {
      const journal = journalOf(await store.open());
      const values = Array.from({ length: 50 }, (_, index) => index);
      await Promise.all(values.map((value) => journal.append(entriesOf(value))));
      assert.deepEqual(await valuesOf(journal), values);
    },
  );

  promise(
    "A printed entry shows its place and uuid, and JSON and copies of it are whole (PRN-01)",
    async (store) => {
      const journal = journalOf(await store.open());
      await journal.append([{ uuid: "a", json: { secret: "4711" } }]);
      const [entry] = await Array.fromAsync(journal.read());
      assert.equal(inspect(entry), "JournalEntry { place: 1, uuid: 'a' }");
      assert.deepEqual(structuredClone(entry), { place: 1, uuid: "a", json: { secret: "4711" } });
      assert.equal(JSON.stringify(entry), '{"place":1,"uuid":"a","json":{"secret":"4711"}}');
      await journal.append([{ json: { ...entry } }, { json: entry! as unknown as Json }]);
    },
  );

  promise("What a caller changes after the call is not what is stored", async (store) => {
    const journal = journalOf(await store.open());
    const entry = { uuid: "a", json: { list: [1] } };
    const entries = [entry];
    const appended = journal.append(entries);
    entry.json.list.push(2);
    entry.uuid = "b";
    entries.push({ uuid: "c", json: { list: [] } });
    await appended;
    assert.deepEqual(await Array.fromAsync(journal.read()), [{ place: 1, uuid: "a", json: { list: [1] } }]);
  });

  durable(
    "Journals are there after a reopen, and two open stores see each other's entries",
    async (store) => {
      const first = await store.open();
      await journalOf(first).append(entriesOf(1));
      const second = await store.open();
      await journalOf(second).append(entriesOf(2));
      assert.deepEqual(await valuesOf(journalOf(first)), [1, 2]);
      await first.close();
      await second.close();
      const again = await store.open({ readOnly: true });
      assert.deepEqual(await valuesOf(journalOf(again)), [1, 2]);
      await assert.rejects(journalOf(again).append(entriesOf(3)), { code: "READONLY" });
    },
  );
}

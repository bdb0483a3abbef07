import assert from "node:assert/strict";
import { z } from "zod";
import { defineKind, type Memory, openMemory, StorageError } from "../../mod.ts";
import { assertUsable, isPlanted, makeStore, plant, plot, TENANT, textOf } from "./stored.ts";
import { TinyDisk, whyNoTinyDisk } from "./tiny_disk.ts";

const REASON = whyNoTinyDisk();

function diskTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name: REASON === null ? name : `${name} (ignored: ${REASON})`, ignore: REASON !== null, fn });
}

const PAGE = defineKind("page", z.string(), { maxBytes: 20_000 });
const OPTIONS = { kinds: [PAGE], clock: () => 1_000_000_000 };

function page(number: number): { tenantId: string; kind: "page"; key: string } {
  return { tenantId: TENANT, kind: "page", key: `page-${number}` };
}

function putPage(memory: Memory, number: number): Promise<number> {
  return memory.records.put(page(number), `${number}`.repeat(4_000), { expectedRevision: null, ttl: 86_400 });
}

/** What an error on a full disk says. If not even a probe can be written, the outcome is unknown. */
interface Told {
  readonly code: string;
  readonly unknown: boolean;
  readonly recorded: boolean;
}

function toldBy(error: unknown): Told {
  assert(error instanceof StorageError, `${error}`);
  const { outcome, recorded } = error.details;
  return { code: error.code, unknown: outcome === "unknown", recorded: recorded !== undefined };
}

/** Puts pages until the disk is full; returns how many were acknowledged. */
async function putUntilFull(memory: Memory): Promise<number> {
  for (let count = 0; count < 1_000; count++) {
    try {
      await putPage(memory, count);
    } catch (error) {
      assert.equal(toldBy(error).code, "FULL");
      return count;
    }
  }
  assert.fail("the disk is never full");
}

/** Requires that the store on a disk accepts a write and is intact. */
async function assertStillUsable(disk: TinyDisk): Promise<void> {
  await using memory = await openMemory(disk.at("agent.db"));
  await plant(memory, 50);
  assert.equal(await textOf(memory, 50), "tree 50");
  assert.deepEqual((await memory.check()).problems, []);
}

diskTest(
  "DRV-22 on a full disk put() says FULL, and everything acknowledged before can be read",
  async () => {
    using disk = new TinyDisk(1_024);
    await using memory = await openMemory(disk.at("agent.db"), OPTIONS);
    const count = await putUntilFull(memory);
    assert(count > 5, `${count} pages`);
    assert.equal(await memory.records.get(page(count)), null);
    for (let number = 0; number < count; number++) {
      assert.equal((await memory.records.get(page(number)))?.value, `${number}`.repeat(4_000));
    }
    assert.equal((await memory.records.list(TENANT)).items.length, count);
    assert.deepEqual((await memory.check()).problems, []);
  },
);

diskTest("DRV-22 of 64 puts at once on a full disk each says by itself whether it was stored", async () => {
  using disk = new TinyDisk(512);
  const stored: string[] = [];
  const unknown: string[] = [];
  {
    await using memory = await openMemory(disk.at("agent.db"), OPTIONS);
    const puts = Array.from({ length: 64 }, (_, number) => putPage(memory, number));
    for (const [number, outcome] of (await Promise.allSettled(puts)).entries()) {
      if (outcome.status === "fulfilled") stored.push(page(number).key);
      else if (toldBy(outcome.reason).unknown) unknown.push(page(number).key);
    }
    assert(stored.length > 0 && stored.length < 64, `${stored.length} stored`);
    assert(unknown.length <= 1, `${unknown.length} unknown`);
  }
  await using memory = await openMemory(disk.at("agent.db"), OPTIONS);
  const found = (await memory.records.list(TENANT)).items.map(({ key }) => key);
  assert.deepEqual(found.filter((key) => !unknown.includes(key)).sort(), stored.sort());
  assert.deepEqual((await memory.check()).problems, []);
});

diskTest(
  "DRV-22 a store that met a full disk is used as before once there is space and it is reopened",
  async () => {
    using disk = new TinyDisk(1_024);
    {
      await using memory = await openMemory(disk.at("agent.db"));
      for (let number = 1; number <= 3; number++) await plant(memory, number);
      disk.fill();
      const told = await Promise.all(
        Array.from({ length: 40 }, (_, number) => plant(memory, number + 4).then(() => null, toldBy)),
      );
      assert(told.some((each) => each?.code === "FULL"));
      assert.equal(await textOf(memory, 3), "tree 3");
    }
    disk.empty();
    await assertUsable(disk.at("agent.db"), { facts: 3 });
  },
);

/** Tries to forget fact 1, and reads it; returns whether it is erased for good, or null if that is unknown. */
async function forgetHonestly(memory: Memory): Promise<boolean | null> {
  const told = await memory.records.forget(plot(1), 1).then(() => null, toldBy);
  const seen = await textOf(memory, 1).catch(toldBy);
  if (told === null) {
    assert.equal(seen, null);
    return true;
  }
  assert.match(told.code, /^(FULL|IO)$/);
  // What is recorded is completed by the read, or the read is refused; it is never shown again.
  if (told.recorded) assert(seen === null || typeof seen === "object");
  else if (!told.unknown) assert.equal(seen, "tree 1");
  return told.recorded ? true : told.unknown ? null : false;
}

for (let free = 0; free <= 40; free += 4) {
  diskTest(
    `DRV-22 with ${free} KiB left forget() completes, or reports an outcome that holds`,
    async () => {
      using disk = new TinyDisk(1_024);
      let gone: boolean | null;
      {
        await using memory = await openMemory(disk.at("agent.db"));
        for (let number = 1; number <= 3; number++) await plant(memory, number);
        disk.fill(free);
        gone = await forgetHonestly(memory);
        assert.equal(await textOf(memory, 2), "tree 2");
      }
      disk.empty();
      const [found, ...others] = await isPlanted(disk.at("agent.db"), [1, 2, 3]);
      assert.deepEqual(others, [true, true]);
      if (gone !== null) assert.equal(found, !gone);
      await assertStillUsable(disk);
    },
  );
}

diskTest(
  "DRV-22 a creation on a disk that fills up at any point says so, and the next one finishes it",
  async () => {
    for (let free = 0; free <= 200; free += 4) {
      using disk = new TinyDisk(1_024);
      disk.fill(free);
      const told = await makeStore(disk.at("agent.db"), { facts: 0 }).then(() => null, toldBy);
      if (told !== null) assert.match(told.code, /^(FULL|IO)$/, `with ${free} KiB left`);
      disk.empty();
      await assertUsable(disk.at("agent.db"), { facts: 0 });
    }
  },
);

for (let free = 0; free <= 128; free += 16) {
  diskTest(
    `DRV-22 a closed store that is opened with ${free} KiB left opens, or says so, unharmed`,
    async () => {
      using disk = new TinyDisk(1_024);
      await makeStore(disk.at("agent.db"), { forget: true });
      disk.fill(free);
      const told = await isPlanted(disk.at("agent.db"), [1, 2, 3]).catch(toldBy);
      if (Array.isArray(told)) assert.deepEqual(told, [false, true, true]);
      else assert.match(told.code, /^(FULL|IO)$/);
      disk.empty();
      assert.deepEqual(await isPlanted(disk.at("agent.db"), [1, 2, 3]), [false, true, true]);
      await assertStillUsable(disk);
    },
  );
}

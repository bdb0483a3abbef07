import assert from "node:assert/strict";
import { type Memory, openMemory } from "../../mod.ts";
import { countOpenFiles } from "../../src/engines/sqlite/files/open_files.ts";
import { FILE_COMPARISON_MS, GLANCE_MS } from "../../src/limits.ts";
import { Scratch } from "./scratch.ts";
import { SteadyClock } from "./steady_clock.ts";
import { DATABASES, SIDECARS } from "./store_names.ts";
import {
  assertReplaced,
  assertUsable,
  codeOf,
  fact,
  makeStore,
  plant,
  plot,
  TENANT,
  textOf,
} from "./stored.ts";

const IS_UNIX = Deno.build.os !== "windows";

/** Runs a command in a process of its own: opening the files of an open store here would drop SQLite's locks. */
function outside(name: string, ...args: readonly string[]): void {
  assert.equal(new Deno.Command(name, { args: [...args] }).outputSync().success, true);
}

/** Makes the directory look unchanged for a long time, and lets the store read it. */
async function ageDirectory(scratch: Scratch, memory: Memory): Promise<void> {
  Deno.utimeSync(scratch.path, 1, 1);
  await memory.records.list(TENANT);
}

/** Truncates a file, in a process of its own. */
function cut(path: string, bytes: number): void {
  outside(Deno.execPath(), "eval", `Deno.truncateSync(${JSON.stringify(path)}, ${bytes})`);
}

const REPLACEMENTS: readonly (readonly [what: string, replace: (path: string) => void])[] = [
  ["renamed away", (path) => Deno.renameSync(path, `${path}.away`)],
  ["unlinked", (path) => Deno.removeSync(path)],
  ["replaced by a copy of itself", (path) => {
    outside("cp", "-p", path, `${path}.copy`);
    Deno.renameSync(`${path}.copy`, path);
  }],
  ["replaced by an empty file", (path) => {
    Deno.writeFileSync(`${path}.empty`, new Uint8Array(), { mode: 0o600 });
    Deno.renameSync(`${path}.empty`, path);
  }],
  ["replaced by a link to itself", (path) => {
    Deno.renameSync(path, `${path}.away`);
    Deno.symlinkSync(`${path}.away`, path);
  }],
];

const WATCHED = [...DATABASES, ...SIDECARS.filter((name) => !name.endsWith("-journal"))];

for (const name of WATCHED) {
  for (const [what, replace] of REPLACEMENTS) {
    Deno.test({
      name: `once ${name} is ${what} no write is acknowledged and no read answered`,
      ignore: !IS_UNIX,
      async fn(): Promise<void> {
        using scratch = new Scratch();
        using clock = new SteadyClock();
        {
          await using memory = await openMemory(scratch.at("agent.db"));
          await plant(memory, 1);
          replace(scratch.at(name));
          clock.advance(FILE_COMPARISON_MS);
          const error = await assertReplaced(plant(memory, 2));
          assert.equal(error.details.outcome, "unknown");
          await assertReplaced(memory.records.list(TENANT));
        }
        assert.equal(countOpenFiles(), 0);
      },
    });
  }
}

for (const name of DATABASES) {
  for (const [what, bytes] of [["nothing", 0], ["half a page", 2_048], ["one page", 4_096]] as const) {
    Deno.test({
      name: `once ${name} is truncated to ${what} no write is acknowledged, whichever check finds it first`,
      ignore: !IS_UNIX,
      async fn(): Promise<void> {
        using scratch = new Scratch();
        await makeStore(scratch.at("agent.db"));
        using clock = new SteadyClock();
        await using memory = await openMemory(scratch.at("agent.db"));
        await plant(memory, 4);
        cut(scratch.at(name), bytes);
        clock.advance(FILE_COMPARISON_MS);
        assert.match(await codeOf(plant(memory, 5)), /^(REPLACED|CORRUPT)$/);
        assert.match(await codeOf(memory.records.forget(plot(1), 1)), /^(REPLACED|CORRUPT)$/);
      },
    });
  }
}

const CALLS:
  readonly (readonly [what: string, call: (memory: Memory) => Promise<unknown>, unknown: boolean])[] = [
    ["put", (memory) => plant(memory, 9), true],
    ["update", (memory) => memory.records.update(plot(1), () => fact("pruned"), { ttl: 60 }), false],
    ["purge", (memory) => memory.records.purge(TENANT, { now: 10_000_000_000 }), true],
    ["forget", (memory) => memory.records.forget(plot(1), 1), true],
    ["list", (memory) => memory.records.list(TENANT), false],
    ["deletionWatermark", (memory) => memory.deletionWatermark(), false],
    ["check", (memory) => memory.check(), false],
  ];

for (const [what, call, unknown] of CALLS) {
  Deno.test({
    name: `${what}() says REPLACED once another store has taken the name of main`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      await makeStore(scratch.at("other.db"));
      using clock = new SteadyClock();
      await using memory = await openMemory(scratch.at("agent.db"));
      await plant(memory, 1);
      Deno.renameSync(scratch.at("other.db"), scratch.at("agent.db"));
      clock.advance(FILE_COMPARISON_MS);
      const error = await assertReplaced(call(memory));
      assert.equal(error.details.outcome, unknown ? "unknown" : undefined);
    },
  });
}

for (const name of DATABASES) {
  Deno.test({
    name: `forget() reports where it was recorded if ${name} was replaced meanwhile`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      using clock = new SteadyClock();
      await using memory = await openMemory(scratch.at("agent.db"));
      await plant(memory, 1);
      Deno.renameSync(scratch.at(name), scratch.at("away"));
      clock.advance(FILE_COMPARISON_MS);
      const { details } = await assertReplaced(memory.records.forget(plot(1), 1));
      assert.equal((details.recorded as { sequence: number }).sequence, 1);
      assert.equal(details.outcome, "unknown");
    },
  });
}

for (const [what, call] of [["write", plant], ["read", textOf]] as const) {
  Deno.test({
    name: `the next ${what} after the directory's time moved says REPLACED, without waiting for any window`,
    ignore: !IS_UNIX,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      using clock = new SteadyClock();
      await using memory = await openMemory(scratch.at("agent.db"));
      await plant(memory, 1);
      clock.advance(FILE_COMPARISON_MS);
      await ageDirectory(scratch, memory);
      clock.advance(GLANCE_MS);
      Deno.renameSync(scratch.at("agent.db"), scratch.at("away"));
      await assertReplaced(call(memory, 2));
    },
  });
}

Deno.test({
  name: `get() answers from the old file for less than ${GLANCE_MS} ms, then says REPLACED`,
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    using clock = new SteadyClock();
    await using memory = await openMemory(scratch.at("agent.db"));
    await plant(memory, 1);
    await ageDirectory(scratch, memory);
    Deno.renameSync(scratch.at("agent.db"), scratch.at("away"));
    clock.advance(GLANCE_MS - 1);
    assert.equal(await textOf(memory, 1), "tree 1");
    clock.advance(1);
    await assertReplaced(textOf(memory, 1));
  },
});

Deno.test({
  name:
    `a cut that leaves the directory's time unchanged is detected ${FILE_COMPARISON_MS} ms after the last comparison`,
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    await makeStore(scratch.at("agent.db"));
    using clock = new SteadyClock();
    await using memory = await openMemory(scratch.at("agent.db"));
    await plant(memory, 4);
    clock.advance(FILE_COMPARISON_MS);
    await memory.records.list(TENANT);
    const { size } = Deno.statSync(scratch.at("agent.db"));
    cut(scratch.at("agent.db"), size - 4_096);
    clock.advance(FILE_COMPARISON_MS - 1);
    assert.equal((await memory.records.list(TENANT)).items.length, 4);
    clock.advance(1);
    await assertReplaced(memory.records.list(TENANT));
  },
});

Deno.test({
  name: "a file that was renamed away and back is the same file again",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    {
      await using memory = await openMemory(scratch.at("agent.db"));
      await plant(memory, 1);
      await ageDirectory(scratch, memory);
      Deno.renameSync(scratch.at("agent.db"), scratch.at("away"));
      await assertReplaced(memory.records.list(TENANT));
      Deno.renameSync(scratch.at("away"), scratch.at("agent.db"));
      await plant(memory, 2);
    }
    await assertUsable(scratch.at("agent.db"), { facts: 2 });
  },
});

Deno.test({
  name: "once the whole directory is replaced by a copy with the same times no write is acknowledged",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    await makeStore(scratch.at("home/agent.db"));
    await using memory = await openMemory(scratch.at("home/agent.db"));
    Deno.renameSync(scratch.at("home"), scratch.at("away"));
    outside("cp", "-rp", scratch.at("away"), scratch.at("home"));
    await assertReplaced(plant(memory, 4));
    await assertReplaced(memory.records.list(TENANT));
  },
});

Deno.test({
  name: "files of other names may be created and removed next to an open store",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    await using memory = await openMemory(scratch.at("agent.db"));
    for (let number = 1; number <= 3; number++) {
      scratch.write("agent.db.notes");
      await plant(memory, number);
      Deno.removeSync(scratch.at("agent.db.notes"));
      assert.equal(await textOf(memory, number), `tree ${number}`);
    }
    assert.deepEqual((await memory.check()).problems, []);
  },
});

Deno.test({
  name: "closing a store that was replaced leaves the files of its successor alone",
  ignore: !IS_UNIX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    const path = scratch.at("agent.db");
    using clock = new SteadyClock();
    const old = await openMemory(path);
    await plant(old, 1, "old");
    for (const name of WATCHED) Deno.renameSync(scratch.at(name), scratch.at(`away-${name}`));
    {
      await using successor = await openMemory(path);
      await plant(successor, 1);
      clock.advance(FILE_COMPARISON_MS);
      await assertReplaced(textOf(old, 1));
      await old.close();
      await plant(successor, 2);
      assert.deepEqual(WATCHED.filter((name) => !scratch.names().includes(name)), []);
    }
    await assertUsable(path, { facts: 2 });
  },
});

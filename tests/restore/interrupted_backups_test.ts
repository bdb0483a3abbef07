/** Backups that are killed, that find no space, or that are permitted only their directories. */

import assert from "node:assert/strict";
import { run, runForJson } from "../files/child.ts";
import { Scratch } from "../files/scratch.ts";
import { TinyDisk, whyNoTinyDisk } from "../files/tiny_disk.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { openMemory, restoreMemory, type Watermark } from "../../mod.ts";
import { fill, SCOPE, textsOf } from "./shelf.ts";

const IS_LINUX = Deno.build.os === "linux";

async function makeStore(path: string): Promise<void> {
  await using memory = await openMemory(path);
  await fill(memory);
}

/** Requires that the store is intact and can be backed up to a directory, where it leaves nothing but the backup. */
async function assertBackedUp(scratch: Scratch, name: string): Promise<void> {
  await using memory = await openMemory(scratch.at("agent.db"));
  assert.deepEqual((await memory.check()).problems, []);
  const { bytes } = await memory.backup(scratch.at(name));
  assert.equal(Deno.statSync(scratch.at(name)).size, bytes);
  assert.deepEqual(scratch.names().filter((each) => each.includes(".partial")), []);
}

Deno.test("BAK-04 a backup that is killed at any of its steps leaves nothing under its name, and the next one clears up", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  const doom = (name: string, moment: string): ReturnType<typeof run> =>
    run("tests/restore/programs/doomed_backup.ts", [scratch.at("agent.db"), scratch.at(name), moment]);
  const reports = Number((await doom("first", "never")).output);
  assert(reports > 10, `${reports} reports`);
  for (let report = 1; report <= reports; report++) {
    assert.equal((await doom("copy", String(report))).signal, "SIGKILL");
    const left = scratch.names().filter((name) => name.startsWith("copy"));
    assert(left.includes("copy.partial"), `after report ${report}: ${left}`);
    assert(left.every((name) => name.startsWith("copy.partial")), `after report ${report}: ${left}`);
  }
  await assertBackedUp(scratch, "copy");
  Deno.removeSync(scratch.at("copy"));
  assert.equal((await doom("copy", String(reports >> 1))).signal, "SIGKILL");
  await assertBackedUp(scratch, "copy");
});

Deno.test("BAK-04 a backup that is killed once it has its name is complete, and never overwritten", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  const { signal } = await run("tests/restore/programs/doomed_backup.ts", [
    scratch.at("agent.db"),
    scratch.at("copy"),
    "linked",
  ]);
  assert.equal(signal, "SIGKILL");
  let watermark: Watermark;
  {
    await using memory = await openMemory(scratch.at("agent.db"));
    await assert.rejects(memory.backup(scratch.at("copy")), { code: "EXISTS" });
    watermark = await memory.deletionWatermark();
  }
  await using restored = await restoreMemory(scratch.at("copy"), scratch.at("restored.db"), {
    deletionPath: scratch.at("agent.db.deletions"),
    watermark,
  });
  assert.equal((await textsOf(restored)).length, 3);
  assert.deepEqual((await restored.check()).problems, []);
});

/** The beginning of a rollback journal whose file was empty: rolled back, it empties the file. */
function journalOfNothing(): Uint8Array {
  const journal = new Uint8Array(512);
  const view = new DataView(journal.buffer);
  view.setBigUint64(0, 0xd9d505f920a163d7n);
  view.setUint32(20, 512);
  view.setUint32(24, 4_096);
  return journal;
}

Deno.test("BAK-02 a restore is not rolled back by the journal that an earlier one left", async () => {
  using scratch = new Scratch();
  await makeStore(scratch.at("agent.db"));
  await assertBackedUp(scratch, "copy");
  scratch.write("restored.db.restoring-journal", journalOfNothing());
  const restoring = watermarkOf(scratch).then((watermark) =>
    restoreMemory(scratch.at("copy"), scratch.at("restored.db"), {
      deletionPath: scratch.at("agent.db.deletions"),
      watermark,
    })
  );
  await assert.doesNotReject(restoring);
  await using restored = await restoring;
  assert.deepEqual((await restored.check()).problems, []);
  assert.deepEqual(scratch.names().filter((name) => name.includes("restoring")), []);
});

async function watermarkOf(scratch: Scratch): Promise<Watermark> {
  await using memory = await openMemory(scratch.at("agent.db"), { readOnly: true });
  return await memory.deletionWatermark();
}

const NO_DISK = whyNoTinyDisk();

for (const freeKibibytes of [8, 70, 130]) {
  Deno.test({
    name: `BAK-04 a backup and a restore that find ${freeKibibytes} KiB free say FULL and leave nothing${
      NO_DISK === null ? "" : ` (ignored: ${NO_DISK})`
    }`,
    ignore: NO_DISK !== null,
    async fn(): Promise<void> {
      using scratch = new Scratch();
      using disk = new TinyDisk(1_024);
      disk.fill(freeKibibytes);
      await using memory = await openMemory(scratch.at("agent.db"));
      await fill(memory);
      await assert.rejects(memory.backup(disk.at("copy")), { code: "FULL" });
      await memory.backup(scratch.at("copy"));
      const restore = (): ReturnType<typeof restoreMemory> =>
        memory.deletionWatermark().then((watermark) =>
          restoreMemory(scratch.at("copy"), disk.at("restored.db"), {
            deletionPath: scratch.at("agent.db.deletions"),
            watermark,
          })
        );
      await assert.rejects(restore(), { code: "FULL" });
      assert.deepEqual([...Deno.readDirSync(disk.path)].map(({ name }) => name), ["filler"]);
      assert.equal((await memory.conversation(SCOPE).snapshot()).turnCount, 3);
      disk.empty();
      await memory.backup(disk.at("copy"));
      await using restored = await restore();
      assert.deepEqual((await restored.check()).problems, []);
    },
  });
}

interface Places {
  readonly store: string;
  readonly shelf: string;
  readonly restored: string;
}

function makePlaces(scratch: Scratch): Places {
  const [store, shelf, restored] = ["store", "shelf", "restored"].map((name) => scratch.makeDirectory(name));
  return { store: store!, shelf: shelf!, restored: restored! };
}

function act(
  { store, shelf, restored }: Places,
  flags: readonly string[],
  ...more: readonly string[]
): Promise<unknown> {
  return runForJson("tests/restore/programs/permitted.ts", [store, shelf, restored, ...more], { flags });
}

const DONE = { erased: 1, problems: 0 };

Deno.test("BAK-11 backup, scrub, deletion and restore work with their directories alone permitted", async () => {
  using scratch = new Scratch();
  const places = makePlaces(scratch);
  const list = Object.values(places).join(",");
  assert.deepEqual(await act(places, [`--allow-read=${list}`, `--allow-write=${list}`]), DONE);
});

Deno.test({
  name: "BAK-11 backup, scrub, deletion and restore work for a user who owns nothing but their directories",
  ignore: !IS_LINUX,
  async fn(): Promise<void> {
    using scratch = new Scratch();
    const places = makePlaces(scratch);
    Deno.chmodSync(scratch.path, 0o755);
    if (Deno.uid() === 0) {
      for (const place of Object.values(places)) Deno.chownSync(place, 65_534, 65_534);
    }
    const list = Object.values(places).join(",");
    const flags = [`--allow-read=${list}`, `--allow-write=${list}`, "--allow-ffi"];
    assert.deepEqual(await act(places, flags, "nobody"), DONE);
  },
});

for (const lacking of ["shelf", "restored"] as const) {
  for (const kind of ["read", "write"] as const) {
    Deno.test(`BAK-11 a missing --allow-${kind} for the ${lacking} is named exactly`, async () => {
      using scratch = new Scratch();
      const places = makePlaces(scratch);
      const all = Object.values(places).join(",");
      const most = Object.values(places).filter((place) => place !== places[lacking]).join(",");
      const flags = (["read", "write"] as const).map((each) =>
        `--allow-${each}=${each === kind ? most : all}`
      );
      assert.deepEqual(await act(places, flags), {
        code: "PERMISSION",
        flags: [`--allow-${kind}=${places[lacking]}`],
      });
    });
  }
}

testThatNothingIsLeftOpen();

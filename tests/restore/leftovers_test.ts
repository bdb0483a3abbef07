/** Files that killed backups and restores leave behind: the store finds, names and removes each. */

import assert from "node:assert/strict";
import { RememberedWork } from "../../src/engines/sqlite/files/remembered_work.ts";
import { parseFilePath, resolveFile } from "../../src/engines/sqlite/files/store_path.ts";
import type { Memory } from "../../src/memory.ts";
import { openMemory } from "../../mod.ts";
import type { Works } from "../../src/engines/sqlite/files/works_list.ts";
import { run, runForJson } from "../files/child.ts";
import { Scratch } from "../files/scratch.ts";
import { TinyDisk, whyNoTinyDisk } from "../files/tiny_disk.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { worksOf } from "./works_of.ts";
import { SCOPE } from "./shelf.ts";

const CANARY = "The door code is 4711.";
const NOTHING = { removed: [], kept: [] };

/** A store in a directory of its own, and a directory for backups next to it. */
class Places implements Disposable {
  readonly #scratch = new Scratch();
  readonly shelf: string = this.#scratch.makeDirectory("shelf");
  readonly store: string = this.#scratch.makeDirectory("store");
  readonly path: string = `${this.store}/agent.db`;

  /** Adds a text, which is in every backup until it is deleted. */
  async say(text: string): Promise<string> {
    await using memory = await openMemory(this.path);
    return (await memory.conversation(SCOPE).append([{ role: "user", content: text }])).turnId;
  }

  async delete(turnId: string): Promise<void> {
    await using memory = await openMemory(this.path);
    const conversation = memory.conversation(SCOPE);
    const expectedRevision = await conversation.revision();
    await conversation.delete({ kind: "turn", key: turnId, expectedRevision });
  }

  /** Kills a backup to `shelf/NAME` at a moment. */
  async kill(name: string, moment: string): Promise<void> {
    const args = [this.path, `${this.shelf}/${name}`, moment];
    const { signal, errors } = await run("tests/restore/programs/doomed_backup.ts", args);
    assert.equal(signal, "SIGKILL", `${moment}: ${errors}`);
  }

  /** The files that hold a text. */
  holding(text: string): readonly string[] {
    const wanted = new TextEncoder().encode(text);
    return [this.store, this.shelf].flatMap((directory) =>
      [...Deno.readDirSync(directory)].map(({ name }) => `${directory}/${name}`)
    ).filter((path) => indexOf(Deno.readFileSync(path), wanted) >= 0);
  }

  names(): readonly string[] {
    return [...Deno.readDirSync(this.shelf)].map(({ name }) => name).sort();
  }

  [Symbol.dispose](): void {
    this.#scratch[Symbol.dispose]();
  }
}

function indexOf(bytes: Uint8Array, wanted: Uint8Array): number {
  return new TextDecoder("latin1").decode(bytes).indexOf(new TextDecoder("latin1").decode(wanted));
}

async function claim(memory: Memory, path: string): Promise<RememberedWork> {
  return await RememberedWork.claim(await worksOf(memory), resolveFile(parseFilePath("path", path)));
}

Deno.test("no file of any directory holds what was deleted after a backup was killed at any of its steps, and a prune (PAR-01)", async () => {
  using places = new Places();
  await places.say("The well is forty metres deep.");
  const { output } = await run("tests/restore/programs/doomed_backup.ts", [
    places.path,
    `${places.shelf}/whole`,
    "never",
  ]);
  Deno.removeSync(`${places.shelf}/whole`);
  const reports = Array.from({ length: Number(output) }, (_, index) => String(index + 1));
  let holding = 0;
  for (const moment of ["making", "made", ...reports]) {
    const secret = await places.say(CANARY);
    await places.kill(`copy-${moment}`, moment);
    await places.delete(secret);
    if (places.holding(CANARY).some((path) => path.startsWith(places.shelf))) holding++;
    await using memory = await openMemory(places.path);
    const { leftovers, scrub } = await memory.prune();
    const left = moment === "making" ? [] : [`${places.shelf}/copy-${moment}.partial`];
    assert.deepEqual([leftovers, scrub?.complete], [{ removed: left, kept: [] }, true], moment);
    assert.deepEqual((await memory.inspect()).leftovers, [], moment);
    assert.deepEqual([places.names(), places.holding(CANARY)], [[], []], moment);
    await assertIntact(memory);
  }
  assert(holding > 5, `${holding} of the killed backups held the text`);
});

Deno.test("a backup that was killed once it had its name keeps only that one (PAR-01)", async () => {
  using places = new Places();
  await places.say(CANARY);
  for (const moment of ["linked", "unlinked"]) {
    await places.kill(`copy-${moment}`, moment);
    await using memory = await openMemory(places.path);
    const { kept } = (await memory.prune()).leftovers;
    assert.deepEqual([kept, places.names()], [[], [`copy-${moment}`]]);
    Deno.removeSync(`${places.shelf}/copy-${moment}`);
  }
});

Deno.test("the next backup, of either file and to any name, removes what a killed one left (PAR-01)", async () => {
  using places = new Places();
  await places.say(CANARY);
  await using memory = await openMemory(places.path);
  for (const [index, call] of (["backup", "exportLedger"] as const).entries()) {
    await places.kill("monday", "5");
    const left = [`${places.shelf}/monday.partial`];
    const { leftovers } = await memory[call](`${places.store}/copy-${index}`);
    assert.deepEqual([leftovers, places.names()], [{ removed: left, kept: [] }, []], call);
  }
});

Deno.test("a store that is open read-only names what a killed backup left, and leaves it there (PAR-01)", async () => {
  using places = new Places();
  await places.say(CANARY);
  await places.kill("monday", "5");
  const left = [{ path: `${places.shelf}/monday.partial`, state: "left" }];
  await using memory = await openMemory(places.path, { readOnly: true });
  assert.deepEqual((await memory.inspect()).leftovers, left);
  const { leftovers } = await memory.backup(`${places.store}/copy`);
  assert.deepEqual([leftovers, places.names()], [{ removed: [], kept: left }, ["monday.partial"]]);
});

Deno.test("a file that is being made is not removed by another process, a Worker, or another handle (PAR-01)", async () => {
  using places = new Places();
  await places.say(CANARY);
  await using memory = await openMemory(places.path);
  const target = `${places.shelf}/monday`;
  const seen = [{ path: `${target}.partial`, state: "in-use" }];
  const expected = { found: seen, swept: { removed: [], kept: seen } };
  {
    await using work = await claim(memory, target);
    assert.deepEqual(await runForJson("tests/restore/programs/sweep.ts", [places.path]), expected);
    const worker = new Worker(new URL("programs/sweep.ts", import.meta.url), { type: "module" });
    const answer = await new Promise<MessageEvent>((resolve) => {
      worker.onmessage = resolve;
      worker.postMessage(places.path);
    });
    worker.terminate();
    assert.deepEqual(answer.data, expected);
    assert.deepEqual((await memory.prune({ scrub: false })).leftovers, expected.swept);
    work.file.publish();
  }
  assert.deepEqual(places.names(), ["monday"]);
  assert.deepEqual(await (await worksOf(memory)).list(), []);
});

Deno.test("a sweep before the file exists does not make the store forget it (PAR-01)", async () => {
  using places = new Places();
  await places.say(CANARY);
  await using memory = await openMemory(places.path);
  const works = await worksOf(memory);
  let times = 0;
  const watched: Works = {
    directories: works.directories,
    list: () => works.list(),
    forget: (path, condition) => works.forget(path, condition),
    async remember(path): Promise<void> {
      await works.remember(path);
      if (++times === 1) await memory.prune({ scrub: false });
    },
  };
  const target = resolveFile(parseFilePath("path", `${places.shelf}/monday`));
  await using _work = await RememberedWork.claim(watched, target);
  assert.deepEqual(await works.list(), [`${places.shelf}/monday.partial`]);
});

Deno.test("a leftover in a directory that is not permitted is named, kept, and removed once it is (PAR-01)", async () => {
  using places = new Places();
  await places.say(CANARY);
  await places.kill("monday", "5");
  const kept = [{ path: `${places.shelf}/monday.partial`, state: "out-of-reach" }];
  const flags = [`--allow-read=${places.store}`, `--allow-write=${places.store}`];
  const told = await runForJson("tests/restore/programs/sweep.ts", [places.path], { flags });
  assert.deepEqual(told, { found: kept, swept: { removed: [], kept } });
  await using memory = await openMemory(places.path);
  assert.deepEqual((await memory.prune()).leftovers, { removed: [kept[0]!.path], kept: [] });
});

Deno.test("a leftover whose directory is missing is named, and found once the directory is back (PAR-01)", async () => {
  using places = new Places();
  await places.say(CANARY);
  await places.kill("monday", "5");
  await using memory = await openMemory(places.path);
  const path = `${places.shelf}/monday.partial`;
  Deno.renameSync(places.shelf, `${places.shelf}-away`);
  const kept = [{ path, state: "out-of-reach" }];
  assert.deepEqual((await memory.prune()).leftovers, { removed: [], kept });
  Deno.renameSync(`${places.shelf}-away`, places.shelf);
  assert.deepEqual((await memory.prune()).leftovers, { removed: [path], kept: [] });
});

Deno.test("a file that others put in a leftover's place is kept, and is not a leftover (PAR-01)", async () => {
  using places = new Places();
  await places.say(CANARY);
  await places.kill("monday", "5");
  const path = `${places.shelf}/monday.partial`;
  Deno.writeTextFileSync(path, "Half of a download.");
  await using memory = await openMemory(places.path);
  assert.deepEqual((await memory.prune()).leftovers, NOTHING);
  assert.equal(Deno.readTextFileSync(path), "Half of a download.");
  assert.deepEqual(await (await worksOf(memory)).list(), []);
});

Deno.test("a killed restore next to the store is found, and a file that merely has such a name is not (PAR-01)", async () => {
  using places = new Places();
  await places.say(CANARY);
  await using memory = await openMemory(places.path);
  const path = `${places.store}/restored.db.restoring`;
  await memory.backup(path.replace(".db.restoring", ".backup"));
  Deno.renameSync(`${places.store}/restored.backup`, path);
  Deno.writeTextFileSync(`${places.store}/notes.restoring`, "Mine.");
  Deno.writeTextFileSync(`${places.store}/empty.restoring`, "");
  assert.deepEqual((await memory.inspect()).leftovers, [{ path, state: "left" }]);
  assert.deepEqual((await memory.prune()).leftovers, { removed: [path], kept: [] });
  const left = [...Deno.readDirSync(places.store)].map(({ name }) => name);
  assert.deepEqual(left.filter((name) => name.endsWith(".restoring")).sort(), [
    "empty.restoring",
    "notes.restoring",
  ]);
});

Deno.test("where a store began to make files is in no backup, no exported ledger and no export (PAR-01)", async () => {
  using places = new Places();
  await places.say(CANARY);
  await using memory = await openMemory(places.path);
  await using work = await claim(memory, `${places.shelf}/monday`);
  await memory.backup(`${places.shelf}/a`);
  await memory.exportLedger(`${places.shelf}/b`);
  const lines = (await Array.fromAsync(memory.exportLines({ includeContent: true }))).join("");
  assert.deepEqual(places.holding(places.shelf).filter((path) => path.startsWith(places.shelf)), []);
  assert(!lines.includes(places.shelf));
  assert.deepEqual(await (await worksOf(memory)).list(), [work.file.path]);
});

const NO_DISK = whyNoTinyDisk();

Deno.test({
  name: `a store whose disk is full can be backed up to another one (PAR-01)${
    NO_DISK === null ? "" : ` (ignored: ${NO_DISK})`
  }`,
  ignore: NO_DISK !== null,
  async fn(): Promise<void> {
    using places = new Places();
    using disk = new TinyDisk(1_024);
    await using memory = await openMemory(disk.at("agent.db"));
    await memory.conversation(SCOPE).append([{ role: "user", content: CANARY }]);
    disk.fill();
    await assert.rejects((await worksOf(memory)).remember("/x"), { code: "FULL" });
    const { leftovers } = await memory.backup(`${places.shelf}/monday`);
    assert.deepEqual([leftovers, places.names()], [NOTHING, ["monday"]]);
    disk.empty();
  },
});

testThatNothingIsLeftOpen();

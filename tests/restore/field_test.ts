/** Faults around backups and deletions, as they occurred in use. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { openMemory } from "../../mod.ts";
import { say } from "../contention/shared_store.ts";
import { Worker } from "../contention/workers.ts";
import { readTurns, sourceOf, summaryOf } from "../conversations/samples.ts";
import { TinyDisk, whyNoTinyDisk } from "../files/tiny_disk.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { FACT, factOf, fill, SCOPE, Shelf, textsOf, watermarkOf } from "./shelf.ts";

const CONFIG = new URL("../../deno.json", import.meta.url).pathname;
const SECRET = "OPAL-8812-HERON";

/** The files of a directory that hold a text, in UTF-8 or UTF-16. */
function holders(shelf: Shelf, text: string): readonly string[] {
  return shelf.names().filter((name) => {
    const bytes = Buffer.from(Deno.readFileSync(shelf.at(name)));
    const wide = Buffer.from(text, "utf16le");
    return bytes.includes(text) || bytes.includes(wide) || bytes.includes(Buffer.from(wide).swap16());
  });
}

Deno.test("DEL-03 a text in a fact, a turn, a chunk, a pin, a summary and a replay is in no file once each is deleted and scrubbed", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const talk = memory.conversation(SCOPE);
  const { turnId } = await talk.append([{ role: "user", content: `The code is ${SECRET}.` }]);
  await memory.records.put(FACT, factOf(`It is ${SECRET}.`), { expectedRevision: null, ttl: 3_600 });
  const [turn] = await readTurns(talk);
  const pin = { scope: SCOPE, key: "code", value: SECRET, origin: "test", source: sourceOf(turn!) };
  await talk.putPin(pin, { expectedRevision: await talk.revision() });
  const free = { scope: SCOPE, key: "free", value: SECRET, origin: "test" };
  await talk.putPin(free, { expectedRevision: await talk.revision() });
  const summary = summaryOf([turn!], `The code was ${SECRET}.`, { createdAt: turn!.timestamp });
  await talk.putSummary(await talk.snapshot(), summary);
  assert.equal((await talk.search(SECRET)).length > 0, true);
  await talk.cachePut(await talk.snapshot(), "answer", { text: SECRET });
  assert.notDeepEqual(holders(shelf, SECRET), [], "the search finds it before");
  await talk.delete({ kind: "turn", key: turnId, expectedRevision: await talk.revision() });
  await talk.delete({ kind: "pin", key: "free", expectedRevision: await talk.revision() });
  assert.equal(await memory.records.forget(FACT, 1), true);
  assert.equal((await memory.prune()).scrub?.complete, true);
  assert.deepEqual([holders(shelf, SECRET), holders(shelf, SECRET.toLowerCase())], [[], []]);
});

Deno.test("DEL-06 a fact and a conversation deleted after a backup are absent before the restored store's first read", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  await memory.conversation(SCOPE).putPin({ scope: SCOPE, key: "tool", value: "A ladder.", origin: "test" }, {
    expectedRevision: await memory.conversation(SCOPE).revision(),
  });
  await memory.backup(shelf.at("agent.backup"));
  assert.equal(await memory.records.forget(FACT, 1), true);
  const talk = memory.conversation(SCOPE);
  await talk.delete({ kind: "scope", expectedRevision: await talk.revision() });
  await memory.close();
  const restored = await shelf.restore("agent.backup", "restored.db", await watermarkOf(shelf));
  assert.deepEqual(restored.restored!.erased, { records: 1, scopes: 1, turns: 3, pins: 1, entries: 0 });
  assert.equal(await restored.records.get(FACT), null);
  const gone = restored.conversation(SCOPE);
  await assert.rejects(gone.snapshot(), { reason: "DELETED" });
  await assert.rejects(gone.search("pears"), { reason: "DELETED" });
  assert.deepEqual(await Array.fromAsync(restored.exportLines({ includeContent: true })).then(textIn), []);
  await restored.close();
  const found = ["grafted", "ladder", "graft took"].flatMap((text) => holders(shelf, text));
  assert.deepEqual(found.filter((name) => name.startsWith("restored")), []);
});

/** Words of deleted texts, as lines. */
function textIn(lines: readonly string[]): readonly string[] {
  return ["grafted", "ladder", "graft took"].filter((word) => lines.join("\n").includes(word));
}

Deno.test("BAK-01 a backup made while another process commits has every fact that was acknowledged before, in one file", async () => {
  await using shelf = await Shelf.make();
  await using worker = await Worker.start();
  await worker.perform({ do: "open", path: shelf.at("agent.db"), busyTimeoutMs: 30_000 });
  await worker.perform({ do: "facts", prefix: "before", count: 20 });
  const writing = worker.perform<number[]>({ do: "facts", prefix: "during", count: 100 });
  const memory = await shelf.open({ busyTimeoutMs: 30_000 });
  await memory.backup(shelf.at("agent.backup"));
  assert.equal((await writing).length, 100);
  await worker.perform({ do: "close" });
  await memory.close();
  assert.deepEqual(shelf.names().filter((name) => name.startsWith("agent.backup")), ["agent.backup"]);
  const restored = await shelf.restore("agent.backup", "restored.db", await watermarkOf(shelf));
  const { items } = await restored.records.list("orchard", { limit: 1_000 });
  assert.equal(items.filter(({ key }) => key.startsWith("before-")).length, 20);
  const during = items.filter(({ key }) => key.startsWith("during-")).map(({ revision }) => revision);
  assert.deepEqual(
    during.sort((a, b) => a - b),
    during.map((_, index) => 21 + index),
    "one snapshot of them",
  );
});

Deno.test("BAK-02 a restore onto the live store is refused, and the store goes on", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  const { watermark } = await memory.backup(shelf.at("agent.backup"));
  await memory.conversation(SCOPE).append([{ role: "user", content: "After the backup." }]);
  await assert.rejects(shelf.restore("agent.backup", "agent.db", watermark), { code: "EXISTS" });
  await memory.conversation(SCOPE).append([{ role: "user", content: "And on." }]);
  assert.equal((await textsOf(memory)).length, 5);
});

Deno.test("BAK-02 a backup copied over a store whose log was left is refused, and not mixed with that log", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  await fill(memory);
  await memory.backup(shelf.at("agent.backup"));
  await memory.conversation(SCOPE).append([{ role: "user", content: "After the backup." }]);
  await Deno.mkdir(shelf.at("crashed"), { mode: 0o700 });
  for (const suffix of ["", "-wal", ".deletions", ".deletions-wal"]) {
    await Deno.copyFile(shelf.at(`agent.db${suffix}`), shelf.at(`crashed/agent.db${suffix}`));
  }
  await Deno.copyFile(shelf.at("agent.backup"), shelf.at("crashed/agent.db"));
  const before = Deno.readFileSync(shelf.at("crashed/agent.db"));
  await assert.rejects(openMemory(shelf.at("crashed/agent.db")), { code: "RESTORE" });
  assert.deepEqual(Deno.readFileSync(shelf.at("crashed/agent.db")), before);
  await Deno.remove(shelf.at("crashed"), { recursive: true });
});

Deno.test("BAK-04 a backup killed halfway leaves nothing under its name, and the next one is complete", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  for (let n = 0; n < 80; n++) {
    await memory.conversation(SCOPE).append([{ role: "user", content: `Turn ${n}.` }]);
  }
  const program = new URL("./doomed_backup.ts", import.meta.url).pathname;
  const { signal } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "--no-check",
      `--config=${CONFIG}`,
      program,
      shelf.at("agent.db"),
      shelf.at("agent.backup"),
    ],
  }).output();
  assert.equal(signal, "SIGKILL");
  const left = shelf.names().filter((name) => name.startsWith("agent.backup"));
  assert.deepEqual([left.includes("agent.backup"), left.includes("agent.backup.partial")], [false, true]);
  const { watermark } = await memory.backup(shelf.at("agent.backup"));
  assert.deepEqual(shelf.names().filter((name) => name.startsWith("agent.backup")), ["agent.backup"]);
  assert.equal((await textsOf(await shelf.restore("agent.backup", "restored.db", watermark))).length, 80);
});

const NO_TINY_DISK = whyNoTinyDisk();

Deno.test({
  name:
    "BAK-04 a backup to a disk that becomes full says so, leaves nothing, and touches no other backup there",
  ignore: NO_TINY_DISK !== null,
  fn: async () => {
    await using shelf = await Shelf.make();
    using disk = new TinyDisk(1_024);
    const memory = await shelf.open();
    await fill(memory);
    await memory.backup(disk.at("good.backup"));
    const good = Deno.readFileSync(disk.at("good.backup"));
    for (let n = 0; n < 30; n++) {
      await memory.conversation(SCOPE).append([{ role: "user", content: "long ".repeat(8_000) }]);
    }
    await assert.rejects(memory.backup(disk.at("late.backup")), { code: "FULL" });
    assert.deepEqual([...Deno.readDirSync(disk.path)].map(({ name }) => name), ["good.backup"]);
    assert.deepEqual(Deno.readFileSync(disk.at("good.backup")), good);
  },
});
if (NO_TINY_DISK !== null) say(`no full disk here: ${NO_TINY_DISK}`);

for (const [what, garbage] of [["bytes", 100], ["pages", 3 * 4_096]] as const) {
  Deno.test(`BAK-06 a backup with ${what} of garbage at its end is refused, and nothing changes`, async () => {
    await using shelf = await Shelf.make();
    const memory = await shelf.open();
    await fill(memory);
    const { watermark } = await memory.backup(shelf.at("agent.backup"));
    await memory.close();
    Deno.writeFileSync(shelf.at("agent.backup"), new Uint8Array(garbage).fill(7), { append: true });
    const before = shelf.digests();
    await assert.rejects(shelf.restore("agent.backup", "restored.db", watermark), { code: "INTEGRITY" });
    assert.deepEqual(shelf.digests(), before);
  });
}

Deno.test("BAK-07 a restore replaces: what came later is gone, what changed is as it was, revisions go on above all", async () => {
  await using shelf = await Shelf.make();
  const memory = await shelf.open();
  const id = (key: string) => ({ tenantId: "orchard", kind: "fact", key }) as const;
  const put = (key: string, text: string, expectedRevision: number | null): Promise<number> =>
    memory.records.put(id(key), factOf(text), { expectedRevision, ttl: 3_600 });
  await put("a", "a, first", null);
  const second = await put("b", "b, first", null);
  const { turnIds } = await fill(memory);
  const { watermark } = await memory.backup(shelf.at("agent.backup"));
  await put("c", "c, later", null);
  const last = await put("b", "b, changed", second);
  assert.equal(await memory.records.forget(id("a"), 1), true);
  const talk = memory.conversation(SCOPE);
  await talk.append([{ role: "user", content: "Later, a comet." }]);
  await talk.delete({ kind: "turn", key: turnIds[0]!, expectedRevision: await talk.revision() });
  const revision = await talk.revision();
  await memory.close();
  const restored = await shelf.restore("agent.backup", "restored.db", watermark);
  const { items } = await restored.records.list("orchard");
  assert.deepEqual(items.map(({ key }) => key), ["b", "graft"]);
  assert.equal((await restored.records.get(id("b")))?.value.text, "b, first");
  const again = restored.conversation(SCOPE);
  assert.deepEqual(await textsOf(restored), ["The well is forty metres deep.", "Prune before frost."]);
  assert.equal((await again.snapshot()).turnCount, 2);
  for (const [word, hits] of [["comet", 0], ["pears", 0], ["frost", 1]] as const) {
    assert.equal((await again.search(word)).length > 0, hits > 0, word);
  }
  assert.equal((await again.revision()) > revision, true);
  assert.equal(
    await restored.records.put(id("c"), factOf("c"), { expectedRevision: null, ttl: 60 }) > last,
    true,
  );
});

Deno.test("BAK-11 backup, deletion, scrub and restore work with --allow-read and --allow-write for their directory alone", async () => {
  await using shelf = await Shelf.make();
  await Deno.mkdir(shelf.at("store"), { mode: 0o700 });
  const program = new URL("./restricted.ts", import.meta.url).pathname;
  const permitted = shelf.at("store");
  const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["run", "--no-prompt", "--no-check", `--config=${CONFIG}`],
      ...[`--allow-read=${permitted}`, `--allow-write=${permitted}`, program, permitted],
    ],
  }).output();
  const said = new TextDecoder().decode(stdout);
  assert.notEqual(said, "", new TextDecoder().decode(stderr));
  assert.deepEqual(JSON.parse(said), { complete: true, erased: 1, texts: ["Prune before frost."] });
  await Deno.remove(permitted, { recursive: true });
});

testThatNothingIsLeftOpen();

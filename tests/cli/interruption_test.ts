/** An interrupt ends unfinished work, with exit code 130. */

import assert from "node:assert/strict";
import { yieldToEventLoop } from "../../src/clock.ts";
import type { SqliteConnection } from "../../src/engines/sqlite/drivers/driver.ts";
import { openBeside } from "../kit/test_store.ts";
import { assertRefused, type Ended, printed, value } from "./collected.ts";
import { IN_SCOPE, SCOPE, StoredFile } from "./stored.ts";
import { processWords } from "./terminal.ts";

const INTERRUPTING = new URL("interrupting.ts", import.meta.url).pathname;
const IS_UNIX = Deno.build.os !== "windows";

/** Enough work for a signal to arrive before it ends. */
const CONVERSATIONS = 600;
const TURNS = 200;

/** Runs a command, and sends it a signal once its progress shows a text. */
async function interruptedAt(
  shown: string,
  words: readonly string[],
  signal: Deno.Signal = "SIGINT",
): Promise<Ended> {
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "--allow-all", "--no-check", "--no-lock", INTERRUPTING, signal, shown, ...words],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).output();
  const decoder = new TextDecoder();
  return { code, output: decoder.decode(stdout), errors: decoder.decode(stderr) };
}

function onUnix(promise: string, fn: () => Promise<void>): void {
  Deno.test({ name: promise, ignore: !IS_UNIX, fn });
}

onUnix("An interrupt ends a check before it is complete", async () => {
  await using store = await StoredFile.make(async (memory) => {
    for (let each = 0; each < CONVERSATIONS; each++) {
      await memory.conversation({ ...SCOPE, sessionId: `session-${each}` }).create();
    }
  });
  const { code, output, errors } = await interruptedAt("checking", ["check", store.path]);
  assert.deepEqual({ code, output }, { code: 130, output: "" });
  assert.match(errors, /holdfast: INTERRUPTED: Nothing is left half done\. /);
});

onUnix("An interrupt ends the indexing that a search begins with", async () => {
  await using store = await StoredFile.make(async (memory) => {
    for (let each = 0; each < TURNS; each++) {
      await memory.conversation(SCOPE).append([{
        role: "user",
        content: `Row ${each} of lamps. `.repeat(300),
      }]);
    }
  });
  const { code, output } = await interruptedAt("indexing", ["search", store.path, ...IN_SCOPE, "lamps"]);
  assert.deepEqual({ code, output }, { code: 130, output: "" });
  await printed("search", store.path, ...IN_SCOPE, "lamps");
});

onUnix("An interrupt ends a restore while it copies, and leaves nothing at the destination", async () => {
  await using store = await StoredFile.make(async (memory) => {
    const content = "lamps ".repeat(100_000);
    for (let each = 0; each < 20; each++) {
      await memory.conversation(SCOPE).append([{ role: "user", content }], {});
    }
  }, { limits: { bytesPerScope: 20_000_000 } });
  await printed("backup", store.path, store.at("copy"));
  const { code, output } = await interruptedAt("copying", [
    ...["restore", store.at("copy"), store.at("new.db"), "--ledger", store.at("ledger")],
    ...["--ledger-lost", "--yes"],
  ]);
  assert.deepEqual({ code, output }, { code: 130, output: "" });
  assert(!store.names().some((name) => name.startsWith("new.db") || name.startsWith("ledger")));
});

onUnix("An export that is killed leaves nothing under its name, and the next one clears up", async () => {
  await using store = await StoredFile.make();
  const words = ["export", store.path, store.at("lines"), "--show-content"];
  await interruptedAt("writing", words, "SIGKILL");
  assert(store.names().includes("lines.partial") && !store.names().includes("lines"));
  await printed(...words);
  assert(store.names().includes("lines") && !store.names().includes("lines.partial"));
  await printed("import", store.at("new.db"), store.at("lines"));
});

onUnix("A foreign file under the temporary name of an export stays", async () => {
  await using store = await StoredFile.make();
  await Deno.writeTextFile(store.at("lines.partial"), "mine");
  await assertRefused(["export", store.path, store.at("lines")], {
    code: 1,
    says: /EXISTS: .*lines\.partial/,
  });
  assert.equal(await Deno.readTextFile(store.at("lines.partial")), "mine");
});

/** Waits until a deletion of a turn has been committed. */
async function untilDeleted(connection: SqliteConnection): Promise<void> {
  const turns = connection.prepare("SELECT count(*) FROM turns");
  while (turns.get([])![0] !== 1) await yieldToEventLoop();
}

function spawned(words: readonly string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: processWords(["--allow-all"], words),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

onUnix(
  "A deletion whose scrub a reader or an interrupt prevents prints its receipt, and exits with 1 or 130",
  async () => {
    await using store = await StoredFile.make();
    const words = ["delete", store.path, ...IN_SCOPE, "--turn", "turn-1", "--scrub", "--yes"];
    {
      using reader = openBeside(store.path);
      reader.prepare("BEGIN").run([]);
      reader.prepare("SELECT count(*) FROM turns").get([]);
      using connection = openBeside(store.path);
      const interrupted = spawned(words);
      await untilDeleted(connection);
      interrupted.kill("SIGINT");
      const { code, stdout, stderr } = await interrupted.output();
      assert.equal(code, 130);
      const { erased, scrubbed } = JSON.parse(new TextDecoder().decode(stdout));
      assert.deepEqual([erased.turns, scrubbed], [1, false]);
      assert.match(
        new TextDecoder().decode(stderr),
        /Keep the receipt\.\nIts bytes may remain [^\n]+\nholdfast: INTERRUPTED: /,
      );
      const prevented = await spawned(words).output();
      assert.equal(prevented.code, 1);
      assert.deepEqual(JSON.parse(new TextDecoder().decode(prevented.stdout)).scrubbed, false);
      reader.prepare("ROLLBACK").run([]);
    }
    const { already, scrubbed } = await value(...words);
    assert.deepEqual([already, scrubbed], [true, true]);
  },
);

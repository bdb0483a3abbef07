/** Tests that the stores and texts of the rows are as the rows describe them. */

import assert from "node:assert/strict";
import { Directory } from "../../bench/directories.ts";
import { historyTexts, QUESTIONS } from "../../bench/history.ts";
import { fillOurLogs } from "../../bench/logs.ts";
import { JsonLines } from "../../bench/peers/json_lines.ts";
import { Floor } from "../../bench/stores.ts";
import { openMemory } from "../../mod.ts";

/** A thousand frames, each of which has a header of 24 bytes and a page of 4 096. */
const FULL_LOG_BYTES = 1_000 * 4_120;

Deno.test("Durable rows begin with logs of full size on both sides, and commits no longer grow them", async () => {
  using directory = new Directory({ inMemoryBytes: 100_000_000 });
  const [ours, theirs] = [`${directory.path}/ours.db`, `${directory.path}/floor.db`];
  await using memory = await openMemory(ours);
  using floor = new Floor(theirs, 10);
  await fillOurLogs(ours, "full", memory);
  await floor.fillLog("full");
  const sizes = (): number[] =>
    [ours, `${ours}.deletions`, theirs].map((path) => Deno.statSync(`${path}-wal`).size);
  const before = sizes();
  for (const bytes of before) assert(bytes >= FULL_LOG_BYTES);
  const identity = { tenantId: "acme", kind: "fact", key: "plan" } as const;
  for (let number = 0; number < 20; number++) {
    floor.put(1, 100 + number);
    await memory.records.forget({ ...identity, key: `plan-${number}` }, null, { revoke: true });
  }
  assert.deepEqual(sizes(), before);
  assert((await memory.check()).ok);
});

/** Returns the number of texts that have a word. */
function turnsWith(word: string, texts: readonly string[]): number {
  return texts.filter((text) => text.split(/\W+/).includes(word)).length;
}

Deno.test("The words of a history have the frequency that the questions name", () => {
  const texts = [...historyTexts(1_000)];
  for (const { share, question } of QUESTIONS) {
    const words = /^Where is the (.*)\?$/.exec(question)![1]!.split(" ");
    assert.equal(words.length, 3);
    for (const word of words) {
      const turns = turnsWith(word, texts);
      if (share === "most") assert(turns > 990, word);
      else assert.equal(turns, 10 * Number(share.replace(" %", "")), word);
    }
  }
});

Deno.test("Rare words are in as many turns of a short history as of a long one", () => {
  for (const count of [120, 1_200]) {
    const texts = [...historyTexts(count)];
    for (const word of ["quixotic", "zephyr", "xylophone"]) assert.equal(turnsWith(word, texts), 12);
  }
});

function lineOf(index: number, content: string): { turnId: string; role: string; content: string } {
  return { turnId: `turn-${index}`, role: "user", content };
}

Deno.test("JsonLines.last() returns the last lines, however long they are", () => {
  using directory = new Directory();
  using lines = new JsonLines(`${directory.path}/turns.jsonl`);
  const all = Array.from({ length: 30 }, (_, index) => lineOf(index, "梨".repeat(index * 1_000)));
  lines.write(all.slice(0, 20).map((line) => JSON.stringify(line)));
  for (const line of all.slice(20)) lines.append(line);
  for (const count of [1, 20, 30, 99]) assert.deepEqual(lines.last(count), all.slice(-count));
});

Deno.test("JsonLines.remove() removes exactly one line", () => {
  using directory = new Directory();
  using lines = new JsonLines(`${directory.path}/turns.jsonl`);
  const all = [lineOf(1, JSON.stringify(lineOf(3, "quoted"))), lineOf(3, "meant"), lineOf(33, "another")];
  lines.write(all.map((line) => JSON.stringify(line)));
  lines.remove("turn-3");
  lines.remove("turn-4");
  assert.deepEqual(lines.last(9), [all[0], all[2]]);
});

/** Exports during writes: each scope is as it was at one moment, and writers do not make an export fail. */

import assert from "node:assert/strict";
import type { Conversation, Memory } from "@holdfast/memory";
import { EXPORT_HELD_BYTES } from "../../src/limits.ts";
import {
  erase,
  ORCHARD,
  pinOf,
  pinUp,
  readTurns,
  revise,
  sourceOf,
  talk,
  turnOf,
} from "../conversations/samples.ts";
import { HurriedStopwatch } from "../kit/hurried_stopwatch.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { exported, freshStore, held } from "./filling.ts";

/** Turns of about 30 kilobytes, so that a scope of many is read in several transactions. */
async function longTalk(memory: Memory, turns: number, characters = 30_000): Promise<Conversation> {
  const conversation = await talk(memory, []);
  for (let index = 0; index < turns; index++) {
    await conversation.putTurn(turnOf(`t${index}`, `${index} `.padEnd(characters, "x")), {
      operationId: `${index}`,
      expectedRevision: index,
    });
  }
  return conversation;
}

/** Exports while an action runs after each turn of the event loop; resolves to the lines and the number of actions. */
async function exportWhile(
  memory: Memory,
  disturb: (round: number) => Promise<unknown>,
): Promise<{ readonly lines: string[]; readonly rounds: number }> {
  using _ = new HurriedStopwatch();
  let rounds = 0;
  let isOver = false;
  const disturbing = (async (): Promise<void> => {
    while (!isOver) await disturb(rounds++);
  })();
  try {
    return { lines: await exported(memory, ORCHARD), rounds };
  } finally {
    isOver = true;
    await disturbing;
  }
}

Deno.test("A scope that is written all the time is exported as it was at one moment", async () => {
  await using memory = await freshStore();
  const conversation = await longTalk(memory, 60);
  const [first] = await readTurns(conversation);
  await pinUp(conversation, pinOf("first", "cited", { source: sourceOf(first!) }));
  const { lines, rounds } = await exportWhile(memory, async (round) => {
    await revise(
      conversation,
      turnOf(`t${round % 60}`, `revised ${round}`, { revision: 2 + Math.floor(round / 60) }),
    );
  });
  assert(rounds > 3, "the scope did not change while it was exported");
  await using fresh = await freshStore();
  const report = await fresh.importLines(lines);
  assert.deepEqual(report.refused, {
    records: 0,
    scopes: 0,
    turns: 0,
    pins: 0,
    summaries: 0,
    journals: 0,
    entries: 0,
  });
  assert.equal(report.imported.turns, 60);
  assert.equal(held(await exported(fresh)), held(lines));
});

Deno.test("A scope that is deleted while a store is exported is in it whole, or not at all", async () => {
  await using memory = await freshStore();
  const conversation = await longTalk(memory, 60);
  const types: string[] = [];
  for await (const line of memory.exportLines({ includeContent: true })) {
    if (types.length === 0) await erase(conversation, "scope");
    types.push(JSON.parse(line).type);
  }
  assert.deepEqual(types, ["header", "end"]);
});

Deno.test("A scope that is larger than an export holds ends it with SNAPSHOT when a turn is revised, and comes whole when turns are appended (MSG-07)", async () => {
  await using memory = await freshLargeStore();
  const turns = Math.ceil(EXPORT_HELD_BYTES / 900_000) + 30;
  const conversation = await longTalk(memory, turns, 900_000);
  let count = 0;
  await assert.rejects(async () => {
    for await (const _line of memory.exportLines({ includeContent: true })) {
      if (++count === 3) await revise(conversation, turnOf("t1", "other"));
    }
  }, { code: "CONFLICT", reason: "SNAPSHOT", retryable: true });
  assert(count > 3);
  let seen = 0;
  let appended = 0;
  for await (const line of memory.exportLines({ includeContent: true })) {
    if (line.startsWith('{"type":"turn"')) seen++;
    assert(!line.includes("in between"));
    if (line.startsWith('{"type":"header"')) continue;
    await conversation.append([{ role: "user", content: `in between ${appended++}` }]);
  }
  assert.deepEqual([seen, appended], [turns, turns + 2]);
});

Deno.test("A scope that turns are appended to all the time is exported as it was at one moment", async () => {
  await using memory = await freshStore();
  const conversation = await longTalk(memory, 200);
  const { lines, rounds } = await exportWhile(
    memory,
    (round) => conversation.append([{ role: "user", content: `in between ${round}` }]),
  );
  assert(rounds > 3, "the scope did not change while it was exported");
  const turns = lines.filter((line) => line.startsWith('{"type":"turn"'));
  const before = turns.filter((line) => !line.includes("in between"));
  assert.equal(before.length, 200);
  await using fresh = await freshStore();
  assert.equal((await fresh.importLines(lines)).imported.turns, turns.length);
});

async function freshLargeStore(): Promise<Memory> {
  const { openMemory } = await import("@holdfast/memory");
  return await openMemory(":memory:", { limits: { bytesPerScope: 1_000_000_000 } });
}

Deno.test("Scopes created during an export do not keep it from ending", async () => {
  await using memory = await freshStore();
  for (let index = 0; index < 5; index++) {
    await talk(memory, ["t"], { tenantId: "orchard", sessionId: `s${index}` });
  }
  let made = 0;
  const lines: string[] = [];
  for await (const line of memory.exportLines({ includeContent: true })) {
    lines.push(line);
    if (line.startsWith('{"type":"scope"')) {
      await talk(memory, ["t"], { tenantId: "orchard", sessionId: `new ${made++}` });
    }
  }
  assert.equal(made, 5);
});

testThatNothingIsLeftOpen();

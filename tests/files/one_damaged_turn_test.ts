/**
 * One flipped byte in one turn of forty, in a store of three tenants: everything else works, and each call says what
 * it left out.
 */

import assert from "node:assert/strict";
import type { Conversation, DamagedRow, Memory } from "../../mod.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { Shelf } from "../restore/shelf.ts";

const TENANTS = ["harbour", "meadow", "orchard"] as const;
const TURNS = 40;
const DAMAGED = 25;
const LABELS = { table: "turns", tenantId: "orchard", sessionId: "spring", turnId: `turn-${DAMAGED}` };
const COUNTER = { name: "quarters", version: "1", countText: (text: string) => Math.ceil(text.length / 4) };
const ASSEMBLY = {
  system: "Answer from the notes.",
  counting: { counter: COUNTER },
} as const;

/** The text of a turn; each has a word of its own. */
function textOf(tenantId: string, number: number): string {
  return `The ${tenantId} logbook, page${number}, tells of grafting and of rain.`;
}

function talkOf(memory: Memory, tenantId: string): Conversation {
  return memory.conversation({ tenantId, sessionId: "spring" });
}

/** The three tenants' conversations; one byte of one turn is flipped in the file. */
async function makeDamaged(shelf: Shelf, { indexed }: { readonly indexed: boolean }): Promise<Memory> {
  shelf.damaged = true;
  const memory = await shelf.open();
  for (const tenantId of TENANTS) {
    const conversation = talkOf(memory, tenantId);
    let expectedRevision = await conversation.create();
    for (let number = 1; number <= TURNS; number++) {
      const messages = [{
        messageId: `m${number}`,
        role: "user" as const,
        content: textOf(tenantId, number),
      }];
      const turn = { turnId: `turn-${number}`, scope: conversation.scope, messages };
      expectedRevision = await conversation.putTurn(turn, { operationId: `put ${number}`, expectedRevision });
    }
    const identity = { tenantId: tenantId, kind: "fact", key: "rain" } as const;
    const fact = { schema: 1, text: "It rained.", source: "spring", reviewed: false } as const;
    await memory.records.put(identity, fact, { expectedRevision: null, ttl: 86_400 });
    if (indexed) await conversation.search("grafting");
  }
  await memory.close();
  flip(shelf.at("agent.db"), textOf("orchard", DAMAGED));
  return await shelf.open();
}

/** Flips one bit of the first letter of a text, at each place in a file. */
function flip(path: string, text: string): void {
  const bytes = Deno.readFileSync(path);
  const wanted = new TextEncoder().encode(text);
  let found = 0;
  for (let at = 0; at + wanted.length <= bytes.length; at++) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) {
      bytes[at]! ^= 1;
      found++;
    }
  }
  assert.equal(found, 1);
  Deno.writeFileSync(path, bytes);
}

async function idsOf(turns: AsyncIterable<{ readonly turnId: string }>): Promise<readonly string[]> {
  return (await Array.fromAsync(turns)).map(({ turnId }) => turnId);
}

function numbers(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, index) => `turn-${from + index}`);
}

const INTACT = numbers(1, TURNS).filter((turnId) => turnId !== LABELS.turnId);

/** An error that names the damaged turn, and no text. */
function namesTheTurn(error: unknown): boolean {
  const { name, code, message, details } = error as Error & { code: string; details: DamagedRow };
  assert.deepEqual([name, code], ["IntegrityError", "INTEGRITY"]);
  const { table, tenantId, sessionId, turnId } = details;
  assert.deepEqual({ table, tenantId, sessionId, turnId }, LABELS);
  assert(!`${message}${JSON.stringify(details)}`.includes("logbook"));
  return true;
}

for (const indexed of [false, true]) {
  const when = indexed ? "after it was indexed" : "before it was indexed";

  Deno.test(`A damaged turn is an error that names scope and turn, and affects no other tenant, ${when} (BAD-01)`, async () => {
    await using shelf = await Shelf.make();
    const memory = await makeDamaged(shelf, { indexed });
    const damaged = talkOf(memory, "orchard");
    await assert.rejects(idsOf(damaged.turns()), namesTheTurn);
    await assert.rejects(damaged.search(`page${DAMAGED}`), namesTheTurn);
    await assert.rejects(damaged.assemble("grafting", { maxInputTokens: 1_300 }, ASSEMBLY), namesTheTurn);
    await assert.rejects(Array.fromAsync(memory.exportLines({ includeContent: true })), namesTheTurn);
    await assert.rejects(memory.backup(shelf.at("agent.backup")), namesTheTurn);
    assert.deepEqual(await idsOf(damaged.turns({ last: 8 })), numbers(33, 40));
    assert.deepEqual(await idsOf(damaged.turns({ after: LABELS.turnId })), numbers(26, 40));
    for (const tenantId of ["harbour", "meadow"]) {
      const conversation = talkOf(memory, tenantId);
      assert.equal((await idsOf(conversation.turns())).length, TURNS);
      assert.equal((await conversation.search(`page${DAMAGED}`))[0]?.source.turnId, LABELS.turnId);
      const { context } = await conversation.assemble("grafting", { maxInputTokens: 1_300 }, ASSEMBLY);
      assert(context.diagnostics.keptTurnIds.length > 0);
      const lines = await Array.fromAsync(memory.exportLines({ scope: conversation.scope }));
      assert.equal(lines.length, TURNS + 3);
    }
  });

  Deno.test(`With damaged: "skip" everything else is read, found and assembled, ${when} (BAD-01)`, async () => {
    await using shelf = await Shelf.make();
    const memory = await makeDamaged(shelf, { indexed });
    const damaged = talkOf(memory, "orchard");
    const options = { damaged: "skip" } as const;
    for (let round = 0; round < 2; round++) {
      const turns = damaged.turns(options);
      assert.deepEqual([await idsOf(turns), turns.skipped], [INTACT, [LABELS]]);
      const last = damaged.turns({ last: 8, ...options });
      assert.deepEqual([await idsOf(last), last.skipped], [numbers(33, 40), []]);

      const hits = await damaged.search(`page${DAMAGED} page7`, { ...options, topK: 2 });
      assert.deepEqual(hits[0]?.source.turnId, "turn-7");
      assert.deepEqual(hits.skipped, [LABELS]);
      assert.equal((await talkOf(memory, "meadow").search("page7", options)).skipped.length, 0);

      const { context, skipped } = await damaged.assemble(
        `page${DAMAGED}`,
        { maxInputTokens: 1_300 },
        { ...ASSEMBLY, ...options },
      );
      assert.deepEqual(skipped, [LABELS]);
      const { keptTurnIds, omittedTurnCount } = context.diagnostics;
      assert.equal(keptTurnIds.includes(LABELS.turnId), false);
      assert.equal(keptTurnIds.length + omittedTurnCount, TURNS - 1);
      assert(keptTurnIds.length > TURNS - DAMAGED);
    }
    assert.deepEqual((await memory.check()).problems.map(({ table, row }) => [table, row]), [
      ["turns", `orchard/spring/${LABELS.turnId}`],
    ]);
    // Without the option the damaged turn stays an error.
    await assert.rejects(idsOf(damaged.turns()), namesTheTurn);
    // Once it is deleted, no call fails.
    await damaged.delete({ kind: "turn", key: LABELS.turnId, expectedRevision: await damaged.revision() });
    assert.equal((await damaged.search(`page${DAMAGED}`)).skipped.length, 0);
    await assertIntact(memory);
  });
}

Deno.test('exportLines({ damaged: "skip" }) names what it left out, counts it at the end, and is imported (BAD-01)', async () => {
  await using shelf = await Shelf.make();
  const memory = await makeDamaged(shelf, { indexed: false });
  const lines = memory.exportLines({ includeContent: true, damaged: "skip" });
  const written = await Array.fromAsync(lines);
  assert.deepEqual(lines.skipped, [LABELS]);
  const parsed = written.map((line) => JSON.parse(line));
  assert.deepEqual(parsed.filter(({ type }) => type === "skipped"), [{
    type: "skipped",
    table: "turns",
    tenant_id: "orchard",
    session_id: "spring",
    turn_id: LABELS.turnId,
  }]);
  const { records, scopes, turns, skipped } = parsed.at(-1);
  assert.deepEqual([records, scopes, turns, skipped], [3, 3, 3 * TURNS - 1, 1]);
  await using target = await Shelf.make();
  const other = await target.open();
  const report = await other.importLines(written);
  assert.deepEqual([report.imported.turns, report.imported.records, report.skipped], [3 * TURNS - 1, 3, 1]);
  assert.deepEqual(await idsOf(talkOf(other, "orchard").turns()), INTACT);
});

Deno.test('backup({ damaged: "skip" }) leaves out one turn, passes check() and restores; its revision is not given again (BAD-01)', async () => {
  await using shelf = await Shelf.make();
  const memory = await makeDamaged(shelf, { indexed: false });
  const report = await memory.backup(shelf.at("agent.backup"), { damaged: "skip" });
  assert.deepEqual(report.skipped, [LABELS]);
  await memory.close();
  const restored = await shelf.restore("agent.backup", "restored.db", report.watermark);
  await assertIntact(restored);
  const conversation = talkOf(restored, "orchard");
  assert.deepEqual(await idsOf(conversation.turns()), INTACT);
  for (const tenantId of ["harbour", "meadow"]) {
    assert.equal((await idsOf(talkOf(restored, tenantId).turns())).length, TURNS);
  }
  const messages = [{ messageId: `m${DAMAGED}`, role: "user" as const, content: "Written again." }];
  const turn = { turnId: LABELS.turnId, scope: conversation.scope, messages, revision: 1 };
  const options = { operationId: "again", expectedRevision: await conversation.revision() };
  await assert.rejects(conversation.putTurn(turn, options), { reason: "REVISION", currentRevision: 1 });
  await conversation.putTurn({ ...turn, revision: 2 }, { ...options, operationId: "above" });
  await assertIntact(restored);
});

testThatNothingIsLeftOpen();

/** Media is stored once for each conversation, read back by reference, and goes with the last turn that refers to it. */

import assert from "node:assert/strict";
import type { Conversation, MediaPart, Memory, NewMessage, Part } from "../../../mod.ts";
import { fromHex } from "../../canonical/keyed_hash.ts";
import { sha256Hex } from "../../canonical/sha256.ts";
import { MEDIA_PIECES, MEDIA_REFS } from "../../tables/schema/media_tables.ts";
import { SCOPES } from "../../tables/schema/main_tables.ts";
import {
  after,
  atNoon,
  clockAtNoon,
  erase,
  HARBOUR,
  ORCHARD,
  readTurns,
} from "../kit/conversation_samples.ts";
import type { StoreUnderTest } from "../kit/store_under_test.ts";
import type { Suite } from "../kit/suite.ts";

/** Bytes of three pieces, the last one short. */
const PEAR = Uint8Array.from({ length: 600_000 }, (_, index) => index * index % 251);
const PLUM = new Uint8Array([137, 80, 78, 71]);

const facts = {
  type: "media",
  mediaType: "image/png",
  filename: "tree.png",
  alt: "A tree",
  tokens: 85,
} as const;

/** A message with media, and words beside it. */
function picture(data: Uint8Array, messageId?: string): NewMessage {
  const content: readonly Part[] = [{ type: "text", text: "What is it?" }, { ...facts, data }];
  return messageId === undefined ? { role: "user", content } : { role: "user", content, messageId };
}

function referring(data: Uint8Array): MediaPart {
  return { ...facts, ref: sha256Hex(data), bytes: data.length };
}

/** The media parts of a conversation, in order. */
async function mediaOf(conversation: Conversation): Promise<readonly Part[]> {
  const turns = await readTurns(conversation);
  return turns.flatMap(({ messages }) => messages).flatMap(({ parts = [] }) => parts)
    .filter(({ type }) => type === "media");
}

/** How many pieces and references there are, and how many bytes they have, scope by scope. */
async function stored(
  store: StoreUnderTest,
): Promise<readonly [pieces: number, refs: number, bytes: unknown]> {
  const bytes = (await store.cells(SCOPES, "mediaBytes")).flat();
  return [await store.count(MEDIA_PIECES), await store.count(MEDIA_REFS), bytes];
}

export function testMedia(suite: Suite): void {
  testReading(suite);
  testErasing(suite);
  testRefusals(suite);
  testMoving(suite);
  testDamage(suite);
}

function testReading({ promise, durable }: Suite): void {
  durable(
    "MSG-01 media comes back by reference, and its bytes by that, also after a reopen",
    async (store) => {
      const memory = await store.open(atNoon());
      const empty = new Uint8Array();
      await memory.conversation(ORCHARD).append([picture(PEAR), picture(PLUM), picture(empty)]);
      await memory.close();
      const conversation = (await store.open(atNoon())).conversation(ORCHARD);
      assert.deepEqual(await mediaOf(conversation), [PEAR, PLUM, empty].map(referring));
      for (const data of [PEAR, PLUM, empty]) {
        assert.deepEqual(
          await conversation.media(sha256Hex(data)),
          data,
        );
      }
      const [turn] = await readTurns(conversation);
      assert.equal(turn!.messages[0]!.content, "What is it?");
      const filled = await conversation.withMedia(turn!.messages);
      assert.deepEqual(filled[1]!.parts, [{ type: "text", text: "What is it?" }, { ...facts, data: PLUM }]);
    },
  );

  promise(
    "Media that two messages have is stored once in a conversation, and apart from others'",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = memory.conversation(ORCHARD);
      await conversation.append([picture(PEAR), picture(PEAR)]);
      await conversation.append([picture(PEAR)]);
      assert.deepEqual(await stored(store), [3, 2, [600_000]]);
      await memory.conversation(HARBOUR).append([picture(PEAR)]);
      assert.deepEqual(await stored(store), [6, 3, [600_000, 600_000]]);
      await erase(memory.conversation(HARBOUR), "scope");
      assert.deepEqual(await conversation.media(sha256Hex(PEAR)), PEAR);
    },
  );

  promise("What was read back can be stored again, and has the digest of the bytes", async (store) => {
    const conversation = (await store.open(atNoon())).conversation(ORCHARD);
    const first = await conversation.append([picture(PEAR, "m1")], { operationId: "pear" });
    const [turn] = await readTurns(conversation);
    assert.deepEqual(await conversation.append(turn!.messages, { operationId: "pear" }), first);
    const again = turn!.messages.map((message) => ({ ...message, messageId: "m2" }));
    await conversation.append(again);
    assert.deepEqual(await mediaOf(conversation), [referring(PEAR), referring(PEAR)]);
    assert.deepEqual(await stored(store), [3, 2, [600_000]]);
  });

  promise(
    "MSG-06 a history that is sent again stores no media twice, and none of what was left out",
    async (store) => {
      const conversation = (await store.open(atNoon())).conversation(ORCHARD);
      await conversation.append([picture(PEAR, "m1")]);
      const { skipped } = await conversation.append([picture(PEAR, "m1"), picture(PLUM, "m2")], {
        onDuplicate: "skip",
      });
      assert.deepEqual(skipped, ["m1"]);
      assert.deepEqual(await stored(store), [4, 2, [600_004]]);
      await conversation.append([picture(new Uint8Array(9), "m2")], { onDuplicate: "skip" });
      assert.deepEqual(await stored(store), [4, 2, [600_004]]);
    },
  );

  promise("Bytes that a caller changes after the call are stored as they were", async (store) => {
    const conversation = (await store.open(atNoon())).conversation(ORCHARD);
    const data = PLUM.slice();
    const appended = conversation.append([picture(data)]);
    data.fill(0);
    await appended;
    assert.deepEqual(await conversation.media(sha256Hex(PLUM)), PLUM);
  });
}

function testErasing({ promise }: Suite): void {
  promise("Media goes with the last turn that refers to it, and is counted in the receipt", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = memory.conversation(ORCHARD);
    const turns = [await conversation.append([picture(PEAR)]), await conversation.append([picture(PEAR)])];
    const kept = await erase(conversation, "turn", turns[0]!.turnId);
    assert.deepEqual([kept.erased.turns, kept.erased.media], [1, 0]);
    assert.deepEqual(await stored(store), [3, 1, [600_000]]);
    const gone = await erase(conversation, "turn", turns[1]!.turnId);
    assert.deepEqual([gone.erased.turns, gone.erased.media], [1, 1]);
    assert.deepEqual(await stored(store), [0, 0, [0]]);
    await assert.rejects(conversation.media(sha256Hex(PEAR)), { code: "CONFLICT", reason: "MISSING" });
    assert.equal((await memory.verifyReceipt(gone)).valid, true);
  });

  promise("A revision keeps the media that it still has, and loses the rest", async (store) => {
    const conversation = (await store.open(atNoon())).conversation(ORCHARD);
    const put = async (...messages: readonly NewMessage[]): Promise<void> => {
      const named = messages.map((message, index) => ({ ...message, messageId: `m${index}` }));
      const expectedRevision = await conversation.create();
      const options = { operationId: `at ${expectedRevision}`, expectedRevision };
      await conversation.putTurn({ turnId: "t1", scope: ORCHARD, messages: named }, options);
    };
    await put(picture(PEAR), picture(PLUM));
    assert.deepEqual(await stored(store), [4, 2, [600_004]]);
    await put(picture(PEAR));
    assert.deepEqual(await stored(store), [3, 1, [600_000]]);
    assert.deepEqual(await conversation.media(sha256Hex(PEAR)), PEAR);
    await put({ role: "user", content: "Never mind." });
    assert.deepEqual(await stored(store), [0, 0, [0]]);
  });

  promise("Media of a deleted scope goes with it", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = memory.conversation(ORCHARD);
    await conversation.append([picture(PEAR), picture(PLUM)]);
    await conversation.append([picture(PLUM)]);
    const receipt = await erase(conversation, "scope");
    assert.equal(receipt.erased.media, 2);
    assert.deepEqual(await stored(store), [0, 0, []]);
  });

  promise("Media of an expired turn cannot be read, and goes with it", async (store) => {
    const clock = clockAtNoon();
    const conversation = (await store.open({ clock: clock.now })).conversation(ORCHARD);
    await conversation.append([picture(PEAR)], { expiresAt: after(60) });
    await conversation.append([picture(PLUM)]);
    clock.advance(61);
    await assert.rejects(conversation.media(sha256Hex(PEAR)), { code: "CONFLICT", reason: "MISSING" });
    assert.deepEqual(await stored(store), [1, 1, [4]]);
  });
}

function testRefusals({ promise }: Suite): void {
  promise(
    "A reference to media that the conversation lacks is refused, and so is another size",
    async (store) => {
      const memory = await store.open(atNoon());
      await memory.conversation(HARBOUR).append([picture(PEAR)]);
      const conversation = memory.conversation(ORCHARD);
      const refer = (part: MediaPart): Promise<unknown> =>
        conversation.append([{ role: "user", content: [part] }]);
      await store.assertChangesNothing(() => refer(referring(PEAR)), {
        code: "CONFLICT",
        reason: "MISSING",
        message: "Cannot put turn: messages[0].content[0].ref refers to media that the conversation lacks",
      });
      await conversation.append([picture(PEAR)]);
      await store.assertChangesNothing(() => refer({ ...referring(PEAR), bytes: 1 } as MediaPart), {
        code: "CONTRACT",
        field: "messages[0].content[0].bytes",
      });
      await assert.rejects(conversation.media("pear"), { code: "CONTRACT", field: "ref" });
    },
  );

  promise(
    "Media counts in what a conversation may hold, and a turn has a bound of its own",
    async (store) => {
      const limits = { bytesPerScope: 610_000, mediaBytesPerTurn: 600_003 };
      const memory = await store.open({ ...atNoon(), limits });
      const conversation = memory.conversation(ORCHARD);
      await store.assertChangesNothing(() => conversation.append([picture(PEAR), picture(PLUM)]), {
        code: "CONTRACT",
        field: "messages",
        message:
          "Expected messages to have at most 600003 bytes of media; limits.mediaBytesPerTurn of openMemory raises this",
      });
      await conversation.append([picture(PEAR)]);
      await conversation.append([picture(PEAR)]);
      await store.assertChangesNothing(() => conversation.append([picture(new Uint8Array(10_000))]), {
        reason: "CAPACITY",
      });
      const entries = [{ json: "x".repeat(10_000) }];
      await assert.rejects(memory.journal(ORCHARD).append(entries), { code: "CONFLICT", reason: "CAPACITY" });
    },
  );
}

function testMoving({ promise, restoring, makeStore }: Suite): void {
  promise("Media is exported before the turn that has it, once, and imported with it", async (store) => {
    const memory = await store.open(atNoon());
    const conversation = memory.conversation(ORCHARD);
    await conversation.append([picture(PEAR)]);
    await conversation.append([picture(PLUM), picture(PEAR)]);
    const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
    const types = lines.map((line) => (JSON.parse(line) as { readonly type: string }).type);
    assert.deepEqual(types, [
      "header",
      "scope",
      ...["media", "media", "media", "turn"],
      "media",
      "turn",
      "end",
    ]);
    const without = await Array.fromAsync(memory.exportLines());
    assert(!without.some((line) => line.includes(`"media"`)));

    await using other = await makeStore();
    const there = await other.open(atNoon());
    assert.equal((await there.importLines(lines)).imported.turns, 2);
    assert.deepEqual(await stored(other), [4, 3, [600_004]]);
    assert.deepEqual(await there.conversation(ORCHARD).media(sha256Hex(PEAR)), PEAR);
    assert.equal((await there.importLines(lines)).unchanged.turns, 2);
    assert.deepEqual(
      await Array.fromAsync(there.exportLines({ includeContent: true })).then(turnsOf),
      turnsOf(lines),
    );
  });

  promise(
    "An import takes media from a turn that it refuses, for another that has it as well",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = memory.conversation(ORCHARD);
      const { turnId } = await conversation.append([picture(PEAR)]);
      await conversation.append([picture(PEAR)]);
      const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
      await using other = await makeStore();
      const there = await other.open(atNoon());
      const own = there.conversation(ORCHARD);
      await own.append([{ role: "user", content: "First." }]);
      await own.delete({ kind: "turn", key: turnId, expectedRevision: await own.revision() });
      await assert.doesNotReject(there.importLines(lines));
      assert.equal((await readTurns(own)).length, 2);
      assert.deepEqual(await own.media(sha256Hex(PEAR)), PEAR);
    },
  );

  promise("Lines whose media is incomplete, in disorder or other bytes are refused", async (store) => {
    const memory = await store.open(atNoon());
    await memory.conversation(ORCHARD).append([picture(PEAR)]);
    const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
    await using other = await makeStore();
    // What is wrong is seen below, not by the check at the end.
    other.damaged = true;
    const there = await other.open(atNoon());
    const importing = (changed: readonly string[]): Promise<unknown> => there.importLines(changed);
    const swapped = [...lines.slice(0, 2), lines[3]!, lines[2]!, ...lines.slice(4)];
    await assert.rejects(importing(swapped), { code: "CONTRACT", field: "piece" });
    const forged = lines.map((line) => line.replace(`"piece":2,"data":"`, `"piece":2,"data":"AAAA`));
    await assert.rejects(importing(forged), { code: "CONTRACT", field: "data" });
    const others = lines.map((line, index) =>
      index === 4 ? line.replace(/"data":"..../, `"data":"AAAA`) : line
    );
    await assert.rejects(importing(others), { code: "CONTRACT", field: "ref" });
    const cut = lines.filter((_, index) => index !== 4);
    await assert.rejects(importing(cut), { code: "CONTRACT", field: "piece" });
    const without = lines.filter((line) => !line.startsWith(`{"type":"media"`));
    const field = "turn.messages[0].content[1].ref";
    await assert.rejects(importing(without), { code: "CONTRACT", field });
    const early = [lines[0]!, lines[2]!, lines[1]!, ...lines.slice(3)];
    await assert.rejects(importing(early), { code: "CONTRACT", field: "type" });
    assert.deepEqual(await stored(other), [0, 0, [0]]);
  });

  restoring(
    "A restore brings media back with its turn, and none of what was deleted since",
    async (store) => {
      const memory = await store.open(atNoon());
      const conversation = memory.conversation(ORCHARD);
      const { turnId } = await conversation.append([picture(PEAR)]);
      await conversation.append([picture(PLUM)]);
      const backup = await store.backUp();
      await erase(conversation, "turn", turnId);
      const watermark = await memory.deletionWatermark();
      const restored = await store.restore(backup, { ...atNoon(), watermark });
      const there = restored.conversation(ORCHARD);
      assert.deepEqual(await there.media(sha256Hex(PLUM)), PLUM);
      await assert.rejects(there.media(sha256Hex(PEAR)), { reason: "MISSING" });
      assert.deepEqual(await stored(store), [1, 1, [4]]);
    },
  );
}

function turnsOf(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.startsWith(`{"type":"turn"`) || line.startsWith(`{"type":"media"`));
}

function testDamage({ promise, restoring }: Suite): void {
  const spoil = async (store: StoreUnderTest): Promise<void> => {
    store.damaged = true;
    const pear = fromHex(sha256Hex(PEAR)).join();
    await store.damage(
      MEDIA_PIECES,
      ({ hash, piece }) => hash.join() === pear && piece === 1 ? { payload: new Uint8Array(262_144) } : null,
    );
  };
  const fill = async (store: StoreUnderTest): Promise<Memory> => {
    const memory = await store.open(atNoon());
    const conversation = memory.conversation(ORCHARD);
    const message = (id: string): object => ({
      turnId: id,
      scope: ORCHARD,
      messages: [picture(PEAR, `m-${id}`)],
    });
    await conversation.create();
    for (const id of ["t1", "t2"]) {
      const options = { operationId: id, expectedRevision: await conversation.revision() };
      await conversation.putTurn(message(id) as Parameters<Conversation["putTurn"]>[0], options);
    }
    await conversation.append([picture(PLUM)]);
    return memory;
  };

  promise("BAD-01 damaged media is an error that names a turn, and costs nothing else", async (store) => {
    const conversation = (await fill(store)).conversation(ORCHARD);
    await spoil(store);
    await assert.rejects(conversation.media(sha256Hex(PEAR)), {
      code: "INTEGRITY",
      details: { table: "media_pieces", ...ORCHARD, turnId: "t1" },
    });
    assert.deepEqual(await conversation.media(sha256Hex(PLUM)), PLUM);
    assert.equal((await readTurns(conversation)).length, 3);
  });

  promise(
    "BAD-01 an export leaves out turns whose media is damaged, where the call asks for it, and says so",
    async (store) => {
      const memory = await fill(store);
      await spoil(store);
      const whole = Array.fromAsync(memory.exportLines({ includeContent: true }));
      await assert.rejects(whole, { code: "INTEGRITY" });
      const lines = await Array.fromAsync(memory.exportLines({ includeContent: true, damaged: "skip" }));
      const found = lines.map((line) =>
        JSON.parse(line) as { readonly type: string; readonly turn_id?: string }
      );
      assert.deepEqual(found.filter(({ type }) => type === "skipped").map(({ turn_id }) => turn_id), [
        "t1",
        "t2",
      ]);
      assert.equal(found.filter(({ type }) => type === "turn").length, 1);
    },
  );

  promise(
    "check() tells damaged media, references that are missing, and pieces that nothing refers to",
    async (store) => {
      const memory = await fill(store);
      const problems = async (): Promise<readonly string[]> =>
        (await memory.check()).problems.map(({ table, problem }) => `${table}: ${problem}`);
      await spoil(store);
      assert.deepEqual(await problems(), ["media_pieces: The bytes of media do not match their hash"]);
      await store.damage(MEDIA_REFS, ({ turn }) => turn === 1 ? { bytes: 7 } : null);
      assert((await problems()).includes("media_refs: References to media differ from the turn's"));
      await store.discard(MEDIA_REFS);
      const found = await problems();
      assert(found.includes("media_refs: References to media differ from the turn's"));
      assert(found.includes("media_pieces: 4 rows hang from nothing"));
      assert(found.includes("scopes: The size of the media is wrong"));
    },
  );

  restoring(
    "BAD-01 a backup leaves out turns whose media is damaged, where the call asks for it",
    async (store) => {
      const memory = await fill(store);
      await spoil(store);
      const backup = await store.backUp("agent.backup", { damaged: "skip" });
      const watermark = await memory.deletionWatermark();
      const restored = await store.restore(backup, { ...atNoon(), watermark });
      const conversation = restored.conversation(ORCHARD);
      assert.equal((await readTurns(conversation)).length, 1);
      assert.deepEqual(await conversation.media(sha256Hex(PLUM)), PLUM);
      assert.deepEqual((await restored.check()).problems, []);
    },
  );
}

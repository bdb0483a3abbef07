/** A picture of five megabytes that two messages have: stored once, and gone from every file with the second. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type NewMessage, openMemory } from "@holdfast/memory";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const SCOPE = { tenantId: "orchard", sessionId: "spring" };
const PICTURE_BYTES = 5_000_000;
const MARK = "zq-picture-zq";

/** Which files of a directory have the mark, raw or in base64, however its bytes lie to those of three. */
function filesWithMark(directory: string): readonly string[] {
  const shifted = ["", "x", "xx"].map((before) => Buffer.from(before + MARK).toString("base64").slice(4, 16));
  return [...Deno.readDirSync(directory)].map(({ name }) => name).filter((name) => {
    const bytes = Buffer.from(Deno.readFileSync(`${directory}/${name}`));
    return [MARK, ...shifted].some((needle) => bytes.includes(needle));
  });
}

Deno.test("A picture of 5 MB that two messages have is stored once, and is in no file once both are deleted", async () => {
  await using directory = await TemporaryDirectory.make();
  const path = directory.file("agent.db");
  await using memory = await openMemory(path);
  const conversation = memory.conversation(SCOPE);
  const data = new TextEncoder().encode(
    MARK.repeat(Math.ceil(PICTURE_BYTES / MARK.length)).slice(0, PICTURE_BYTES),
  );
  const message: NewMessage = { role: "user", content: [{ type: "media", mediaType: "image/png", data }] };
  const turnIds: string[] = [];
  for (let put = 0; put < 2; put++) turnIds.push((await conversation.append([message])).turnId);
  const { scopes } = await memory.inspect();
  assert.equal(scopes[0]!.mediaBytes, PICTURE_BYTES);
  await memory.prune();
  const once = Deno.statSync(path).size;
  assert(once > PICTURE_BYTES && once < 1.2 * PICTURE_BYTES, `${once} bytes`);

  for (const [index, turnId] of turnIds.entries()) {
    const expectedRevision = await conversation.revision();
    const receipt = await conversation.delete({ kind: "turn", key: turnId, expectedRevision }, {
      scrub: true,
    });
    assert.deepEqual([receipt.erased.media, receipt.scrubbed], [index, true]);
    assert.equal(filesWithMark(directory.path).length > 0, index === 0);
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
  }
  assert(Deno.statSync(path).size < 0.1 * PICTURE_BYTES);
});

testThatNothingIsLeftOpen();

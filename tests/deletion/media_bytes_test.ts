/** A picture of five megabytes that two messages have: stored once, and gone from every file with the second. */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { type NewMessage, openMemory } from "@holdfast/memory";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const SCOPE = { tenantId: "orchard", sessionId: "spring" };
const PICTURE_BYTES = 5_000_000;
const MARK = "zq-picture-zq";

/** The mark as a file may have it: raw, in base64, in UTF-16. */
const MARKS = [
  Buffer.from(MARK),
  Buffer.from(Buffer.from(MARK).toString("base64")),
  Buffer.from(MARK, "utf16le"),
];

/** The mark in base64, however its bytes lie to those of three, in case a picture is stored in base64. */
const SHIFTED = ["", "x", "xx"].map((before) => Buffer.from(before + MARK).toString("base64").slice(4, 16));

/** In how many ways the files of a directory have the mark. */
function marksIn(directory: string): number {
  const files = [...Deno.readDirSync(directory)].map(({ name }) =>
    Buffer.from(Deno.readFileSync(`${directory}/${name}`))
  );
  const isThere = (needle: Buffer | string): boolean => files.some((bytes) => bytes.includes(needle));
  return MARKS.filter(isThere).length + SHIFTED.slice(1).filter(isThere).length;
}

Deno.test("A picture of 5 MB that two messages have is stored once, and is in no file once both are deleted", async () => {
  await using directory = await TemporaryDirectory.make();
  const path = directory.file("agent.db");
  await using memory = await openMemory(path);
  const conversation = memory.conversation(SCOPE);
  const data = new Uint8Array(Buffer.alloc(PICTURE_BYTES, Buffer.concat(MARKS)));
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
    assert.equal(marksIn(directory.path), index === 0 ? MARKS.length : 0);
    assert.equal((await memory.verifyReceipt(receipt)).valid, true);
  }
  assert(Deno.statSync(path).size < 0.1 * PICTURE_BYTES);
});

testThatNothingIsLeftOpen();

/** The operations on media that matrices strike. */

import { type Memory, type NewMessage, openMemory } from "@holdfast/memory";
import { erase, ORCHARD, readTurns } from "../conversations/samples.ts";
import { prepareTalk, talkOf } from "./conversation_operations.ts";
import { prepareOthers } from "./record_operations.ts";
import { optionsFor, type StruckOperation } from "./struck_operation.ts";

const PEAR = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251);
const PLUM = new Uint8Array([137, 80, 78, 71]);

/** A message with media. */
function picture(data: Uint8Array): NewMessage {
  return { role: "user", content: [{ type: "media", mediaType: "image/png", data, filename: "tree.png" }] };
}

/** The revision of the scope after {@linkcode prepareMedia}. */
const MEDIA_REVISION = 6;

/** Two turns with the same media of two pieces; their ids are `pear-1` and `pear-2`. */
export async function prepareMedia(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  for (const [index, turnId] of ["pear-1", "pear-2"].entries()) {
    const messages = [{ ...picture(PEAR), messageId: `m-${turnId}` }];
    const options = { operationId: `put ${turnId}`, expectedRevision: MEDIA_REVISION - 2 + index };
    await talkOf(memory).putTurn(
      { turnId, scope: ORCHARD, messages, timestamp: "2027-01-15T12:00:00Z" },
      options,
    );
  }
}

let exported: Promise<readonly string[]> | null = null;

/** The lines of a store of the same contents. */
function lines(): Promise<readonly string[]> {
  exported ??= exportAll();
  return exported;
}

async function exportAll(): Promise<readonly string[]> {
  await using memory = await openMemory(":memory:", optionsFor(5_000));
  await prepareMedia(memory);
  return await Array.fromAsync(memory.exportLines({ includeContent: true }));
}

/** See the module's documentation. */
export const MEDIA_OPERATIONS: readonly StruckOperation[] = [
  {
    name: "new media",
    calls: "Conversation.append",
    prepare: prepareMedia,
    run: (memory, signal) => talkOf(memory).append([picture(PLUM)], { operationId: "plum", signal }),
  },
  {
    name: "media that is there",
    calls: "Conversation.append",
    prepare: prepareMedia,
    run: (memory, signal) => talkOf(memory).append([picture(PEAR)], { operationId: "pear", signal }),
  },
  {
    name: "a revision with other media",
    calls: "Conversation.putTurn",
    prepare: async (memory) => {
      await prepareMedia(memory);
      await erase(talkOf(memory), "turn", "pear-2");
    },
    run: (memory, signal) => {
      const turn = { turnId: "pear-1", scope: ORCHARD, messages: [{ ...picture(PLUM), messageId: "m" }] };
      const options = { operationId: "revised", expectedRevision: MEDIA_REVISION + 1, signal };
      return talkOf(memory).putTurn(turn, options);
    },
  },
  {
    name: "the deletion of the last turn with media",
    calls: "Conversation.delete",
    steps: true,
    rests: true,
    prepare: async (memory) => {
      await prepareMedia(memory);
      await erase(talkOf(memory), "turn", "pear-2");
    },
    run: (memory, signal) => {
      const target = { kind: "turn", key: "pear-1", expectedRevision: MEDIA_REVISION + 1 } as const;
      return talkOf(memory).delete(target, { scrub: true, signal });
    },
  },
  {
    name: "an import with media",
    calls: "Memory.importLines",
    prepare: prepareOthers,
    steps: true,
    run: async (memory, signal) => await memory.importLines(await lines(), { signal }),
  },
  {
    name: "an export with media",
    calls: "Memory.exportLines",
    prepare: prepareMedia,
    run: (memory, signal) => Array.fromAsync(memory.exportLines({ includeContent: true, signal })),
  },
  {
    name: "the bytes of media",
    calls: "Conversation.media",
    prepare: prepareMedia,
    run: async (memory, signal) => await talkOf(memory).media(await refOfPear(memory), { signal }),
  },
  {
    name: "messages with the bytes of their media",
    calls: "Conversation.withMedia",
    prepare: prepareMedia,
    run: async (memory, signal) => {
      const turns = await readTurns(talkOf(memory));
      return await talkOf(memory).withMedia(turns.at(-1)!.messages, { signal });
    },
  },
];

async function refOfPear(memory: Memory): Promise<string> {
  const turns = await readTurns(talkOf(memory));
  const [part] = turns.at(-1)!.messages[0]!.parts!;
  return part?.type === "media" ? part.ref! : "";
}

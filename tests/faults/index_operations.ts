/** The operations that index, search and assemble, for the matrices. */

import type { Assembly, Conversation, Memory, Retrieval } from "@holdfast/memory";
import { STUB4 } from "../context/golden.ts";
import { after, readTurns, revise, summaryOf, turnOf } from "../conversations/samples.ts";
import { CountedSignal } from "../kit/counted_signal.ts";
import { EXPIRES_MS, prepareExpiring, prepareTalk, REVISION, talkOf } from "./conversation_operations.ts";
import type { StruckOperation } from "./struck_operation.ts";

/** Creates a third index, in addition to those of the two profiles. */
const THIRD: Retrieval = { chunkCharacters: 200, overlapCharacters: 20 };

const BUDGET = { maxInputTokens: 900, retrievalReserve: 200 };

function assemble(conversation: Conversation, signal: AbortSignal | undefined): Promise<Assembly> {
  return conversation.assemble("t1", BUDGET, { system: "S", counting: { counter: STUB4 }, signal });
}

/** Turns enough for a window, evidence, and a summary of the oldest; all of them indexed. */
async function prepareLong(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  const conversation = talkOf(memory);
  for (let index = 0; index < 12; index++) {
    const content = `${WORDS[index % 5]} and ${WORDS[index % 3]} stand beside the ${
      WORDS[index % 7]
    } ${index}`;
    await conversation.append([{ role: "user", content }], { operationId: `long ${index}` });
  }
  const history = (await readTurns(conversation)).slice(0, 4);
  await conversation.putSummary(await conversation.snapshot(), summaryOf(history));
  await conversation.search("alder");
}

const WORDS = ["alder", "birch", "cedar", "beech", "maple", "larch", "aspen"];

/** Turns of which none is indexed. */
async function prepareUnindexed(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  const conversation = talkOf(memory);
  await conversation.delete({ kind: "turn", key: "t2", expectedRevision: REVISION });
  await revise(conversation, turnOf("t1", "alder and birch", { revision: 2 }));
  const expectedRevision = await conversation.revision();
  await conversation.putTurn(turnOf("t3", "cedar and birch"), { operationId: "t3", expectedRevision });
}

/** The indexes of both profiles, the default's used last. */
async function prepareTwo(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  const conversation = talkOf(memory);
  await conversation.search("t1", { profile: "reference" });
  await conversation.search("t1");
}

/** Three indexes, the first of which was retired and not cleared away: the call was cancelled. */
async function prepareRetired(memory: Memory): Promise<void> {
  await prepareTwo(memory);
  const conversation = talkOf(memory);
  const snapshot = await conversation.snapshot();
  for (let look = 0; !(await isReady(conversation)); look++) {
    const { signal } = new CountedSignal(look);
    await conversation.indexBatch(snapshot, THIRD, { signal }).catch(() => {});
  }
}

async function isReady(conversation: Conversation): Promise<boolean> {
  try {
    await conversation.chunkIndex(await conversation.snapshot(), THIRD);
    return true;
  } catch {
    return false;
  }
}

/** The same, and in another scope a turn that expires a minute later. */
export async function prepareMuch(memory: Memory): Promise<void> {
  await prepareRetired(memory);
  const options = { operationId: "brief", expiresAt: after(EXPIRES_MS / 1_000) };
  await briefTalkOf(memory).append([{ role: "user", content: "brief" }], options);
}

/** The conversation with the turn that expires. */
export function briefTalkOf(memory: Memory): Conversation {
  return memory.conversation({ tenantId: "orchard", sessionId: "autumn" });
}

async function indexBatch(memory: Memory, config: Retrieval, signal?: AbortSignal): Promise<unknown> {
  const conversation = talkOf(memory);
  return await conversation.indexBatch(await conversation.snapshot(), config, { signal });
}

/** See the module's documentation. */
export const INDEX_OPERATIONS: readonly StruckOperation[] = [
  {
    name: "a batch of indexing that finds changed and new turns",
    calls: "Conversation.indexBatch",
    prepare: prepareUnindexed,
    steps: true,
    run: (memory, signal) => indexBatch(memory, {}, signal),
  },
  {
    name: "a batch of indexing that makes a second index",
    calls: "Conversation.indexBatch",
    prepare: prepareTalk,
    steps: true,
    run: (memory, signal) => indexBatch(memory, THIRD, signal),
  },
  {
    name: "a batch of indexing that makes a third index",
    calls: "Conversation.indexBatch",
    prepare: prepareTwo,
    steps: true,
    run: (memory, signal) => indexBatch(memory, THIRD, signal),
  },
  {
    name: "a batch of indexing that clears a retired index away",
    calls: "Conversation.indexBatch",
    prepare: prepareRetired,
    steps: true,
    rests: true,
    run: (memory, signal) => indexBatch(memory, {}, signal),
  },
  {
    name: "a search that indexes first",
    calls: "Conversation.search",
    prepare: prepareUnindexed,
    steps: true,
    run: (memory, signal) => talkOf(memory).search("birch", { signal }),
  },
  {
    name: "a search by the index that was used before the other",
    calls: "Conversation.search",
    prepare: prepareTwo,
    steps: true,
    rests: true,
    run: (memory, signal) => talkOf(memory).search("t1", { profile: "reference", signal }),
  },
  {
    name: "a search of a tenant that indexes first",
    calls: "Memory.search",
    prepare: prepareUnindexed,
    steps: true,
    run: (memory, signal) => memory.search({ tenantId: talkOf(memory).scope.tenantId }, "birch", { signal }),
  },
  {
    name: "a search that finds something expired",
    calls: "Conversation.search",
    prepare: prepareExpiring,
    laterMs: EXPIRES_MS,
    steps: true,
    rests: true,
    run: (memory, signal) => talkOf(memory).search("t3", { signal }),
  },
  {
    name: "an assembly that indexes first",
    calls: "Conversation.assemble",
    prepare: prepareUnindexed,
    steps: true,
    run: (memory, signal) => assemble(talkOf(memory), signal),
  },
  {
    name: "an assembly by an index that is ready",
    calls: "Conversation.assemble",
    prepare: prepareTalk,
    run: (memory, signal) => assemble(talkOf(memory), signal),
  },
  {
    name: "an assembly of a longer conversation",
    calls: "Conversation.assemble",
    prepare: prepareLong,
    run: (memory, signal) => {
      const options = { system: "S", counting: { counter: STUB4 }, signal };
      return talkOf(memory).assemble(
        "alder or birch",
        { maxInputTokens: 500, retrievalReserve: 120 },
        options,
      );
    },
  },
  {
    name: "a search of a longer conversation",
    calls: "Conversation.search",
    prepare: prepareLong,
    run: (memory, signal) => talkOf(memory).search("alder beside the larch", { topK: 2, signal }),
  },
  {
    name: "a reading of chunks",
    calls: "Conversation.chunkIndex",
    prepare: prepareTalk,
    run: async (memory, signal) => {
      const conversation = talkOf(memory);
      return await conversation.chunkIndex(await conversation.snapshot(), {}, { signal });
    },
  },
];

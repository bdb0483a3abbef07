/** Every call of a conversation, for promises that hold for all of them. */

import type { CallOptions, Conversation, Snapshot, Summary } from "../../../mod.ts";
import { pinOf, readTurns, summaryOf, talk, turnOf } from "../kit/conversation_samples.ts";
import type { Memory } from "../../../mod.ts";

/** What the calls are made with: turns `t1` and `t2`, and the snapshot and a summary of them. */
interface Prepared {
  readonly memory: Memory;
  readonly conversation: Conversation;
  readonly snapshot: Snapshot;
  readonly summary: Summary;
}

/** One call. */
interface Call {
  readonly name: string;
  readonly writes: boolean;
  readonly make: (prepared: Prepared, options: CallOptions) => Promise<unknown>;
}

const PUT = { expectedRevision: 2, operationId: "call" };

function call(name: string, make: Call["make"], writes = true): Call {
  return { name, writes, make };
}

export const CALLS: readonly Call[] = [
  call("create()", ({ conversation }, options) => conversation.create(options)),
  call("revision()", ({ conversation }, options) => conversation.revision(options), false),
  call(
    "putTurn()",
    ({ conversation }, options) => conversation.putTurn(turnOf("t3"), { ...PUT, ...options }),
  ),
  call("putPin()", ({ conversation }, options) => conversation.putPin(pinOf("k"), { ...PUT, ...options })),
  call("putSummary()", ({ conversation, snapshot, summary }, options) => {
    return conversation.putSummary(snapshot, summary, options);
  }),
  call(
    "append()",
    ({ conversation }, options) => conversation.append([{ role: "user", content: "x" }], options),
  ),
  call("snapshot()", ({ conversation }, options) => conversation.snapshot(options), false),
  call("turns()", ({ conversation }, options) => readTurns(conversation, undefined, options), false),
  call("turns() of a snapshot", ({ conversation, snapshot }, options) => {
    return readTurns(conversation, snapshot, options);
  }, false),
  call("assertCurrent()", ({ conversation, snapshot }, options) => {
    return conversation.assertCurrent(snapshot, options);
  }, false),
  call("delete()", ({ conversation }, options) => {
    return conversation.delete({ kind: "turn", key: "t1", expectedRevision: 2 }, options);
  }),
  call("cachePut()", ({ conversation, snapshot }, options) => {
    return conversation.cachePut(snapshot, "k", { n: 1 }, options);
  }),
  call("cacheGet()", ({ conversation, snapshot }, options) => {
    return conversation.cacheGet(snapshot, "k", options);
  }, false),
];

/** Prepares the calls. */
export async function prepare(memory: Memory): Promise<Prepared> {
  const conversation = await talk(memory, ["t1", "t2"]);
  const snapshot = await conversation.snapshot();
  return { memory, conversation, snapshot, summary: summaryOf(await readTurns(conversation)) };
}

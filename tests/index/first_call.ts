/**
 * Changes the arguments of a call as soon as it has returned its promise, as the first call of a process and later. Run as
 * a program, it prints the results.
 */

import {
  assembleContext,
  type Conversation,
  openMemory,
  type Snapshot,
  type TokenCounter,
  turn,
} from "@holdfast/memory";

const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" };

const COUNTER: TokenCounter = {
  name: "n",
  version: "1",
  countText: (text) => Math.ceil(text.length / 4),
};

/** A started call, and a function that changes its arguments. */
interface Started {
  readonly result: Promise<unknown>;
  readonly spoil: () => void;
}

const CALLS: Readonly<Record<string, (conversation: Conversation, snapshot: Snapshot) => Started>> = {
  indexBatch(conversation, snapshot): Started {
    const size = { chunkCharacters: 40, overlapCharacters: 8 };
    const result = conversation.indexBatch(snapshot, size).then(({ indexKey }) => indexKey);
    return { result, spoil: () => size.chunkCharacters = 60 };
  },
  chunkIndex(conversation, snapshot): Started {
    const size = { chunkCharacters: 360, overlapCharacters: 80 };
    const result = conversation.chunkIndex(snapshot, size).then(({ chunkerVersion }) => chunkerVersion);
    return { result, spoil: () => size.chunkCharacters = 400 };
  },
  search(conversation): Started {
    const retrieval = { topK: 1 };
    const result = conversation.search("tickets", { retrieval }).then((hits) =>
      hits.map(({ content }) => content)
    );
    return { result, spoil: () => retrieval.topK = 3 };
  },
  assemble(conversation): Started {
    const question = { messageId: "q", role: "user" as const, content: "When were the tickets answered?" };
    const options = { system: "A support log.", counting: { counter: COUNTER, calibrationFactor: 1 } };
    const result = conversation.assemble(question, { maxInputTokens: 900 }, options).then(({ context }) =>
      context.request
    );
    return {
      result,
      spoil(): void {
        question.content = "changed";
        options.system = "changed";
        options.counting.calibrationFactor = 0;
      },
    };
  },
  assembleContext(): Started {
    const message = { messageId: "m", role: "user" as const, content: "We answered the tickets." };
    const made = turn({ turnId: "t", scope: SCOPE, messages: [message], timestamp: "2026-03-01T09:00:00Z" });
    const plain = { turnId: "u", scope: SCOPE, messages: [{ ...message, messageId: "n" }], revision: 1 };
    const at = new Date("2026-03-02T09:00:00Z");
    const budget = { maxInputTokens: 900 };
    const history: object[] = [made, plain];
    const input = { scope: SCOPE, history, question: "When?", system: "A support log.", at, budget };
    const result = assembleContext({ ...input, history: history as never, counting: { counter: COUNTER } })
      .then(({ request, diagnostics }) => [request, diagnostics.evaluatedAt]);
    return {
      result,
      spoil(): void {
        plain.messages[0]!.content = "changed";
        history.length = 0;
        budget.maxInputTokens = 0;
        at.setTime(0);
      },
    };
  },
};

/** The names of the calls. */
export const CALL_NAMES: readonly string[] = Object.keys(CALLS);

/** Runs a call in a new process: as its first call, as a later one, and without changing the arguments. */
export async function resultsOf(name: string): Promise<readonly [unknown, unknown, unknown]> {
  const { stdout, stderr, code } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-prompt",
      "--no-check",
      `--config=${new URL("../../deno.json", import.meta.url).pathname}`,
      import.meta.filename!,
      name,
    ],
  }).output();
  const decoder = new TextDecoder();
  if (code !== 0) throw new Error(decoder.decode(stderr));
  return JSON.parse(decoder.decode(stdout));
}

if (import.meta.main) {
  const start = CALLS[Deno.args[0]!]!;
  await using memory = await openMemory(":memory:");
  const conversation = memory.conversation(SCOPE);
  const results: unknown[] = [];
  if (Deno.args[0] === "chunkIndex") await conversation.create();
  else {for (let day = 1; day <= 4; day++) {
      await conversation.append([{ role: "user", content: `Tickets, day ${day}.` }]);
    }}
  const snapshot = await conversation.snapshot();
  for (const spoils of [true, true, false]) {
    const { result, spoil } = start(conversation, snapshot);
    if (spoils) spoil();
    results.push(await result);
  }
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(results)));
}

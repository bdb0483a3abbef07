/** A process whose calls are handed arguments that it changes as soon as a call has returned: the first, and a later one. */

import {
  assembleContext,
  type Conversation,
  openMemory,
  type Snapshot,
  type TokenCounter,
  turn,
} from "@holdfast/memory";

const SCOPE = { tenantId: "orchard", sessionId: "spring" };

const COUNTER: TokenCounter = {
  name: "n",
  version: "1",
  countText: (text) => Math.ceil(text.length / 4),
};

/** A call, and what is done to its arguments right after it. */
interface Started {
  readonly result: Promise<unknown>;
  readonly spoil: () => void;
}

const CALLS: Readonly<Record<string, (talk: Conversation, snapshot: Snapshot) => Started>> = {
  indexBatch(talk, snapshot): Started {
    const size = { chunkCharacters: 40, overlapCharacters: 8 };
    const result = talk.indexBatch(snapshot, size).then(({ indexKey }) => indexKey);
    return { result, spoil: () => size.chunkCharacters = 60 };
  },
  chunkIndex(talk, snapshot): Started {
    const size = { chunkCharacters: 360, overlapCharacters: 80 };
    const result = talk.chunkIndex(snapshot, size).then(({ chunkerVersion }) => chunkerVersion);
    return { result, spoil: () => size.chunkCharacters = 400 };
  },
  search(talk): Started {
    const retrieval = { topK: 1 };
    const result = talk.search("pears", { retrieval }).then((hits) => hits.map(({ content }) => content));
    return { result, spoil: () => retrieval.topK = 3 };
  },
  assemble(talk): Started {
    const question = { messageId: "q", role: "user" as const, content: "When were the pears grafted?" };
    const options = { system: "A diary.", counting: { counter: COUNTER, calibrationFactor: 1 } };
    const result = talk.assemble(question, { maxInputTokens: 900 }, options).then(({ context }) =>
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
    const message = { messageId: "m", role: "user" as const, content: "We grafted the pears." };
    const made = turn({ turnId: "t", scope: SCOPE, messages: [message], timestamp: "2026-03-01T09:00:00Z" });
    const plain = { turnId: "u", scope: SCOPE, messages: [{ ...message, messageId: "n" }], revision: 1 };
    const at = new Date("2026-03-02T09:00:00Z");
    const budget = { maxInputTokens: 900 };
    const history: object[] = [made, plain];
    const input = { scope: SCOPE, history, question: "When?", system: "A diary.", at, budget };
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

/** The calls that can be tried. */
export const CALL_NAMES: readonly string[] = Object.keys(CALLS);

/** What a call gave as the first of its process, as a later one, and where nothing was changed after it. */
export async function givenBy(name: string): Promise<readonly [unknown, unknown, unknown]> {
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
  const talk = memory.conversation(SCOPE);
  const given: unknown[] = [];
  if (Deno.args[0] === "chunkIndex") await talk.create();
  else {for (let day = 1; day <= 4; day++) {
      await talk.append([{ role: "user", content: `Pears, day ${day}.` }]);
    }}
  const snapshot = await talk.snapshot();
  for (const spoils of [true, true, false]) {
    const { result, spoil } = start(talk, snapshot);
    if (spoils) spoil();
    given.push(await result);
  }
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(given)));
}

/** Tests that another process may change a scope between any two reads of a search or an assembly. */

import assert from "node:assert/strict";
import { type Conversation, type Memory, nodeSqlite, openMemory, type SqliteDriver } from "../../mod.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" } as const;
const QUESTION = "Where was the invoice paid?";
const BUDGET = { maxInputTokens: 900, contextWindow: 8_000, maxOutputTokens: 100, retrievalReserve: 400 };

/** A driver that calls back once, before a read transaction of main begins. */
class InterruptingDriver implements SqliteDriver {
  readonly name = nodeSqlite.name;
  /** The number of transactions until then. */
  left = Infinity;
  interrupt = (): void => {};

  readonly open: SqliteDriver["open"] = (path, options) => {
    const inner = nodeSqlite.open(path, options);
    if (path.endsWith(".deletions")) return inner;
    return {
      get isTransaction(): boolean {
        return inner.isTransaction;
      },
      prepare: (sql) => {
        const statement = inner.prepare(sql);
        if (sql !== "BEGIN DEFERRED") return statement;
        return {
          get: (parameters) => {
            if (this.left-- === 0) this.interrupt();
            return statement.get(parameters);
          },
          all: (parameters) => statement.all(parameters),
          run: (parameters) => statement.run(parameters),
        };
      },
      close: () => inner.close(),
    };
  };
}

/** Deletes a turn in another process, without yielding to the event loop of this one. */
function deleteElsewhere(path: string, turnId: string): void {
  const { success, stderr } = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", import.meta.filename!, path, turnId],
  }).outputSync();
  assert.ok(success, new TextDecoder().decode(stderr));
}

/** Makes a call; resolves to the ids of the turns that it found. */
type Find = (conversation: Conversation, memory: Memory) => Promise<readonly string[]>;

const CALLS: Readonly<Record<string, Find>> = {
  search: async (conversation) =>
    (await conversation.search(QUESTION, { topK: 3 })).map(({ source }) => source.turnId),
  "memory.search": async (_conversation, memory) =>
    (await memory.search({ tenantId: SCOPE.tenantId }, QUESTION, { topK: 3 })).map(({ source }) =>
      source.turnId
    ),
  assemble: async (conversation) =>
    (await conversation.assemble(QUESTION, BUDGET, { system: "S" })).context.diagnostics.retrievedTurnIds,
};

/** Creates a conversation with a complete index; returns the id of the turn that answers the question. */
async function fill(path: string): Promise<string> {
  await using memory = await openMemory(path);
  const conversation = memory.conversation(SCOPE);
  let answering = "";
  for (let turn = 0; turn < 60; turn++) {
    const what = turn === 20 ? "the invoice was paid in March" : `the ticket in row ${turn} was answered`;
    const { turnId } = await conversation.append([{ role: "user", content: `Note ${turn}: ${what}.` }]);
    if (turn === 20) answering = turnId;
  }
  await conversation.search("ticket");
  return answering;
}

/** Runs a call, and deletes the answering turn before its read `left`; returns null if it has fewer reads. */
async function findMeanwhile(
  find: Find,
  left: number,
): Promise<{ deleted: string; found: readonly string[] } | null> {
  await using directory = await TemporaryDirectory.makeInMemory();
  const path = directory.file("agent.db");
  const deleted = await fill(path);
  const driver = new InterruptingDriver();
  await using memory = await openMemory(path, { driver });
  const conversation = memory.conversation(SCOPE);
  assert.ok((await find(conversation, memory)).includes(deleted));
  let interrupted = false;
  driver.interrupt = () => {
    interrupted = true;
    deleteElsewhere(path, deleted);
  };
  driver.left = left;
  let found: readonly string[] = [];
  await assert.doesNotReject(async () => void (found = await find(conversation, memory)));
  return interrupted ? { deleted, found } : null;
}

for (const [name, find] of Object.entries(CALLS)) {
  Deno.test(`A turn that is deleted elsewhere between two moments of ${name}() is not found, and nothing fails`, async () => {
    let moments = 0;
    for (;; moments++) {
      const outcome = await findMeanwhile(find, moments);
      if (outcome === null) break;
      assert.ok(!outcome.found.includes(outcome.deleted), `before moment ${moments}`);
    }
    assert.ok(moments > 3, `${moments} moments`);
  });
}

testThatNothingIsLeftOpen();

if (import.meta.main) {
  const [path, turnId] = Deno.args;
  await using memory = await openMemory(path!);
  const conversation = memory.conversation(SCOPE);
  await conversation.delete({ kind: "turn", key: turnId!, expectedRevision: await conversation.revision() });
}

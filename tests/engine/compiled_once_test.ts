/** No statement is recompiled each time it is run, as SQLite does silently if its planner uses a value. */

import { openMemory } from "@holdfast/memory";
import assert from "node:assert/strict";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

/** SQLite calls the authorizer while it compiles, and at no other time. */
interface Authorized {
  setAuthorizer(callback: () => number): void;
}

const ALLOWED = 0;

type Run = (this: StatementSync, ...parameters: never[]) => unknown;

/** Counts, for each statement that is run, how often SQLite compiled it then. */
class Compilations {
  readonly counts = new Map<string, number>();
  readonly #prepare = DatabaseSync.prototype.prepare;
  readonly #runs = (["get", "all", "run"] as const).map((verb) =>
    [verb, StatementSync.prototype[verb] as Run] as const
  );
  readonly #watched = new WeakSet<DatabaseSync>();
  #asked = 0;

  /** Watches every connection from its next statement on. */
  watch(): this {
    const prepare = this.#prepare;
    const observe = (database: DatabaseSync): void => this.#observe(database);
    DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string): StatementSync {
      observe(this);
      return prepare.call(this, sql);
    };
    const counted = <T>(sql: string, run: () => T): T => this.#counted(sql, run);
    for (const [verb, run] of this.#runs) {
      StatementSync.prototype[verb] = function (this: StatementSync, ...parameters: never[]): unknown {
        return counted(this.sourceSQL, () => run.apply(this, parameters));
      } as never;
    }
    return this;
  }

  #observe(database: DatabaseSync): void {
    if (this.#watched.has(database)) return;
    this.#watched.add(database);
    (database as unknown as Authorized).setAuthorizer(() => {
      this.#asked++;
      return ALLOWED;
    });
  }

  #counted<T>(sql: string, run: () => T): T {
    this.#asked = 0;
    const result = run();
    if (this.#asked > 0) this.counts.set(sql, (this.counts.get(sql) ?? 0) + 1);
    return result;
  }

  [Symbol.dispose](): void {
    DatabaseSync.prototype.prepare = this.#prepare;
    for (const [verb, run] of this.#runs) StatementSync.prototype[verb] = run as never;
  }
}

const FACT = { schema: 1, text: "Pears keep until March.", source: "notes", reviewed: true } as const;
const TALK = { tenantId: "orchard", sessionId: "spring" };
const BUDGET = { maxInputTokens: 1_000, contextWindow: 8_000, maxOutputTokens: 100, retrievalReserve: 400 };

/** Runs most statements that take a number of rows. */
async function use(memory: Awaited<ReturnType<typeof openMemory>>, round: number): Promise<void> {
  const identity = { tenantId: "orchard", kind: "fact", key: `k-${round}` } as const;
  const revision = await memory.records.put(identity, FACT, {
    expectedRevision: null,
    ttl: 60,
    operationId: `${round}`,
  });
  await memory.records.get(identity);
  await memory.records.list("orchard", { limit: 2 });
  await memory.records.purge("orchard");
  const talk = memory.conversation(TALK);
  for (let turn = 0; turn < 40; turn++) {
    const content = `${turn % 3 === 0 ? "quince" : "water"} in row ${turn} of orchard ${round}`.repeat(8);
    await talk.append([{ role: "user", content }]);
  }
  const turns = await Array.fromAsync(talk.turns());
  await talk.search("where is the quince", { topK: 3 });
  await talk.assemble("where is the quince", BUDGET, { system: "Answer from the data." });
  const expectedRevision = await talk.revision();
  await talk.delete({ kind: "turn", key: turns[0]!.turnId, expectedRevision });
  await memory.records.forget(identity, revision);
  await memory.inspect();
}

Deno.test("Statements are compiled once for each connection, for any number of rows", async () => {
  using compilations = new Compilations().watch();
  await using directory = await TemporaryDirectory.make();
  await using memory = await openMemory(`${directory.path}/agent.db`);
  await use(memory, 0);
  await use(memory, 1);
  compilations.counts.clear();
  await use(memory, 2);
  await use(memory, 3);
  assert.deepEqual([...compilations.counts], []);
});

import assert from "node:assert/strict";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { type Conversation, openMemory } from "../../mod.ts";
import type { Row } from "../../src/engine/values.ts";
import type {
  SqliteConnection,
  SqliteDriver,
  SqliteOpenOptions,
} from "../../src/engines/sqlite/drivers/driver.ts";
import { STUB4 } from "../context/golden.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { SCOPE } from "./scenario.ts";
import { Writer } from "./vocabulary.ts";

/** A driver that counts statements and the rows that they return. */
class CountingDriver implements SqliteDriver {
  readonly name = "counting";
  statements = 0;
  rows = 0;

  open(path: string, options: SqliteOpenOptions): SqliteConnection {
    const inner = nodeSqlite.open(path, options);
    return {
      prepare: (sql) => {
        const statement = inner.prepare(sql);
        return {
          get: (parameters) => this.#counted(statement.get(parameters), 1),
          all: (parameters) => {
            const rows = statement.all(parameters);
            return this.#counted(rows, rows.length);
          },
          run: (parameters) => this.#counted(statement.run(parameters), 0),
        };
      },
      get isTransaction(): boolean {
        return inner.isTransaction;
      },
      close: () => inner.close(),
    };
  }

  #counted<T extends Row | readonly Row[] | number | undefined>(result: T, rows: number): T {
    this.statements++;
    this.rows += rows;
    return result;
  }
}

const COMMON = "common usual typical general standard";

/** Counts the statements and rows of one assembly, in a conversation with the rare words in ten of `turns` turns. */
async function costOf(turns: number): Promise<{ readonly statements: number; readonly rows: number }> {
  const driver = new CountingDriver();
  await using memory = await openMemory(":memory:", { driver });
  const conversation = memory.conversation(SCOPE);
  const writer = new Writer(31);
  for (let from = 0; from < turns; from += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, offset) => {
      const rare = (from + offset) % (turns / 10) === 7 ? "quixotic zephyr xylophone" : "";
      return conversation.append([{ role: "user", content: `${writer.text(12)} ${COMMON} ${rare}` }]);
    }));
  }
  await assembleOnce(conversation);
  await assembleOnce(conversation);
  const before = { statements: driver.statements, rows: driver.rows };
  await assembleOnce(conversation);
  return { statements: driver.statements - before.statements, rows: driver.rows - before.rows };
}

async function assembleOnce(conversation: Conversation): Promise<void> {
  const question = `quixotic zephyr xylophone ${COMMON}`;
  const options = { system: "S", counting: { counter: STUB4 } };
  const { context } = await conversation.assemble(
    question,
    { maxInputTokens: 900, retrievalReserve: 200 },
    options,
  );
  assert.equal(context.diagnostics.retrievedChunkIds.length > 0, true);
}

Deno.test("assemble() reads as much of a conversation of 8 000 turns as of one of 2 000", async () => {
  const small = await costOf(2_000);
  const large = await costOf(8_000);
  // In both conversations no two answers share a row of postings. A term has one more row for each block of about a
  // thousand turns.
  assert.ok(
    large.statements <= small.statements * 1.25,
    `${small.statements}, ${large.statements} statements`,
  );
  assert.ok(large.rows <= small.rows * 1.25, `${small.rows}, ${large.rows} rows`);
});

Deno.test("A question whose words are in nearly every turn is answered without reads for each turn", async () => {
  const driver = new CountingDriver();
  await using memory = await openMemory(":memory:", { driver });
  const conversation = memory.conversation(SCOPE);
  const writer = new Writer(32);
  const turns = 2_000;
  for (let from = 0; from < turns; from += 50) {
    await Promise.all(Array.from({ length: 50 }, () => {
      return conversation.append([{ role: "user", content: `${writer.text(12)} ${COMMON}` }]);
    }));
  }
  await conversation.search("usual");
  driver.statements = 0;
  const found = await conversation.search(COMMON, { topK: 5 });
  assert.equal(found.length, 5);
  assert.ok(driver.statements < turns / 2, `${driver.statements} statements`);
});

testThatNothingIsLeftOpen();

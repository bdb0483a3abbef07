/** Imports and exports that end early: by a signal, by their reader, by their source, by a failing disk. */

import assert from "node:assert/strict";
import { ConflictError, type Memory } from "@holdfast/memory";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { atNoon, ORCHARD, talk } from "../conversations/samples.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { makeFileStore } from "../kit/store_target.ts";
import { exported, fill, freshStore, held, NONE, NOTE, ONE_OF_EACH } from "./filling.ts";

/** A sample of the statements, or all of them. */
const STEP = Deno.env.get("HOLDFAST_LONG") === "1" ? 1 : 7;

async function linesOfEach(): Promise<readonly string[]> {
  await using source = await freshStore();
  await fill(source, ONE_OF_EACH);
  return await exported(source);
}

/** A source of lines that remembers whether it was ended early. */
class Source implements AsyncIterable<string> {
  closed = false;
  given = 0;
  readonly #lines: readonly string[];
  readonly #at: number;
  readonly #then: () => Promise<void>;

  constructor(lines: readonly string[], at: number, then: () => Promise<void>) {
    this.#lines = lines;
    this.#at = at;
    this.#then = then;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    try {
      for (const line of this.#lines) {
        if (this.given++ === this.#at) await this.#then();
        yield line;
      }
    } finally {
      this.closed = true;
    }
  }
}

/** Asserts that importing the same lines completes the store. */
async function assertCompletes(memory: Memory, lines: readonly string[]): Promise<void> {
  await assertIntact(memory);
  const { conflicting, refused, expired } = await memory.importLines(lines);
  assert.deepEqual({ conflicting, refused, expired }, { conflicting: NONE, refused: NONE, expired: NONE });
  assert.equal(held(await exported(memory)), held(lines));
}

Deno.test("An import whose signal is aborted rejects with its reason, and can be repeated", async () => {
  const lines = await linesOfEach();
  for (const at of [0, 3, 5, lines.length - 1]) {
    await using memory = await freshStore();
    const controller = new AbortController();
    const source = new Source(lines, at, () => Promise.resolve(controller.abort("enough")));
    await assert.rejects(
      memory.importLines(source, { signal: controller.signal }),
      (reason) => reason === "enough",
    );
    assert.equal(source.closed, true);
    await assertCompletes(memory, lines);
  }
});

Deno.test("An abort ends the wait for a line that never comes", async () => {
  const lines = await linesOfEach();
  await using memory = await freshStore();
  const controller = new AbortController();
  const source = new Source(lines, 4, () => {
    queueMicrotask(() => controller.abort("enough"));
    return new Promise(() => {});
  });
  await assert.rejects(
    memory.importLines(source, { signal: controller.signal }),
    (reason) => reason === "enough",
  );
  await assertCompletes(memory, lines);
});

Deno.test("An aborted signal keeps the first line from being requested", async () => {
  await using memory = await freshStore();
  const source = new Source(["x"], 9, () => Promise.resolve());
  await assert.rejects(
    memory.importLines(source, { signal: AbortSignal.abort("no") }),
    (reason) => reason === "no",
  );
  assert.equal(source.given, 0);
  await assert.rejects(
    Array.fromAsync(memory.exportLines({ signal: AbortSignal.abort("no") })),
    (reason) => reason === "no",
  );
});

Deno.test("The error of a source is rethrown unchanged; after an invalid line the source is ended", async () => {
  const lines = await linesOfEach();
  await using memory = await freshStore();
  const failing = new Source(lines, 5, () => Promise.reject(new RangeError("the pipe broke")));
  await assert.rejects(memory.importLines(failing), RangeError);
  const own = new ConflictError("SNAPSHOT", "the scope changed");
  const refusing = new Source(lines, 5, () => Promise.reject(own));
  await assert.rejects(memory.importLines(refusing), (error) => error === own);
  const bad = new Source([lines[0]!, "{}", lines[1]!], 9, () => Promise.resolve());
  await assert.rejects(memory.importLines(bad), { code: "CONTRACT", field: "type" });
  assert.deepEqual({ closed: bad.closed, given: bad.given }, { closed: true, given: 2 });
  await assertCompletes(memory, lines);
});

Deno.test("An export whose reader stops early holds nothing open", async () => {
  await using store = await makeFileStore(new FaultyDriver(nodeSqlite));
  const memory = await store.open({ ...atNoon(), kinds: [NOTE] });
  await fill(memory, ONE_OF_EACH);
  for await (const line of memory.exportLines()) {
    assert.equal(store.raw().isTransaction, false, "a transaction is open while a line is held");
    if (JSON.parse(line).type === "turn") break;
  }
  await memory.prune();
  assert.equal(store.raw().isTransaction, false);
});

Deno.test("An import whose disk fails at any statement can be repeated, and makes the same store", async () => {
  const lines = await linesOfEach();
  for (const [code, effect] of [[RESULT.FULL, "before"], [RESULT.IOERR, "after"]] as const) {
    let struck = true;
    for (let skip = 0; struck; skip += STEP) {
      await using store = await makeFileStore(new FaultyDriver(nodeSqlite));
      const memory = await store.open({ ...atNoon(), kinds: [NOTE] });
      store.driver.fail({ database: "main", verbs: ["run", "get", "all"], skip, effect, code });
      struck = false;
      await memory.importLines(lines).catch((error) => {
        struck = true;
        assert(["FULL", "IO"].includes((error as { code: string }).code), `${error}`);
      });
      store.driver.heal();
      await memory.close();
      const again = await store.open({ ...atNoon(), kinds: [NOTE] });
      await assertCompletes(again, lines);
    }
  }
});

Deno.test("A store that was opened read-only exports, and refuses an import before it requests the first line", async () => {
  await using store = await makeFileStore(new FaultyDriver(nodeSqlite));
  const memory = await store.open({ ...atNoon(), kinds: [NOTE] });
  await fill(memory, ONE_OF_EACH);
  const lines = await exported(memory);
  await memory.close();
  const reader = await store.open({ ...atNoon(), readOnly: true });
  assert.equal(held(await exported(reader)), held(lines));
  const source = new Source(lines, 99, () => Promise.resolve());
  await assert.rejects(reader.importLines(source), { code: "READONLY" });
  assert.equal(source.given, 0);
  assert.deepEqual((await reader.inspect()).scopes.length, 2);
});

Deno.test("After close() an export, an import and an inspection reject with CLOSED", async () => {
  const memory = await freshStore();
  const lines = await linesOfEach();
  await memory.close();
  await assert.rejects(Array.fromAsync(memory.exportLines()), { code: "CLOSED" });
  await assert.rejects(memory.importLines(lines), { code: "CLOSED" });
  await assert.rejects(memory.inspect(), { code: "CLOSED" });
});

Deno.test("Lines imported twice at once are stored once", async () => {
  const lines = await linesOfEach();
  await using memory = await freshStore();
  const reports = await Promise.all([memory.importLines(lines), memory.importLines(lines)]);
  for (const sort of ["records", "turns", "pins", "summaries"] as const) {
    assert.equal(
      reports[0].imported[sort] + reports[1].imported[sort],
      reports[0].unchanged[sort] + reports[1].unchanged[sort],
    );
  }
  assert.equal(held(await exported(memory)), held(lines));
  await talk(memory, [], ORCHARD);
  await assertIntact(memory);
});

testThatNothingIsLeftOpen();

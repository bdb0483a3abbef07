/**
 * Every statement of a deletion, an expiry and a scrub is made to fail: before or after its effect, once. Whatever the
 * caller is told, the store holds that, and no half of it. `HOLDFAST_LONG=1` runs every way at every statement.
 */

import assert from "node:assert/strict";
import { RESULT } from "../../src/engine/sqlite/result_codes.ts";
import { ORCHARD, readIds } from "../conversations/samples.ts";
import { type DriverCall, type Fault, STATEMENT_VERBS } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import type { DatabaseDump } from "../kit/store_dump.ts";
import {
  makeImage,
  OPERATIONS,
  REVISION,
  type StoreImage,
  type StruckOperation,
  StruckStore,
} from "./struck.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";

type Way = Pick<Fault, "effect" | "code" | "transaction">;

const WAYS: readonly Way[] = (["before", "after"] as const).flatMap((effect): Way[] => [
  { effect, code: RESULT.IOERR },
  { effect, code: RESULT.FULL },
  { effect, code: RESULT.FULL, transaction: "kept" },
  { effect, code: RESULT.BUSY },
]);

/** Each statement is struck in one way, another for each in turn; in a long run in every way. */
function waysAt(place: number): readonly Way[] {
  return LONG ? WAYS : [WAYS[(place * 3) % WAYS.length]!];
}

interface Honest {
  readonly trace: readonly DriverCall[];
  readonly before: DatabaseDump;
  readonly after: DatabaseDump;
}

let image: Promise<StoreImage> | null = null;

async function fresh(): Promise<StruckStore> {
  image ??= makeImage();
  return await StruckStore.make(await image);
}

/** What an operation does when nothing fails. */
async function runHonestly({ second, run }: StruckOperation): Promise<Honest> {
  await using store = await fresh();
  const before = await store.inspect(0);
  const memory = await store.open(second);
  store.driver.startTrace();
  await run(memory);
  const trace = store.driver.stopTrace().filter(({ verb }) => STATEMENT_VERBS.includes(verb));
  await memory.close();
  return { trace, before, after: await store.inspect(second) };
}

/** How a call ended: its error, or null. */
async function errorOf(
  call: Promise<unknown>,
): Promise<{ code?: string; details?: Record<string, unknown> } | null> {
  try {
    await call;
    return null;
  } catch (error) {
    return error as { code?: string; details?: Record<string, unknown> };
  }
}

async function strike(operation: StruckOperation, honest: Honest, place: number, way: Way): Promise<void> {
  await using store = await fresh();
  const { database } = honest.trace[place]!;
  const skip = honest.trace.slice(0, place).filter((call) => call.database === database).length;
  const memory = await store.open(operation.second);
  store.driver.fail({ ...way, database, skip, verbs: STATEMENT_VERBS });
  const error = await errorOf(operation.run(memory));
  assert.equal(store.driver.struck.length, 1, "nothing was struck");
  store.driver.heal();
  await memory.close();
  const found = await store.inspect(operation.second === 0 ? 0 : 60);
  assertHolds(found, honest, { operation, error, way });
}

function assertHolds(
  found: DatabaseDump,
  honest: Honest,
  { operation, error, way }: {
    readonly operation: StruckOperation;
    readonly error: Awaited<ReturnType<typeof errorOf>>;
    readonly way: Way;
  },
): void {
  if (operation.second > 0 || error === null) return assert.deepEqual(found, honest.after);
  if (error.details?.recorded !== undefined) return assert.deepEqual(found, honest.after);
  assert(way.code !== RESULT.BUSY, "a lock that was held once reached the caller");
  assert(error.code === "IO" || error.code === "FULL", `an error that fits: ${error.code}`);
  if (error.details?.outcome !== "unknown") return assert.deepEqual(found, honest.before);
  assert([honest.before, honest.after].some((each) => isEqual(found, each)), "neither before nor after");
}

function isEqual(left: DatabaseDump, right: DatabaseDump): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

for (const operation of OPERATIONS) {
  Deno.test(`Whichever statement of ${operation.name} fails, the caller is told and nothing is there by halves`, async () => {
    const honest = await runHonestly(operation);
    assert(honest.trace.length > 15, `${honest.trace.length} statements`);
    const failures: string[] = [];
    for (const [place, { database, sql }] of honest.trace.entries()) {
      for (const way of waysAt(place)) {
        try {
          await strike(operation, honest, place, way);
        } catch (error) {
          const what = `${database} ${sql?.replace(/\s+/g, " ").slice(0, 60)}`;
          failures.push(`${JSON.stringify(way)} at ${place}: ${what}\n${(error as Error).stack}`);
        }
      }
    }
    assert.equal(failures.length, 0, `${failures.length} cases:\n${failures.join("\n")}`);
  });
}

Deno.test("Whichever statement of a scrub fails, nothing is lost, and the next scrub is complete", async () => {
  const trace = await traceOfScrub();
  assert(trace.length > 40, `${trace.length} statements`);
  const failures: string[] = [];
  for (const [place, { database, sql }] of trace.entries()) {
    if (!LONG && place % 3 !== 0) continue;
    for (const way of waysAt(place)) {
      try {
        await strikeScrub(trace, place, way);
      } catch (error) {
        failures.push(`${JSON.stringify(way)} at ${place}: ${database} ${sql}\n${(error as Error).stack}`);
      }
    }
  }
  assert.equal(failures.length, 0, `${failures.length} cases:\n${failures.join("\n")}`);
});

/** A store in which every table of conversations is due for a rewrite. */
async function scrubbable(): Promise<StruckStore> {
  const store = await fresh();
  const memory = await store.open(0);
  const conversation = memory.conversation(ORCHARD);
  await conversation.delete({ kind: "turn", key: "t1", expectedRevision: REVISION });
  await memory.close();
  return store;
}

async function traceOfScrub(): Promise<readonly DriverCall[]> {
  await using store = await scrubbable();
  const memory = await store.open(0);
  store.driver.startTrace();
  assert.equal((await memory.prune()).scrub?.complete, true);
  const trace = store.driver.stopTrace().filter(({ verb }) => STATEMENT_VERBS.includes(verb));
  await memory.close();
  return trace;
}

async function strikeScrub(trace: readonly DriverCall[], place: number, way: Way): Promise<void> {
  await using store = await scrubbable();
  const { database } = trace[place]!;
  const skip = trace.slice(0, place).filter((call) => call.database === database).length;
  const before = store.content();
  const memory = await store.open(0);
  store.driver.fail({ ...way, database, skip, verbs: STATEMENT_VERBS });
  const error = await errorOf(memory.prune());
  assert(
    error === null || error.code === "IO" || error.code === "FULL" || error.code === "BUSY",
    error?.code,
  );
  store.driver.heal();
  assert.deepEqual(store.content(), before, "a scrub changes no row");
  await memory.close();
  const again = await store.open(0);
  try {
    assert.equal((await again.prune()).scrub?.complete, true);
    assert.deepEqual(await readIds(again.conversation(ORCHARD)), ["t2", "t3"]);
    assert.deepEqual((await again.check()).problems, []);
  } finally {
    await again.close();
  }
  assert.deepEqual(store.content(), before, "a scrub after a failed one changes no row");
}

testThatNothingIsLeftOpen();

/**
 * A caller's code may call the store from wherever the store runs it. Each public operation is made, and from each of its
 * callbacks each public method is called. Both do what they promise, and nothing is left half-written. `HOLDFAST_LONG=1`
 * makes each method's call from every callback of each operation; else each callback makes some of the calls.
 */

import assert from "node:assert/strict";
import { type Memory, openMemory } from "@holdfast/memory";
import { COUNTER } from "../../src/testing/records/record_samples.ts";
import { publicMethods } from "../faults/public_operations.ts";
import { type Ending, endingOf, type StoreImage } from "../faults/struck_store.ts";
import { assertIntact, testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";
import { Callbacks, type Source, SOURCES } from "./callbacks.ts";
import { arrange, type Arranged, INNER_CALLS, INNER_TENANT, prepareInner } from "./inner_calls.ts";
import { OUTER_CALLS, type OuterCall } from "./outer_calls.ts";
import { WatchedDriver } from "./watched_driver.ts";

const RUNS_ALL = Deno.env.get("HOLDFAST_LONG") === "1";

/** What became of an outer call, and of the store. */
interface Run {
  readonly ending: Ending;
  readonly called: readonly Source[];
  readonly state: readonly string[];
}

async function imageOf(outer: OuterCall): Promise<StoreImage> {
  await using directory = await TemporaryDirectory.makeInMemory();
  const path = directory.file("agent.db");
  const { memory } = await openWatched(path, "formerKind");
  await outer.prepare(memory);
  await prepareInner(memory);
  await memory.close();
  return [await Deno.readFile(path), await Deno.readFile(`${path}.deletions`)];
}

async function openWatched(
  path: string,
  kind: "kind" | "formerKind",
): Promise<{ readonly memory: Memory; readonly callbacks: Callbacks; readonly driver: WatchedDriver }> {
  const driver = new WatchedDriver();
  const callbacks = new Callbacks(driver);
  const { clock, onEvent } = callbacks;
  const kinds = [callbacks[kind], COUNTER];
  return { memory: await openMemory(path, { driver, clock, onEvent, kinds }), callbacks, driver };
}

/** Makes an outer call; its callback with a number makes an inner one. */
async function run(
  outer: OuterCall,
  image: StoreImage,
  { at, method }: { readonly at: number; readonly method: string | null },
): Promise<Run> {
  await using directory = await TemporaryDirectory.makeInMemory();
  const path = directory.file("agent.db");
  await Deno.writeFile(path, image[0], { mode: 0o600 });
  await Deno.writeFile(`${path}.deletions`, image[1], { mode: 0o600 });
  const { memory, callbacks } = await openWatched(path, "kind");
  try {
    const arranged = await arrange(memory, directory.file("inner.db"));
    callbacks.laterMs = outer.laterMs ?? 0;
    let second: Promise<Ending> | null = null;
    callbacks.watch(at, () => {
      second = endingOf(INNER_CALLS[method!]!.call(arranged));
    });
    const ending = await endingOf(outer.run(memory, callbacks));
    callbacks.stop();
    assert.deepEqual(callbacks.inside, [], "run while a transaction is open");
    if (method !== null) {
      assert(second !== null, "the callback did not come");
      await assertPromised(await second, arranged, { outer, method });
    }
    await memory.close();
    return { ending, called: callbacks.called, state: await stateOf(path, callbacks.laterMs) };
  } finally {
    await memory.close();
  }
}

async function assertPromised(
  ending: Ending,
  arranged: Arranged,
  { outer, method }: { readonly outer: OuterCall; readonly method: string },
): Promise<void> {
  if (ending.kind === "resolved") {
    if (outer.closes !== true) await INNER_CALLS[method]!.promised(ending.value as never, arranged);
    return;
  }
  const why = labelOf(ending.error);
  const allowed = [
    ...(outer.closes === true ? ["CLOSED"] : []),
    ...((outer.laterMs ?? 0) < 0 ? ["CONFLICT CLOCK"] : []),
  ];
  if (!allowed.includes(why)) throw ending.error;
}

function labelOf(error: unknown): string {
  const { code, reason = "" } = error as { readonly code?: string; readonly reason?: string };
  if (code === undefined) throw error;
  return `${code} ${reason}`.trim();
}

/** What a store says of all tenants but that of the inner calls, once what has expired is erased; and that it is sound. */
async function stateOf(path: string, laterMs: number): Promise<readonly string[]> {
  const { memory, callbacks } = await openWatched(path, "kind");
  callbacks.laterMs = laterMs;
  try {
    await assertIntact(memory);
    await memory.prune({ scrub: false });
    const lines = await Array.fromAsync(memory.exportLines({ includeContent: true }));
    await assertIntact(memory);
    return lines.slice(1, -1).filter(concernsOthers()).map(withoutCounter);
  } finally {
    await memory.close();
  }
}

/** Whether a line is of another tenant than the inner calls'; lines of journals do not name theirs. */
function concernsOthers(): (line: string) => boolean {
  let isInner = false;
  return (line) => {
    if (line.startsWith('{"type":"scope"')) isInner = line.includes(INNER_TENANT);
    return !isInner && !line.includes(INNER_TENANT);
  };
}

/** A record's revision comes from the count of the whole store, which other calls move. */
function withoutCounter(line: string): string {
  const { revision, type, sequence, ...rest } = JSON.parse(line);
  if (type === "mark") return "mark";
  return JSON.stringify({ type, ...rest, ...(type === "record" ? {} : { revision, sequence }) });
}

function outlineOf({ ending }: Pick<Run, "ending">): string {
  return ending.kind === "resolved" ? "resolved" : labelOf(ending.error);
}

Deno.test("CLK-01 Every public method has a call that is made from inside others", () => {
  assert.deepEqual(Object.keys(INNER_CALLS).toSorted(), publicMethods().toSorted());
});

const METHODS = Object.keys(INNER_CALLS);
const reached = new Set<Source>();

for (const [number, outer] of OUTER_CALLS.entries()) {
  Deno.test(`CLK-01 ${outer.name}: a call from inside it and the call itself do what they promise`, async () => {
    const image = await imageOf(outer);
    const alone = await run(outer, image, { at: Infinity, method: null });
    for (const source of alone.called) reached.add(source);
    const callbacks = alone.called.length;
    assert(callbacks > 0, "no callback came");
    for (const [index, method] of METHODS.entries()) {
      for (let at = 0; at < callbacks; at++) {
        if (!RUNS_ALL && (index % 4 !== number % 4 || at !== (index >> 2) % callbacks)) continue;
        const where = `${method} from callback ${at}, ${alone.called[at]}`;
        const both = await run(outer, image, { at, method }).catch((cause) => {
          throw new Error(where, { cause });
        });
        if (method === "Memory.close" && outlineOf(both) !== outlineOf(alone)) {
          assert.equal(outlineOf(both), "CLOSED", where);
          continue;
        }
        assert.equal(outlineOf(both), outlineOf(alone), where);
        assert.deepEqual(both.state, alone.state, where);
      }
    }
  });
}

Deno.test("CLK-01 a call that is made while a transaction is open waits until it has ended", async () => {
  for (const [index, method] of METHODS.entries()) {
    await using directory = await TemporaryDirectory.makeInMemory();
    const { memory, driver } = await openWatched(directory.file("agent.db"), "kind");
    await prepareInner(memory);
    const arranged = await arrange(memory, directory.file("inner.db"));
    const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
    const made: Promise<Ending>[] = [];
    let left = index % 5;
    driver.onStatement = () => {
      if (driver.openTransactions === 0 || made.length > 0 || left-- > 0) return;
      made.push(endingOf(INNER_CALLS[method]!.call(arranged)));
    };
    const { turnId, revision } = await conversation.append([{ role: "user", content: "rain" }]);
    const [ending] = await Promise.all(made);
    driver.onStatement = null;
    assert(ending?.kind === "resolved", method);
    if (method === "Memory.close") continue;
    await INNER_CALLS[method]!.promised(ending.value as never, arranged);
    const [turn] = await Array.fromAsync(conversation.turns());
    assert.deepEqual([turn?.turnId, await conversation.revision()], [turnId, revision], method);
    await assertIntact(memory);
    await memory.close();
  }
});

Deno.test("CLK-01 a store in memory reports the progress of its backup after its transaction", async () => {
  await using directory = await TemporaryDirectory.makeInMemory();
  const { memory, callbacks } = await openWatched(":memory:", "kind");
  await prepareInner(memory);
  let reports = 0;
  const onProgress = (): void => {
    reports++;
    callbacks.onProgress();
  };
  await memory.backup(directory.file("copy.db"), { onProgress });
  assert(reports > 3);
  assert.deepEqual(callbacks.inside, []);
  await memory.close();
});

Deno.test("CLK-01 Every way in which a caller's code runs was tried", () => {
  assert.deepEqual([...reached].toSorted(), [...SOURCES].toSorted());
});

testThatNothingIsLeftOpen();

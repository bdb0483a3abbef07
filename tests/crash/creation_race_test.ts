/** Several processes create one store while some of them die in the middle of it. */

import assert from "node:assert/strict";
import { ObservedStore } from "../model/records/observed_store.ts";
import { Seeded } from "../model/records/seeded.ts";
import { NOW } from "./errand.ts";
import { assertChain } from "./inspect.ts";
import { type Ending, runChild } from "./kill.ts";
import { CREATION_STEPS } from "./named_steps.ts";
import type { Strike } from "./strike.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const ROUNDS = LONG ? 60 : 8;
const PROCESSES = 5;
const DYING = 3;
const SEED = Number(Deno.env.get("HOLDFAST_CRASH_SEED") ?? Date.now() % 1_000_000);

Deno.test(`In ${ROUNDS} rounds of ${PROCESSES} processes that create one store, ${DYING} of which die, the others finish it`, async () => {
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-crash-" });
  const seeded = new Seeded(SEED);
  let kills = 0;
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const strikes = Array.from(
        { length: PROCESSES },
        (_, index) => index < DYING ? drawStrike(seeded) : null,
      );
      try {
        kills += await createTogether(`${directory}/round-${round}/agent.db`, seeded.shuffled(strikes));
      } catch (error) {
        const { message, stack } = error as Error;
        const where = `seed ${SEED}, round ${round + 1}, strikes ${JSON.stringify(strikes)}`;
        throw new assert.AssertionError({ message: `${where}: ${message}\n${stack}` });
      }
    }
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
  assert.ok(kills > 0);
  Deno.stdout.writeSync(new TextEncoder().encode(`seed ${SEED}: ${kills} kills\n`));
});

function drawStrike(seeded: Seeded): Strike {
  const { on, what, nth } = seeded.pick(CREATION_STEPS);
  return { on, what, nth, when: seeded.chance(0.5) ? "before" : "after" };
}

/** Returns how many of them were killed; a step that another process did first is not reached. */
async function createTogether(path: string, strikes: readonly (Strike | null)[]): Promise<number> {
  const errand = {
    path,
    script: "creation",
    seed: 0,
    firstCall: 0,
    refusal: null,
    trace: false,
    old: false,
  } as const;
  const endings = await Promise.all(
    strikes.map((strike, cycle) => runChild({ ...errand, cycle, strike }, null)),
  );
  for (const [index, { lines, signal }] of endings.entries()) {
    if (signal !== "SIGKILL") assert.deepEqual(lines.at(-1), { type: "end" }, `process ${index}`);
    else assert.notEqual(strikes[index], null);
  }
  const store = await ObservedStore.open({ file: path }, { clock: () => NOW * 1_000 });
  try {
    assertChain(store);
    assertAcknowledged(store, endings);
    assert.deepEqual((await store.memory.check()).problems, []);
  } finally {
    await store.memory.close();
  }
  return endings.filter(({ signal }) => signal === "SIGKILL").length;
}

/** All of them put one record: the newest acknowledged revision is the stored one. */
function assertAcknowledged(store: ObservedStore, endings: readonly Ending[]): void {
  const lines = endings.flatMap((ending) => ending.lines);
  const revisions = lines.flatMap((line) => line.type === "ack" ? [Number(line.result)] : []);
  const intents = lines.filter(({ type }) => type === "intent").length;
  assert.equal(new Set(revisions).size, revisions.length, "no revision was issued twice");
  const [[counter]] = store.main("SELECT counter FROM meta") as [[number]];
  assert.ok(counter >= Math.max(0, ...revisions) && counter <= intents);
  const found = store.main("SELECT revision FROM records");
  assert.deepEqual(found, counter === 0 ? [] : [[counter]]);
}

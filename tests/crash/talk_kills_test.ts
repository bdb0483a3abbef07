/**
 * A child that appends messages with files, pins, indexes, searches, keeps replays, deletes turns, pins and scopes, prunes and scrubs is
 * killed repeatedly on the same stores: at named statements, and at random moments. `HOLDFAST_LONG=1` kills some
 * thousand times; `HOLDFAST_CRASH_SEED` repeats one seed's calls, but not its exact moments.
 */

import assert from "node:assert/strict";
import { Seeded } from "../model/records/seeded.ts";
import { assertChain } from "./inspect.ts";
import { inLanes, type Moment, runProgram } from "./kill.ts";
import { ObservedStore } from "../model/records/observed_store.ts";
import type { Strike } from "./strike.ts";
import { type TalkErrand, type TalkLine, timeOf } from "./talk.ts";
import { TalkTruth } from "./talk_truth.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const SEED = Number(Deno.env.get("HOLDFAST_CRASH_SEED") ?? Date.now() % 1_000_000);
const LANES = 2;

/** Kills of one lane at random moments, in addition to those at named statements. */
const RANDOM_KILLS = LONG ? 460 : 16;

const CHILD = new URL("./talk_child.ts", import.meta.url).pathname;

/** The statements at which children die, before and after each. */
const STEPS: readonly (readonly [on: "main" | "ledger", what: string])[] = [
  ["main", "INSERT INTO turns"],
  ["main", "INSERT INTO media_pieces"],
  ["main", "INSERT INTO media_refs"],
  ["main", "DELETE FROM media_pieces"],
  ["main", "DELETE FROM media_refs"],
  ["main", "INSERT INTO chunk_indexes"],
  ["main", "INSERT INTO indexed_turns"],
  ["main", "INSERT INTO index_terms"],
  ["main", "INSERT INTO postings"],
  ["main", "UPDATE chunk_indexes"],
  ["main", "DELETE FROM index_terms"],
  ["main", "DELETE FROM postings"],
  ["main", "DELETE FROM chunk_indexes"],
  ["main", "INSERT INTO replays"],
  ["main", "INSERT INTO floors"],
  ["main", "DELETE FROM turns"],
  ["main", "DELETE FROM pins"],
  ["main", "DELETE FROM scopes"],
  ["ledger", "INSERT INTO events"],
  ["ledger", "COMMIT"],
  ["main", "INSERT INTO deletions"],
  ["main", "INSERT INTO rewritten"],
  ["main", "DROP TABLE"],
  ["main", "ALTER TABLE"],
  ["main", "PRAGMA incremental_vacuum"],
  ["main", "PRAGMA wal_checkpoint"],
  ["ledger", "PRAGMA wal_checkpoint"],
];

/** How one child dies. */
interface Death {
  readonly strike: Strike | null;
  readonly moment: Moment<TalkLine> | null;
}

function deathsOf(seeded: Seeded, lane: number): readonly Death[] {
  const named = STEPS.flatMap(([on, what], index): Death[] => {
    if (index % LANES !== lane) return [];
    return (["before", "after"] as const).map((when) => ({
      strike: { on, what, nth: seeded.integer(1, 3), when },
      moment: null,
    }));
  });
  const random = Array.from({ length: RANDOM_KILLS }, (): Death => ({
    strike: null,
    moment: { lines: seeded.integer(2, 80), delayMs: seeded.integer(0, 80) / 10 },
  }));
  return seeded.shuffled([...named, ...random]);
}

interface Tally {
  kills: number;
  ended: number;
  applied: number;
  absent: number;
  acknowledged: Record<string, number>;
}

async function killAgainAndAgain(path: string, lane: number, tally: Tally): Promise<void> {
  const seeded = new Seeded(SEED + lane);
  const truth = new TalkTruth();
  for (const [cycle, { strike, moment }] of deathsOf(seeded, lane).entries()) {
    truth.advance(timeOf(cycle));
    const errand: TalkErrand = {
      path,
      seed: seeded.integer(0, 2 ** 31),
      cycle,
      scopes: truth.scopes,
      strike,
    };
    try {
      const { lines, signal } = await runProgram<TalkLine>(CHILD, errand, moment);
      for (const line of lines) truth.hear(line);
      if (signal === "SIGKILL") tally.kills++;
      else tally.ended++;
      await verify(path, cycle, truth, tally);
    } catch (error) {
      const { message, stack } = error as Error;
      const where = `seed ${SEED}, lane ${lane}, kill ${cycle + 1}, ${JSON.stringify({ strike, moment })}`;
      throw new assert.AssertionError({ message: `${where}: ${message}\n${stack}` });
    }
  }
  for (const [op, count] of Object.entries(truth.acknowledged)) {
    tally.acknowledged[op] = (tally.acknowledged[op] ?? 0) + count;
  }
}

/** Opens what a child left, and verifies everything. */
async function verify(path: string, cycle: number, truth: TalkTruth, tally: Tally): Promise<void> {
  const store = await ObservedStore.open({ file: path }, { clock: () => timeOf(cycle) });
  try {
    assertChain(store);
    const happened = await truth.settle(store.memory);
    if (happened !== null) tally[happened ? "applied" : "absent"]++;
    await truth.assertKept(store.memory);
    assert.deepEqual((await store.memory.check()).problems, []);
  } finally {
    await store.memory.close();
  }
  truth.assertScrubbed([Deno.readFileSync(path), Deno.readFileSync(`${path}.deletions`)]);
}

Deno.test(`A store of conversations survives ${LANES * RANDOM_KILLS + 2 * STEPS.length} kills at named statements and random moments with all that was acknowledged, and nothing that was deleted`, async () => {
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-crash-" });
  const tally: Tally = { kills: 0, ended: 0, applied: 0, absent: 0, acknowledged: {} };
  try {
    const lanes = Array.from({ length: LANES }, (_, lane) => lane);
    await inLanes(lanes, LANES, (lane) => killAgainAndAgain(`${directory}/lane-${lane}.db`, lane, tally));
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
  Deno.stdout.writeSync(new TextEncoder().encode(`seed ${SEED}: ${JSON.stringify(tally)}\n`));
  assert.ok(tally.kills >= (LONG ? 900 : 70), `${tally.kills} kills`);
  assert.ok(tally.applied > 0 && tally.absent > 0);
  assert.deepEqual(Object.keys(tally.acknowledged).length, 11, "every kind of call was acknowledged");
});

/**
 * A child that puts, updates, forgets, revokes and purges is killed at random moments, repeatedly on the same stores.
 * `HOLDFAST_LONG=1` kills more often; `HOLDFAST_CRASH_SEED` repeats one seed's calls, but not its exact moments.
 */

import assert from "node:assert/strict";
import { nodeSqlite } from "@holdfast/memory";
import { oldLibrary } from "../contention/old_library.ts";
import { Seeded } from "../model/records/seeded.ts";
import { verify } from "./inspect.ts";
import { inLanes, runChild } from "./kill.ts";
import { Truth } from "./truth.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const SEED = Number(Deno.env.get("HOLDFAST_CRASH_SEED") ?? Date.now() % 1_000_000);
const LANES = 2;
const KILLS = LONG ? 200 : 50;
const KILLS_OLD = LONG ? 60 : 10;

interface Tally {
  kills: number;
  acknowledged: number;
  refused: number;
  applied: number;
  absent: number;
  completed: number;
  repeated: number;
}

/** Kills children of a few stores repeatedly, one store for each lane. */
async function killInLanes(killsPerLane: number, old: boolean): Promise<Tally> {
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-crash-" });
  const tally: Tally = {
    kills: 0,
    acknowledged: 0,
    refused: 0,
    applied: 0,
    absent: 0,
    completed: 0,
    repeated: 0,
  };
  try {
    const lanes = Array.from({ length: LANES }, (_, lane) => SEED + lane);
    await inLanes(
      lanes,
      LANES,
      (seed, lane) =>
        killAgainAndAgain({ path: `${directory}/lane-${lane}.db`, seed, kills: killsPerLane, old }, tally),
    );
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
  assert.ok(tally.acknowledged > tally.kills && tally.refused > 0 && tally.applied + tally.absent > 0);
  tell(`seed ${SEED}: ${JSON.stringify(tally)}`);
  return tally;
}

Deno.test(`A store survives ${LANES * KILLS} kills at random moments with every acknowledged effect and no refused one`, async () => {
  const { kills } = await killInLanes(KILLS, false);
  assert.equal(kills, LANES * KILLS);
});

Deno.test(`A store with a rollback journal survives ${LANES * KILLS_OLD} kills at random moments likewise`, async () => {
  const { kills } = await killInLanes(KILLS_OLD, true);
  assert.equal(kills, LANES * KILLS_OLD);
});

interface Lane {
  readonly path: string;
  readonly seed: number;
  readonly kills: number;
  readonly old: boolean;
}

async function killAgainAndAgain({ path, seed, kills, old }: Lane, tally: Tally): Promise<void> {
  const seeded = new Seeded(seed);
  const truth = new Truth();
  for (let cycle = 0; cycle < kills; cycle++) {
    // One in six dies while it opens; the others in the middle of their calls.
    const lines = seeded.chance(1 / 6) ? 1 : seeded.integer(3, 120);
    const moment = { lines, delayMs: seeded.integer(0, 60) / 10 };
    const errand = {
      path,
      script: "mixed",
      seed: seeded.integer(0, 2 ** 31),
      cycle,
      firstCall: truth.nextCall,
      strike: null,
      refusal: null,
      trace: false,
      old,
    } as const;
    try {
      const look = await verify(path, truth, await runChild(errand, moment), old ? oldLibrary : nodeSqlite);
      tally.kills++;
      tally.applied += look.applied;
      tally.absent += look.absent;
      tally.completed += look.completed;
      tally.repeated += look.repeatable.length;
    } catch (error) {
      throw failure(`seed ${seed}, kill ${cycle + 1} after ${lines} lines and ${moment.delayMs} ms`, error);
    }
  }
  tally.acknowledged += truth.acknowledged;
  tally.refused += truth.refused;
}

function failure(where: string, error: unknown): Error {
  const { message, stack } = error as Error;
  return new assert.AssertionError({ message: `${where}: ${message}\n${stack}` });
}

function tell(text: string): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${text}\n`));
}

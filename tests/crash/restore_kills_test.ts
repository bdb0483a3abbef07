/**
 * A child that works on a store, backs it up, restores backups and continues in the restored store, and moves lines
 * to and from another store is killed repeatedly: at named steps, and at random moments. `HOLDFAST_LONG=1` does so
 * before every single call of a restore; `HOLDFAST_CRASH_SEED` repeats one seed's calls, but not its exact moments.
 */

import assert from "node:assert/strict";
import { nodeSqlite, openMemory } from "@holdfast/memory";
import { oldLibrary } from "../contention/old_library.ts";
import { Seeded } from "../model/records/seeded.ts";
import { inLanes, type Moment, runProgram } from "./kill.ts";
import { FIRST, type LineageErrand, type LineageLine, type Op } from "./lineage.ts";
import { LineageLook } from "./lineage_look.ts";
import { LineageTruth } from "./lineage_truth.ts";
import { BACKUP_STEPS, IMPORT_STEPS, RESTORE_STEPS } from "./restore_steps.ts";
import type { Strike } from "./strike.ts";
import { timeOf } from "./talk.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const SEED = Number(Deno.env.get("HOLDFAST_CRASH_SEED") ?? Date.now() % 1_000_000);
const RANDOM_KILLS = LONG ? 100 : 8;
const CHILD = new URL("./lineage_child.ts", import.meta.url).pathname;

/** One lane for each way of keeping a journal. */
const LANES = [
  { name: "log", old: false },
  { name: "journal", old: true },
] as const;

/** How one child dies. */
interface Death {
  readonly aim: Op | null;
  readonly strike: Strike | null;
  readonly moment: Moment<LineageLine> | null;
}

const SIDES = ["before", "after"] as const;
const STEPS = [...RESTORE_STEPS, ...BACKUP_STEPS, ...IMPORT_STEPS];

/** The first step of each, which every run reaches. */
const FIRST_STEPS = STEPS.filter(({ aim }, index) => STEPS.findIndex((other) => other.aim === aim) === index);

/**
 * In the gate each lane takes half of the steps, and one side of each, as the seed decides, and the first steps; in the
 * long run all.
 */
function namedDeaths(seeded: Seeded, lane: number): Death[] {
  const half = new Seeded(SEED).shuffled(STEPS).filter((_, index) => index % 2 === lane);
  const steps = LONG ? STEPS : [...new Set([...FIRST_STEPS, ...half])];
  return steps.flatMap(({ aim, on, what, nth }) =>
    (LONG ? SIDES : [seeded.pick(SIDES)]).map((when) => ({
      aim,
      strike: { on, what, nth, when },
      moment: null,
    }))
  );
}

/** Before each of so many calls, which is also after the one before. */
function everyDeath(calls: number): Death[] {
  return Array.from({ length: calls }, (_, index) => ({
    aim: "restore",
    strike: { on: null, what: "", nth: index + 1, when: "before" },
    moment: null,
  }));
}

/** Most moments are in calls that take long and change more than one file. */
function randomDeath(seeded: Seeded): Death {
  const aim = seeded.weighted<Op | null>([[4, "restore"], [2, "backup"], [2, "import"], [2, null]]);
  const counts = aim === null
    ? undefined
    : (line: LineageLine): boolean => line.type === "intent" && line.call.op === aim;
  const lines = aim === null ? seeded.integer(2, 60) : 1;
  const delayMs = seeded.integer(0, aim === null ? 80 : 600) / 10;
  return { aim, strike: null, moment: { lines, delayMs, ...(counts === undefined ? {} : { counts }) } };
}

interface Tally {
  kills: number;
  ended: number;
  applied: number;
  absent: number;
  restores: number;
  /** Kills in the middle of their aim. */
  aimed: Partial<Record<Op, number>>;
  /** Whether a lane failed, which ends the other too. */
  failed: boolean;
  acknowledged: Record<string, number>;
}

/** One directory, and what must be in it. */
class Lane {
  readonly #directory: string;
  readonly #lane: number;
  readonly #seeded: Seeded;
  readonly #truth: LineageTruth;
  readonly #tally: Tally;
  #cycle = 0;

  private constructor(directory: string, lane: number, parts: { truth: LineageTruth; tally: Tally }) {
    this.#directory = directory;
    this.#lane = lane;
    this.#seeded = new Seeded(SEED + lane);
    this.#truth = parts.truth;
    this.#tally = parts.tally;
  }

  /** Makes the directory and the first store in it. */
  static async make(directory: string, lane: number, tally: Tally): Promise<Lane> {
    const driver = LANES[lane]!.old ? oldLibrary : nodeSqlite;
    const memory = await openMemory(`${directory}/${FIRST}`, { clock: () => timeOf(0), driver });
    const { lineage } = await memory.deletionWatermark();
    await memory.close();
    return new Lane(directory, lane, { truth: new LineageTruth(lineage), tally });
  }

  async killAgainAndAgain(): Promise<void> {
    const every = LONG ? everyDeath(await this.#countCalls()) : [];
    const random = Array.from({ length: RANDOM_KILLS }, () => randomDeath(this.#seeded));
    for (
      const death of this.#seeded.shuffled([...namedDeaths(this.#seeded, this.#lane), ...every, ...random])
    ) {
      if (this.#tally.failed) return;
      await this.#kill(death);
    }
    this.#tally.restores += this.#truth.generation;
    for (const [op, count] of Object.entries(this.#truth.acknowledged)) {
      this.#tally.acknowledged[op] = (this.#tally.acknowledged[op] ?? 0) + count;
    }
  }

  /** How many calls a restore makes to databases and files. */
  async #countCalls(): Promise<number> {
    const lines = await this.#kill({ aim: "restore", strike: null, moment: null }, true);
    const from = lines.findIndex((line) => line.type === "intent" && line.call.op === "restore");
    const to = lines.findIndex((line, index) => index > from && line.type === "ack");
    return lines.slice(from, to).filter(({ type }) => type === "call").length;
  }

  async #kill({ aim, strike, moment }: Death, trace = false): Promise<readonly LineageLine[]> {
    const [truth, cycle] = [this.#truth, this.#cycle++];
    const { old } = LANES[this.#lane]!;
    const errand: LineageErrand = {
      directory: this.#directory,
      live: truth.live,
      generation: truth.generation,
      seed: this.#seeded.integer(0, 2 ** 31),
      cycle,
      backups: [...truth.backups.keys()],
      exports: [...truth.exports].map(([name, { of }]) => [name, of]),
      aim,
      strike,
      trace,
      old,
    };
    try {
      const { lines, signal } = await runProgram<LineageLine>(CHILD, errand, moment);
      for (const line of lines) truth.hear(line);
      this.#tally[signal === "SIGKILL" ? "kills" : "ended"]++;
      if (aim !== null && truth.inFlight?.op === aim) {
        this.#tally.aimed[aim] = (this.#tally.aimed[aim] ?? 0) + 1;
      }
      const [seeded, nowMs] = [this.#seeded, timeOf(cycle)];
      const outcome = await new LineageLook(this.#directory, { truth, seeded, nowMs, old }).take();
      if (outcome !== null) this.#tally[outcome]++;
      return lines;
    } catch (error) {
      this.#tally.failed = true;
      const { message, stack } = error as Error;
      const where = `seed ${SEED}, ${this.#directory.split("/").at(-1)}, kill ${cycle + 1}, ${
        JSON.stringify({ aim, strike, moment })
      }`;
      throw new assert.AssertionError({ message: `${where}: ${message}\n${stack}` });
    }
  }
}

Deno.test("A store that is backed up, restored and moved survives kills at named steps and random moments: one of its lineage is live, with all that was acknowledged and nothing that was deleted", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-crash-" });
  const tally: Tally = {
    kills: 0,
    ended: 0,
    applied: 0,
    absent: 0,
    restores: 0,
    aimed: {},
    failed: false,
    acknowledged: {},
  };
  try {
    await inLanes(
      LANES,
      LANES.length,
      async ({ name }, lane) => {
        await (await Lane.make(`${directory}/${name}`, lane, tally)).killAgainAndAgain();
      },
    );
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
  Deno.stdout.writeSync(new TextEncoder().encode(`seed ${SEED}: ${JSON.stringify(tally)}\n`));
  assert.ok(tally.kills >= (LONG ? 400 : 40), `${tally.kills} kills`);
  assert.ok(tally.applied > 0 && tally.absent > 0 && tally.restores > 0);
  assert.deepEqual(Object.keys(tally.aimed).sort(), ["backup", "exportLedger", "import", "restore"]);
});

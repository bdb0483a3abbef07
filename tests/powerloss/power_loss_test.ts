/** A recorded run whose power is lost at every step, with all that was not synced dropped, cut, or there in part. */

import assert from "node:assert/strict";
import { type Memory, openMemory, restoreMemory, StorageError, type Watermark } from "../../mod.ts";
import { seededNumbers } from "../files/damage.ts";
import { observedDriver } from "../files/observed_driver.ts";
import { Scratch } from "../files/scratch.ts";
import { FACT, factOf, SCOPE } from "../restore/shelf.ts";
import { equalBytes, type Files, Recording, type Step } from "./recording.ts";
import { type Torn, tornStates } from "./torn_files.ts";

const SEED = 20_261_130;
const IS_LONG = Deno.env.get("HOLDFAST_LONG") !== undefined;

/** Each state costs some 30 ms of a processor: the gate looks at one of so many, drawn by the seed. */
const ONE_OF = IS_LONG ? 1 : 6;

/** What is tested is which bytes are there, not the disk. */
const IN_MEMORY = isDirectory("/dev/shm") ? "/dev/shm" : undefined;

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

interface Run {
  readonly steps: readonly Step[];
  /** What the live store told after as many calls. */
  readonly told: readonly (readonly string[])[];
  readonly backup: Uint8Array;
}

type Call = (memory: Memory) => Promise<unknown>;

const talk = (memory: Memory): ReturnType<Memory["conversation"]> => memory.conversation(SCOPE);
const say = (content: string): Call => (memory) => talk(memory).append([{ role: "user", content }]);
const put = (key: string, expectedRevision: number | null): Call => (memory) =>
  memory.records.put({ ...FACT, key }, factOf(`The ${key}.`), { expectedRevision, ttl: 86_400 });

async function deleteFirstTurn(memory: Memory): Promise<unknown> {
  for await (const { turnId } of talk(memory).turns()) {
    const expectedRevision = await talk(memory).revision();
    return await talk(memory).delete({ kind: "turn", key: turnId, expectedRevision });
  }
}

const CALLS: readonly Call[] = [
  put("pear", null),
  put("apple", null),
  (memory) => memory.records.forget({ ...FACT, key: "pear" }, 1),
  put("pear", null),
  say("The pears were grafted in March."),
  say("Water at dusk. ".repeat(1_000)),
  deleteFirstTurn,
  (memory) => Promise.all([put("plum", null)(memory), put("quince", null)(memory), put("fig", null)(memory)]),
  (memory) => talk(memory).search("water"),
  (memory) => memory.prune(),
  put("cherry", null),
  (memory) => memory.records.forget({ ...FACT, key: "apple" }, 2, { revoke: true }),
  say("Prune before frost."),
  deleteFirstTurn,
];

/** Makes a store, uses it, closes and reopens it, backs it up, deletes, and restores. */
async function recordRun(version: string | undefined): Promise<Run> {
  using scratch = new Scratch(IN_MEMORY);
  using recording = new Recording(scratch.path, version);
  const { driver } = recording;
  const told: (readonly string[])[] = [[]];
  const path = scratch.at("agent.db");
  const acknowledge = async (memory: Memory): Promise<void> => {
    told.push(await tell(memory));
    recording.acknowledged++;
  };
  let watermark: Watermark;
  {
    await using memory = await openMemory(path, { driver });
    await acknowledge(memory);
    for (const call of CALLS) {
      await call(memory);
      await acknowledge(memory);
    }
  }
  {
    await using memory = await openMemory(path, { driver });
    for (
      const call of [
        put("medlar", null),
        (each: Memory) => each.backup(scratch.at("agent.backup")),
        deleteFirstTurn,
      ]
    ) {
      await call(memory);
      await acknowledge(memory);
    }
    watermark = await memory.deletionWatermark();
  }
  {
    await using memory = await restoreMemory(scratch.at("agent.backup"), scratch.at("restored.db"), {
      driver,
      deletionPath: `${path}.deletions`,
      watermark,
    });
    await acknowledge(memory);
    await put("after", null)(memory);
    await acknowledge(memory);
  }
  return { steps: recording.steps, told, backup: Deno.readFileSync(scratch.at("agent.backup")) };
}

/** Everything that a store holds, and how many deletions were recorded. */
async function tell(memory: Memory): Promise<readonly string[]> {
  const told = [`${(await memory.deletionWatermark()).sequence} deletions`];
  for (const { key, revision } of (await memory.records.list(FACT.tenantId)).items) {
    told.push(`${key} ${revision} ${(await memory.records.get({ ...FACT, key }))?.value.text}`);
  }
  try {
    for await (const turn of talk(memory).turns()) told.push(`${turn.messages[0]!.content} ${turn.revision}`);
  } catch (error) {
    assert.equal((error as { reason?: unknown }).reason, "MISSING");
  }
  return told;
}

/** Opens whichever store is live in a directory; the other one must not be. */
async function openLive(scratch: Scratch, driver: Recording["driver"]): Promise<Memory> {
  const deletionPath = scratch.at("agent.db.deletions");
  const isRestored = scratch.names().includes("restored.db");
  const open = (name: string): Promise<Memory> => openMemory(scratch.at(name), { deletionPath, driver });
  try {
    const memory = await open("agent.db");
    if (isRestored) await assert.rejects(open("restored.db"), { code: "RESTORE" });
    return memory;
  } catch (error) {
    if (!isRestored || !(error instanceof StorageError) || error.code !== "REPLACED") throw error;
    return await open("restored.db");
  }
}

function layOut(scratch: Scratch, files: Files): void {
  for (const name of scratch.names()) Deno.removeSync(scratch.at(name));
  for (const [name, bytes] of files) scratch.write(name, bytes);
}

/** Requires that a state opens to what was acknowledged before it, or that and the call in progress; whole and usable. */
async function examine(
  scratch: Scratch,
  files: Files,
  run: Run,
  acknowledged: number,
  version?: string,
): Promise<void> {
  layOut(scratch, files);
  const backup = files.get("agent.backup");
  if (backup !== undefined) assert(equalBytes(backup, run.backup), "a backup under its name is not whole");
  await using memory = await openLive(scratch, observedDriver({ version }));
  const told = await tell(memory);
  const possible = [run.told[acknowledged], run.told[acknowledged + 1]].map((each) => JSON.stringify(each));
  // Before the first call is acknowledged the store may be made from any beginning of it: it is empty then.
  if (acknowledged === 0) possible.push(JSON.stringify(["0 deletions"]));
  assert(possible.includes(JSON.stringify(told)), `told ${JSON.stringify(told).slice(0, 600)}`);
  assert.deepEqual((await memory.check()).problems, []);
  await put("afterwards", null)(memory);
}

const runs = new Map<string | undefined, Promise<Run>>();

/** One run for each journal: it is only read. */
function runOf(version: string | undefined): Promise<Run> {
  const run = runs.get(version) ?? recordRun(version);
  runs.set(version, run);
  return run;
}

for (const [journal, version] of [["write-ahead log", undefined], ["rollback journal", "3.50.4"]] as const) {
  Deno.test(`a run with a ${journal} whose power is lost anywhere has all that was acknowledged, and nothing deleted comes back`, async () => {
    const run = await runOf(version);
    using scratch = new Scratch(IN_MEMORY);
    const draw = seededNumbers(SEED);
    let states = 0;
    for (const [index, step] of run.steps.entries()) {
      const after: Torn = { what: "done", files: step.after };
      for (const { what, files } of [...tornStates(step, draw), after]) {
        if (draw(ONE_OF) !== 0) continue;
        states++;
        try {
          await examine(scratch, files, run, step.acknowledged, version);
        } catch (cause) {
          throw new Error(
            `step ${index}, after ${step.acknowledged} calls: ${step.by} ${step.what}; ${what}; seed ${SEED}`,
            {
              cause,
            },
          );
        }
      }
    }
    assert(states > run.steps.length / ONE_OF);
    Deno.stdout.writeSync(
      new TextEncoder().encode(`${journal}: ${run.steps.length} steps, ${states} states\n`),
    );
  });

  Deno.test(`what a backup and a restore with a ${journal} make is synced before it gets its name, and its name before the other goes`, async () => {
    const { steps } = await runOf(version);
    for (
      const [work, name] of [["agent.backup.partial", "agent.backup"], [
        "restored.db.restoring",
        "restored.db",
      ]] as const
    ) {
      const link = steps.findIndex(({ by, what }) => by === "link" && what === `${work} ${name}`);
      const synced = steps.findLastIndex(({ by, what }, index) =>
        index < link && by === "sync" && what === work
      );
      assert(
        synced > 0 && steps[synced]!.after.get(work) === steps[link]!.before.get(work),
        "changed after its sync",
      );
      const rest = steps.slice(link, link + 4).map(({ by }) => by);
      assert.deepEqual(rest, ["link", "sync directory", "remove", "sync directory"]);
    }
  });
}

Deno.test("the replay notices an acknowledged write that is not there, and a deletion that came back", async () => {
  const run = await runOf(undefined);
  using scratch = new Scratch(IN_MEMORY);
  const stateAfter = (calls: number): Files =>
    run.steps.findLast(({ acknowledged }) => acknowledged < calls)!.after;
  const [putPear, forgotPear] = [2, 4];
  await examine(scratch, stateAfter(putPear), run, putPear);
  await assert.rejects(examine(scratch, stateAfter(putPear), run, putPear + 1), { code: "ERR_ASSERTION" });
  await assert.rejects(examine(scratch, stateAfter(forgotPear - 1), run, forgotPear), {
    code: "ERR_ASSERTION",
  });
});

for (const name of ["agent.db", "agent.db.deletions"]) {
  Deno.test(`a creation whose power was lost while it wrote the first page of ${name} is begun again`, async () => {
    using scratch = new Scratch(IN_MEMORY);
    const run = await runOf(undefined);
    const first = run.steps.find(({ before, after }) =>
      (before.get(name)?.length ?? 0) < (after.get(name)?.length ?? 0)
    )!;
    const blank = new Uint8Array(first.after.get(name)!.length);
    const torn = [...tornStates(first, () => 1)].find(({ what }) => what.includes("written in part"))!;
    await assert.doesNotReject(examine(scratch, new Map([...torn.files, [name, blank]]), run, 0));
    layOut(scratch, new Map([...first.before, [name, blank]]));
    await assert.rejects(openMemory(scratch.at("agent.db")), { code: "CORRUPT" });
  });
}

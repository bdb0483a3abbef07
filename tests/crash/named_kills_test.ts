/**
 * A child kills itself before and after every named step of the protocols: each leaves a store that opens, with every
 * acknowledged effect and no partial one. `HOLDFAST_LONG=1` does so at every single call, named or not.
 */

import assert from "node:assert/strict";
import type { Errand, Script } from "./errand.ts";
import { readRecorded, verify } from "./inspect.ts";
import { type Ending, inLanes, runChild } from "./kill.ts";
import {
  COMPLETION_STEPS,
  CREATION_STEPS,
  DELETION_STEPS,
  type NamedStep,
  WRITE_GROUP_STEPS,
} from "./named_steps.ts";
import type { Strike } from "./strike.ts";
import { Truth } from "./truth.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const LANES = 2;
const SIDES = ["before", "after"] as const;

/** One store, and what must be in it. */
class Lane {
  readonly path: string;
  readonly truth = new Truth();
  #cycle = 0;

  constructor(path: string) {
    this.path = path;
  }

  run(script: Script, strike: Strike | null, rest: Partial<Errand> = {}): Promise<Ending> {
    const { path, truth: { nextCall } } = this;
    const errand = {
      path,
      script,
      seed: 0,
      cycle: this.#cycle++,
      firstCall: nextCall,
      strike,
      refusal: null,
      trace: false,
      old: false,
    };
    return runChild({ ...errand, ...rest }, null);
  }

  /** Runs a script to its end, so that the work of a first run is done. */
  async warm(script: Script): Promise<void> {
    const { lines } = await this.run(script, null);
    assert.equal(lines.at(-1)?.type, "end");
    for (const line of lines) this.truth.hear(line);
  }

  /** Leaves a deletion of two records recorded and not applied. */
  async leavePending(): Promise<void> {
    const strike = { on: "ledger", what: "COMMIT", nth: 1, when: "after" } as const;
    const { lines, signal } = await this.run("deletion", strike);
    assert.equal(signal, "SIGKILL");
    for (const line of lines) this.truth.hear(line);
    const recorded = readRecorded(this.path)!;
    assert.equal(recorded.inLedger, recorded.inMain + 2, "two deletions are recorded and not applied");
  }
}

type Task = { readonly step: NamedStep; readonly when: "before" | "after" };

async function killAtSteps(steps: readonly NamedStep[], warm: Script | null = null): Promise<number> {
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-crash-" });
  const stores = Array.from({ length: LANES }, (_, lane) => new Lane(`${directory}/lane-${lane}.db`));
  const tasks = steps.flatMap((step) => SIDES.map((when): Task => ({ step, when })));
  let kills = 0;
  const failures: string[] = [];
  try {
    if (warm !== null) { for (const store of stores) await store.warm(warm); }
    await inLanes(tasks, LANES, async ({ step, when }, lane) => {
      const number = kills++;
      const isNew = step.script === "creation";
      const store = isNew ? new Lane(`${directory}/new-${number}/agent.db`) : stores[lane]!;
      try {
        await killAtStep(store, step, when);
      } catch (error) {
        failures.push(`killed ${when} "${step.name}": ${(error as Error).stack}`);
        // A problem of this store must not be attributed to the next step.
        if (!isNew) stores[lane] = new Lane(`${directory}/after-${number}.db`);
      }
    });
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
  if (failures.length > 0) throw new assert.AssertionError({ message: failures.join("\n\n") });
  return kills;
}

async function killAtStep(store: Lane, step: NamedStep, when: "before" | "after"): Promise<void> {
  const { script, on, what, nth, refusal } = step;
  if (script === "completion") await store.leavePending();
  const ending = await store.run(script, { on, what, nth, when }, { refusal });
  const { applied, absent } = await verify(store.path, store.truth, ending);
  if (script === "creation") assertPrivate(store.path);
  if (step[when] === "there") assert.equal(absent, 0, "all that was in flight is stored");
  if (step[when] === "absent") assert.equal(applied, 0, "nothing that was in flight is stored");
}

/** Creation left only the store's own files, and they are private. */
function assertPrivate(path: string): void {
  const directory = path.slice(0, path.lastIndexOf("/"));
  for (const { name } of Deno.readDirSync(directory)) {
    assert.match(name, /^agent\.db(\.deletions)?(-wal|-shm|-journal)?$/);
    assert.equal(Deno.lstatSync(`${directory}/${name}`).mode! & 0o777, 0o600, name);
  }
}

Deno.test("A write group is there entirely or not at all wherever its process dies", async () => {
  assert.equal(await killAtSteps(WRITE_GROUP_STEPS), 2 * 14);
});

Deno.test("A deletion is not recorded or certainly completed wherever its process dies", async () => {
  assert.equal(await killAtSteps(DELETION_STEPS), 2 * 15);
});

Deno.test("A pending deletion is completed even if the process that completes it dies", async () => {
  assert.equal(await killAtSteps(COMPLETION_STEPS), 2 * 8);
});

Deno.test("A creation that was interrupted anywhere is finished by the next open", async () => {
  assert.equal(await killAtSteps(CREATION_STEPS), 2 * 25);
});

Deno.test("A creation that was interrupted three times is finished by the next open", async () => {
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-crash-" });
  try {
    const moments = [["files", "create main"], ["main", "INSERT INTO meta"], [
      "ledger",
      "UPDATE meta",
    ]] as const;
    const store = new Lane(`${directory}/agent.db`);
    let ending: Ending | null = null;
    for (const [on, what] of moments) {
      ending = await store.run("creation", { on, what, nth: 1, when: "after" });
      assert.equal(ending.signal, "SIGKILL", what);
    }
    await verify(store.path, store.truth, ending!);
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
});

for (const script of ["group", "deletion", "completion", "creation"] as const) {
  Deno.test({
    name: `A store survives the death of its process at every single call: ${script}`,
    ignore: !LONG,
    fn: async () => {
      const calls = await countCalls(script);
      assert.ok(calls > 20, `${calls} calls`);
      const steps = Array.from({ length: calls }, (_, index): NamedStep => ({
        name: `call ${index + 1}`,
        script,
        on: null,
        what: "",
        nth: index + 1,
        before: null,
        after: null,
        refusal: null,
      }));
      const kills = await killAtSteps(steps, script === "creation" ? null : "group");
      assert.equal(kills, 2 * calls);
      Deno.stdout.writeSync(new TextEncoder().encode(`${script}: ${kills} kills\n`));
    },
  });
}

/** How many calls a script makes from where it counts to its end. */
async function countCalls(script: Script): Promise<number> {
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-crash-" });
  try {
    const store = new Lane(`${directory}/made/agent.db`);
    if (script === "completion") await store.leavePending();
    else if (script !== "creation") await store.warm("group");
    const { lines } = await store.run(script, null, { trace: true });
    assert.equal(lines.at(-1)?.type, "end");
    return lines.filter(({ type }) => type === "call").length;
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

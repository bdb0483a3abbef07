/**
 * Two processes with several Workers each work on one store; each process is killed at random moments while the other
 * goes on, and so are its Workers. `HOLDFAST_LONG=1` kills more often; `HOLDFAST_CRASH_SEED` plays one seed's calls (not
 * its very moments) again.
 */

import assert from "node:assert/strict";
import { ConflictError, type Memory, openMemory } from "@holdfast/memory";
import { oldLibrary } from "../contention/old_library.ts";
import { Seeded } from "../model/records/seeded.ts";
import { type CrewCall, type CrewErrand, type CrewLine, TENANT } from "./crew.ts";
import { inLanes, runProgram } from "./kill.ts";

const LONG = Deno.env.get("HOLDFAST_LONG") === "1";
const SEED = Number(Deno.env.get("HOLDFAST_CRASH_SEED") ?? Date.now() % 1_000_000);
const CHILD = new URL("./crew_child.ts", import.meta.url).pathname;

const PROCESSES = 2;
const KILLS = LONG ? 60 : 3;

/** One session, which one Worker wrote: its content, and the call that was in flight. */
class Session {
  #turns: readonly string[] = [];
  #inFlight: CrewCall | null = null;
  deletions = 0;
  acknowledged = 0;

  hear(line: CrewLine & { type: "intent" | "ack" }): void {
    if (line.type === "intent") this.#inFlight = line.call;
    else this.#apply();
    if (line.type === "ack") this.acknowledged++;
  }

  #apply(): void {
    this.#turns = this.#after(this.#inFlight!);
    if (this.#inFlight!.op === "delete") this.deletions++;
    this.#inFlight = null;
  }

  #after({ op, mark }: CrewCall): readonly string[] {
    return op === "append" ? [...this.#turns, mark] : this.#turns.filter((each) => each !== mark);
  }

  /** A call in flight is stored entirely or not at all; what is found is expected from now on. */
  settle(found: readonly string[]): void {
    const happened = this.#inFlight !== null &&
      JSON.stringify(found) === JSON.stringify(this.#after(this.#inFlight));
    if (happened) this.#apply();
    this.#inFlight = null;
    assert.deepEqual(found, this.#turns);
  }
}

async function turnsOf(memory: Memory, sessionId: string): Promise<readonly string[]> {
  try {
    const turns = await Array.fromAsync(memory.conversation({ tenantId: TENANT, sessionId }).turns());
    return turns.map(({ messages }) => messages[0]!.content);
  } catch (error) {
    if (error instanceof ConflictError && error.reason === "MISSING") return [];
    throw error;
  }
}

/** One store, and all that its processes reported. */
class CrewStore {
  readonly #path: string;
  readonly #old: boolean;
  readonly sessions = new Map<string, Session>();
  kills = 0;

  constructor(path: string, old: boolean) {
    this.#path = path;
    this.#old = old;
  }

  /** Runs a process, kills it, and checks what its Workers wrote, while the other process continues. */
  async kill(name: string, seeded: Seeded): Promise<void> {
    const [path, old] = [this.#path, this.#old];
    const errand: CrewErrand = { path, name, seed: seeded.integer(0, 2 ** 31), old };
    const moment = { lines: seeded.integer(20, 160), delayMs: seeded.integer(0, 60) / 10 };
    const { lines, signal } = await runProgram<CrewLine>(CHILD, errand, moment);
    const written = new Set<string>();
    for (const line of lines) {
      assert(line.type !== "error", line.type === "error" ? `${line.message}\n${line.stack}` : "");
      const session = this.sessions.get(line.session) ?? new Session();
      this.sessions.set(line.session, session);
      session.hear(line);
      written.add(line.session);
    }
    assert.equal(signal, "SIGKILL", "the child ended before it was killed");
    this.kills++;
    await this.verify(written);
  }

  /** Requires that every session is as its Worker left it; returns how many deletions are recorded. */
  async verify(names: Iterable<string>): Promise<number> {
    const driver = this.#old ? oldLibrary : undefined;
    await using memory = await openMemory(this.#path, { busyTimeoutMs: 60_000, driver });
    for (const name of names) {
      const found = await turnsOf(memory, name);
      try {
        this.sessions.get(name)!.settle(found);
      } catch (error) {
        throw new assert.AssertionError({ message: `session ${name}: ${(error as Error).message}` });
      }
    }
    assert.deepEqual((await memory.check()).problems, []);
    return (await memory.deletionWatermark()).sequence;
  }
}

for (const [journal, old] of [["a write-ahead log", false], ["a rollback journal", true]] as const) {
  Deno.test(`LCK-01 with ${journal} a store survives ${PROCESSES * KILLS} kills of processes with several Workers, while another one runs, with all that was acknowledged`, async () => {
    const directory = Deno.makeTempDirSync({ prefix: "holdfast-crash-" });
    try {
      const store = new CrewStore(`${directory}/agent.db`, old);
      const lanes = Array.from({ length: PROCESSES }, (_, lane) => lane);
      await inLanes(lanes, PROCESSES, async (lane) => {
        const seeded = new Seeded(SEED + lane);
        for (let cycle = 0; cycle < KILLS; cycle++) await store.kill(`p${lane}-${cycle}`, seeded);
      });
      const deletions = await store.verify(store.sessions.keys());
      const sum = (count: (session: Session) => number): number =>
        [...store.sessions.values()].reduce((total, session) => total + count(session), 0);
      assert.equal(deletions, sum((session) => session.deletions));
      assert.equal(store.kills, PROCESSES * KILLS);
      const acknowledged = sum((session) => session.acknowledged);
      Deno.stdout.writeSync(
        new TextEncoder().encode(
          `seed ${SEED}: ${acknowledged} calls in ${store.sessions.size} sessions, ${deletions} deletions\n`,
        ),
      );
      assert(acknowledged > store.kills && deletions > 0);
    } catch (error) {
      const { message, stack } = error as Error;
      throw new assert.AssertionError({ message: `seed ${SEED}: ${message}\n${stack}` });
    } finally {
      Deno.removeSync(directory, { recursive: true });
    }
  });
}

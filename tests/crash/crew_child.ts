/**
 * A process whose Workers write and reopen one store, each a session of its own, until it is killed; now and then one
 * of them is ended and another begins. Its one argument is a {@linkcode CrewErrand}.
 */

import { Seeded } from "../model/records/seeded.ts";
import { type CrewErrand, type CrewTask, say } from "./crew.ts";

const WRITERS = 2;
/** More than any child has time for. */
const WORKERS_MAX = 10_000;

class Crew {
  readonly #errand: CrewErrand;
  readonly #seeded: Seeded;
  #started = 0;

  constructor(errand: CrewErrand) {
    this.#errand = errand;
    this.#seeded = new Seeded(errand.seed);
  }

  /** Runs a Worker that is terminated after some calls, and then the next one in its place. */
  startWriter(): void {
    const number = this.#started++;
    if (number === WORKERS_MAX) return;
    let calls = this.#seeded.integer(5, 60);
    const worker = this.#start(`${this.#errand.name}-${number}`);
    worker.onmessage = ({ data }): void => {
      if (data === "failed") Deno.exit(1);
      if (--calls > 0) return;
      worker.terminate();
      this.startWriter();
    };
  }

  startReopener(): void {
    this.#start(null).onmessage = (): void => Deno.exit(1);
  }

  #start(session: string | null): Worker {
    const { path, old } = this.#errand;
    const worker = new Worker(new URL("crew_worker.ts", import.meta.url), { type: "module" });
    worker.postMessage({ path, session, seed: this.#seeded.integer(0, 2 ** 31), old } satisfies CrewTask);
    worker.onerror = (event): void => {
      event.preventDefault();
      say({ type: "error", message: event.message, stack: "" });
      Deno.exit(1);
    };
    return worker;
  }
}

const crew = new Crew(JSON.parse(Deno.args[0]!) as CrewErrand);
for (let writer = 0; writer < WRITERS; writer++) crew.startWriter();
crew.startReopener();

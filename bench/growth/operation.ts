/** One public operation as a report on growth measures it. */

import { timeUs } from "../measure.ts";
import type { World } from "./world.ts";

/** What a store has more of. */
export type Axis = "turns" | "scopes";

/** What is measured. */
export interface Definition<Ready> {
  readonly name: string;
  /** The public call, such as `Records.put`. */
  readonly calls: string;
  /** Why it may cost more where there is more, for each number that it may grow with. */
  readonly grows?: Partial<Record<Axis, string>>;
  /** How many calls are timed together: those that take less than the clock can tell. */
  readonly often?: number;
  /** Whether it goes through everything and is measured fewer times. */
  readonly long?: true;
  /** What is made before, without being timed. */
  readonly ready: (world: World) => Promise<Ready>;
  /** The call; gives a number that says what it did. */
  readonly run: (world: World, ready: Ready) => Promise<number> | number;
  /** Takes back what it did, without being timed. */
  readonly undo?: (world: World, ready: Ready) => Promise<void>;
}

/** What a call took, and a number that says what it did. */
export interface Measured {
  readonly us: number;
  readonly work: number;
}

/** See the module's documentation. */
export interface GrowthOperation {
  readonly name: string;
  readonly calls: string;
  readonly grows: Partial<Record<Axis, string>>;
  readonly long: boolean;
  readonly measure: (world: World) => Promise<Measured>;
}

/** An operation that makes what it needs before each call. */
export function operation<Ready>(definition: Definition<Ready>): GrowthOperation {
  const { name, calls, grows = {}, often = 1, long = false, ready, run, undo } = definition;
  return {
    name,
    calls,
    grows,
    long,
    measure: async (world) => {
      const made = await ready(world);
      let work = 0;
      const us = await timeUs(async () => {
        for (let time = 0; time < often; time++) work = await run(world, made);
      });
      await undo?.(world, made);
      return { us: us / often, work };
    },
  };
}

/** An operation that needs nothing and leaves nothing. */
export function reading(definition: Omit<Definition<void>, "ready" | "undo">): GrowthOperation {
  return operation({ ...definition, ready: () => Promise.resolve() });
}

/** Defines the public operations that a report on growth measures. */

import { timeUs } from "../measure.ts";
import type { World } from "./world.ts";

/** The number that grows from store to store. */
export type Axis = "turns" | "scopes";

/** The definition of an operation. */
export interface Definition<Ready> {
  readonly name: string;
  /** The public call, such as `Records.put`. */
  readonly calls: string;
  /** The reason why its cost may grow, for each axis. */
  readonly grows?: Partial<Record<Axis, string>>;
  /** The number of calls that are timed together, if one takes less time than the clock can measure. */
  readonly often?: number;
  /** Whether it reads everything and is therefore measured fewer times. */
  readonly long?: true;
  /** Prepares a call, without being timed. */
  readonly ready: (world: World) => Promise<Ready>;
  /** Makes the call; returns a number that depends on its work. */
  readonly run: (world: World, ready: Ready) => Promise<number> | number;
  /** Undoes the call, without being timed. */
  readonly undo?: (world: World, ready: Ready) => Promise<void>;
}

/** The time of a call, and a number that depends on its work. */
export interface Measured {
  readonly us: number;
  readonly work: number;
}

/** An operation that can be measured on a store. */
export interface GrowthOperation {
  readonly name: string;
  readonly calls: string;
  readonly grows: Partial<Record<Axis, string>>;
  readonly long: boolean;
  readonly measure: (world: World) => Promise<Measured>;
}

/** Creates an operation that prepares each call. */
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

/** Creates an operation that needs no preparation and nothing to undo. */
export function reading(definition: Omit<Definition<void>, "ready" | "undo">): GrowthOperation {
  return operation({ ...definition, ready: () => Promise.resolve() });
}

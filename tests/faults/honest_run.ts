/** What an operation does when nothing fails: its statements, its answer, and every state that it commits. */

import assert from "node:assert/strict";
import type { DriverCall } from "../kit/faulty_driver.ts";
import type { StoreDump } from "../kit/store_dump.ts";
import { struckCalls } from "./matrix.ts";
import type { StruckOperation } from "./struck_operation.ts";
import { type Ending, endingOf, imageOf, type StoreImage, StruckStore } from "./struck_store.ts";

/** See the module's documentation. */
export interface HonestRun {
  /** What it is made on. */
  readonly image: StoreImage;
  /** The statements, prepared and run. */
  readonly trace: readonly DriverCall[];
  readonly ending: Ending;
  /** The state before it, and the state after each of its commits. */
  readonly states: readonly [before: StoreDump, ...StoreDump[]];
}

/** Makes an operation. */
export async function runHonestly({ prepare, run, laterMs }: StruckOperation): Promise<HonestRun> {
  const image = await imageOf(prepare);
  await using store = await StruckStore.make(image);
  const states: [StoreDump, ...StoreDump[]] = [store.committed()];
  const memory = await store.open(5_000, laterMs);
  store.driver.startTrace();
  store.driver.observe(({ database, sql }) => {
    if (database === "main" && sql === "COMMIT") noteState(states, store.committed());
  });
  const ending = await endingOf(run(memory, undefined));
  store.driver.observe(null);
  const trace = struckCalls(store.driver.stopTrace());
  noteState(states, store.committed());
  await memory.close();
  return { image, trace, ending, states };
}

function noteState(states: StoreDump[], state: StoreDump): void {
  if (!isEqual(states.at(-1)!, state)) states.push(state);
}

/** Whether two dumps are the same: tables and columns come in one order. */
export function isEqual(left: StoreDump, right: StoreDump): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

/** Requires a state that is one of these; otherwise reports the differences from the nearest one. */
export function assertIsOneOf(found: StoreDump, expected: readonly StoreDump[]): void {
  if (expected.some((each) => isEqual(found, each))) return;
  const byDistance = [...expected].sort((left, right) => distance(found, left) - distance(found, right));
  assert.deepEqual(found, byDistance[0]);
}

/** In how many tables of main two states differ. */
function distance({ main }: StoreDump, other: StoreDump): number {
  const names = Object.keys(main);
  return names.filter((name) => JSON.stringify(main[name]) !== JSON.stringify(other.main[name])).length;
}

/**
 * A state without what differs after a deletion that was completed later, or a scrub that was begun twice: the answer
 * to an operation id, the next deadline, the highest time seen, tables to be rewritten, and counts of scrubs.
 */
export function withoutTraces(dump: StoreDump): StoreDump {
  const { operations: _operations, dirty: _dirty, ...main } = dump.main;
  const scopes = (main.scopes ?? []).map((row) => {
    const { operations: _count, next_expiry: _due, checksum: _checksum, ...rest } = row;
    return rest;
  });
  const meta = (main.meta ?? []).map((
    { scrubs: _scrubs, shrunk_bytes: _bytes, clock_mark: _mark, ...rest },
  ) => rest);
  return { ...dump, main: { ...main, scopes, meta } };
}

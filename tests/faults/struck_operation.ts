/**
 * An operation of the matrices: faults occur at every statement, a cancellation at every check of its signal.
 *
 * A new public call that writes needs a row. Add one to the list it belongs to (`record_operations.ts`,
 * `conversation_operations.ts`, `index_operations.ts`, `store_operations.ts`), or add a list to
 * `public_operations.ts`; a function of the module has a matrix of its own, such as `restore_test.ts`.
 *
 * 1. `calls` names the method, such as `Memory.importLines`; a test compares these names with those of the classes.
 * 2. `prepare` fills the store; `run` makes the one call, and hands the signal on. 3. If the call is several
 * transactions, each of which stays, say `steps: true`: then every state that an honest run commits is allowed after
 * a failure, and the call, repeated, must come to the same end. 4. If it answers although a part could not be done
 * now, say `rests: true`.
 */

import type { MemoryOptions } from "../../src/open.ts";
import type { Memory } from "../../src/memory.ts";
import { COUNTER } from "../../src/testing/records/record_samples.ts";
import { NOON } from "../conversations/samples.ts";

/** The time at which everything happens, in milliseconds, unless an operation says how much later it is made. */
export const NOW_MS: number = NOON * 1_000;

/** One operation, and the content of the store before it. */
export interface StruckOperation {
  readonly name: string;
  /** The public call that it makes. */
  readonly calls: string;
  readonly prepare: (memory: Memory) => Promise<unknown>;
  /** Makes the call; the signal is absent where it is not to be cancelled. */
  readonly run: (memory: Memory, signal: AbortSignal | undefined) => Promise<unknown>;
  /** How much later than its preparation, for what expires; negative for a clock that went back. */
  readonly laterMs?: number;
  /** Whether it is several transactions, each of which stays. */
  readonly steps?: true;
  /** Whether it answers although a part of it could not be done now, and was left for later. */
  readonly rests?: true;
  /** Whether it reads everything in one transaction: once that has begun, SQLite meets no lock. */
  readonly readsAtOnce?: true;
  /** Whether the store is closed afterwards. */
  readonly closes?: true;
}

/** How the stores of all cases are opened. */
export function optionsFor(busyTimeoutMs: number, laterMs = 0): Omit<MemoryOptions, "driver"> {
  return { clock: () => NOW_MS + laterMs, busyTimeoutMs, kinds: [COUNTER] };
}

/** The access of a conversation's longer calls to the store: several reads and writes, between which other calls run. */

import type { EmitEvent } from "../contracts/options/memory_options.ts";
import type { Damage } from "../engine/damage.ts";
import type { Engine } from "../engine/engine.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import type { Place } from "./place.ts";

/** The time of a read, and the main that it is of. */
export interface Moment {
  /** Effective time, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly epoch: string;
  /** How to treat damaged pins and summaries; by default the first one is an error. */
  readonly damage?: Damage | undefined;
}

/** The result of a read, with the first time at which something in the scope may expire. */
export interface ExpiryState {
  readonly row: { readonly nextExpiry: number | null };
}

/** How a write is run. */
export interface WriteOptions {
  /** Whether it may delete. */
  readonly ledger?: boolean;
  /** About how many bytes it writes. */
  readonly bytes?: number;
  /** Cancels it while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** A conversation's store. */
export interface StoreAccess {
  readonly engine: Engine;
  readonly place: Place;
  readonly emit: EmitEvent;
  /** Reads one moment. */
  read<T>(
    factory: (transaction: ReadTransaction) => Operation<T>,
    signal: AbortSignal | undefined,
  ): Promise<T>;
  /** Reads one moment; if something has expired, erases it and reads again, or leaves it out if it cannot be erased now. */
  readUpkept<T extends ExpiryState>(
    factory: (transaction: ReadTransaction, moment: Moment) => Operation<T>,
    signal: AbortSignal | undefined,
  ): Promise<T>;
  /** Writes; if something has expired, erases it first and writes again. */
  write<T>(
    factory: (transaction: WriteTransaction) => Operation<T>,
    options: WriteOptions,
  ): Promise<T>;
}

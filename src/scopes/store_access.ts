/** How the longer calls of a conversation reach the store: several reads and writes, with everything else in between. */

import type { Tell } from "../contracts/options/memory_options.ts";
import type { Damage } from "../engine/damage.ts";
import type { Engine } from "../engine/engine.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import type { Place } from "./place.ts";

/** When a read is made, and of which main. */
export interface Moment {
  /** Effective time, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly epoch: string;
  /** What becomes of damaged pins and summaries; the first one is an error unless said otherwise. */
  readonly damage?: Damage | undefined;
}

/** What was read of a scope, with the first time at which something of it may be due. */
export interface Due {
  readonly row: { readonly nextExpiry: number | null };
}

/** How a write is made. */
export interface WriteOptions {
  /** Whether it may delete. */
  readonly ledger?: boolean;
  /** About how many bytes it writes. */
  readonly bytes?: number;
  /** Withdraws it while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** A conversation's store. */
export interface StoreAccess {
  readonly engine: Engine;
  readonly place: Place;
  readonly tell: Tell;
  /** Reads one moment. */
  read<T>(
    factory: (transaction: ReadTransaction) => Operation<T>,
    signal: AbortSignal | undefined,
  ): Promise<T>;
  /** Reads one moment; if something is due, erases it and reads again. Where that cannot be done now, it is left out. */
  readUpkept<T extends Due>(
    factory: (transaction: ReadTransaction, moment: Moment) => Operation<T>,
    signal: AbortSignal | undefined,
  ): Promise<T>;
  /** Writes; if something is due, erases it first and writes again. */
  write<T>(
    factory: (transaction: WriteTransaction) => Operation<T>,
    options: WriteOptions,
  ): Promise<T>;
}

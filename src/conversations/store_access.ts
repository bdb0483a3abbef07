/** How the longer calls of a conversation reach the store: several reads and writes, with everything else in between. */

import type { Engine } from "../engine/engine.ts";
import type { Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import type { Place } from "./place.ts";

/** When a read is made, and of which main. */
export interface Moment {
  /** Effective time, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly epoch: string;
}

/** A conversation's store. */
export interface StoreAccess {
  readonly engine: Engine;
  readonly place: Place;
  /** Reads one moment. */
  read<T>(
    factory: (transaction: ReadTransaction) => Operation<T>,
    signal: AbortSignal | undefined,
  ): Promise<T>;
  /** Reads one moment, after what is due was erased, if that can be done now. */
  readUpkept<T extends { readonly row: { readonly nextDue: number | null } }>(
    factory: (transaction: ReadTransaction, moment: Moment) => Operation<T>,
    signal: AbortSignal | undefined,
  ): Promise<T>;
  /** Writes, after what is due was erased. */
  write<T>(
    factory: (transaction: WriteTransaction) => Operation<T>,
    options: { readonly bytes?: number; readonly signal?: AbortSignal | undefined },
  ): Promise<T>;
}

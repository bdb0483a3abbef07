/** What looking over a store takes and gives: names, counts and times, no text. */

import type { Scope } from "./scope.ts";

/** What `inspect` takes. */
export interface InspectOptions {
  /** The `next` of the page before. */
  readonly after?: string | undefined;
  /** Tenants and scopes in one page: 1 to 1 000; 100 if omitted. */
  readonly limit?: number | undefined;
  /** Cancels the wait. */
  readonly signal?: AbortSignal | undefined;
}

/** A tenant's records. */
export interface InspectedTenant {
  /** Whose. */
  readonly tenant: string;
  /** Records, expired ones that were not purged among them. */
  readonly records: number;
  /** UTF-8 bytes of their values as stored. */
  readonly bytes: number;
  /** When the first of them expires, as ISO text; null if none ever does. */
  readonly nextDueAt: string | null;
}

/** A scope, by its running totals. */
export interface InspectedScope {
  /** Whose, and which. */
  readonly scope: Scope;
  /** Moves with every change of the scope. */
  readonly revision: number;
  /** Turns. */
  readonly turns: number;
  /** UTF-8 bytes of the turns as stored. */
  readonly bytes: number;
  /** Pins, inactive ones included. */
  readonly pins: number;
  /** No later than the first time at which something of the scope expires, as ISO text; null if nothing ever does. */
  readonly nextDueAt: string | null;
}

/** One page of what a store holds. */
export interface Inspection {
  /** Tenants that have records, by name. */
  readonly tenants: readonly InspectedTenant[];
  /** Scopes, in the order in which they were made. */
  readonly scopes: readonly InspectedScope[];
  /** Recorded deletions that are not carried out yet; what they name is left out. 0 unless the store is read-only. */
  readonly pending: number;
  /** Hand it to the next call as `after`; null once there is no more. */
  readonly next: string | null;
}

/** Options and results of inspecting a store: names, counts and times, no text. */

import type { Leftover } from "./leftovers_report.ts";
import type { Scope } from "../scope.ts";

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
  readonly tenantId: string;
  /** Records, expired ones that were not purged among them. */
  readonly records: number;
  /** UTF-8 bytes of their values as stored. */
  readonly bytes: number;
  /** When the first of them expires, as ISO text; null if none ever does. */
  readonly nextExpiryAt: string | null;
}

/** A scope, by its running totals. */
export interface InspectedScope {
  /** Whose, and which. */
  readonly scope: Scope;
  /** Moves with every change of the scope. */
  readonly revision: number;
  /** Turns, expired ones that were not erased among them. */
  readonly turns: number;
  /** UTF-8 bytes of those turns as stored. */
  readonly bytes: number;
  /** Pins, inactive ones and expired ones that were not erased among them. */
  readonly pins: number;
  /** Journals. */
  readonly journals: number;
  /** UTF-8 bytes of their entries as stored. */
  readonly journalBytes: number;
  /** Bytes of media, each counted once. */
  readonly mediaBytes: number;
  /** No later than the first time at which something of the scope expires, as ISO text; null if nothing ever does. */
  readonly nextExpiryAt: string | null;
}

/** One page of what a store holds. */
export interface Inspection {
  /** Tenants that have records, by name. */
  readonly tenants: readonly InspectedTenant[];
  /** Scopes, in the order in which they were made. */
  readonly scopes: readonly InspectedScope[];
  /** Recorded deletions that are not carried out yet; what they name is left out. 0 unless the store is read-only. */
  readonly pending: number;
  /** Files that backups, exports and restores of the store were making, and that still lie under their working names. */
  readonly leftovers: readonly Leftover[];
  /** Hand it to the next call as `after`; null once there is no more. */
  readonly next: string | null;
}

/** What a process of the soak is told to do, and what it answers. */

/** One job. Each says where the store is by then: a process that finds its own replaced goes on there. */
export type Job =
  | { readonly do: "open"; readonly path: string; readonly deletionPath: string; readonly name: string }
  /**
   * Works for a bounded time. With `nextPath`, a backup was made just before, and somewhere in this time, or before the
   * next job, it is restored to that path.
   */
  | { readonly do: "work"; readonly seed: number; readonly forMs: number; readonly nextPath: string | null }
  /** Compares all it did with what is there. */
  | { readonly do: "verify"; readonly nextPath: string | null }
  /** Deletes and forgets all it has. */
  | { readonly do: "clear" }
  | { readonly do: "close" };

/** What verifying gives. */
export interface Verified {
  /** Calls so far. */
  readonly calls: number;
  /** How often the store was found replaced so far. */
  readonly moves: number;
  /** Resident bytes. */
  readonly resident: number;
  /** What it has in the store. */
  readonly records: number;
  readonly turns: number;
}

/** The conversation to which every process appends. */
export const SHARED = { tenantId: "soak", sessionId: "shared" } as const;

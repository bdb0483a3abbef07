/** The arguments of a child, the calls it makes, and what it reports. */

import type { Refusal, Strike } from "./strike.ts";

/** Which calls a child makes. */
export type Script =
  /** Seeded batches of calls without end. */
  | "mixed"
  /** One write group of four puts, one of them refused. */
  | "group"
  /** One group of two deletions. */
  | "deletion"
  /** Opening a store in which a recorded deletion is pending. */
  | "completion"
  /** Opening a store that does not exist. */
  | "creation";

/** A child's one argument, as JSON. */
export interface Errand {
  readonly path: string;
  readonly script: Script;
  readonly seed: number;
  /** Makes the names and texts of this child unique. */
  readonly cycle: number;
  /** The number of its first call. */
  readonly firstCall: number;
  readonly strike: Strike | null;
  readonly refusal: Refusal | null;
  /** Whether every call to a database or the file system is reported. */
  readonly trace: boolean;
  /** Whether its SQLite reports a version that needs a rollback journal. */
  readonly old: boolean;
}

/** One call, as data. All of them are about facts, and all of them happen at second {@linkcode NOW}. */
export type Call =
  | {
    readonly op: "put";
    readonly tenantId: string;
    readonly key: string;
    readonly text: string;
    readonly expectedRevision: number | null;
    readonly ttl: number;
    readonly operationId?: string;
  }
  | {
    readonly op: "update";
    readonly tenantId: string;
    readonly key: string;
    readonly text: string;
    readonly ttl: number;
  }
  | {
    readonly op: "forget";
    readonly tenantId: string;
    readonly key: string;
    readonly expectedRevision: number | null;
    readonly revoke: boolean;
  }
  | { readonly op: "purge"; readonly tenantId: string; readonly now: number };

/** The second at which everything happens, so that nothing expires unless it is purged. */
export const NOW = 1_000;

/** What a child reports, one JSON line each. */
export type Line =
  | { readonly type: "opening" }
  | { readonly type: "open" }
  | { readonly type: "call"; readonly call: string }
  | { readonly type: "intent"; readonly number: number; readonly call: Call }
  | { readonly type: "ack"; readonly number: number; readonly result: number | boolean }
  | { readonly type: "refused"; readonly number: number; readonly reason: string }
  | { readonly type: "error"; readonly code: string; readonly message: string; readonly stack: string }
  | { readonly type: "end" };

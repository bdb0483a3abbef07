/**
 * The arguments, calls and reports of a child that works on a store, backs it up, restores it to the next name and
 * continues there, and moves lines to and from another store. Every text has a mark of its own.
 */

import type { Receipt, Watermark } from "@holdfast/memory";
import type { Strike } from "./strike.ts";

/** Which of the two stores. */
export type StoreName = "main" | "other";

/** One call, as data. Turns are named by the mark of their first text, pins by that of their text. */
export type LineageCall =
  | { readonly op: "create"; readonly in: StoreName; readonly scope: string }
  | {
    readonly op: "turn";
    readonly in: StoreName;
    readonly scope: string;
    readonly id: string;
    readonly mark: string;
    readonly expiresAtMs: number | null;
  }
  | {
    readonly op: "revise";
    readonly in: StoreName;
    readonly scope: string;
    readonly id: string;
    readonly mark: string;
  }
  | {
    readonly op: "pin";
    readonly in: StoreName;
    readonly scope: string;
    readonly mark: string;
    readonly expiresAtMs: number | null;
  }
  | { readonly op: "put"; readonly in: StoreName; readonly key: string; readonly mark: string }
  | { readonly op: "forget"; readonly in: StoreName; readonly key: string; readonly revoke: boolean }
  | { readonly op: "deleteTurn"; readonly in: StoreName; readonly scope: string; readonly id: string }
  | { readonly op: "deletePin"; readonly in: StoreName; readonly scope: string; readonly mark: string }
  | { readonly op: "deleteScope"; readonly in: StoreName; readonly scope: string }
  | { readonly op: "prune"; readonly in: StoreName; readonly scrub: boolean }
  | { readonly op: "backup" | "exportLedger"; readonly to: string }
  | { readonly op: "restore"; readonly from: string; readonly to: string }
  | { readonly op: "export"; readonly in: StoreName; readonly to: string }
  | { readonly op: "import"; readonly in: StoreName; readonly from: string };

/** What a call does. */
export type Op = LineageCall["op"];

/** A child's one argument, as JSON. */
export interface LineageErrand {
  readonly directory: string;
  /** The name of the store that is live. */
  readonly live: string;
  /** How often it was restored. */
  readonly generation: number;
  readonly seed: number;
  /** Makes the marks and names of this child unique. */
  readonly cycle: number;
  /** Existing backups. */
  readonly backups: readonly string[];
  /** Existing exports, by the store that they come from. */
  readonly exports: readonly (readonly [name: string, of: StoreName])[];
  /** The aim: calls count from the beginning of this action on. */
  readonly aim: Op | null;
  readonly strike: Strike | null;
  /** Whether every call to a database or the file system is reported from the aim on. */
  readonly trace: boolean;
  /** Whether its SQLite reports a version that needs a rollback journal. */
  readonly old: boolean;
}

/** The result of a call, as far as the model needs it. */
export type LineageAnswer = Receipt | Watermark | number | null;

/** What a child reports, one JSON line each. */
export type LineageLine =
  | { readonly type: "open" }
  | { readonly type: "call"; readonly call: string }
  | { readonly type: "intent"; readonly call: LineageCall }
  | { readonly type: "ack"; readonly answer: LineageAnswer }
  | { readonly type: "error"; readonly message: string; readonly stack: string }
  | { readonly type: "end" };

/** The ledger's name: one for all stores that are restored from each other. */
export const LEDGER = "agent.db.deletions";

/** The first store's name. */
export const FIRST = "agent.db";

/** The other store's name. */
export const OTHER = "other.db";

/** The name of the store that a restore makes. */
export function destinationOf(generation: number): string {
  return `restored-${generation + 1}.db`;
}

/** What a child that talks is sent to do, what it calls, and what it tells. Everything it says has a mark of its own. */

import type { Receipt, ScrubReport } from "@holdfast/memory";
import type { Strike } from "./strike.ts";

/** A child's one argument, as JSON. */
export interface TalkErrand {
  readonly path: string;
  readonly seed: number;
  /** Makes marks and names of this child unlike those of any other. */
  readonly cycle: number;
  /** The scopes that are there. */
  readonly scopes: readonly string[];
  readonly strike: Strike | null;
}

/** One call, as data. Turns are named by the mark that they say; so are pins. */
export type TalkCall =
  | { readonly op: "create"; readonly scope: string }
  | {
    readonly op: "append";
    readonly scope: string;
    readonly mark: string;
    readonly expiresAtMs: number | null;
  }
  | { readonly op: "revise"; readonly scope: string; readonly old: string; readonly mark: string }
  | { readonly op: "pin"; readonly scope: string; readonly mark: string; readonly expiresAtMs: number | null }
  | { readonly op: "replay"; readonly scope: string; readonly mark: string }
  | { readonly op: "index"; readonly scope: string; readonly chunkCharacters: number }
  | { readonly op: "search"; readonly scope: string; readonly mark: string }
  | { readonly op: "deleteTurn"; readonly scope: string; readonly mark: string; readonly scrub: boolean }
  | { readonly op: "deletePin"; readonly scope: string; readonly mark: string }
  | { readonly op: "deleteScope"; readonly scope: string; readonly scrub: boolean }
  | { readonly op: "prune"; readonly scrub: boolean };

/** What a call gave, as far as the truth needs it. */
export type TalkAnswer = Receipt | ScrubReport | null;

/** What a child tells, one JSON line each. */
export type TalkLine =
  | { readonly type: "open" }
  | { readonly type: "intent"; readonly call: TalkCall }
  | { readonly type: "ack"; readonly answer: TalkAnswer }
  | { readonly type: "error"; readonly message: string; readonly stack: string }
  | { readonly type: "end" };

/** The tenant of all scopes. */
export const TENANT = "orchard";

/** The time of a child, in milliseconds: each comes ten seconds after the one before, so that things expire in between. */
export function timeOf(cycle: number): number {
  return 1_800_000_000_000 + cycle * 10_000;
}

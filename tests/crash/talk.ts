/** The arguments, calls and reports of a child that works on conversations. Every text has a mark of its own. */

import type { Part, Receipt, ScrubReport } from "@holdfast/memory";
import type { Strike } from "./strike.ts";

/** A child's one argument, as JSON. */
export interface TalkErrand {
  readonly path: string;
  readonly seed: number;
  /** Makes the marks and names of this child unique. */
  readonly cycle: number;
  /** The scopes that are there. */
  readonly scopes: readonly string[];
  readonly strike: Strike | null;
}

/** One call, as data. Turns and pins are named by the mark in their text. */
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

/** The result of a call, as far as the model needs it. */
export type TalkAnswer = Receipt | ScrubReport | null;

/** What a child reports, one JSON line each. */
export type TalkLine =
  | { readonly type: "open" }
  | { readonly type: "intent"; readonly call: TalkCall }
  | { readonly type: "ack"; readonly answer: TalkAnswer }
  | { readonly type: "error"; readonly message: string; readonly stack: string }
  | { readonly type: "end" };

/** The tenant of all scopes. */
export const TENANT = "orchard";

/** A file that every message of a scope has, and the scope once. */
const SHARED = new Uint8Array(3_000).fill(7);

/** What the message with a mark has: its text, a file that repeats the mark (one in ten has two pieces), and the shared one. */
export function contentOf(mark: string): readonly Part[] {
  const file = new TextEncoder().encode(`${mark} `.repeat(mark.endsWith("7q") ? 35_000 : 300));
  return [
    { type: "text", text: `${mark} the pears were grafted in March and the pumps were mended` },
    { type: "media", mediaType: "text/plain", data: file },
    { type: "media", mediaType: "image/png", data: SHARED },
  ];
}

/** The time of a child, in milliseconds: each comes ten seconds after the one before, so that things expire in between. */
export function timeOf(cycle: number): number {
  return 1_800_000_000_000 + cycle * 10_000;
}

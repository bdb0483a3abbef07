/** The arguments of a process with several Workers on one store, and what its Workers report. */

/** A child's one argument, as JSON. */
export interface CrewErrand {
  readonly path: string;
  /** Makes the session ids of this child unique. */
  readonly name: string;
  readonly seed: number;
  /** Whether its SQLite reports a version that needs a rollback journal. */
  readonly old: boolean;
}

/** The task of one of its Workers. */
export interface CrewTask {
  readonly path: string;
  /** The session that this Worker alone writes; null for one that only opens and closes the store. */
  readonly session: string | null;
  readonly seed: number;
  readonly old: boolean;
}

/** One call, as data. Turns are named by the mark in their text. */
export interface CrewCall {
  readonly op: "append" | "delete";
  readonly mark: string;
}

/** What a Worker reports, one JSON line each; at most one call of a session is in flight. */
export type CrewLine =
  | { readonly type: "intent"; readonly session: string; readonly call: CrewCall }
  | { readonly type: "ack"; readonly session: string }
  | { readonly type: "error"; readonly message: string; readonly stack: string };

/** The tenant of every session. */
export const TENANT = "orchard";

/** The parent reads a written line even if this process has ended; so short a line is written atomically. */
export function say(line: CrewLine): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(line).slice(0, LINE_CHARACTERS_MAX)}\n`));
}

const LINE_CHARACTERS_MAX = 4_000;

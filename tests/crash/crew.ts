/** What a process with several Workers on one store is sent to do, and what its Workers tell. */

/** A child's one argument, as JSON. */
export interface CrewErrand {
  readonly path: string;
  /** Makes sessions of this child unlike those of any other. */
  readonly name: string;
  readonly seed: number;
  /** Whether its SQLite claims to be of a version that needs a rollback journal. */
  readonly old: boolean;
}

/** What one Worker of it does. */
export interface CrewTask {
  readonly path: string;
  /** The session that this Worker alone writes; null for one that only opens and closes the store. */
  readonly session: string | null;
  readonly seed: number;
  readonly old: boolean;
}

/** One call, as data. Turns are named by the mark that they say. */
export interface CrewCall {
  readonly op: "append" | "delete";
  readonly mark: string;
}

/** What a Worker tells, one JSON line each; at most one call of a session is in flight. */
export type CrewLine =
  | { readonly type: "intent"; readonly session: string; readonly call: CrewCall }
  | { readonly type: "ack"; readonly session: string }
  | { readonly type: "error"; readonly message: string; readonly stack: string };

/** The tenant of every session. */
export const TENANT = "orchard";

/** A line that was written is read by the parent even if this process is gone; so short a line is written whole. */
export function say(line: CrewLine): void {
  Deno.stdout.writeSync(new TextEncoder().encode(`${JSON.stringify(line).slice(0, LINE_CHARACTERS_MAX)}\n`));
}

const LINE_CHARACTERS_MAX = 4_000;

/** What a worker process, or a thread of one, is told to do, and what it answers; one JSON line each. */

/** One task, written to a worker's standard input; a worker does them in order. */
export type Task =
  /** Opens the store; later tasks use it. With `old`, through a driver that needs a rollback journal. */
  | { readonly do: "open"; readonly path: string; readonly busyTimeoutMs?: number; readonly old?: boolean }
  /** Closes it again. */
  | { readonly do: "close" }
  /** Increments the shared counter. */
  | { readonly do: "increment"; readonly times: number }
  /** Puts facts of its own. */
  | { readonly do: "facts"; readonly prefix: string; readonly count: number }
  /** Appends turns to one conversation that others append to as well. */
  | { readonly do: "append"; readonly prefix: string; readonly count: number }
  /** Opens a new file that others open too, writes one fact, and closes it. */
  | { readonly do: "first open"; readonly path: string; readonly key: string; readonly old?: boolean }
  /** Mixes everything for a bounded time. */
  | { readonly do: "mix"; readonly seed: number; readonly forMs: number; readonly prunes: boolean }
  /** Forgets and puts one record of its own, over and over. */
  | { readonly do: "forgets"; readonly key: string; readonly times: number }
  /** Appends turns to a conversation of its own; opens the store again after so many of them, and after every error. */
  | {
    readonly do: "write turns";
    readonly path: string;
    readonly session: string;
    readonly count: number;
    readonly perOpening: number;
    readonly old: boolean;
  }
  /** Opens the store, reads a little and closes it, over and over. */
  | {
    readonly do: "reopen";
    readonly path: string;
    readonly deletionPath?: string;
    readonly times: number;
    readonly old: boolean;
  }
  /** Starts Workers in the process, each with tasks of its own. */
  | { readonly do: "start threads"; readonly count: number }
  /** Gives each Worker a task at once, and answers when all have. */
  | { readonly do: "in threads"; readonly of: readonly Task[] }
  /** Ends the Workers. */
  | { readonly do: "end threads" }
  /** Answers. */
  | { readonly do: "nothing" }
  /** Takes a write lock with plain SQLite, as any other program could. */
  | { readonly do: "hold"; readonly path: string }
  /** Writes without committing, and tells so. */
  | { readonly do: "hold written"; readonly path: string }
  /** Gives it back. */
  | { readonly do: "release" };

/** What a worker answers when a task is done. */
export type Answer =
  | { readonly type: "ready" }
  | { readonly type: "done"; readonly result: unknown }
  | { readonly type: "error"; readonly code: string; readonly message: string; readonly stack: string };

/** What mixing gave. */
export interface MixResult {
  readonly calls: number;
  readonly conflicts: number;
  /** Each call's duration in milliseconds, sorted. */
  readonly waitsMs: readonly number[];
  /** Records of its own that must be there at the end, with their revisions. */
  readonly kept: readonly (readonly [key: string, revision: number])[];
  /** Every revision that it was given. */
  readonly revisions: readonly number[];
  /** How many records it removed with `forget`. */
  readonly forgotten: number;
}

/** What writing turns, or opening again and again, gave. */
export interface Reopened {
  /** The turns that were acknowledged, by what they say. */
  readonly acknowledged: readonly string[];
  /** How often each error was met, by its code. */
  readonly errors: Readonly<Record<string, number>>;
}

/** How a store is opened, and what it reports while it is open. */

import type { RecordKind } from "../record_kind.ts";

/** What opening a store takes, whatever engine it runs on. */
export interface StoreOptions {
  /**
   * Milliseconds since the Unix epoch; `Date.now` if omitted. Read before a transaction begins, never inside one, so it may
   * call the store.
   */
  readonly clock?: (() => number) | undefined;
  /** Kinds of records besides checkpoint and fact, made by `defineKind`. */
  readonly kinds?: readonly RecordKind[] | undefined;
  /** How large a scope may become: 50 000 turns and 256 000 000 bytes if omitted, media and journals included. */
  readonly limits?: {
    /** Turns of one scope. */
    readonly turnsPerScope?: number | undefined;
    /** Bytes of one scope as stored: its turns, journals and media. */
    readonly bytesPerScope?: number | undefined;
    /** Bytes of all media of one turn: 64 000 000 if omitted, at most 1 000 000 000. */
    readonly mediaBytesPerTurn?: number | undefined;
  } | undefined;
  /** Whether the store may only be read: for inspectors. Needs no permission to write. */
  readonly readOnly?: boolean | undefined;
  /** Whether a clock that is behind the highest time seen is to be believed: lowers the store's mark. */
  readonly acceptClock?: boolean | undefined;
  /** Told what the store does; content-free. Called outside every transaction. */
  readonly onEvent?: ((event: MemoryEvent) => void) | undefined;
}

/** Something a store did: names, times and counts, no content. */
export interface MemoryEvent {
  /** What was done. */
  readonly operation:
    | "open"
    | "restore"
    | "backup"
    | "exportLedger"
    | "acceptClock"
    | "forget"
    | "purge"
    | "delete"
    /** One batch of turns was indexed: by `indexBatch`, or by a search or an assembly that needed it. */
    | "index"
    | "search"
    | "assemble"
    | "erase"
    | "prune"
    | "check"
    | "import"
    | "close";
  /** When it ended: milliseconds since the Unix epoch, by the store's effective time. */
  readonly at: number;
  /** How long it took, in milliseconds. */
  readonly durationMs: number;
  /** What was counted, such as `{ records: 3 }`. */
  readonly counts: Readonly<Record<string, number>>;
}

/** Tells of something that was done, begun at `startedMs` on the monotonic clock. Internal. */
export type EmitEvent = (told: Pick<MemoryEvent, "operation" | "counts">, startedMs: number) => void;

/** What a deletion gives back, and what looking at it again finds. */

/** What was erased, by what it was. */
export interface ErasedCounts {
  /** Turns. */
  readonly turns: number;
  /** Pins, those that cited an erased turn among them. */
  readonly pins: number;
  /** Summaries. */
  readonly summaries: number;
  /** Chunks of the index. */
  readonly chunks: number;
  /** Postings of the index. */
  readonly postings: number;
  /** Replays. */
  readonly replay: number;
  /** Remembered operations. */
  readonly operations: number;
}

/** What a deletion gives back: its place in the ledger. Keep it to prove the deletion later. */
export interface Receipt {
  /** Which ledger: 32 lower-case hex digits. */
  readonly lineage: string;
  /** The event's place in the ledger, from 1. */
  readonly sequence: number;
  /** The hash chain up to and including the event: 64 lower-case hex digits. */
  readonly head: string;
  /** What was deleted. */
  readonly kind: "scope" | "turn" | "pin";
  /** When, as ISO text. */
  readonly at: string;
  /** Whether it had been deleted before; then this is the receipt of that deletion, and nothing changed now. */
  readonly already: boolean;
  /** Whether its bytes were scrubbed from the files right afterwards; the ledger does not speak of it. */
  readonly scrubbed: boolean;
  /** What was erased. */
  readonly erased: ErasedCounts;
}

/** What looking at a receipt again finds. */
export interface ReceiptReport {
  /** Whether all of the following holds. */
  readonly valid: boolean;
  /** Whether the receipt is of this store's ledger. */
  readonly lineage: boolean;
  /** Whether the whole chain of events is unbroken. */
  readonly chain: boolean;
  /** Whether the event stands where the receipt says, and says the same. */
  readonly event: boolean;
  /** Whether main has carried it out. */
  readonly applied: boolean;
  /** Rows that still belong to what was deleted, by table; empty if nothing remains. */
  readonly remains: Readonly<Record<string, number>>;
}

/** What `delete` takes. */
export interface DeleteTarget {
  /** What to delete: the whole scope, or one turn or pin of it. */
  readonly kind: "scope" | "turn" | "pin";
  /** The turn's id or the pin's key; absent for a scope. */
  readonly key?: string | undefined;
  /** The scope's revision. */
  readonly expectedRevision: number;
}

/** What `delete` takes besides the target. */
export interface DeleteOptions {
  /** Whether to scrub the bytes from the files right afterwards. A deletion never fails because its scrub did. */
  readonly scrub?: boolean | undefined;
  /** Makes the call harmless to repeat: the same id gives the first receipt again. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** What `prune` takes. */
export interface PruneOptions {
  /** Whether to scrub the files; true if omitted. */
  readonly scrub?: boolean | undefined;
  /** Whether a clock that is behind the highest time seen is to be believed: lowers the store's mark first. */
  readonly acceptClock?: boolean | undefined;
  /** Cancels between two batches. */
  readonly signal?: AbortSignal | undefined;
  /** Told how far it is. */
  readonly onProgress?: ((progress: PruneProgress) => void) | undefined;
}

/** How far a prune is. */
export interface PruneProgress {
  /** What it is doing. */
  readonly part: "expire" | "index" | "scrub";
  /** Things expired, indexes cleared away, or tables rewritten, so far. */
  readonly done: number;
}

/** What a prune did. */
export interface PruneReport {
  /** What had expired and was erased. */
  readonly expired: {
    /** Turns. */
    readonly turns: number;
    /** Pins, those that cited an expired turn among them. */
    readonly pins: number;
    /** Summaries. */
    readonly summaries: number;
    /** Replays. */
    readonly replay: number;
    /** Records. */
    readonly records: number;
  };
  /** Indexes that had made room for others, and of which something was still there. */
  readonly retiredIndexes: number;
  /** By how many milliseconds the clock mark was lowered. */
  readonly clockLoweredByMs: number;
  /** What scrubbing did; null if it was left out. */
  readonly scrub: ScrubReport | null;
}

/** What scrubbing did. Erasure of bytes is promised only where it is complete. */
export interface ScrubReport {
  /** Whether every table that lost content was rewritten, and both logs emptied. */
  readonly complete: boolean;
  /** What stood in the way: readers, or other writers; null if it is complete or was cancelled. */
  readonly by: "READERS" | "BUSY" | null;
  /** Tables rewritten. */
  readonly tables: number;
  /** Bytes by which the file became smaller. */
  readonly bytesReturned: number;
}

/** Receipts of deletions, and what verifying one finds. */

import type { SweptLeftovers } from "./leftovers_report.ts";

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
  /** Cached responses. */
  readonly replay: number;
  /** Remembered operations. */
  readonly operations: number;
  /** Journals. */
  readonly journals: number;
  /** Entries of journals. */
  readonly entries: number;
  /** Media, each counted once. */
  readonly media: number;
  /** Sessions; only where `kind` is `erase`. What lies under them is counted as turns, pins, journals and operations. */
  readonly sessions?: number;
  /** Records; only where `kind` is `erase`. */
  readonly records?: number;
}

/** What was deleted, as keyed hashes: without the store's key no guess can be confirmed by them. */
export interface ReceiptTarget {
  /** The hash of the tenant: 32 lower-case hex digits, as all of them. */
  readonly tenantId: string;
  /** The hash of the session, its tenant included; absent where `kind` is `erase`. */
  readonly sessionId?: string;
  /** The hash of the turn's id, the pin's key or the journal's part, its session included; absent for a whole scope. */
  readonly key?: string;
  /** The hash of the person, the tenant included; only where `kind` is `erase`, absent for everything of a tenant. */
  readonly subject?: string;
}

/** What a receipt has to be about; a field that is left out is not compared. */
export interface ReceiptSubject {
  /** The tenant. */
  readonly tenantId: string;
  /** The session; needed with `key`. */
  readonly sessionId?: string | undefined;
  /**
   * The turn's id, the pin's key or the journal's part. Without it, look at the receipt's `kind`: only `scope` means the
   * whole session.
   */
  readonly key?: string | undefined;
  /** The person, of a receipt of `erase`. */
  readonly subject?: string | undefined;
}

/** A receipt: the deletion's place in the ledger, and what was deleted. Keep it to prove the deletion later. */
export interface Receipt {
  /** Which ledger: 32 lower-case hex digits. */
  readonly lineage: string;
  /** The event's place in the ledger, from 1. */
  readonly sequence: number;
  /** The hash chain up to and including the event: 64 lower-case hex digits. */
  readonly head: string;
  /** What was deleted. */
  readonly kind: "scope" | "turn" | "pin" | "journal" | "erase";
  /**
   * Whether the identifier can never be used again; false for a journal that was cleared, a pin that was taken off, and for
   * everything of a tenant or person.
   */
  readonly reserved: boolean;
  /** When, as ISO text. */
  readonly at: string;
  /** Whether it had been deleted before; then this is the receipt of that deletion, and nothing changed now. */
  readonly already: boolean;
  /** Whether its bytes were scrubbed from the files right afterwards. */
  readonly scrubbed: boolean;
  /** What was erased. */
  readonly erased: ErasedCounts;
  /** What was deleted, as hashes. */
  readonly target: ReceiptTarget;
  /** The store's message authentication code over all other fields: 32 lower-case hex digits. */
  readonly mac: string;
}

/** What looking at a receipt again finds. */
export interface ReceiptReport {
  /** Whether all of the following holds. */
  readonly valid: boolean;
  /** Whether the receipt is of this store's ledger. */
  readonly lineage: boolean;
  /** Whether this store made the receipt, and no field was changed since. */
  readonly authentic: boolean;
  /** Whether it is about the subject that was named; null where none was. */
  readonly about: boolean | null;
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
  /** Makes the call safe to repeat: the same id returns the first receipt. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** What `unpin` takes besides the key. */
export interface UnpinOptions extends DeleteOptions {
  /** The scope's revision; whatever it is if omitted. */
  readonly expectedRevision?: number | undefined;
}

/** Whose data `erase` erases. */
export interface EraseTarget {
  /** The tenant. */
  readonly tenantId: string;
  /** The person, as sessions and records were labelled; everything of the tenant if omitted. */
  readonly subject?: string | undefined;
}

/** What `erase` takes besides whose data it erases. */
export interface EraseOptions {
  /** Makes the call safe to repeat: the same id for the same tenant and person returns the first receipt. */
  readonly operationId?: string | undefined;
  /** Whether to scrub the bytes from the files right afterwards. An erasure never fails because its scrub did. */
  readonly scrub?: boolean | undefined;
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
    /** Cached responses. */
    readonly replay: number;
    /** Records. */
    readonly records: number;
  };
  /** Indexes that had made room for others, and of which something was still there. */
  readonly retiredIndexes: number;
  /** By how many milliseconds the clock mark was lowered. */
  readonly clockLoweredByMs: number;
  /** What became of files that killed backups, exports and restores of the store left behind. */
  readonly leftovers: SweptLeftovers;
  /** What scrubbing did; null if it was left out, or the store's engine has nothing to scrub. */
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

/** What the calls of a journal take and give. */

import type { Json } from "../../canonical/plain.ts";
import type { Damaged } from "../damaged.ts";

/** An entry that a caller appends. */
export interface NewJournalEntry {
  /** Text that the protocol identifies the entry by, at most 256 code points; unique in its journal. */
  readonly uuid?: string | undefined;
  /** Plain JSON, at most 1 000 000 bytes; stored with its keys in the order given. */
  readonly json: Json;
}

/** An entry of a journal. */
export interface JournalEntry {
  /** Where it stands: the first entry of a journal has place 1, each next one a higher place. */
  readonly place: number;
  /** Its uuid; null if it has none. */
  readonly uuid: string | null;
  /** The value that was appended, with its keys in the same order. */
  readonly json: Json;
}

/** What `append` takes besides the entries. */
export interface AppendEntriesOptions {
  /** The journal's revision, 0 if there is no journal yet; any if omitted. */
  readonly expectedRevision?: number | undefined;
  /** Makes the call harmless to repeat: the same id resolves to the first revision, other input with it is refused. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** Which entries `replaceSuffix` replaces. */
export interface SuffixToReplace {
  /** The place of the first entry that goes; one more than that of the last entry replaces nothing. */
  readonly from: number;
  /** The journal's revision, 0 if there is no journal yet. */
  readonly expectedRevision: number;
}

/** What `replaceSuffix` takes besides the suffix and the entries. */
export interface ReplaceSuffixOptions {
  /** Makes the call harmless to repeat. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** What `read` takes. */
export interface ReadJournalOptions {
  /** Only the newest so many. */
  readonly last?: number | undefined;
  /** Only entries after this place. */
  readonly after?: number | undefined;
  /** Only entries before this place. */
  readonly before?: number | undefined;
  /** What becomes of damaged entries: `"error"` (the default) ends with one, `"skip"` leaves them out. */
  readonly damaged?: Damaged | undefined;
  /** Ends the read before its next page. */
  readonly signal?: AbortSignal | undefined;
}

/** What `pop` takes besides the number. */
export interface PopOptions {
  /** The journal's revision; any if omitted. With it, a call that is repeated after an unknown outcome pops nothing twice. */
  readonly expectedRevision?: number | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

/** What `clear` and `delete` take. */
export interface EraseJournalOptions {
  /** The journal's revision; any if omitted. */
  readonly expectedRevision?: number | undefined;
  /** Whether to scrub the bytes from the files right afterwards. A deletion never fails because its scrub did. */
  readonly scrub?: boolean | undefined;
  /** Makes the call harmless to repeat: the same id resolves to the first receipt. */
  readonly operationId?: string | undefined;
  /** Withdraws the call while it is queued. */
  readonly signal?: AbortSignal | undefined;
}

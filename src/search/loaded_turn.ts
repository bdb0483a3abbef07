/** Documents of an index as a search sees them: turns with their messages and chunks, and who stands beside whom. */

import type { IndexedChunk } from "../tables/indexed_turns.ts";
import type { TermCount } from "../tables/posting_list.ts";

/** A chunk that has words. */
export class LoadedDocument {
  readonly message: LoadedMessage;
  /** Its number among the turn's chunks. */
  readonly chunk: number;
  readonly range: IndexedChunk;
  /** Its place among the message's documents. */
  readonly index: number;
  /** Whether it was handed out. */
  isTaken = false;
  /** Its score for the question by its own words, or no less; as it was when its turn was last measured. */
  lexical = 0;

  constructor(message: LoadedMessage, chunk: number, range: IndexedChunk, index: number) {
    this.message = message;
    this.chunk = chunk;
    this.range = range;
    this.index = index;
  }
}

/** A message that has documents. */
export class LoadedMessage {
  readonly turn: LoadedTurn;
  readonly documents: LoadedDocument[] = [];
  /** What it can lend: the best of its documents' scores for the terms that are lent, or no less. */
  best = 0;

  constructor(turn: LoadedTurn) {
    this.turn = turn;
  }

  /** Whether it ends by asking. */
  get asks(): boolean {
    return this.documents.at(-1)?.range.asks ?? false;
  }
}

/** What is known of a turn, whatever the window is. */
export interface KnownTurn {
  /** Its row. */
  readonly turn: number;
  /** The checksum of the payload that was indexed. */
  readonly source: number;
  readonly ranges: readonly IndexedChunk[];
  /** Terms of the question that it has and whose postings were not read for it. */
  readonly unread: Set<number>;
  /** By term of the question: which of its chunks have it, and how often. */
  readonly counts: Map<number, readonly TermCount[]>;
}

/** A turn that has documents. */
export class LoadedTurn {
  /** Its row. */
  readonly id: number;
  /** The checksum of the payload that was indexed. */
  readonly source: number;
  readonly messages: readonly LoadedMessage[];
  /** Terms of the question that it has and whose postings were not read for it. */
  readonly unread: Set<number>;
  /** By term of the question: which of its chunks have it, and how often. */
  readonly counts: Map<number, readonly TermCount[]>;
  /** How many terms were unread when it was measured: as long as that stays, nothing about it has changed. */
  measuredUnread = -1;
  /** The turn before that has documents; null where there is none, undefined where it is not known. */
  previous: LoadedTurn | null | undefined;
  /** The turn after, likewise. */
  next: LoadedTurn | null | undefined;

  /** Takes what is known; chunks that are seen already are no documents. */
  constructor(known: KnownTurn, isUnseen: (range: IndexedChunk) => boolean = () => true) {
    this.id = known.turn;
    this.source = known.source;
    this.unread = known.unread;
    this.counts = known.counts;
    this.messages = messagesOf(this, known.ranges, isUnseen);
  }

  /** Whether it is known how often each of its documents has each term of the question. */
  get isComplete(): boolean {
    return this.unread.size === 0;
  }

  /** Notes the postings of a term. */
  take(term: number, counts: readonly TermCount[]): void {
    this.counts.set(term, counts);
    this.unread.delete(term);
  }

  /** How often a document has a term; 0 where that is not known. */
  frequency(term: number, document: LoadedDocument): number {
    return frequencyIn(this.counts.get(term) ?? [], document.chunk);
  }
}

/** How often a chunk has a term, from the counts of its turn, which are in the order of its chunks; mostly of one or two. */
export function frequencyIn(counts: readonly TermCount[], chunk: number): number {
  let low = 0;
  let high = counts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (counts[middle]!.chunk < chunk) low = middle + 1;
    else high = middle;
  }
  const found = counts[low];
  return found?.chunk === chunk ? found.frequency : 0;
}

function messagesOf(
  turn: LoadedTurn,
  ranges: readonly IndexedChunk[],
  isUnseen: (range: IndexedChunk) => boolean,
): readonly LoadedMessage[] {
  const messages: LoadedMessage[] = [];
  let position = -1;
  for (const [chunk, range] of ranges.entries()) {
    if (range.length === 0 || !isUnseen(range)) continue;
    if (range.message !== position) messages.push(new LoadedMessage(turn));
    position = range.message;
    const message = messages.at(-1)!;
    message.documents.push(new LoadedDocument(message, chunk, range, message.documents.length));
  }
  return messages;
}

/** The message that stands `distance` (±1 or ±2) from another; null where none does, undefined where it is not known. */
export function neighbour(message: LoadedMessage, distance: number): LoadedMessage | null | undefined {
  const step = Math.sign(distance);
  let turn: LoadedTurn | null | undefined = message.turn;
  let index = turn.messages.indexOf(message);
  for (let left = Math.abs(distance); left > 0; left--) {
    index += step;
    while (turn !== null && turn !== undefined && turn.messages[index] === undefined) {
      turn = step > 0 ? turn.next : turn.previous;
      if (turn) index = step > 0 ? 0 : turn.messages.length - 1;
    }
    if (turn === null || turn === undefined) return turn;
  }
  return turn.messages[index];
}

/** Notes that one turn follows another. */
export function link(before: LoadedTurn | null, after: LoadedTurn | null): void {
  if (before !== null) before.next = after;
  if (after !== null) after.previous = before;
}

/** The documents of a search: turns with their messages and chunks, linked to the turns before and after. */

import type { IndexedChunk } from "../tables/indexed_turns.ts";
import type { TermCount } from "../tables/posting_list.ts";

/** A chunk that has words. */
export class LoadedDocument {
  readonly message: LoadedMessage;
  /** Its position among the chunks of the turn. */
  readonly chunk: number;
  readonly range: IndexedChunk;
  /** Its position among the documents of the message. */
  readonly index: number;
  /** Whether the search has returned it. */
  isTaken = false;
  /** Its own score for the question, or an upper bound, as of the last time that its turn was measured. */
  lexical = 0;

  constructor(message: LoadedMessage, chunk: number, range: IndexedChunk, index: number) {
    this.message = message;
    this.chunk = chunk;
    this.range = range;
    this.index = index;
  }
}

/** A message, or a call of one, that has documents. */
export class LoadedMessage {
  readonly turn: LoadedTurn;
  readonly documents: LoadedDocument[] = [];
  /** The score that it can lend, or an upper bound: the best of its documents, for the terms that are lent. */
  best = 0;

  constructor(turn: LoadedTurn) {
    this.turn = turn;
  }

  /** Whether it ends with a question. */
  get asks(): boolean {
    return this.documents.at(-1)?.range.asks ?? false;
  }
}

/** The parts of a turn that do not depend on the window. */
export interface KnownTurn {
  /** Its row. */
  readonly turn: number;
  /** The checksum of the payload that was indexed. */
  readonly source: number;
  /** Its timestamp, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly ranges: readonly IndexedChunk[];
  /** Terms of the question that it has, and whose postings were not read for it yet. */
  readonly unread: Set<number>;
  /** Term of the question → which of its chunks have it, and how often. */
  readonly counts: Map<number, readonly TermCount[]>;
}

/** A turn that has documents. */
export class LoadedTurn {
  /** Its row. */
  readonly id: number;
  /** The checksum of the payload that was indexed. */
  readonly source: number;
  /** Its timestamp, in milliseconds since the Unix epoch. */
  readonly atMs: number;
  readonly messages: readonly LoadedMessage[];
  /** Terms of the question that it has, and whose postings were not read for it yet. */
  readonly unread: Set<number>;
  /** Term of the question → which of its chunks have it, and how often. */
  readonly counts: Map<number, readonly TermCount[]>;
  /** The number of unread terms when it was last measured. While it is the same, the scores are the same. */
  measuredUnread = -1;
  /** The turn before that has documents; null if there is none, undefined if it is not known yet. */
  previous: LoadedTurn | null | undefined;
  /** The turn after that has documents; null if there is none, undefined if it is not known yet. */
  next: LoadedTurn | null | undefined;

  /** Creates a turn; chunks for which `isUnseen` returns false are not documents. */
  constructor(known: KnownTurn, isUnseen: (range: IndexedChunk) => boolean = () => true) {
    this.id = known.turn;
    this.source = known.source;
    this.atMs = known.atMs;
    this.unread = known.unread;
    this.counts = known.counts;
    this.messages = messagesOf(this, known.ranges, isUnseen);
  }

  /** Whether the postings of every term were read, so that its scores are exact. */
  get isComplete(): boolean {
    return this.unread.size === 0;
  }

  /** Stores the postings of a term. */
  take(term: number, counts: readonly TermCount[]): void {
    this.counts.set(term, counts);
    this.unread.delete(term);
  }

  /** Returns the number of times that a document has a term; 0 if it is not known. */
  frequency(term: number, document: LoadedDocument): number {
    return frequencyIn(this.counts.get(term) ?? [], document.chunk);
  }
}

/** Finds the number of times that a chunk has a term, by binary search in the counts of its turn. */
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
    if (range.text !== position) messages.push(new LoadedMessage(turn));
    position = range.text;
    const message = messages.at(-1)!;
    message.documents.push(new LoadedDocument(message, chunk, range, message.documents.length));
  }
  return messages;
}

/** Returns the message at a distance of ±1 or ±2. Null if there is none, undefined if it is not known yet. */
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

/** Links two turns that follow each other. */
export function link(before: LoadedTurn | null, after: LoadedTurn | null): void {
  if (before !== null) before.next = after;
  if (after !== null) after.previous = before;
}

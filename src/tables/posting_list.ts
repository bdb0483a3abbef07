/** Lists of postings: in which chunks of a run of turns a term occurs, and how often. */

import { VarintReader, VarintWriter } from "../canonical/varints.ts";
import { IntegrityError } from "../errors.ts";

/** The index and term of a row of postings. */
export interface PostingPlace {
  /** The index. */
  readonly indexId: number;
  /** The term's number in the index. */
  readonly term: number;
}

/** A term in one chunk. */
export interface TermCount {
  /** The chunk's number in its turn, from 0. */
  readonly chunk: number;
  /** How often. */
  readonly frequency: number;
}

/** A term in one turn. */
export interface Posting {
  /** The turn's row. */
  readonly turn: number;
  /** In order, at least one. */
  readonly counts: readonly TermCount[];
}

/** A row of postings as it is stored, after its place. */
interface PostingColumns {
  /** The row of its first turn. */
  readonly turn: number;
  /** How many postings. */
  readonly turns: number;
  readonly postingList: Uint8Array;
}

/** Bytes of the check at the end of a list. */
const CHECK_BYTES = 2;

/**
 * A row of postings, in the order of their turns. The list has, for each turn, the distance from the turn before (0 for
 * the first); then for each of its chunks the distance from the chunk before, whether it is the turn's last, and whether
 * the term occurs more than once, as one number, followed in that case by how often; and last a check over it all. Most
 * postings take two bytes: a row of its own for each turn took sixteen, and there are a hundred postings a turn.
 */
export function encodePostings(place: PostingPlace, postings: readonly Posting[]): PostingColumns {
  const writer = new VarintWriter();
  const first = postings[0]!.turn;
  let before = first;
  for (const { turn, counts } of postings) {
    writer.add(turn - before);
    before = turn;
    let chunkBefore = -1;
    for (const [position, { chunk, frequency }] of counts.entries()) {
      const isLast = position === counts.length - 1;
      writer.add((chunk - chunkBefore - 1) * 4 + (isLast ? 2 : 0) + (frequency > 1 ? 1 : 0));
      if (frequency > 1) writer.add(frequency);
      chunkBefore = chunk;
    }
  }
  return checked(place, { turn: first, turns: postings.length, postingList: writer.bytes(CHECK_BYTES) });
}

/** A row with the check at the end of its list, for which there is room. */
function checked(place: PostingPlace, columns: PostingColumns): PostingColumns {
  const { postingList } = columns;
  const check = checkOf(place, columns);
  postingList[postingList.length - 2] = check >>> 8;
  postingList[postingList.length - 1] = check & 0xff;
  return columns;
}

/**
 * Reads a row of postings back, from its columns `turn`, `turns` and `posting_list`.
 *
 * @throws {IntegrityError} where the check or the form is wrong
 */
export function decodePostings(place: PostingPlace, row: readonly unknown[]): readonly Posting[] {
  const postings = intactPostings(place, row);
  if (postings !== null) return postings;
  throw new IntegrityError("Postings of the index do not match their check", {
    details: { table: "postings" },
  });
}

/** Reads a row of postings; null if it is damaged. */
function intactPostings(place: PostingPlace, row: readonly unknown[]): readonly Posting[] | null {
  const columns = intactColumns(place, row);
  if (columns === null) return null;
  const { turn: first, turns, postingList } = columns;
  const postings: Posting[] = [];
  const reader = new VarintReader(postingList, postingList.length - CHECK_BYTES);
  for (let turn = first; !reader.isAtEnd;) {
    turn += reader.next();
    const counts = nextCounts(reader);
    if (counts === null || Number.isNaN(turn)) return null;
    postings.push({ turn, counts });
  }
  return postings.length === turns ? postings : null;
}

/** Validates the check of a row; null if it does not match. */
function intactColumns(place: PostingPlace, row: readonly unknown[]): PostingColumns | null {
  const [turn, turns, postingList] = row as [number, number, unknown];
  if (!(postingList instanceof Uint8Array) || postingList.length < CHECK_BYTES) return null;
  const columns = { turn, turns, postingList };
  const end = postingList.length - CHECK_BYTES;
  const check = postingList[end]! * 0x100 + postingList[end + 1]!;
  return checkOf(place, columns) === check ? columns : null;
}

/** A row after a turn's posting was removed. */
type Removal = PostingColumns | "emptied" | "missing" | "damaged";

/**
 * Removes one turn's posting from a row. The bytes of the others stay as they are, except for the distance of the next
 * one: a deletion does this for each word of a turn, and decoding and encoding whole rows took most of its time.
 */
export function withoutTurn(place: PostingPlace, row: readonly unknown[], turn: number): Removal {
  const columns = intactColumns(place, row);
  if (columns === null) return "damaged";
  const { turns, postingList } = columns;
  const end = postingList.length - CHECK_BYTES;
  const reader = new VarintReader(postingList, end);
  let [current, count, from, to, before, after] = [columns.turn, 0, -1, end, columns.turn, columns.turn];
  for (; !reader.isAtEnd; count++) {
    const start = reader.at;
    const last = current;
    current += reader.next();
    if (current === turn) [from, before] = [start, last];
    else if (from >= 0 && to === end) [to, after] = [reader.at, current];
    if (!skipCounts(reader) || Number.isNaN(current)) return "damaged";
  }
  if (count !== turns) return "damaged";
  if (from < 0) return "missing";
  if (turns === 1) return "emptied";
  // If the first posting is removed, the next one becomes the first; after the last one there is no distance to correct.
  const distance = new VarintWriter();
  if (to < end) distance.add(from === 0 ? 0 : after - before);
  const between = distance.bytes();
  const list = new Uint8Array(from + between.length + (end - to) + CHECK_BYTES);
  list.set(postingList.subarray(0, from));
  list.set(between, from);
  list.set(postingList.subarray(to, end), from + between.length);
  return checked(place, { turn: from === 0 ? after : columns.turn, turns: turns - 1, postingList: list });
}

/** Skips the counts of a turn; false if they are cut off. */
function skipCounts(reader: VarintReader): boolean {
  for (;;) {
    const step = reader.next();
    if (step % 2 === 1) reader.next();
    if (Number.isNaN(step)) return false;
    if (step % 4 >= 2) return true;
  }
}

function nextCounts(reader: VarintReader): readonly TermCount[] | null {
  const counts: TermCount[] = [];
  for (let chunk = -1;;) {
    const step = reader.next();
    const frequency = step % 2 === 1 ? reader.next() : 1;
    if (Number.isNaN(step) || Number.isNaN(frequency)) return null;
    chunk += 1 + Math.floor(step / 4);
    counts.push({ chunk, frequency });
    if (step % 4 >= 2) return counts;
  }
}

/** The greatest prime of two bytes, so that no single flipped bit leaves the sum as it was. */
const MODULUS = 65_521;

function checkOf({ indexId, term }: PostingPlace, { turn, turns, postingList }: PostingColumns): number {
  let sum = 0;
  for (const number of [indexId, term, turn, turns]) sum = (sum * 257 + number) % MODULUS;
  for (let at = 0; at < postingList.length - CHECK_BYTES; at++) {
    sum = (sum * 257 + postingList[at]!) % MODULUS;
  }
  return sum;
}

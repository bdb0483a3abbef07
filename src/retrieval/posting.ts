/** What an index keeps of one term in a run of turns: in which of their chunks, and how often. */

import { VarintReader, VarintWriter } from "../canonical/varints.ts";
import { IntegrityError } from "../errors.ts";

/** Whose postings they are. */
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
  const postingList = writer.bytes(CHECK_BYTES);
  const columns = { turn: first, turns: postings.length, postingList };
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
  const postings = soundPostings(place, row);
  if (postings !== null) return postings;
  throw new IntegrityError("Postings of the index do not match their check", {
    details: { table: "postings" },
  });
}

/** The same; null for a damaged row: deletion goes on where reading has to stop. */
export function soundPostings(place: PostingPlace, row: readonly unknown[]): readonly Posting[] | null {
  const [first, turns, postingList] = row as [number, number, unknown];
  if (!(postingList instanceof Uint8Array) || postingList.length < CHECK_BYTES) return null;
  const end = postingList.length - CHECK_BYTES;
  const check = checkOf(place, { turn: first, turns, postingList });
  if (check !== postingList[end]! * 0x100 + postingList[end + 1]!) return null;
  const postings: Posting[] = [];
  const reader = new VarintReader(postingList, end);
  for (let turn = first; !reader.isAtEnd;) {
    turn += reader.next();
    const counts = nextCounts(reader);
    if (counts === null || Number.isNaN(turn)) return null;
    postings.push({ turn, counts });
  }
  return postings.length === turns ? postings : null;
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

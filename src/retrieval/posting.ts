/** What an index keeps of one term in one turn: in which of its chunks, and how often. */

import { VarintReader, VarintWriter } from "../canonical/varints.ts";
import { IntegrityError } from "../errors.ts";

/** Where a posting stands. */
export interface PostingPlace {
  /** The index. */
  readonly indexId: number;
  /** The term's number in the index. */
  readonly term: number;
  /** The turn's row. */
  readonly turn: number;
}

/** A term in one chunk. */
export interface TermCount {
  /** The chunk's number in its turn, from 0. */
  readonly chunk: number;
  /** How often. */
  readonly frequency: number;
}

/**
 * The bytes of a posting: for each chunk the distance from the one before and whether it has the term more than once,
 * as one number, followed in that case by how often; and last a check byte. There are a hundred postings a turn, so
 * that a full checksum would be a third of the table.
 */
export function encodePosting(place: PostingPlace, counts: readonly TermCount[]): Uint8Array {
  const writer = new VarintWriter();
  let before = -1;
  for (const { chunk, frequency } of counts) {
    writer.add((chunk - before - 1) * 2 + (frequency > 1 ? 1 : 0));
    if (frequency > 1) writer.add(frequency);
    before = chunk;
  }
  const list = writer.bytes();
  const bytes = new Uint8Array(list.length + 1);
  bytes.set(list);
  bytes[list.length] = checkByte(place, list, list.length);
  return bytes;
}

/**
 * Reads a posting back.
 *
 * @throws {IntegrityError} where the check byte or the form is wrong
 */
export function decodePosting(place: PostingPlace, bytes: unknown): readonly TermCount[] {
  if (!(bytes instanceof Uint8Array) || bytes.length < 2) throw damaged();
  const end = bytes.length - 1;
  if (checkByte(place, bytes, end) !== bytes[end]) throw damaged();
  const counts: TermCount[] = [];
  const reader = new VarintReader(bytes, end);
  let before = -1;
  while (!reader.isAtEnd) {
    const step = reader.next();
    const chunk = before + 1 + Math.floor(step / 2);
    const frequency = step % 2 === 1 ? reader.next() : 1;
    if (Number.isNaN(chunk) || Number.isNaN(frequency)) throw damaged();
    counts.push({ chunk, frequency });
    before = chunk;
  }
  return counts;
}

/** A prime, so that no single flipped bit leaves the sum as it was. */
const MODULUS = 251;

function checkByte({ indexId, term, turn }: PostingPlace, bytes: Uint8Array, end: number): number {
  let sum = ((indexId % MODULUS) * 31 + term) % MODULUS;
  sum = (sum * 31 + turn) % MODULUS;
  for (let at = 0; at < end; at++) sum = (sum * 31 + bytes[at]!) % MODULUS;
  return sum;
}

function damaged(): IntegrityError {
  return new IntegrityError("A posting of the index does not match its check byte", {
    details: { table: "postings" },
  });
}

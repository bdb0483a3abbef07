/** The hash chain over the ledger's events. */

import { KEYED_HASH_BYTES, toHex } from "../canonical/keyed_hash.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import { IntegrityError } from "../errors.ts";
import type { DeletionEvent, RecordedEvent } from "./operation.ts";

/** A place in the chain: how many events, and the hash over all of them. */
export interface ChainPlace {
  readonly sequence: number;
  readonly head: string;
}

/** The head of an empty ledger. */
export function firstHead(lineage: string): string {
  return sha256Hex(`holdfast ledger ${lineage}`);
}

/** The head after an event: SHA-256 of the head before it and every column of the event. */
function nextHead(head: string, event: Omit<RecordedEvent, "head">): string {
  return sha256Hex(JSON.stringify([
    head,
    event.sequence,
    event.batch,
    event.kind,
    toHex(event.scopeHash),
    toHex(event.keyHash),
    event.reserved,
    event.floor,
    event.at,
    encodeCounts(event.counts),
    ...event.hashes === undefined ? [] : [toHex(encodeHashes(event.hashes))],
  ]));
}

/** Hashes as stored: one after the other. */
export function encodeHashes(hashes: readonly Uint8Array[] = []): Uint8Array {
  const bytes = new Uint8Array(hashes.length * KEYED_HASH_BYTES);
  for (const [index, hash] of hashes.entries()) bytes.set(hash, index * KEYED_HASH_BYTES);
  return bytes;
}

/** Hashes read back; undefined where there are none. */
export function decodeHashes(bytes: unknown): readonly Uint8Array[] | undefined {
  if (!(bytes instanceof Uint8Array) || bytes.length % KEYED_HASH_BYTES !== 0) {
    throw new IntegrityError("Cannot use ledger: the hashes of an event are damaged");
  }
  if (bytes.length === 0) return undefined;
  return Array.from(
    { length: bytes.length / KEYED_HASH_BYTES },
    (_, index) => bytes.slice(index * KEYED_HASH_BYTES, (index + 1) * KEYED_HASH_BYTES),
  );
}

/** Counts as stored and hashed: JSON with sorted keys. */
export function encodeCounts(counts: Readonly<Record<string, number>>): string {
  return JSON.stringify(Object.fromEntries(Object.entries(counts).sort(([a], [b]) => a < b ? -1 : 1)));
}

/** Decodes counts: whole numbers by name, and nothing else. */
export function decodeCounts(text: string): Readonly<Record<string, number>> {
  let counts: unknown;
  try {
    counts = JSON.parse(text);
  } catch (cause) {
    throw new IntegrityError("Cannot use ledger: the counts of an event are damaged", { cause });
  }
  if (
    typeof counts === "object" && counts !== null && !Array.isArray(counts) &&
    Object.values(counts).every((count) => Number.isSafeInteger(count))
  ) {
    return counts as Record<string, number>;
  }
  throw new IntegrityError("Cannot use ledger: the counts of an event are none");
}

/** Places events in the chain as one batch, which is recorded and applied together. */
export function chainEvents(
  events: readonly DeletionEvent[],
  after: ChainPlace,
  atMs: number,
): readonly RecordedEvent[] {
  const batch = after.sequence + 1;
  let head = after.head;
  return events.map((event, index) => {
    const placed = { ...event, sequence: batch + index, batch, at: atMs };
    head = nextHead(head, placed);
    return { ...placed, head };
  });
}

/** Requires that events follow without a gap and that every head is right; returns the place after the last one. */
export function verifyChain(events: readonly RecordedEvent[], after: ChainPlace): ChainPlace {
  let { sequence, head } = after;
  for (const event of events) {
    if (event.sequence !== ++sequence || nextHead(head, event) !== event.head) {
      throw new IntegrityError("Cannot use ledger: its chain of events is broken", { details: { sequence } });
    }
    head = event.head;
  }
  return { sequence, head };
}

/**
 * What the reference hashes and Holdfast does not: a chunk, a set of chunks, and a snapshot. Put together here from what
 * Holdfast does write, so that these golden values hold its canonical JSON, its order of texts and its payloads too.
 */

import type { CanonicalObject, CanonicalValue } from "../../src/canonical/canonical_json.ts";
import { digest } from "../../src/contracts/digest.ts";
import { encodePin, encodeScope, encodeSourceRef, encodeSummary } from "../../src/contracts/payload.ts";
import { sha256Hex } from "../../src/canonical/sha256.ts";
import { readStrictJson } from "../../src/canonical/strict_json.ts";
import { compareCodePoints } from "../../src/canonical/text.ts";
import { identifiedMessageText } from "../../src/contracts/wire.ts";
import type { Chunk } from "../../src/contracts/chunk.ts";
import type { KeyedPins } from "../../src/contracts/keyed_pins.ts";
import type { Scope } from "../../src/contracts/scope.ts";
import type { Summary } from "../../src/contracts/summary.ts";
import type { Turn } from "../../src/contracts/turn.ts";

/** A chunk's payload. */
export function chunkPayload({ chunkId, chunkerVersion, content, source }: Chunk): CanonicalObject {
  return {
    chunk_id: chunkId,
    chunker_version: chunkerVersion,
    content,
    source: readStrictJson(encodeSourceRef(source)),
  };
}

/** The digest of a set of chunks, in any order. */
export function chunkSetDigest(chunks: readonly Chunk[]): string {
  const pairs = chunks.map((chunk) => [chunk.chunkId, digest(chunkPayload(chunk))] as const);
  return digest(pairs.sort(([left], [right]) => compareCodePoints(left, right)));
}

/** The digest of a turn's messages. */
export function turnContentHash({ messages }: Turn): string {
  return sha256Hex(`[${messages.map(identifiedMessageText).join(",")}]`);
}

/** What the reference's snapshot id is made of. */
export interface SnapshotParts {
  readonly epoch: string;
  readonly scope: Scope;
  readonly revision: number;
  readonly turns: readonly Turn[];
  readonly pins: KeyedPins;
  readonly summary: Summary | null;
}

/** The reference's snapshot id: the scope's text stands in it as a string, escaped again. */
export function snapshotDigest({ epoch, scope, revision, turns, pins, summary }: SnapshotParts): string {
  const set: CanonicalValue = {
    pins: pins.pins.map((pin) => readStrictJson(encodePin(pin))),
    scope: readStrictJson(encodeScope(pins.scope)),
  };
  const summaryValue = summary === null ? null : readStrictJson(encodeSummary(summary));
  return digest([epoch, encodeScope(scope), revision, turns.map(turnContentHash), set, summaryValue]);
}

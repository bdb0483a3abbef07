/** A piece of a message that is indexed by itself. */

import { codePointLength } from "../canonical/text.ts";
import { fields, refine, refusal, type Schema, text, transform, validate } from "./validate.ts";
import { extract, type SourceRef, sourceRefSchema } from "./source_ref.ts";
import type { Turn } from "./turn.ts";

/** A piece of a message. */
export interface Chunk {
  /** The digest of source and chunker version. */
  readonly chunkId: string;
  /** Where it was taken from. */
  readonly source: SourceRef;
  /** The text; not blank; as long as its source says. */
  readonly content: string;
  /** `characters-v1:<chunk characters>:<overlap characters>` for the reference's chunker. */
  readonly chunkerVersion: string;
}

const chunkSchema: Schema<Chunk> = transform(
  refine(
    fields({ chunkId: text, source: sourceRefSchema, content: text, chunkerVersion: text }),
    ({ source, content }) =>
      codePointLength(content) === source.end - source.start
        ? null
        : [["content"], "must be as long as its source"],
  ),
  (chunk) => Object.freeze(chunk),
);

/**
 * Validates a chunk.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toChunk(value: unknown, field = "chunk"): Chunk {
  return validate(chunkSchema, value, { field, noun: "chunk" });
}

/**
 * Proves a chunk: its content is what its source names in the turn.
 *
 * @throws {ContractError} naming what does not fit
 */
export function validateSource(chunk: Chunk, turn: Turn, field = "chunk"): void {
  if (extract(chunk.source, turn, `${field}.source`) === chunk.content) return;
  throw refusal({ field, noun: "chunk" }, ["content"], "must be the text that its source names");
}

/** Chooses evidence: the ranked chunks that go into the request. */

import { canonicalJson } from "../canonical/canonical_json.ts";
import type { Chunk } from "../contracts/chunk.ts";
import type { SourceRef } from "../contracts/source_ref.ts";
import type { RankedChunk } from "../search/evidence_source.ts";
import type { Pace } from "../pace.ts";
import { type Draft, EMPTY_DRAFT, TextPart } from "./rendering.ts";

/** The limits of evidence. */
interface EvidenceLimits {
  /** Most chunks to choose. */
  readonly topK: number;
  /** Most chunks that may be tried without fitting. */
  readonly misfitsMax: number;
  /** Whether these chunks fit the reserve. */
  fitsReserve(draft: Draft): boolean;
  /** Whether the whole request with these chunks fits the allowance. */
  fitsRequest(draft: Draft): boolean;
  readonly pace: Pace;
}

/** The chosen chunks. */
export interface ChosenEvidence {
  /** In order of rank. */
  readonly chunks: readonly Chunk[];
  readonly draft: Draft;
  /** Whether the search found any chunk. */
  readonly hasMatches: boolean;
}

/** Creates the evidence block of chunks, in order of rank: each with its source and its text. */
export function evidenceDraft(chunks: readonly Chunk[]): Draft {
  if (chunks.length === 0) return EMPTY_DRAFT;
  const parts = chunks.flatMap((chunk, index) => [index === 0 ? BEGIN : NEXT, partOf(chunk)]);
  return { parts: [...parts, END], sources: chunks.map((chunk) => chunk.source) };
}

const BEGIN = new TextPart("[");
const NEXT = new TextPart(",");
const END = new TextPart("]");

/** Caches the text of a chunk, which is needed again for each chunk that is tried after it. */
const PARTS = new WeakMap<Chunk, TextPart>();

function partOf(chunk: Chunk): TextPart {
  let part = PARTS.get(chunk);
  if (part === undefined) {
    const { turnId: turn, messageId: message, toolCallId, start, end } = chunk.source;
    const call = toolCallId === undefined ? {} : { call: toolCallId };
    part = new TextPart(canonicalJson({ ...call, end, message, start, text: chunk.content, turn }));
    PARTS.set(chunk, part);
  }
  return part;
}

/**
 * Chooses ranked chunks while they fit, and skips chunks that overlap a chosen one or do not fit. The reference counts
 * the whole request for each chunk. Here it is counted once, with all chosen chunks: if that fits, each smaller choice
 * would have fitted. If it does not fit, the choice is repeated as in the reference.
 */
export async function chooseEvidence(
  ranked: Iterable<RankedChunk> | AsyncIterable<RankedChunk>,
  limits: EvidenceLimits,
): Promise<ChosenEvidence> {
  const candidates = new Candidates(ranked);
  try {
    const quick = await choose(candidates, limits, (draft) => limits.fitsReserve(draft));
    if (quick.chunks.length === 0 || limits.fitsRequest(quick.draft)) return quick;
    return await choose(
      candidates,
      limits,
      (draft) => limits.fitsReserve(draft) && limits.fitsRequest(draft),
    );
  } finally {
    await candidates.close();
  }
}

async function choose(
  candidates: Candidates,
  { topK, misfitsMax, pace }: EvidenceLimits,
  fits: (draft: Draft) => boolean,
): Promise<ChosenEvidence> {
  let chunks: readonly Chunk[] = [];
  let draft = EMPTY_DRAFT;
  let misfits = 0;
  for (let rank = 0; chunks.length < topK && misfits <= misfitsMax; rank++) {
    if (pace.mustYield()) await pace.rest();
    const next = await candidates.at(rank);
    if (next === null) break;
    if (chunks.some((chunk) => overlap(chunk.source, next.chunk.source))) continue;
    const longer = [...chunks, next.chunk];
    const longerDraft = evidenceDraft(longer);
    if (fits(longerDraft)) {
      chunks = longer;
      draft = longerDraft;
    } else {
      misfits++;
    }
  }
  return { chunks, draft, hasMatches: await candidates.at(0) !== null };
}

/** Whether two sources share text. */
export function overlap(left: SourceRef, right: SourceRef): boolean {
  return left.turnId === right.turnId && left.messageId === right.messageId &&
    left.toolCallId === right.toolCallId && left.revision === right.revision &&
    left.start < right.end && right.start < left.end;
}

/** Ranked chunks that can be read twice, and are computed only as far as needed. */
class Candidates {
  readonly #iterator: Iterator<RankedChunk> | AsyncIterator<RankedChunk>;
  readonly #read: RankedChunk[] = [];
  #isDone = false;

  constructor(ranked: Iterable<RankedChunk> | AsyncIterable<RankedChunk>) {
    this.#iterator = Symbol.asyncIterator in ranked
      ? ranked[Symbol.asyncIterator]()
      : ranked[Symbol.iterator]();
  }

  async at(rank: number): Promise<RankedChunk | null> {
    while (this.#read.length <= rank && !this.#isDone) {
      const step = await this.#iterator.next();
      if (step.done) this.#isDone = true;
      else this.#read.push(step.value);
    }
    return this.#read[rank] ?? null;
  }

  async close(): Promise<void> {
    if (!this.#isDone) await this.#iterator.return?.();
    this.#isDone = true;
  }
}

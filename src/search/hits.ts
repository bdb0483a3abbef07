/** Makes the hits of a search: chunks with what they were taken from, and the words that match. */

import { codePointLength } from "../canonical/text.ts";
import { printedAs } from "../contracts/discreet.ts";
import type { Analyzer } from "../index/analysis/analyzer.ts";
import { matchedRanges } from "../index/analysis/matched_ranges.ts";
import type { FoundChunk, Hit } from "./evidence_source.ts";

const printedHit = printedAs<Hit>("Hit", ({ source, timestamp, role, content, matches, score }) => {
  const { turnId, messageId, toolCallId, start, end } = source;
  return {
    ...{ turnId, messageId },
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...{ start, end, timestamp, role },
    characters: codePointLength(content),
    matches: matches.length,
    score,
  };
});

/** What a search asks for. */
export interface Asked {
  readonly terms: readonly string[];
  readonly analyzer: Analyzer;
}

/** Makes a hit. */
export function toHit({ chunk: { source, content }, score, turn, text }: FoundChunk, asked: Asked): Hit {
  const { message: { role }, call } = text;
  return Object.freeze(printedHit({
    source: Object.freeze(source),
    sessionId: source.scope.sessionId,
    timestamp: turn.timestamp,
    role,
    ...(call === null ? {} : { toolName: call.name }),
    content,
    matches: Object.freeze(matchedRanges(content, { ...asked, from: source.start })),
    score: Object.freeze(score),
  }));
}

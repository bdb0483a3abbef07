/** Small conversations for tests of retrieval. */

import { timed, type TimedTurn, turn } from "../../src/contracts/turn.ts";
import { type ProfileName, profileOf } from "../../src/context/profile.ts";
import type { RankedChunk, VisibleText } from "../../src/search/evidence_source.ts";
import { HistoryEvidence } from "../../src/search/history_evidence.ts";
import { Pace } from "../../src/pace.ts";

/** The scope of all conversations. */
export const SCOPE = { tenantId: "t", sessionId: "s" } as const;

/** The default time of turns. */
export const AT = "2026-05-14T12:00:00+00:00";

/** Creates turns `t0`, `t1` … of one message each, or of several messages if an item is a list. */
export function conversation(texts: readonly (string | readonly string[])[]): readonly TimedTurn[] {
  return texts.map((item, index) => {
    const contents = typeof item === "string" ? [item] : item;
    const messages = contents.map((content, position) => {
      const role = position % 2 === 0 ? "user" as const : "assistant" as const;
      return { messageId: `m${index}.${position}`, role, content };
    });
    return timed(turn({ turnId: `t${index}`, scope: SCOPE, messages, timestamp: AT }), AT);
  });
}

/** The options of a search, with defaults. */
export interface SearchOptions {
  readonly profile?: ProfileName;
  readonly chunkCharacters?: number;
  readonly overlapCharacters?: number;
  readonly minimumScore?: number;
  /** The number of newest turns in the window. */
  readonly windowSize?: number;
  readonly shortened?: ReadonlyMap<string, VisibleText>;
}

/** Returns all ranked chunks for a question. */
export async function search(
  history: readonly TimedTurn[],
  question: string,
  options: SearchOptions = {},
): Promise<readonly RankedChunk[]> {
  const { profile = "holdfast", windowSize = 0, shortened = new Map(), ...rest } = options;
  const { analyzer, ranking } = profileOf(profile);
  const retrieval = {
    chunkCharacters: 360,
    overlapCharacters: 80,
    minimumScore: 0,
    k1: 1.5,
    b: 0.75,
    ...rest,
  };
  const evidence = new HistoryEvidence(history, { analyzer, rules: ranking, retrieval, pace: new Pace() });
  return [...await evidence.rank(analyzer.queryTerms(question), { size: windowSize, shortened })];
}

/** Returns the turn ids of ranked chunks, in order. */
export function turnIdsOf(ranked: readonly RankedChunk[]): readonly string[] {
  return ranked.map(({ chunk }) => chunk.source.turnId);
}

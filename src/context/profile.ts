/** The two profiles: every choice in which the default differs from the reference, in one place. */

import { type Analyzer, LEXICAL_ANALYZER, RICH_ANALYZER } from "../index/analysis/analyzer.ts";
import type { RankingRules } from "../search/ranking.ts";

/**
 * The name of a profile.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type ProfileName } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "果园里有两棵梨树。" }]);
 * const found = async (profile: ProfileName) => (await conversation.search("梨树", { profile })).length;
 * assert.deepEqual([await found("holdfast"), await found("reference")], [1, 0]);
 * ```
 */
export type ProfileName = "holdfast" | "reference";

/** One named set of choices. */
export interface Profile {
  readonly name: ProfileName;
  /** Whether only histories are taken that the reference takes: text alone, and a result for every call. */
  readonly isReference: boolean;
  /** Turns texts into terms. */
  readonly analyzer: Analyzer;
  /** How evidence is ranked. */
  readonly ranking: RankingRules;
  /**
   * The part of what the window can have that a message may take before CAP shortens it, unless the caller says
   * otherwise; null: the reference's 35 tokens, whatever the budget.
   */
  readonly capShare: number | null;
  /** Whether reserves that nobody asked for shrink where the budget is too small for them. */
  readonly shrinksReserves: boolean;
  /** Whether CAP shortens the whole history and reports on it, or only turns that the window may hold. */
  readonly capsWholeHistory: boolean;
  /** Whether a question may be blank, as the reference lets it; the last message of a request would say nothing. */
  readonly takesBlankQuestions: boolean;
  /** Whether a summary is quoted as JSON like every other block; otherwise its text goes in as it is. */
  readonly quotesSummary: boolean;
  /** Whether what RETRIEVE and SUMMARIZE leave of their reserves is given to the window. */
  readonly sharesReserves: boolean;
  /** Whether a summary of a leading part of the omitted history is used, unless the caller says otherwise. */
  readonly summaryPrefix: boolean;
  /**
   * Ranked chunks that may be tried in vain, because they do not fit, before RETRIEVE is content with what it has: each
   * costs a read and a count, and those further down answer less and less.
   */
  readonly misfitsMax: number;
}

const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  /** The reference, byte for byte. */
  reference: {
    name: "reference",
    isReference: true,
    analyzer: LEXICAL_ANALYZER,
    ranking: { absentTerms: "delta", dialogue: false },
    capShare: null,
    shrinksReserves: false,
    capsWholeHistory: true,
    takesBlankQuestions: true,
    quotesSummary: false,
    sharesReserves: false,
    summaryPrefix: false,
    misfitsMax: Infinity,
  },
  /** The default. */
  holdfast: {
    name: "holdfast",
    isReference: false,
    analyzer: RICH_ANALYZER,
    ranking: { absentTerms: "nothing", dialogue: true },
    capShare: 1 / 4, // docs/adr/0011: a window of four long messages is still a conversation
    shrinksReserves: true,
    capsWholeHistory: false,
    takesBlankQuestions: false,
    quotesSummary: true,
    sharesReserves: true,
    summaryPrefix: true,
    misfitsMax: 32,
  },
};

/** The profile that is used unless the caller names another. */
export const PROFILE_DEFAULT: ProfileName = "holdfast";

/** Whether a value names a profile. */
export function isProfileName(value: unknown): value is ProfileName {
  return typeof value === "string" && Object.hasOwn(PROFILES, value);
}

/** The choices of a profile. */
export function profileOf(name: ProfileName): Profile {
  return PROFILES[name];
}

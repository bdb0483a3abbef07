/** The two profiles: every difference between the default and the reference, in one place. */

import { type Analyzer, LEXICAL_ANALYZER, RICH_ANALYZER } from "../index/analysis/analyzer.ts";
import type { RankingRules } from "../search/ranking.ts";

/** The name of a profile: the default, or the reference's behaviour. */
export type ProfileName = "holdfast" | "reference";

/** The choices of a profile. */
export interface Profile {
  readonly name: ProfileName;
  /** Whether only histories are taken that the reference takes: text alone, and a result for every call. */
  readonly isReference: boolean;
  /** Turns texts into terms. */
  readonly analyzer: Analyzer;
  /** How evidence is ranked. */
  readonly ranking: RankingRules;
  /**
   * The share of the window's tokens that a message may take before CAP shortens it. Null for the reference's 35 tokens,
   * which do not depend on the budget. Unused if the caller sets a cap.
   */
  readonly capShare: number | null;
  /** Whether reserves that the caller did not set shrink if the budget is too small for them. */
  readonly shrinksReserves: boolean;
  /** Whether CAP shortens the whole history and reports on it, or only turns that the window may hold. */
  readonly capsWholeHistory: boolean;
  /** Whether a question may be blank, as in the reference. The last message of the request would then be blank. */
  readonly takesBlankQuestions: boolean;
  /** Whether a summary is quoted as JSON like every other block; otherwise its text is inserted as it is. */
  readonly quotesSummary: boolean;
  /** Whether the window may use the tokens that RETRIEVE and SUMMARIZE leave of their reserves. */
  readonly sharesReserves: boolean;
  /** The default of `summaryPrefix`: whether a summary may cover only the oldest of the omitted turns. */
  readonly summaryPrefix: boolean;
  /**
   * Most ranked chunks that RETRIEVE tries without fitting before it stops. Each one costs a read and a count, and lower
   * ranks are less and less relevant.
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

/** The default profile. */
export const PROFILE_DEFAULT: ProfileName = "holdfast";

/** Whether a value names a profile. */
export function isProfileName(value: unknown): value is ProfileName {
  return typeof value === "string" && Object.hasOwn(PROFILES, value);
}

/** Returns the choices of a profile. */
export function profileOf(name: ProfileName): Profile {
  return PROFILES[name];
}

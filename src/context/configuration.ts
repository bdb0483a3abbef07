/** The configuration of an assembly: its defaults, and the validation of each value. */

import { readFields, requireBoolean, requireInteger } from "../contracts/arguments.ts";
import { ContractError } from "../errors.ts";
import type { Calibration } from "./counting/estimate.ts";
import { requireCounter, type TokenCounter } from "./counting/token_counter.ts";

/** A token budget. */
export interface Budget {
  /** The highest estimate that the request may have; at most `contextWindow`. Default: 3 000. */
  readonly maxInputTokens?: number;
  /** The context window of the model, input and output together. Default: 131 072. */
  readonly contextWindow?: number;
  /** The tokens reserved for the answer; below `contextWindow`. Default: 256. */
  readonly maxOutputTokens?: number;
  /** The tokens reserved for evidence. Default: 280; under `"holdfast"` less if the budget has no room for them. */
  readonly retrievalReserve?: number;
  /** The tokens reserved for a summary. Default: 80; under `"holdfast"` less if the budget has no room for them. */
  readonly summaryReserve?: number;
  /** A further limit on the input. Default: none. */
  readonly providerInputCap?: number | null;
}

/** How messages of the window are shortened, in tokens. */
export interface Cap {
  /**
   * The limit above which a message is shortened. Default: a quarter of the input allowance less the reserves, but at
   * least 35; under `"reference"` 35.
   */
  readonly maxTokens?: number;
  /**
   * The tokens kept from the beginning of a message; at most `maxTokens`. Default: 22/30 of the tokens that the marker
   * leaves of `maxTokens`; under `"reference"` 22.
   */
  readonly headTokens?: number;
  /**
   * The tokens kept from the end of a message; at most `maxTokens`. Default: the other 8/30; under `"reference"` 8.
   */
  readonly tailTokens?: number;
}

/** How evidence is found. */
export interface Retrieval {
  /** Code points of a chunk. Default: 360. */
  readonly chunkCharacters?: number;
  /** Code points that a chunk shares with the one before; below `chunkCharacters`. Default: 80. */
  readonly overlapCharacters?: number;
  /** Most chunks to return. Default: 4. */
  readonly topK?: number;
  /** Only chunks with a higher score are returned. Default: 0. */
  readonly minimumScore?: number;
  /** Term frequency saturation of BM25; above 0. Default: 1.5. */
  readonly k1?: number;
  /** Length normalization of BM25, 0 to 1. Default: 0.75. */
  readonly b?: number;
  /** Whether text that CAP cut from messages of the window is searched too. Default: false. */
  readonly recoverCappedWindow?: boolean;
}

/** Which layers run. Default: all. */
export interface AssemblyOptions {
  /** Whether messages are shortened. */
  readonly cap?: boolean;
  /** Whether pins are included. */
  readonly pins?: boolean;
  /** Whether evidence has a reserve. */
  readonly retrieve?: boolean;
  /** Whether a summary has a reserve and is looked up. */
  readonly summarize?: boolean;
}

/** How tokens are counted. */
export interface CountingOptions {
  /** The counter. Default: `defaultTokenCounter()`. */
  readonly counter?: TokenCounter;
  /** The factor by which counts are multiplied; at least 1. Default: 1.07. */
  readonly calibrationFactor?: number;
  /** Tokens that are added to every request. Default: 0. */
  readonly adapterOverheadTokens?: number;
}

/** A reserve of a budget. */
type ReserveName = "retrievalReserve" | "summaryReserve";
/** A validated budget, with all values. */
export interface BudgetValues extends Required<Budget> {
  /** Reserves that the caller did not set, and that shrink if the budget has no room for them. */
  readonly shrinking: readonly ReserveName[];
}
/** A validated cap, with all values. */
export type CapValues = Required<Cap>;
/** A validated retrieval configuration, with all values. */
export type RetrievalSettings = Required<Retrieval>;
/** Validated assembly options, with all values. */
export type OptionValues = Required<AssemblyOptions>;

const WHOLE_MAX = Number.MAX_SAFE_INTEGER;

/**
 * Validates a budget.
 *
 * @param shrinks whether reserves that the caller did not set may shrink
 */
export function toBudget(value: unknown = {}, shrinks = false): BudgetValues {
  const given = readFields("budget", value, [
    ...["maxInputTokens", "contextWindow", "maxOutputTokens"] as const,
    ...["retrievalReserve", "summaryReserve", "providerInputCap"] as const,
  ]);
  const tokens = (name: keyof typeof given, ifAbsent: number, minimum: number): number =>
    given[name] === undefined ? ifAbsent : requireInteger(`budget.${name}`, given[name], minimum, WHOLE_MAX);
  const budget: BudgetValues = {
    maxInputTokens: tokens("maxInputTokens", 3_000, 1),
    contextWindow: tokens("contextWindow", 131_072, 1),
    maxOutputTokens: tokens("maxOutputTokens", 256, 1),
    retrievalReserve: tokens("retrievalReserve", 280, 0),
    summaryReserve: tokens("summaryReserve", 80, 0),
    providerInputCap: given.providerInputCap === null ? null : tokens("providerInputCap", 0, 1) || null,
    shrinking: RESERVES.filter((name) => shrinks && given[name] === undefined),
  };
  // The reference takes the lesser of the two without a word.
  if (shrinks && given.maxInputTokens !== undefined && budget.maxInputTokens > budget.contextWindow) {
    throw fault("budget.maxInputTokens", "must be at most budget.contextWindow", {
      maxInputTokens: budget.maxInputTokens,
      contextWindow: budget.contextWindow,
    });
  }
  if (budget.maxOutputTokens >= budget.contextWindow) {
    const field = given.maxOutputTokens === undefined ? "contextWindow" : "maxOutputTokens";
    throw fault(`budget.${field}`, "must leave budget.maxOutputTokens below budget.contextWindow", {
      maxOutputTokens: budget.maxOutputTokens,
      contextWindow: budget.contextWindow,
    });
  }
  const allowance = inputAllowance(budget);
  const fitting = { ...budget, ...fittingReserves(budget, allowance) };
  const reserved = fitting.retrievalReserve + fitting.summaryReserve;
  if (reserved > allowance) {
    const field = BOUNDING.find((name) => given[name] !== undefined && given[name] !== null) ??
      "maxInputTokens";
    throw fault(
      `budget.${field}`,
      `leaves an input allowance of ${allowance} tokens, and the reserves take ${reserved}`,
      { inputAllowance: allowance, reservedTokens: reserved },
    );
  }
  return Object.freeze(fitting);
}

const RESERVES = ["retrievalReserve", "summaryReserve"] as const;

/** The fields that can make the reserves too large. The error names the first one that the caller passed. */
const BOUNDING = [
  ...RESERVES,
  ...["providerInputCap", "maxInputTokens", "contextWindow", "maxOutputTokens"] as const,
] as const;

/** Returns the reserves. Those that may shrink are reduced in proportion, so that all fit if possible. */
export function fittingReserves(
  budget: Pick<BudgetValues, ReserveName | "shrinking">,
  availableTokens: number,
): Readonly<Record<ReserveName, number>> {
  const { retrievalReserve, summaryReserve, shrinking } = budget;
  const flexible = shrinking.reduce((sum, name) => sum + budget[name], 0);
  const left = Math.max(0, availableTokens - (retrievalReserve + summaryReserve - flexible));
  if (flexible <= left) return { retrievalReserve, summaryReserve };
  const fitting = (name: ReserveName): number =>
    shrinking.includes(name) ? Math.floor((budget[name] * left) / flexible) : budget[name];
  return { retrievalReserve: fitting("retrievalReserve"), summaryReserve: fitting("summaryReserve") };
}

/** Returns the highest estimate that the request may have. */
export function inputAllowance(budget: BudgetValues): number {
  const { maxInputTokens, contextWindow, maxOutputTokens, providerInputCap } = budget;
  return Math.min(maxInputTokens, contextWindow - maxOutputTokens, providerInputCap ?? Infinity);
}

/** The reference's cap, which suits short lines of a log and does not depend on the budget. */
const REFERENCE_CAP: CapValues = { maxTokens: 35, headTokens: 22, tailTokens: 8 };

/** Tokens left for the marker between head and tail. It takes 10 or 11 tokens of o200k, depending on its number. */
const MARKER_TOKENS = 11;

/**
 * The share of a small cap that is left for the marker instead. The reference leaves the same share of its 35 tokens, so
 * that a cap of 35 has the reference's head and tail.
 */
const MARKER_SHARE = 1 / 7;

/**
 * Validates a cap.
 *
 * @param defaultTokens the default of `maxTokens`, with head and tail in proportion; null for the reference's cap
 */
export function toCap(value: unknown = {}, defaultTokens: number | null = null): CapValues {
  const given = readFields("cap", value, ["maxTokens", "headTokens", "tailTokens"]);
  const maxTokens = requireWhole(
    "cap.maxTokens",
    orElse(given.maxTokens, defaultTokens ?? REFERENCE_CAP.maxTokens),
  );
  const ifAbsent = defaultTokens === null ? REFERENCE_CAP : proportionalCap(maxTokens);
  const headTokens = requireWhole("cap.headTokens", orElse(given.headTokens, ifAbsent.headTokens));
  const tailTokens = requireWhole("cap.tailTokens", orElse(given.tailTokens, ifAbsent.tailTokens));
  for (const [name, tokens] of [["headTokens", headTokens], ["tailTokens", tailTokens]] as const) {
    if (tokens <= maxTokens) continue;
    if (given[name] !== undefined) throw fault(`cap.${name}`, "must be at most cap.maxTokens");
    throw fault("cap.maxTokens", `must be at least cap.${name}, whose default is ${tokens}`);
  }
  return Object.freeze({ maxTokens, headTokens, tailTokens });
}

/** Returns a cap with head and tail in the reference's proportion. */
function proportionalCap(maxTokens: number): CapValues {
  const available = maxTokens - Math.min(MARKER_TOKENS, maxTokens * MARKER_SHARE);
  const { headTokens, tailTokens } = REFERENCE_CAP;
  const part = (tokens: number): number =>
    Math.max(1, Math.floor((available * tokens) / (headTokens + tailTokens)));
  return { maxTokens, headTokens: part(headTokens), tailTokens: part(tailTokens) };
}

/** Returns the default of `maxTokens`: a share of the tokens that the window can have. */
export function defaultCapTokens(budget: BudgetValues, share: number | null): number | null {
  if (share === null) return null;
  const windowTokens = inputAllowance(budget) - budget.retrievalReserve - budget.summaryReserve;
  return Math.max(REFERENCE_CAP.maxTokens, Math.floor(windowTokens * share));
}

/** Validates a retrieval configuration. */
export function toRetrieval(value: unknown = {}): RetrievalSettings {
  const given = readFields("retrieval", value, [
    ...["chunkCharacters", "overlapCharacters", "topK", "minimumScore"] as const,
    ...["k1", "b", "recoverCappedWindow"] as const,
  ]);
  const settings: RetrievalSettings = {
    recoverCappedWindow: requireBoolean(
      "retrieval.recoverCappedWindow",
      orElse(given.recoverCappedWindow, false),
    ),
    chunkCharacters: requireWhole("retrieval.chunkCharacters", orElse(given.chunkCharacters, 360)),
    overlapCharacters: requireInteger(
      "retrieval.overlapCharacters",
      orElse(given.overlapCharacters, 80),
      0,
      WHOLE_MAX,
    ),
    topK: requireWhole("retrieval.topK", orElse(given.topK, 4)),
    minimumScore: requireFinite("retrieval.minimumScore", orElse(given.minimumScore, 0)),
    k1: requireFinite("retrieval.k1", orElse(given.k1, 1.5)),
    b: requireFinite("retrieval.b", orElse(given.b, 0.75)),
  };
  if (settings.overlapCharacters >= settings.chunkCharacters) {
    throw fault("retrieval.overlapCharacters", "must be below retrieval.chunkCharacters");
  }
  if (settings.k1 === 0) throw fault("retrieval.k1", "must be above 0");
  if (settings.b > 1) throw fault("retrieval.b", "must be at most 1");
  return Object.freeze(settings);
}

/** Validates which layers run. */
export function toOptions(value: unknown = {}): OptionValues {
  const given = readFields("options", value, ["cap", "pins", "retrieve", "summarize"]);
  return Object.freeze({
    cap: requireBoolean("options.cap", orElse(given.cap, true)),
    pins: requireBoolean("options.pins", orElse(given.pins, true)),
    retrieve: requireBoolean("options.retrieve", orElse(given.retrieve, true)),
    summarize: requireBoolean("options.summarize", orElse(given.summarize, true)),
  });
}

/** Validates how tokens are counted; the counter is null for the default one. */
export function toCounting(value: unknown = {}): Calibration & { readonly counter: TokenCounter | null } {
  const given = readFields("counting", value, ["counter", "calibrationFactor", "adapterOverheadTokens"]);
  const calibrationFactor = requireFinite(
    "counting.calibrationFactor",
    orElse(given.calibrationFactor, 1.07),
  );
  if (calibrationFactor < 1) throw fault("counting.calibrationFactor", "must be at least 1");
  const overhead = orElse(given.adapterOverheadTokens, 0);
  return Object.freeze({
    counter: given.counter === undefined ? null : requireCounter(given.counter, "counting.counter"),
    calibrationFactor,
    adapterOverheadTokens: requireInteger("counting.adapterOverheadTokens", overhead, 0, WHOLE_MAX),
  });
}

/** Returns the budget without the reserves of layers that do not run. */
export function withoutIdleReserves(budget: BudgetValues, options: OptionValues): BudgetValues {
  return Object.freeze({
    ...budget,
    retrievalReserve: options.retrieve ? budget.retrievalReserve : 0,
    summaryReserve: options.summarize ? budget.summaryReserve : 0,
  });
}

/** Returns the default for an absent value; `null` is not absent. */
function orElse(value: unknown, ifAbsent: unknown): unknown {
  return value === undefined ? ifAbsent : value;
}

function requireWhole(field: string, value: unknown): number {
  return requireInteger(field, value, 1, WHOLE_MAX);
}

function requireFinite(field: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0 && !Object.is(value, -0)) {
    return value;
  }
  throw new ContractError(field, `Expected ${field} to be a finite number of at least 0`);
}

function fault(field: string, rule: string, details: Readonly<Record<string, number>> = {}): ContractError {
  return new ContractError(field, `Invalid ${field}: it ${rule}`, { details });
}

/** What callers configure of an assembly: the defaults, and the rules that every value must keep. */

import { readFields, requireBoolean, requireInteger } from "../contracts/arguments.ts";
import { ContractError } from "../errors.ts";
import type { Calibration } from "./counting/estimate.ts";
import { requireCounter, type TokenCounter } from "./counting/token_counter.ts";

/** Tokens. What is left out has the default. */
export interface Budget {
  /** The most that the request may be estimated at; 3 000. */
  readonly maxInputTokens?: number;
  /** What the model takes, input and output together; 131 072. */
  readonly contextWindow?: number;
  /** What is kept free for the answer; 256. Below `contextWindow`. */
  readonly maxOutputTokens?: number;
  /** What is kept for retrieved evidence; 280, or under `"holdfast"` what there is room for, if that is less. */
  readonly retrievalReserve?: number;
  /** What is kept for a summary; 80, or less in the same way. */
  readonly summaryReserve?: number;
  /** A further limit on the input; none. */
  readonly providerInputCap?: number | null;
}

/** Tokens. How messages of the window are shortened. */
export interface Cap {
  /**
   * A message with more is shortened. Under `"holdfast"` a quarter of the input allowance less the reserves, and 35 at
   * least; under `"reference"` 35.
   */
  readonly maxTokens?: number;
  /**
   * Kept from its beginning, at most `maxTokens`. Under `"holdfast"` 22 of 30 parts of what the marker leaves of
   * `maxTokens`; under `"reference"` 22.
   */
  readonly headTokens?: number;
  /** Kept from its end, at most `maxTokens`. Under `"holdfast"` the other 8 of 30 parts; under `"reference"` 8. */
  readonly tailTokens?: number;
}

/** How evidence is found. */
export interface Retrieval {
  /** Code points of a chunk; 360. */
  readonly chunkCharacters?: number;
  /** Code points that a chunk shares with the one before; 80. Below `chunkCharacters`. */
  readonly overlapCharacters?: number;
  /** Chunks that are returned at most; 4. */
  readonly topK?: number;
  /** Chunks must score above it; 0. */
  readonly minimumScore?: number;
  /** How fast a repeated word stops counting; 1.5. Above 0. */
  readonly k1?: number;
  /** How much long chunks are held back; 0.75. 0 to 1. */
  readonly b?: number;
  /** Whether what shortening cut from the window's messages is searched too; no. */
  readonly recoverCappedWindow?: boolean;
}

/** Which layers run; all. */
export interface AssemblyOptions {
  /** Whether messages are shortened. */
  readonly cap?: boolean;
  /** Whether pins are carried. */
  readonly pins?: boolean;
  /** Whether evidence has a reserve. */
  readonly retrieve?: boolean;
  /** Whether a summary has a reserve and is looked for. */
  readonly summarize?: boolean;
}

/** How tokens are counted. */
export interface CountingOptions {
  /** The counter; `defaultTokenCounter()`. */
  readonly counter?: TokenCounter;
  /** What counts are multiplied by; 1.07. At least 1. */
  readonly calibrationFactor?: number;
  /** Tokens that are added to every request; 0. */
  readonly adapterOverheadTokens?: number;
}

/** A reserve of a budget. */
type ReserveName = "retrievalReserve" | "summaryReserve";
/** A validated budget, with all values. */
export interface BudgetValues extends Required<Budget> {
  /** Reserves that shrink where there is no room for them, since nobody asked for them. */
  readonly shrinking: readonly ReserveName[];
}
/** Validated, with all values. */
export type CapValues = Required<Cap>;
/** Validated, with all values. */
export type RetrievalSettings = Required<Retrieval>;
/** Validated, with all values. */
export type OptionValues = Required<AssemblyOptions>;

const WHOLE_MAX = Number.MAX_SAFE_INTEGER;

/**
 * Validates a budget.
 *
 * @param shrinks whether reserves that are left out may shrink
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

/** What is named where reserves do not fit: the first of these that the caller gave. */
const BOUNDING = [
  ...RESERVES,
  ...["providerInputCap", "maxInputTokens", "contextWindow", "maxOutputTokens"] as const,
] as const;

/** The reserves, with those that may shrink cut in proportion to fit beside the others, as far as that goes. */
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

/** What the request may be estimated at. */
export function inputAllowance(budget: BudgetValues): number {
  const { maxInputTokens, contextWindow, maxOutputTokens, providerInputCap } = budget;
  return Math.min(maxInputTokens, contextWindow - maxOutputTokens, providerInputCap ?? Infinity);
}

/** The reference's cap: short lines of a log, whatever the budget. */
const REFERENCE_CAP: CapValues = { maxTokens: 35, headTokens: 22, tailTokens: 8 };

/** Tokens that are left for the marker between head and tail: it takes 10 or 11 of o200k, by its number. */
const MARKER_TOKENS = 11;

/**
 * The part of a small cap that is left for the marker instead: what the reference leaves of its 35, so that its head and
 * tail are what 35 gives.
 */
const MARKER_SHARE = 1 / 7;

/**
 * Validates a cap.
 *
 * @param defaultTokens what `maxTokens` is unless it is given, with head and tail in proportion; null: the reference's
 */
export function toCap(value: unknown = {}, defaultTokens: number | null = null): CapValues {
  const given = readFields("cap", value, ["maxTokens", "headTokens", "tailTokens"]);
  const maxTokens = whole("cap.maxTokens", orElse(given.maxTokens, defaultTokens ?? REFERENCE_CAP.maxTokens));
  const ifAbsent = defaultTokens === null ? REFERENCE_CAP : proportioned(maxTokens);
  const headTokens = whole("cap.headTokens", orElse(given.headTokens, ifAbsent.headTokens));
  const tailTokens = whole("cap.tailTokens", orElse(given.tailTokens, ifAbsent.tailTokens));
  for (const [name, tokens] of [["headTokens", headTokens], ["tailTokens", tailTokens]] as const) {
    if (tokens <= maxTokens) continue;
    if (given[name] !== undefined) throw fault(`cap.${name}`, "must be at most cap.maxTokens");
    throw fault("cap.maxTokens", `must be at least cap.${name}, which is ${tokens} unless it is given`);
  }
  return Object.freeze({ maxTokens, headTokens, tailTokens });
}

/** Head and tail of a cap in the reference's proportion. */
function proportioned(maxTokens: number): CapValues {
  const beside = maxTokens - Math.min(MARKER_TOKENS, maxTokens * MARKER_SHARE);
  const { headTokens, tailTokens } = REFERENCE_CAP;
  const part = (tokens: number): number =>
    Math.max(1, Math.floor((beside * tokens) / (headTokens + tailTokens)));
  return { maxTokens, headTokens: part(headTokens), tailTokens: part(tailTokens) };
}

/** What `maxTokens` of a cap is unless it is given: a part of what the window can have. */
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
    chunkCharacters: whole("retrieval.chunkCharacters", orElse(given.chunkCharacters, 360)),
    overlapCharacters: requireInteger(
      "retrieval.overlapCharacters",
      orElse(given.overlapCharacters, 80),
      0,
      WHOLE_MAX,
    ),
    topK: whole("retrieval.topK", orElse(given.topK, 4)),
    minimumScore: finite("retrieval.minimumScore", orElse(given.minimumScore, 0)),
    k1: finite("retrieval.k1", orElse(given.k1, 1.5)),
    b: finite("retrieval.b", orElse(given.b, 0.75)),
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

/** Validates how tokens are counted; the counter is null where the default one is meant. */
export function toCounting(value: unknown = {}): Calibration & { readonly counter: TokenCounter | null } {
  const given = readFields("counting", value, ["counter", "calibrationFactor", "adapterOverheadTokens"]);
  const calibrationFactor = finite("counting.calibrationFactor", orElse(given.calibrationFactor, 1.07));
  if (calibrationFactor < 1) throw fault("counting.calibrationFactor", "must be at least 1");
  const overhead = orElse(given.adapterOverheadTokens, 0);
  return Object.freeze({
    counter: given.counter === undefined ? null : requireCounter(given.counter, "counting.counter"),
    calibrationFactor,
    adapterOverheadTokens: requireInteger("counting.adapterOverheadTokens", overhead, 0, WHOLE_MAX),
  });
}

/** The budget without the reserves of layers that do not run. */
export function withoutIdleReserves(budget: BudgetValues, options: OptionValues): BudgetValues {
  return Object.freeze({
    ...budget,
    retrievalReserve: options.retrieve ? budget.retrievalReserve : 0,
    summaryReserve: options.summarize ? budget.summaryReserve : 0,
  });
}

/** The default stands for what is absent; `null` is not absent. */
function orElse(value: unknown, ifAbsent: unknown): unknown {
  return value === undefined ? ifAbsent : value;
}

function whole(field: string, value: unknown): number {
  return requireInteger(field, value, 1, WHOLE_MAX);
}

function finite(field: string, value: unknown): number {
  if (typeof value === "number" && Number.isFinite(value) && value >= 0 && !Object.is(value, -0)) {
    return value;
  }
  throw new ContractError(field, `Expected ${field} to be a finite number of at least 0`);
}

function fault(field: string, rule: string, details: Readonly<Record<string, number>> = {}): ContractError {
  return new ContractError(field, `Expected ${field} to be valid: it ${rule}`, { details });
}

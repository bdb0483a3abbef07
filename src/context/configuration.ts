/** What callers configure of an assembly: the defaults, and the rules that every value must keep. */

import { readFields, requireBoolean, requireInteger } from "../contracts/arguments.ts";
import { ContractError } from "../errors.ts";
import type { Calibration } from "./estimate.ts";
import { requireCounter, type TokenCounter } from "./token_counter.ts";

/** Tokens. What is left out has the default. */
export interface Budget {
  /** The most that the request may be estimated at; 3 000. */
  readonly inputCap?: number;
  /** What the model takes, input and output together; 131 072. */
  readonly modelCapacity?: number;
  /** What is kept free for the answer; 256. Below `modelCapacity`. */
  readonly completionReservation?: number;
  /** What is kept for retrieved evidence; 280. */
  readonly retrievalReserve?: number;
  /** What is kept for a summary; 80. */
  readonly summaryReserve?: number;
  /** A further limit on the input; none. */
  readonly providerInputCap?: number | null;
}

/** Tokens. How messages of the window are shortened. */
export interface Cap {
  /** A message with more is shortened; 35. */
  readonly maxTokens?: number;
  /** Kept from its beginning; 22. At most `maxTokens`. */
  readonly headTokens?: number;
  /** Kept from its end; 8. At most `maxTokens`. */
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

/** A judged budget, with all values. */
export type BudgetValues = { readonly [K in keyof Required<Budget>]: Required<Budget>[K] };
/** Judged, with all values. */
export type CapValues = Required<Cap>;
/** Judged, with all values. */
export type RetrievalSettings = Required<Retrieval>;
/** Judged, with all values. */
export type OptionValues = Required<AssemblyOptions>;

const WHOLE_MAX = Number.MAX_SAFE_INTEGER;

/** Judges a budget. */
export function toBudget(value: unknown = {}): BudgetValues {
  const given = readFields("budget", value, [
    ...["inputCap", "modelCapacity", "completionReservation"] as const,
    ...["retrievalReserve", "summaryReserve", "providerInputCap"] as const,
  ]);
  const tokens = (name: keyof typeof given, ifAbsent: number, minimum: number): number =>
    given[name] === undefined ? ifAbsent : requireInteger(`budget.${name}`, given[name], minimum, WHOLE_MAX);
  const budget: BudgetValues = {
    inputCap: tokens("inputCap", 3_000, 1),
    modelCapacity: tokens("modelCapacity", 131_072, 1),
    completionReservation: tokens("completionReservation", 256, 1),
    retrievalReserve: tokens("retrievalReserve", 280, 0),
    summaryReserve: tokens("summaryReserve", 80, 0),
    providerInputCap: given.providerInputCap === null ? null : tokens("providerInputCap", 0, 1) || null,
  };
  if (budget.completionReservation >= budget.modelCapacity) {
    throw fault("budget.completionReservation", "must be below budget.modelCapacity");
  }
  if (budget.retrievalReserve + budget.summaryReserve > inputAllowance(budget)) {
    throw fault("budget.retrievalReserve", "and budget.summaryReserve must fit the input allowance together");
  }
  return Object.freeze(budget);
}

/** What the request may be estimated at. */
export function inputAllowance(budget: BudgetValues): number {
  const { inputCap, modelCapacity, completionReservation, providerInputCap } = budget;
  return Math.min(inputCap, modelCapacity - completionReservation, providerInputCap ?? Infinity);
}

/** Judges a cap. */
export function toCap(value: unknown = {}): CapValues {
  const given = readFields("cap", value, ["maxTokens", "headTokens", "tailTokens"]);
  const maxTokens = whole("cap.maxTokens", orElse(given.maxTokens, 35));
  const headTokens = whole("cap.headTokens", orElse(given.headTokens, 22));
  const tailTokens = whole("cap.tailTokens", orElse(given.tailTokens, 8));
  if (headTokens > maxTokens) throw fault("cap.headTokens", "must be at most cap.maxTokens");
  if (tailTokens > maxTokens) throw fault("cap.tailTokens", "must be at most cap.maxTokens");
  return Object.freeze({ maxTokens, headTokens, tailTokens });
}

/** Judges a retrieval configuration. */
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

/** Judges which layers run. */
export function toOptions(value: unknown = {}): OptionValues {
  const given = readFields("options", value, ["cap", "pins", "retrieve", "summarize"]);
  return Object.freeze({
    cap: requireBoolean("options.cap", orElse(given.cap, true)),
    pins: requireBoolean("options.pins", orElse(given.pins, true)),
    retrieve: requireBoolean("options.retrieve", orElse(given.retrieve, true)),
    summarize: requireBoolean("options.summarize", orElse(given.summarize, true)),
  });
}

/** Judges how tokens are counted; the counter is null where the default one is meant. */
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

function fault(field: string, rule: string): ContractError {
  return new ContractError(field, `Expected ${field} to be valid: it ${rule}`);
}

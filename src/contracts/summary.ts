/** A summary of part of a history, bound to exactly that part. */

import { historyDigest } from "./digest.ts";
import { codePointLength } from "../canonical/text.ts";
import { compareInstants, type Instant, instantOf } from "../canonical/time.ts";
import { ContractError } from "../errors.ts";
import { Discreet, type Outline } from "./discreet.ts";
import {
  anyText,
  anything,
  type Argument,
  type Fault,
  fields,
  list,
  optional,
  refine,
  type Schema,
  text,
  time,
  transform,
  validate,
  validatePlain,
} from "./validate.ts";
import { firstRepeated } from "./message.ts";
import { sameScope, type Scope, scopeSchema } from "./scope.ts";
import { extract, type SourceRef, sourceRefSchema, wholeMessage } from "./source_ref.ts";
import { isTimed, type TimedTurn, toPlainTurn, type Turn, type TurnInput } from "./turn.ts";

/** What a summary is made from. */
export interface SummaryInput {
  /** Whose history it is. */
  readonly scope: Scope;
  /** The text; may be empty. */
  readonly content: string;
  /** The turns it covers, in order, each with a timestamp. */
  readonly history: readonly TurnInput[];
  /** How it was made, in the caller's words. */
  readonly policyVersion: string;
  /** RFC 3339 text with an offset, or a `Date`. */
  readonly createdAt: string | Date;
  /** RFC 3339 text with an offset, or a `Date`, exclusive; never where it is absent. */
  readonly expiresAt?: string | Date | null;
}

/** A summary, frozen; made by {@linkcode summaryFromHistory}. Printed, it shows ids and counts. */
export interface Summary {
  /** Whose history it is. */
  readonly scope: Scope;
  /** The text; may be empty. */
  readonly content: string;
  /** The digest of the covered history. */
  readonly historyFingerprint: string;
  /** The covered turns, in order. */
  readonly coveredTurnIds: readonly string[];
  /** The whole content of each covered message that is not empty. */
  readonly sources: readonly SourceRef[];
  /** How it was made, in the caller's words. */
  readonly policyVersion: string;
  /** ISO text with its own offset. */
  readonly createdAt: string;
  /** ISO text with its own offset, exclusive; absent where it never expires. */
  readonly expiresAt?: string;
}

class SummaryValue extends Discreet implements Summary {
  readonly scope: Scope;
  readonly content: string;
  readonly historyFingerprint: string;
  readonly coveredTurnIds: readonly string[];
  readonly sources: readonly SourceRef[];
  readonly policyVersion: string;
  readonly createdAt: string;
  declare readonly expiresAt?: string;
  readonly #validated = true;

  constructor(fields: Summary) {
    super();
    this.scope = fields.scope;
    this.content = fields.content;
    this.historyFingerprint = fields.historyFingerprint;
    this.coveredTurnIds = Object.freeze(fields.coveredTurnIds);
    this.sources = Object.freeze(fields.sources);
    this.policyVersion = fields.policyVersion;
    this.createdAt = fields.createdAt;
    if (fields.expiresAt !== undefined) this.expiresAt = fields.expiresAt;
    Object.freeze(this);
  }

  static is(value: unknown): value is SummaryValue {
    return typeof value === "object" && value !== null && #validated in value;
  }

  protected override noun(): string {
    return "Summary";
  }

  protected override outline(): Outline {
    const { scope, coveredTurnIds, sources, createdAt, expiresAt } = this;
    return {
      scope: { ...scope },
      createdAt,
      ...(expiresAt === undefined ? {} : { expiresAt }),
      coveredTurns: coveredTurnIds.length,
      sources: sources.length,
      characters: codePointLength(this.content),
    };
  }
}

interface Lifetime {
  readonly createdAt: Instant;
  readonly expiresAt?: Instant | null | undefined;
}

function faultOfLifetime({ createdAt, expiresAt }: Lifetime): Fault | null {
  return expiresAt && compareInstants(expiresAt, createdAt) <= 0
    ? [["expiresAt"], "must be after createdAt"]
    : null;
}

interface Coverage {
  readonly scope: Scope;
  readonly coveredTurnIds: readonly string[];
  readonly sources: readonly SourceRef[];
}

function faultOfCoverage({ scope, coveredTurnIds, sources }: Coverage): Fault | null {
  const repeated = firstRepeated(coveredTurnIds);
  if (repeated >= 0) return [["coveredTurnIds", repeated], "must be unique"];
  const covered = new Set(coveredTurnIds);
  const foreign = sources.findIndex((source) =>
    !sameScope(source.scope, scope) || !covered.has(source.turnId)
  );
  return foreign < 0 ? null : [["sources", foreign], "must be of the summary's scope and of a covered turn"];
}

const summarySchema: Schema<SummaryValue> = transform(
  refine(
    fields({
      scope: scopeSchema,
      content: anyText,
      historyFingerprint: text,
      policyVersion: text,
      coveredTurnIds: list(text),
      sources: list(sourceRefSchema),
      createdAt: time,
      expiresAt: optional(time),
    }),
    (summary) => faultOfCoverage(summary) ?? faultOfLifetime(summary),
  ),
  ({ createdAt, expiresAt, ...rest }) =>
    new SummaryValue({
      ...rest,
      createdAt: createdAt.text,
      ...(expiresAt ? { expiresAt: expiresAt.text } : {}),
    }),
);

const inputSchema = refine(
  fields({
    scope: scopeSchema,
    content: anyText,
    history: list(anything),
    policyVersion: text,
    createdAt: time,
    expiresAt: optional(time),
  }),
  faultOfLifetime,
);

/**
 * Makes a summary of the turns it covers. It counts only while they are exactly as they are now.
 *
 * @throws {ContractError} naming the field, such as `history[3].timestamp` for a turn whose time is open
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { summaryFromHistory, turn } from "@holdfast/memory";
 *
 * const scope = { tenantId: "acme", sessionId: "ticket-4711" };
 * const messages = [{ messageId: "message-1", role: "user" as const, content: "The flights were booked in March." }];
 * const history = [turn({ turnId: "turn-1", scope, messages, timestamp: "2026-03-01T09:00:00Z" })];
 * const summary = summaryFromHistory({
 *   scope,
 *   content: "Flights: booked.",
 *   history,
 *   policyVersion: "by-hand-1",
 *   createdAt: "2026-03-02T09:00:00Z",
 * });
 * assert.deepEqual(summary.coveredTurnIds, ["turn-1"]);
 * ```
 */
export function summaryFromHistory(input: SummaryInput): Summary {
  const { history, createdAt, expiresAt, ...rest } = validate(inputSchema, input, {
    field: "",
    noun: "summary",
  });
  const turns = history.map((turn, index) => toCovered(turn, rest.scope, `history[${index}]`));
  const repeated = firstRepeated(turns.map((turn) => turn.turnId));
  if (repeated >= 0) throw fault(`history[${repeated}].turnId`, "must be unique");
  return new SummaryValue({
    ...rest,
    historyFingerprint: historyDigest(turns),
    coveredTurnIds: turns.map((turn) => turn.turnId),
    sources: turns.flatMap((turn) => turn.messages.flatMap((message) => wholeMessage(turn, message) ?? [])),
    createdAt: createdAt.text,
    ...(expiresAt ? { expiresAt: expiresAt.text } : {}),
  });
}

function toCovered(value: unknown, scope: Scope, field: string): TimedTurn {
  const turn = toPlainTurn(value, { field, noun: "turn" });
  if (!sameScope(turn.scope, scope)) throw fault(`${field}.scope`, "must be the summary's scope");
  if (!isTimed(turn)) throw fault(`${field}.timestamp`, "must be there: take the turn from the store");
  return turn;
}

function fault(field: string, rule: string): ContractError {
  return new ContractError(field, `${field} ${rule}`);
}

/**
 * Validates an argument as a summary, made by {@linkcode summaryFromHistory} or plain.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toSummary(value: unknown, field = "summary"): Summary {
  return SummaryValue.is(value) ? value : validate(summarySchema, value, { field, noun: "summary" });
}

/** Validates a summary that is plain already, its times carried. Internal: for stored payloads. */
export function toPlainSummary(value: unknown, place: Argument): Summary {
  return validatePlain(summarySchema, value, place);
}

/** The summary, which never expires so far, with a deadline. `expiresAt` is ISO text; `field` names it in errors. */
export function lastingSummary(summary: Summary, expiresAt: string, field: string): Summary {
  if (compareInstants(instantOf(expiresAt), instantOf(summary.createdAt)) <= 0) {
    throw fault(field, "must be after createdAt");
  }
  return new SummaryValue({ ...summary, expiresAt });
}

/** Whether a summary counts at an instant: `createdAt <= at < expiresAt`. */
function isCurrent(summary: Summary, at: Instant): boolean {
  if (compareInstants(instantOf(summary.createdAt), at) > 0) return false;
  return summary.expiresAt === undefined || compareInstants(at, instantOf(summary.expiresAt)) < 0;
}

/** Whether the summary covers exactly these turns, in this order, of this scope, at an instant. */
export function matches(summary: Summary, history: readonly TimedTurn[], scope: Scope, at: Instant): boolean {
  const ids = summary.coveredTurnIds;
  return sameScope(summary.scope, scope) && isCurrent(summary, at) &&
    ids.length === history.length && history.every((turn, index) => turn.turnId === ids[index]) &&
    summary.historyFingerprint === historyDigest(history) && provesSources(summary, history);
}

function provesSources(summary: Summary, history: readonly TimedTurn[]): boolean {
  const turns = new Map(history.map((turn) => [turn.turnId, turn]));
  return summary.sources.every((source) => {
    const turn = turns.get(source.turnId);
    return turn !== undefined && extracts(source, turn);
  });
}

function extracts(source: SourceRef, turn: Turn): boolean {
  try {
    extract(source, turn);
    return true;
  } catch (error) {
    if (error instanceof ContractError) return false;
    throw error;
  }
}

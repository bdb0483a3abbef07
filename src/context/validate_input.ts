/** Validates the input of an assembly, before anything is counted or read. */

import { isBlank } from "../canonical/text.ts";
import { exceedsBytes } from "../canonical/utf8.ts";
import { type Instant, instantFromMs, toInstant } from "../canonical/time.ts";
import { systemNowMs } from "../clock.ts";
import { readFields, requireBoolean, requireList, requireSignal } from "../contracts/arguments.ts";
import type { Chunk } from "../contracts/chunk.ts";
import { type KeyedPins, keyedPins } from "../contracts/keyed_pins.ts";
import { firstRepeated, type Message, toMessage } from "../contracts/message.ts";
import { requireReferenceMessage, requireReferenceTurn } from "../contracts/pairing.ts";
import { effective, type TimedPin, toPin } from "../contracts/pin.ts";
import { sameScope, type Scope, toScope } from "../contracts/scope.ts";
import { type ToolDefinition, toTool } from "../contracts/tool.ts";
import { timed, type TimedTurn, toTurn } from "../contracts/turn.ts";
import { ContractError } from "../errors.ts";
import { LIST_ARGUMENT_ITEMS_MAX, REQUEST_TEXT_BYTES_MAX } from "../limits.ts";
import { requireChunkIndex } from "../index/chunk_index.ts";
import { Pace } from "../pace.ts";
import type { AssemblySettings } from "./layers.ts";
import {
  defaultCapTokens,
  toBudget,
  toCap,
  toCounting,
  toOptions,
  toRetrieval,
  withoutIdleReserves,
} from "./configuration.ts";
import { isProfileName, type Profile, PROFILE_DEFAULT, profileOf } from "./profile.ts";
import { requirePolicy, type SummaryPolicy } from "./summary_policy.ts";
import type { TokenCounter } from "./counting/token_counter.ts";

const FIELDS = [
  ...["scope", "history", "question", "pins", "budget", "system", "at", "profile", "counting"] as const,
  ...[
    "cap",
    "retrieval",
    "summaryPolicy",
    "summaryPrefix",
    "tools",
    "options",
    "chunkIndex",
    "signal",
  ] as const,
];

/** The validated input of `assembleContext`. */
export interface ValidatedInput {
  readonly settings: AssemblySettings;
  readonly counter: TokenCounter | null;
  readonly pace: Pace;
  readonly at: Instant;
  readonly scope: Scope;
  readonly system: string;
  readonly question: Message;
  readonly history: readonly TimedTurn[];
  readonly pins: KeyedPins;
  readonly tools: readonly ToolDefinition[];
  readonly policy: SummaryPolicy | null;
  readonly chunks: readonly Chunk[] | null;
}

/**
 * Validates the whole input of `assembleContext`.
 *
 * @throws {ContractError} that names the first invalid field
 */
export function validateInput(input: unknown): ValidatedInput {
  const given = readFields("input", input, FIELDS);
  const pace = new Pace(requireSignal(given.signal) ?? null);
  pace.check();
  const settings = settingsOf(given);
  const { counter } = toCounting(given.counting);
  const at = given.at === undefined ? instantFromMs(systemNowMs()) : toInstant(given.at, "at");
  const scope = toScope(given.scope);
  const history = toHistory(given.history, scope, at);
  if (settings.profile.isReference) {
    for (const [index, turn] of history.entries()) requireReferenceTurn(turn, `history[${index}]`);
  }
  const pins = toPins(given.pins === undefined ? [] : given.pins, scope, at);
  const messageIds = new Set(history.flatMap((turn) => turn.messages.map((message) => message.messageId)));
  return {
    settings,
    counter,
    pace,
    at,
    scope,
    system: toSystem(given.system),
    question: toQuestion(given.question, messageIds, settings.profile),
    history,
    pins: settings.options.pins ? pins : { scope, pins: [] },
    tools: toTools(given.tools === undefined ? [] : given.tools),
    policy: requirePolicy(given.summaryPolicy),
    chunks: given.chunkIndex === undefined || given.chunkIndex === null
      ? null
      : requireChunkIndex(given.chunkIndex, history, settings.retrieval),
  };
}

/** The fields that configure an assembly, unvalidated. */
type ConfigurationFields = {
  readonly [K in "profile" | "options" | "counting" | "budget" | "cap" | "retrieval" | "summaryPrefix"]?:
    unknown;
};

/** Validates the configuration of an assembly. */
export function settingsOf(given: ConfigurationFields): AssemblySettings {
  const name = given.profile === undefined ? PROFILE_DEFAULT : given.profile;
  if (!isProfileName(name)) {
    throw new ContractError("profile", 'Expected profile to be "holdfast" or "reference"');
  }
  const profile = profileOf(name);
  const options = toOptions(given.options);
  const { calibrationFactor, adapterOverheadTokens } = toCounting(given.counting);
  const budget = withoutIdleReserves(toBudget(given.budget, profile.shrinksReserves), options);
  return {
    profile,
    budget,
    cap: toCap(given.cap, defaultCapTokens(budget, profile.capShare)),
    retrieval: toRetrieval(given.retrieval),
    options,
    calibration: { calibrationFactor, adapterOverheadTokens },
    summaryPrefix: given.summaryPrefix === undefined
      ? profile.summaryPrefix
      : requireBoolean("summaryPrefix", given.summaryPrefix),
  };
}

function toHistory(value: unknown, scope: Scope, at: Instant): readonly TimedTurn[] {
  const turns = requireList("history", value, LIST_ARGUMENT_ITEMS_MAX).map((item, index) => {
    const turn = toTurn(item, `history[${index}]`);
    if (!sameScope(turn.scope, scope)) throw fault(`history[${index}].scope`, "must be the context's scope");
    return timed(turn, at.text);
  });
  const repeated = firstRepeated(turns.map(({ turnId }) => turnId));
  if (repeated >= 0) throw fault(`history[${repeated}].turnId`, "must be unique in the history");
  const seen = new Set<string>();
  for (const [index, { messages }] of turns.entries()) {
    for (const [position, { messageId }] of messages.entries()) {
      const field = `history[${index}].messages[${position}].messageId`;
      if (seen.has(messageId)) throw fault(field, "must be unique in the history");
      seen.add(messageId);
    }
  }
  return turns;
}

function toPins(value: unknown, scope: Scope, at: Instant): KeyedPins {
  const pins = requireList("pins", value, LIST_ARGUMENT_ITEMS_MAX).map((item, index): TimedPin => {
    const field = `pins[${index}]`;
    return effective(toPin(item, field), at.text, field);
  });
  return keyedPins(scope, pins);
}

/** Validates a system text. */
export function toSystem(value: unknown): string {
  if (typeof value !== "string" || isBlank(value)) throw fault("system", "must be text that is not blank");
  if (!value.isWellFormed()) throw fault("system", "must be well-formed Unicode");
  requireCountable(value, "system");
  return value;
}

/** Refuses text that is too large for any request, before it is counted. An exact count would take seconds. */
function requireCountable(text: string, field: string): void {
  if (exceedsBytes(text, REQUEST_TEXT_BYTES_MAX)) {
    throw fault(field, `must have at most ${REQUEST_TEXT_BYTES_MAX} bytes of UTF-8`);
  }
}

/** Validates a question: text, or a user message whose id is none of `messageIds`. */
export function toQuestion(
  value: unknown,
  messageIds: ReadonlySet<string>,
  { takesBlankQuestions, isReference }: Profile,
): Message {
  if (typeof value === "string") {
    requireCountable(value, "question");
    if (!takesBlankQuestions && isBlank(value)) throw fault("question", "must be text that is not blank");
    return toMessage({ messageId: freeId(messageIds), role: "user", content: value }, "question");
  }
  const question = toMessage(value, "question");
  if (question.role !== "user") throw fault("question.role", "must be user");
  if (isReference) requireReferenceMessage(question, "question");
  requireCountable(question.content, "question.content");
  if (messageIds.has(question.messageId)) throw fault("question.messageId", "must not occur in the history");
  if (!takesBlankQuestions && isBlank(question.content)) {
    throw fault("question.content", "must be text that is not blank");
  }
  return question;
}

/** Returns an id for a question that is only text, which no message of the history has. */
function freeId(messageIds: ReadonlySet<string>): string {
  let id = "current-question";
  while (messageIds.has(id)) id += ":next";
  return id;
}

/** Validates the tools that a request offers. */
export function toTools(value: unknown): readonly ToolDefinition[] {
  const tools = requireList("tools", value, LIST_ARGUMENT_ITEMS_MAX).map((item, index) =>
    toTool(item, `tools[${index}]`)
  );
  const repeated = firstRepeated(tools.map(({ name }) => name));
  if (repeated >= 0) throw fault(`tools[${repeated}].name`, "must be unique");
  return tools;
}

function fault(field: string, rule: string): ContractError {
  return new ContractError(field, `${field} ${rule}`);
}

/** Turns as callers pass them, validated and encoded into plans that an operation can run; nothing is touched before. */

import { toHex } from "../canonical/keyed_hash.ts";
import { toInstant } from "../canonical/time.ts";
import { randomIdentity } from "../clock.ts";
import { readFields, requireSubject } from "../contracts/arguments.ts";
import { LIFETIME_NAMES, lifetimeText, readLifetime } from "../contracts/options/lifetime.ts";
import { appendInputDigest, putTurnInputDigest } from "../contracts/digest.ts";
import { type Message, type MessageDraft, toMetadata, toNewMessages } from "../contracts/message.ts";
import { encodeTurn } from "../contracts/payload.ts";
import {
  hasOpenRevision,
  isTimed,
  timed,
  type TimedTurn,
  toTurn,
  type Turn,
  turn,
  validatedTurn,
  withMessages,
} from "../contracts/turn.ts";
import { ContractError } from "../errors.ts";
import { TURN_BYTES_MAX } from "../limits.ts";
import { type Context, endOf, nowOf, requireBytes, requireRevision, requireScope } from "./plans.ts";
import { requireMediaBytes, takeMedia } from "../media/given_media.ts";
import type { AppendPlan } from "./append_turn.ts";
import type { EncodedTurn, PutTurnPlan } from "./put_turn.ts";
import { operationKey } from "../scopes/place.ts";

/** The plan of `putTurn`. */
export function planPutTurn(context: Context, value: unknown, options: unknown): PutTurnPlan {
  const checked = toTurn(value);
  requireScope("turn.scope", checked.scope, context.place.scope);
  const { messages, media } = takeMedia(checked.messages);
  requireMediaBytes(messages, "turn.messages", context.limits.mediaBytes);
  const given: Turn = media.size === 0 ? checked : withMessages(checked, messages);
  const { operationId, expectedRevision, ...rest } = readFields("options", options, [
    "operationId",
    "expectedRevision",
    ...LIFETIME_NAMES,
    "signal",
  ]);
  const lifetime = readLifetime(rest);
  const input = putTurnInputDigest(given, lifetime === undefined ? "keep" : lifetimeText(lifetime));
  const now = timed(given, nowOf(context));
  return turnPlan(context, now, {
    media,
    isRevisionOpen: hasOpenRevision(checked),
    isTimeOpen: !isTimed(given),
    messagesField: "turn.messages",
    expectedRevision: requireRevision(expectedRevision),
    expiry: lifetime === undefined ? "keep" : endOf(context, lifetime),
    operation: operationKey(context.place, operationId, "putTurn", input),
  });
}

/** The plan of `append`. */
export function planAppend(context: Context, value: unknown, options: unknown): AppendPlan {
  const { messages, media } = takeMedia(toNewMessages(value));
  requireMediaBytes(messages, "messages", context.limits.mediaBytes);
  const given = readFields("options", options, [
    "operationId",
    ...LIFETIME_NAMES,
    "timestamp",
    "metadata",
    "subject",
    "onDuplicate",
    "signal",
  ]);
  const lifetime = readLifetime(given) ?? null;
  const timestamp = given.timestamp === undefined ? null : toInstant(given.timestamp, "timestamp").text;
  const metadata = given.metadata === undefined ? null : toMetadata(given.metadata);
  const skipsDuplicates = toSkipsDuplicates(given.onDuplicate);
  const { place } = context;
  const subject = given.subject === undefined ? null : requireSubject(given.subject);
  const facts = { timestamp, metadata, subject, skipsDuplicates };
  const input = appendInputDigest(messages, lifetimeText(lifetime), facts);
  const operation = given.operationId === undefined
    ? null
    : operationKey(place, given.operationId, "append", input);
  const turnId = `turn-${operation === null ? randomIdentity() : toHex(operation.operationHash)}`;
  const made = turn({
    turnId,
    scope: place.scope,
    messages: messages.map((message, index) => withId(message, turnId, index)),
    timestamp: timestamp ?? nowOf(context),
    ...(metadata === null ? {} : { metadata }),
    revision: 1,
  });
  return {
    ...turnPlan(context, made as TimedTurn, {
      media,
      isRevisionOpen: false,
      isTimeOpen: false,
      messagesField: "messages",
      expectedRevision: null,
      expiry: endOf(context, lifetime),
      operation,
    }),
    subject,
    skipsDuplicates,
  };
}

function toSkipsDuplicates(value: unknown): boolean {
  if (value === undefined || value === "error" || value === "skip") return value === "skip";
  throw new ContractError("onDuplicate", 'Expected onDuplicate to be "error" or "skip"');
}

function withId(message: MessageDraft, turnId: string, index: number): Message {
  return { ...message, messageId: message.messageId ?? `${turnId}:${index}` };
}

function turnPlan(
  { place, limits }: Context,
  given: TimedTurn,
  rest: Pick<
    PutTurnPlan,
    "media" | "isRevisionOpen" | "isTimeOpen" | "messagesField" | "expectedRevision" | "expiry" | "operation"
  >,
): PutTurnPlan {
  const { turnId, revision, messages } = given;
  // What `append` is given is its messages; what `putTurn` is given is a turn.
  const sizeField = rest.messagesField === "messages" ? "messages" : "turn";
  const changed = (change: Partial<Pick<TimedTurn, "revision" | "timestamp" | "messages">>): EncodedTurn =>
    encodedTurn(validatedTurn({ ...given, ...change }), sizeField);
  const encoded = encodedTurn(given, sizeField);
  const groupBytes = rest.media.values().reduce((sum, { length }) => sum + length, encoded.bytes);
  return { place, turnId, revision, messages, ...encoded, groupBytes, changed, limits, ...rest };
}

function encodedTurn(given: TimedTurn, field: string): EncodedTurn {
  const payload = encodeTurn(given);
  return { payload, bytes: requireTurnBytes(field, payload) };
}

/** Requires that a turn is not too large; returns its UTF-8 bytes. */
function requireTurnBytes(field: string, payload: string): number {
  try {
    return requireBytes(field, payload, TURN_BYTES_MAX);
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    throw new ContractError(
      field,
      `${error.message}: split it into several turns, or shorten what tools returned`,
      {
        details: error.details,
      },
    );
  }
}

/** The fast way to read back a turn whose payload was written by this module. */

import { encodeTurn } from "../payload.ts";
import { isBlank } from "../../canonical/text.ts";
import { readStoredInstant } from "../../canonical/time.ts";
import {
  faultOf,
  faultOfIds,
  isRole,
  type Message,
  type Metadata,
  metadataSchema,
  validatedMessage,
} from "../message.ts";
import { joinedText, type Part, partsSchema, STORED_PART_NAMES } from "../part.ts";
import { Refused, type Schema } from "../schema.ts";
import type { Scope } from "../scope.ts";
import { hasObjectArguments, type ToolCall, validatedCall } from "../tool.ts";
import { type TimedTurn, validatedTurn } from "../turn.ts";

/** An object of JSON, of which nothing is known yet. */
type Stored = Readonly<Record<string, unknown>> | null | undefined;

/**
 * The turn of a payload that is exactly as `encodeTurn` writes it; null for any other, which the strict way then reads
 * or refuses. What reads back to the same text has no repeated or unknown key, no other spelling of a number, and no
 * space: all that is left to check are the values. More than twice as fast as the strict way (6 µs instead of 17 for
 * 500 characters), and turns are what a store reads most.
 */
export function quickTurn(raw: string): TimedTurn | null {
  const turn = toTurn(parse(raw));
  return turn !== null && encodeTurn(turn) === raw ? turn : null;
}

function parse(raw: string): Stored {
  try {
    return JSON.parse(raw);
  } catch {
    return null; // the strict way says what is wrong
  }
}

function toTurn(stored: Stored): TimedTurn | null {
  const scope = toScope(stored?.scope as Stored);
  const messages = toMessages(stored?.messages);
  const turnId = stored?.turn_id;
  const revision = stored?.revision;
  const timestamp = stored?.timestamp;
  if (scope === null || messages === null || !isKey(turnId)) return null;
  if (typeof revision !== "number" || !Number.isSafeInteger(revision) || revision < 1) return null;
  if (typeof timestamp !== "string" || readStoredInstant(timestamp)?.text !== timestamp) return null;
  const metadata = toOptional(stored?.metadata, toMetadata);
  if (metadata === null) return null;
  return validatedTurn({ turnId, scope, messages, revision, timestamp, ...metadata && { metadata } });
}

function toScope(stored: Stored): Scope | null {
  const tenantId = stored?.tenant_id;
  const sessionId = stored?.session_id;
  return isKey(tenantId) && isKey(sessionId) ? Object.freeze({ tenantId, sessionId }) : null;
}

function toMessages(stored: unknown): readonly Message[] | null {
  if (!Array.isArray(stored)) return null;
  const messages: Message[] = [];
  for (const item of stored) {
    const message = toMessage(item);
    if (message === null) return null;
    messages.push(message);
  }
  return faultOfIds(messages) === null ? Object.freeze(messages) : null;
}

function toMessage(stored: Stored): Message | null {
  const messageId = stored?.message_id;
  const content = stored?.content;
  const role = stored?.role;
  const toolCallId = stored?.tool_call_id;
  const toolCalls = toCalls(stored?.tool_calls);
  if (!isKey(messageId) || !isText(content) || !isRole(role) || toolCalls === null) return null;
  if (toolCallId !== null && !isName(toolCallId)) return null;
  const parts = toOptional(stored?.parts, toParts);
  const metadata = toOptional(stored?.metadata, toMetadata);
  const name = toOptional(stored?.name, (given) => isName(given) ? given : null);
  if (parts === null || metadata === null || name === null) return null;
  if (parts !== undefined && joinedText(parts) !== content) return null;
  const contentIsNull = stored?.content_null === true;
  if (contentIsNull && (role !== "assistant" || content !== "" || parts !== undefined)) return null;
  const isError = stored?.is_error === true;
  const spoken = { role, content, parts, contentIsNull, name, metadata, isError, toolCallId, toolCalls };
  return faultOf(spoken) === null ? validatedMessage({ messageId, ...spoken }) : null;
}

/** What most payloads do not have: undefined where it is absent, null where it is not valid. */
function toOptional<T>(stored: unknown, read: (stored: unknown) => T | null): T | null | undefined {
  return stored === undefined ? undefined : read(stored);
}

function toParts(stored: unknown): readonly Part[] | null {
  if (!Array.isArray(stored)) return null;
  return readAs(partsSchema, stored.map((part: unknown) => renamed(part)));
}

/** A part of media under the names of its contract. */
function renamed(stored: unknown): unknown {
  if (typeof stored !== "object" || stored === null || !("media_type" in stored)) return stored;
  const names: Readonly<Record<string, string>> = STORED_PART_NAMES;
  return Object.fromEntries(Object.entries(stored).map(([name, value]) => [names[name] ?? name, value]));
}

function toMetadata(stored: unknown): Metadata | null {
  return readAs(metadataSchema, stored);
}

function readAs<T>(schema: Schema<T>, stored: unknown): T | null {
  try {
    return schema.read(stored, []);
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}

const NO_CALLS: readonly ToolCall[] = Object.freeze([]);

function toCalls(stored: unknown): readonly ToolCall[] | null {
  if (!Array.isArray(stored)) return null;
  if (stored.length === 0) return NO_CALLS;
  const calls: ToolCall[] = [];
  for (const item of stored) {
    const call = toCall(item);
    if (call === null) return null;
    calls.push(call);
  }
  return Object.freeze(calls);
}

function toCall(stored: Stored): ToolCall | null {
  const callId = stored?.call_id;
  const name = stored?.name;
  const given = stored?.arguments_json ?? stored?.arguments_text;
  if (!isName(callId) || !isName(name) || !isText(given)) return null;
  const call = validatedCall({ id: callId, name, arguments: given });
  return hasObjectArguments(call) === (stored?.arguments_json !== undefined) ? call : null;
}

/** A name that is a column of its own. */
function isKey(value: unknown): value is string {
  return isName(value) && !value.includes("\0");
}

function isName(value: unknown): value is string {
  return isText(value) && !isBlank(value);
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.isWellFormed();
}

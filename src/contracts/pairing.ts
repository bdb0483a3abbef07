/** Which result answers which call; and the reference's rule, which takes complete turns only. */

import { jsonObjectFault } from "../canonical/json_object.ts";
import { ContractError } from "../errors.ts";
import type { Message } from "./message.ts";
import type { ToolCall } from "./tool.ts";
import type { Turn } from "./turn.ts";

/** Which results answer which calls. */
export interface Pairing {
  /** The result of each call that was answered. */
  readonly results: ReadonlyMap<ToolCall, Message>;
  /** Results that answer no call, in their order. */
  readonly orphans: ReadonlySet<Message>;
}

/**
 * Pairs each result with the nearest earlier call of its id that has no result yet, so that an answered id may be used
 * again. Of a history's newest turns it pairs what it pairs of the whole, less what the older turns called.
 */
export function pairCalls(messages: readonly Message[]): Pairing {
  const open = new Map<string, ToolCall[]>();
  const results = new Map<ToolCall, Message>();
  const orphans = new Set<Message>();
  for (const message of messages) {
    for (const call of message.toolCalls ?? []) {
      const waiting = open.get(call.id);
      if (waiting === undefined) open.set(call.id, [call]);
      else waiting.push(call);
    }
    if (message.toolCallId === undefined) continue;
    const call = open.get(message.toolCallId)?.pop();
    if (call === undefined) orphans.add(message);
    else results.set(call, message);
  }
  return { results, orphans };
}

/**
 * Requires that a turn is one that the reference takes: text alone, arguments that are JSON objects, and a result for
 * every call before anything else is said.
 *
 * @throws {ContractError} naming the first thing that the reference refuses, such as `history[3].messages[1].role`
 */
export function requireReferenceTurn(
  { messages, metadata }: Pick<Turn, "messages" | "metadata">,
  field: string,
): void {
  if (metadata !== undefined) throw fault(field, "must have no unknown field");
  for (const [index, message] of messages.entries()) {
    requireReferenceMessage(message, `${field}.messages[${index}]`);
  }
  requirePairedCalls(messages, `${field}.messages`);
}

/** The same of one message, whatever it answers. */
export function requireReferenceMessage(message: Message, field: string): void {
  const { role, parts, contentIsNull, name, metadata, isError, toolCalls = [] } = message;
  if (parts !== undefined || contentIsNull) throw fault(`${field}.content`, "must be text");
  if (role === "developer") throw fault(`${field}.role`, "must be system, user, assistant or tool");
  for (const [index, call] of toolCalls.entries()) {
    const rule = jsonObjectFault(call.arguments);
    if (rule !== null) throw fault(`${field}.toolCalls[${index}].arguments`, rule);
  }
  if (name !== undefined || metadata !== undefined || isError) {
    throw fault(field, "must have no unknown field");
  }
}

/**
 * Walks messages in order: a tool's message answers a call that is still open, in any order; any other message comes
 * when no call is open; call ids are unique; no call is open at the end.
 */
function requirePairedCalls(messages: readonly Message[], field: string): void {
  const seen = new Set<string>();
  const pending = new Map<string, string>();
  for (const [index, message] of messages.entries()) {
    const place = `${field}[${index}]`;
    if (message.role === "tool") {
      if (message.toolCallId === undefined || !pending.delete(message.toolCallId)) {
        throw fault(`${place}.toolCallId`, "must name an earlier call that has no result yet");
      }
      continue;
    }
    if (pending.size > 0) throw fault(place, "must come after the results of all earlier calls");
    for (const [callIndex, { id: callId }] of (message.toolCalls ?? []).entries()) {
      const callPlace = `${place}.toolCalls[${callIndex}]`;
      if (seen.has(callId)) throw fault(`${callPlace}.id`, "must be unique");
      seen.add(callId);
      pending.set(callId, callPlace);
    }
  }
  for (const callPlace of pending.values()) throw fault(callPlace, "must have a result");
}

function fault(field: string, rule: string): ContractError {
  return new ContractError(field, `${field} ${rule}`);
}

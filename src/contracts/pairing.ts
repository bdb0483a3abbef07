/** The rule that every tool call has exactly one result, before anything else is said. */

import { ContractError } from "../errors.ts";
import type { MessageDraft } from "./message.ts";

/**
 * Walks messages in order: a tool's message answers a call that is still open, in any order; any other message comes
 * when no call is open; call ids are unique; no call is open at the end.
 *
 * @throws {ContractError} naming the first call or result that breaks the rule, such as `messages[2].toolCallId`
 */
export function requirePairedCalls(messages: readonly MessageDraft[], field = "messages"): void {
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

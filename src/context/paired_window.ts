/**
 * The window without orphans: every call is followed by its result, wherever that was stored; a call without one by a
 * text that says so; a result without its call is left out.
 */

import { type Message, validatedMessage } from "../contracts/message.ts";
import { pairCalls, type Pairing } from "../contracts/pairing.ts";
import type { ToolCall } from "../contracts/tool.ts";

/** What stands for the result of a call that was not answered. It is shown, and never stored. */
const INTERRUPTED = "Interrupted: this call has no result.";

/** A turn of which messages are shown. */
interface Shown {
  readonly messages: readonly Message[];
  /** Whether every call is directly followed by its result: then it is shown as it is. */
  readonly isComplete: boolean;
}

/** Whether every call of a turn is directly followed by its result, in any order of parallel ones. */
export function isComplete(messages: readonly Message[]): boolean {
  const { orphans } = pairCalls(messages);
  if (orphans.size > 0) return false;
  let open = 0;
  for (const { role, toolCalls = [] } of messages) {
    if (role === "tool") open--;
    else if (open > 0) return false;
    open += toolCalls.length;
  }
  return open === 0;
}

/** Which results answer which calls in the turns of a window, oldest first; complete turns are left out. */
export function pairWindow(turns: readonly Shown[]): Pairing {
  return pairCalls(turns.flatMap((turn) => turn.isComplete ? [] : turn.messages));
}

/** What a window shows of a turn. */
export function shownMessages({ messages, isComplete }: Shown, { results }: Pairing): readonly Message[] {
  if (isComplete) return messages;
  return messages.flatMap((message) => {
    if (message.role === "tool") return [];
    return [
      message,
      ...(message.toolCalls ?? []).map((call) => results.get(call) ?? interrupted(message, call)),
    ];
  });
}

function interrupted({ messageId }: Message, { id: toolCallId }: ToolCall): Message {
  return validatedMessage({
    messageId: `${messageId}:${toolCallId}`,
    role: "tool",
    content: INTERRUPTED,
    toolCallId,
    isError: true,
  });
}

/** The calls of a window that have no result. */
export function openCalls(turns: readonly Shown[], { results }: Pairing): readonly ToolCall[] {
  return turns.flatMap((turn) =>
    turn.isComplete
      ? []
      : turn.messages.flatMap(({ toolCalls = [] }) => toolCalls.filter((call) => !results.has(call)))
  );
}

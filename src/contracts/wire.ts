/** The text of messages and tools as models are sent them, in canonical JSON. */

import type { Message } from "./message.ts";
import type { ToolDefinition } from "./tool.ts";
import { quote } from "../canonical/canonical_json.ts";

/** A message as a request carries it: `content`, `role`, and `tool_call_id` and `tool_calls` where there are any. */
export function messageWireText(message: Message): string {
  return `{"content":${quote(message.content)},${rolePart(message)}}`;
}

/** The same with `message_id`, as a turn's content hash takes it. */
export function identifiedMessageText(message: Message): string {
  return `{"content":${quote(message.content)},"message_id":${quote(message.messageId)},${
    rolePart(message)
  }}`;
}

/** A tool as a request carries it. */
function toolWireText(tool: ToolDefinition): string {
  return `{"function":{"description":${quote(tool.description)},"name":${quote(tool.name)},` +
    `"parameters":${tool.parametersJson}},"type":"function"}`;
}

/** A list of tools as a request carries it. */
export function toolsWireText(tools: readonly ToolDefinition[]): string {
  return `[${tools.map(toolWireText).join(",")}]`;
}

function rolePart(message: Message): string {
  const result = message.toolCallId === undefined ? "" : `,"tool_call_id":${quote(message.toolCallId)}`;
  return `"role":"${message.role}"${result}${callsPart(message)}`;
}

function callsPart({ toolCalls = [] }: Message): string {
  if (toolCalls.length === 0) return "";
  const calls = toolCalls.map((call) =>
    `{"function":{"arguments":${quote(call.arguments)},"name":${quote(call.name)}},` +
    `"id":${quote(call.id)},"type":"function"}`
  );
  return `,"tool_calls":[${calls.join(",")}]`;
}

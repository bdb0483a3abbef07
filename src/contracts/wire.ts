/** The text of messages and tools as models are sent them, in canonical JSON. */

import { encodeMetadata, type Message } from "./message.ts";
import { encodeParts } from "./part.ts";
import type { ToolDefinition } from "./tool.ts";
import { quote } from "../canonical/canonical_json.ts";

/** A message as a request carries it: `content`, `role`, and what else there is, under the names of chat requests. */
export function messageWireText(message: Message): string {
  return `{"content":${quote(message.content)},${errorPart(message)}${namePart(message)}${
    rolePart(message)
  }}`;
}

/** The same with `message_id` and what a request leaves out, as a turn's content hash takes it. */
export function identifiedMessageText(message: Message): string {
  const { content, contentIsNull, messageId, metadata, parts } = message;
  return `{"content":${quote(content)},${contentIsNull ? '"content_null":true,' : ""}${errorPart(message)}` +
    `"message_id":${quote(messageId)},` +
    (metadata === undefined ? "" : `"metadata":${encodeMetadata(metadata)},`) +
    namePart(message) +
    (parts === undefined ? "" : `"parts":${encodeParts(parts)},`) +
    `${rolePart(message)}}`;
}

function errorPart({ isError }: Message): string {
  return isError ? '"is_error":true,' : "";
}

function namePart({ name }: Message): string {
  return name === undefined ? "" : `"name":${quote(name)},`;
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

/** Model messages of the AI SDK. */

import type { Json } from "../canonical/plain.ts";
import type { NewMessage } from "../contracts/new_message.ts";
import type { Part } from "../contracts/part.ts";
import type { ToolCall } from "../contracts/tool.ts";
import {
  MODEL,
  parseModelPart,
  parseToolOutput,
  writeModelCall,
  writeModelEntry,
  writeToolOutput,
} from "./ai_sdk_model_parts.ts";
import type { AiSdkModelMessage } from "./ai_sdk_types.ts";
import { type Tag, withFields } from "./carried.ts";
import { type Difference, differenceOf, isObject } from "./difference.ts";
import { isLeftOut, messageOf, newMessage, withoutIdlePlaces } from "./drafts.ts";
import type { Format, Messages, WriteOptions } from "./format.ts";
import { JoinedItems } from "./joined_items.ts";
import { type Spoken, spoken, textOf } from "./spoken.ts";
import { isName, type Item, jsonOf, readItems, unshared } from "./theirs.ts";

/**
 * The AI SDK's `ModelMessage`: what `generateText` and `streamText` take, and `response.messages` of a result, version 7.
 *
 * - Each result is a message of its own, its `name` the tool's where no call says it; written, results that follow one
 *   another are one message. A result of JSON is `data`, one that failed has `isError`.
 * - Bytes stay bytes, addresses addresses. In parts that are not known, bytes become base64.
 * - A developer's message becomes a system message. Reasoning goes back to the AI SDK only.
 * - `providerOptions`, approvals and every part that is not known are carried. Left out when written: `data` outside of
 *   results, and what other formats carry.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { aiSdkModel } from "@holdfast/memory/formats";
 *
 * const theirs = [
 *   { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "track", input: { order: 7 } }] },
 *   { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "track", output: { type: "text", value: "customs" } }] },
 * ];
 * const messages = aiSdkModel.parse(theirs); // for conversation.append
 * assert.deepEqual(messages[1], { role: "tool", toolCallId: "c1", content: "customs" });
 * assert.deepEqual(aiSdkModel.write(messages), theirs);
 * ```
 */
export const aiSdkModel: Format<readonly object[], AiSdkModelMessage[]> = {
  name: MODEL.format,
  parse: parseMessages,
  write: writeMessages,
};

/** The names of tools by the ids of their latest calls. */
type ToolNames = Map<string, string>;

const UNNAMED_TOOL = "unknown";

function parseMessages(theirs: readonly object[]): NewMessage[] {
  const names: ToolNames = new Map();
  const parsed: NewMessage[] = [];
  for (const item of readItems("messages", theirs)) {
    const messages = parseMessage(item, names, parsed.at(-1)?.role === "tool");
    for (const { toolCalls = [] } of messages) {
      for (const call of toolCalls) names.set(call.id, call.name);
    }
    parsed.push(...messages);
  }
  return parsed;
}

function parseMessage(item: Item, names: ToolNames, followsResult: boolean): NewMessage[] {
  const { role, content, ...others } = item;
  const outer = differenceOf({}, jsonOf(others));
  const isList = Array.isArray(content);
  if (role === "tool" && isList && content.length > 0) {
    return parseResults(content, { names, outer, followsResult });
  }
  const isKnown = typeof content === "string" || (isList && role !== "system");
  if (!isKnown || (role !== "system" && role !== "user" && role !== "assistant")) {
    return [{ role: "assistant", content: [MODEL.item(jsonOf(item))] }];
  }
  if (typeof content === "string") {
    return [newMessage({ role, form: "text", parts: [{ type: "text", text: content }] }, MODEL, { outer })];
  }
  if (role === "user") {
    return [newMessage({ role, form: "parts", parts: content.flatMap(parseModelPart) }, MODEL, { outer })];
  }
  const calls: ToolCall[] = [];
  const parts = content.flatMap((part): Part[] => {
    const call = callOf(part);
    if (call === null || calls.some(({ id }) => id === call.id)) return parseModelPart(part);
    calls.push(call);
    return [MODEL.call({ id: call.id, fields: differenceOf(writeModelCall(call), jsonOf(part)) })];
  });
  return [
    newMessage({ role, form: "parts", parts: withoutIdlePlaces(parts, MODEL), calls }, MODEL, { outer }),
  ];
}

function callOf(part: unknown): ToolCall | null {
  if (!isObject(part) || part.type !== "tool-call" || !isName(part.toolCallId) || !isName(part.toolName)) {
    return null;
  }
  return { id: part.toolCallId, name: part.toolName, arguments: JSON.stringify(jsonOf(part.input ?? {})) };
}

interface Surroundings {
  readonly names: ToolNames;
  readonly outer: Difference;
  readonly followsResult: boolean;
}

/** Each result is a message; what else a tool's message holds, such as an answer about approval, is carried. */
function parseResults(
  content: readonly unknown[],
  { names, outer, followsResult }: Surroundings,
): NewMessage[] {
  let afterResult = followsResult;
  return content.map((part, index): NewMessage => {
    const isJoined = index > 0;
    const item = jsonOf(part);
    const result =
      isObject(item) && item.type === "tool-result" && isName(item.toolCallId) && isName(item.toolName)
        ? item as { readonly [key: string]: Json } & {
          readonly toolCallId: string;
          readonly toolName: string;
        }
        : null;
    const isDefault = (afterResult && result !== null) === isJoined;
    const tag: Tag = { ...(isDefault ? {} : { joins: isJoined }), ...(isJoined ? {} : { outer }) };
    afterResult = result !== null;
    if (result === null) {
      return newMessage({ role: "assistant", form: "tool", parts: [MODEL.content(item)] }, MODEL, tag);
    }
    const { toolCallId, toolName, output = null } = result;
    const draft = {
      role: "tool",
      toolCallId,
      ...(names.get(toolCallId) === toolName ? {} : { name: toolName }),
      ...parseToolOutput(output, toolName),
    } as const;
    return messageOf(draft, MODEL, { item, write: (message) => writeResult(message, toolName), tag });
  });
}

function writeMessages(messages: Messages, options?: WriteOptions): AiSdkModelMessage[] {
  const items = new JoinedItems();
  const names: ToolNames = new Map();
  for (const message of spoken(messages, options)) {
    const entries = MODEL.entries(message.parts);
    for (const call of message.calls) names.set(call.id, call.name);
    if (entries[0]?.type === "item") {
      items.addWhole(entries.flatMap((entry) => entry.type === "item" ? [entry.json as object] : []));
      continue;
    }
    const { as, joins, outer = [] } = MODEL.messageTag(message.parts);
    const isResult = message.role === "tool";
    const role = message.role === "developer" ? "system" : as === "tool" ? as : message.role;
    const toolName = message.name ?? names.get(message.toolCallId ?? "") ?? UNNAMED_TOOL;
    const content = isResult ? [writeResult(message, toolName)] : writeContent(message);
    if (content !== null) items.add({ role, content, outer, isResult, joins });
  }
  return unshared(items.finished());
}

function writeResult(message: Spoken, toolName: string): object {
  const { parts, toolCallId } = message;
  const item = { type: "tool-result", toolCallId, toolName, output: writeToolOutput(message) };
  return withFields(item, MODEL.messageTag(parts));
}

/** The content of a message that is no result; null where all of it is left out. */
function writeContent(message: Spoken): string | readonly object[] | null {
  const { role, parts, form, calls } = message;
  const isText = (MODEL.messageTag(parts).as ?? form) === "text";
  const entries = MODEL.entries(parts);
  const isInstruction = role === "system" || role === "developer";
  if (isText && calls.length === 0) return textOf(parts);
  const placed = new Set(entries.flatMap((entry) => entry.type === "call" ? [entry.tag.id] : []));
  const items = [
    ...isText && textOf(parts) === "" ? [] : entries.flatMap((entry) => {
      if (entry.type !== "call") return writeModelEntry(entry, isInstruction ? "system" : role);
      return calls.filter(({ id }) => id === entry.tag.id).map((call) =>
        withFields(writeModelCall(call), entry.tag)
      );
    }),
    ...calls.filter(({ id }) => !placed.has(id)).map(writeModelCall),
  ];
  if (isLeftOut(message, items, MODEL) || (form === "null" && items.length === 0)) return null;
  // An instruction is text: the SDK takes no list.
  return isInstruction ? textOf(items as readonly Part[]) : items;
}

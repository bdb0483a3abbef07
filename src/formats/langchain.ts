/** Messages of LangChain, as they are stored. */

import type { Json } from "../canonical/plain.ts";
import type { NewMessage } from "../contracts/new_message.ts";
import type { MediaPart, Part, ReasoningPart } from "../contracts/part.ts";
import type { ToolCall } from "../contracts/tool.ts";
import { decodeBase64, encodeBase64 } from "../canonical/base64.ts";
import { dataUrl, readDataUrl } from "./data_urls.ts";
import { Carrier, type Entry, type Tag, withFields } from "./carried.ts";
import { differenceOf, isObject } from "./difference.ts";
import { distinctCalls, isLeftOut, messageOf, taggedPart } from "./drafts.ts";
import type { Format, Messages, WriteOptions } from "./format.ts";
import { dataAsText, jsonObject, namedMedia, type Spoken, spoken, textOf } from "./spoken.ts";
import { isName, type Item, readJsonItems, unshared } from "./theirs.ts";

const CARRIER = new Carrier("langchain");

/** A message as LangChain stores it: assignable to its `StoredMessage`, which `mapStoredMessagesToChatMessages` takes. */
export interface LangChainMessage {
  /** Who speaks. */
  type: "system" | "human" | "ai" | "tool";
  /** As LangChain's own type has it: `content` may be a list of blocks, and fields that are `undefined` are absent. */
  data: {
    content: string;
    role: string | undefined;
    name: string | undefined;
    tool_call_id: string | undefined;
    additional_kwargs: Record<string, Json>;
    response_metadata: Record<string, Json>;
    id?: string;
  };
}

const ROLES = { system: "system", human: "user", ai: "assistant", tool: "tool" } as const;

const TYPES = {
  system: "system",
  developer: "system",
  user: "human",
  assistant: "ai",
  tool: "tool",
} as const;

/**
 * LangChain: `parse` takes messages, or what `toDict` and `mapChatMessagesToStoredMessages` made of them; `write` makes
 * what `mapStoredMessagesToChatMessages` takes.
 *
 * - A message's `id` is its `messageId`, unless the store chose that. A developer's message is a system message, marked as LangChain does it.
 * - Arguments that are a JSON object are `tool_calls`, others `invalid_tool_calls`.
 * - A result that failed has `status: "error"`.
 * - Reasoning goes back to LangChain only. Blocks of providers, `additional_kwargs`, `response_metadata`, `artifact` and
 *   usage are carried.
 * - Left out when written: `data` outside of tool results, and what other formats carry.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { langchain } from "@holdfast/memory/formats";
 *
 * const data = { content: "Where is order 7?", additional_kwargs: {}, response_metadata: {} };
 * const messages = langchain.parse([{ type: "human", data }]); // for conversation.append
 * assert.deepEqual(messages, [{ role: "user", content: "Where is order 7?" }]);
 * assert.deepEqual(langchain.write(messages), [{ type: "human", data }]);
 * ```
 */
export const langchain: Format<readonly object[], LangChainMessage[]> = {
  name: CARRIER.format,
  parse: (theirs: readonly object[]): NewMessage[] =>
    readJsonItems("messages", Array.isArray(theirs) ? theirs.map(storedForm) : theirs).map(parseMessage),
  write: (messages: Messages, options?: WriteOptions): LangChainMessage[] =>
    unshared(spoken(messages, options).flatMap(writeMessage)),
};

function storedForm(message: unknown): unknown {
  const hasForm = typeof message === "object" && message !== null && "toDict" in message &&
    typeof message.toDict === "function";
  return hasForm ? (message.toDict as () => unknown)() : message;
}

const DEVELOPER = { __openai_role__: "developer" } as const;

function parseMessage(item: Item): NewMessage {
  const { type, data } = item;
  const known = typeof type === "string" && Object.hasOwn(ROLES, type)
    ? ROLES[type as keyof typeof ROLES]
    : null;
  const content = isObject(data) ? data.content : null;
  const isKnown = known !== null && isObject(data) &&
    (typeof content === "string" || Array.isArray(content)) &&
    (known !== "tool" || isName(data.tool_call_id));
  if (!isKnown) return { role: "assistant", content: [CARRIER.item(item)] };
  const { id, name, tool_call_id: toolCallId, status, additional_kwargs: extra } = data;
  const isDeveloper = known === "system" && isObject(extra) && extra.__openai_role__ === "developer";
  const draft = {
    role: isDeveloper ? "developer" : known,
    form: typeof content === "string" ? "text" : "parts",
    parts: Array.isArray(content)
      ? (content as Json[]).flatMap(parseBlock)
      : [{ type: "text", text: content as string } as const],
    ...(isName(id) && !id.includes("\0") ? { messageId: id } : {}),
    ...(isName(name) ? { name } : {}),
    ...(known === "tool" ? { toolCallId: toolCallId as string, isError: status === "error" } : {}),
    ...(known === "assistant" ? { calls: parseCalls(data) } : {}),
  } as const;
  return messageOf(draft, CARRIER, { item, write: (message) => writeMessage(message)[0] });
}

function parseCalls({ tool_calls: calls, invalid_tool_calls: invalid }: Item): ToolCall[] {
  const list: readonly unknown[] = [
    ...Array.isArray(calls) ? calls : [],
    ...Array.isArray(invalid) ? invalid : [],
  ];
  return distinctCalls(list.flatMap((call): ToolCall[] => {
    if (!isObject(call) || !isName(call.id) || !isName(call.name)) return [];
    const { id, name, args } = call;
    if (isObject(args)) return [{ id, name, arguments: JSON.stringify(args) }];
    return typeof args === "string" && jsonObject(args) === null ? [{ id, name, arguments: args }] : [];
  }));
}

function parseBlock(item: Json): Part[] {
  if (!isObject(item)) return [CARRIER.content(item)];
  if (item.type === "text" && typeof item.text === "string") {
    const part = { type: "text", text: item.text } as const;
    return taggedPart(part, CARRIER, { item, written: part });
  }
  const reasoning = parseReasoning(item);
  if (reasoning !== null) return reasoning;
  const media = parseMedia(item);
  if (media === null) return [CARRIER.content(item)];
  const as = item.type === "image_url" ? { as: item.type } : {};
  return taggedPart(media, CARRIER, { item, written: writeMedia(media, as), ...as });
}

function parseReasoning(item: Item): Part[] | null {
  const { type, reasoning, thinking, signature } = item;
  const text = type === "reasoning" ? reasoning : type === "thinking" ? thinking : null;
  if (typeof text !== "string") return null;
  const part = { type: "reasoning", text, ...(typeof signature === "string" ? { signature } : {}) } as const;
  const tag = type === "thinking" ? { as: "thinking" } : {};
  return [part, CARRIER.origin({ ...tag, fields: differenceOf(writeReasoning(part, tag), item) })];
}

function writeReasoning({ text, signature }: ReasoningPart, { as }: Tag): object {
  const content = as === "thinking" ? { type: as, thinking: text } : { type: "reasoning", reasoning: text };
  return { ...content, ...(signature === undefined ? {} : { signature }) };
}

const KINDS = ["image", "audio", "video"];

function parseMedia({ type, image_url: image, url, data: text, mimeType, metadata }: Item): MediaPart | null {
  if (type === "image_url") {
    const address = isObject(image) ? image.url : null;
    if (!isName(address)) return null;
    const held = readDataUrl(address);
    if (held !== null) return { type: "media", ...held };
    return address.startsWith("data:") ? null : { type: "media", mediaType: "image/*", url: address };
  }
  if (typeof type !== "string" || (type !== "file" && !KINDS.includes(type))) return null;
  const mediaType = isName(mimeType) ? mimeType : type === "file" ? "application/octet-stream" : `${type}/*`;
  if (kindOf(mediaType) !== type) return null;
  const name = isObject(metadata) && isName(metadata.filename) ? { filename: metadata.filename } : {};
  if (isName(url) && text === undefined) return { type: "media", mediaType, url, ...name };
  const data = typeof text === "string" ? decodeBase64(text) : null;
  return data === null ? null : { type: "media", mediaType, data, ...name };
}

function kindOf(mediaType: string): string {
  return KINDS.find((kind) => mediaType.startsWith(`${kind}/`)) ?? "file";
}

function writeMedia({ mediaType, data, url, filename }: MediaPart, { as }: Tag): object | null {
  if ((data ?? url) === undefined) return null;
  if (as === "image_url") return { type: as, image_url: { url: url ?? dataUrl(mediaType, data!) } };
  return {
    type: kindOf(mediaType),
    mimeType: mediaType,
    ...(data === undefined ? { url } : { data: encodeBase64(data) }),
    ...(filename === undefined ? {} : { metadata: { filename } }),
  };
}

/** An id that the store chose for a message that had none. */
const CHOSEN_ID = /^turn-[0-9a-f]{32}:[0-9]+$/;

function writeMessage(message: Spoken): object[] {
  const { role, parts, form, name, messageId, toolCallId, isError } = message;
  const entries = CARRIER.entries(parts);
  if (entries[0]?.type === "item") {
    return entries.flatMap((entry) => entry.type === "item" ? [entry.json as object] : []);
  }
  const blocks = entries.flatMap((entry) => writeEntry(entry, role === "tool"));
  if (isLeftOut(message, blocks, CARRIER)) return [];
  const tag = CARRIER.messageTag(parts);
  const isText = form === "null" ||
    ((tag.as ?? form) === "text" && parts.every(({ type }) => type === "text" || type === "opaque"));
  const data = {
    content: isText ? textOf(parts) : blocks,
    additional_kwargs: role === "developer" ? DEVELOPER : {},
    response_metadata: {},
    ...(isName(messageId) && !CHOSEN_ID.test(messageId) ? { id: messageId } : {}),
    ...(name === undefined ? {} : { name }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    ...(isError ? { status: "error" } : {}),
    ...writeCalls(message),
  };
  return [withFields({ type: TYPES[role], data }, tag)];
}

function writeCalls({ role, calls }: Spoken): object {
  if (role !== "assistant") return {};
  const tool_calls: object[] = [];
  const invalid_tool_calls: object[] = [];
  for (const { id, name, arguments: text } of calls) {
    const args = jsonObject(text);
    if (args !== null) tool_calls.push({ id, name, args, type: "tool_call" });
    else invalid_tool_calls.push({ id, name, args: text, type: "invalid_tool_call" });
  }
  return { tool_calls, invalid_tool_calls };
}

function writeEntry(entry: Entry, isResult: boolean): object[] {
  if (entry.type === "content") return [entry.json as object];
  if (entry.type !== "part") return [];
  const { part, tag } = entry;
  switch (part.type) {
    case "text":
      return [withFields(part, tag)];
    case "media": {
      const written = writeMedia(part, tag ?? {});
      return [written === null ? namedMedia(part) : withFields(written, tag)];
    }
    case "data":
      return isResult ? [dataAsText(part)] : [];
    case "reasoning":
      return tag === null ? [] : [withFields(writeReasoning(part, tag), tag)];
  }
}

/** Messages of OpenAI's Chat Completions, and of every server that speaks like them. */

import type { Role } from "../contracts/message.ts";
import type { NewMessage } from "../contracts/new_message.ts";
import type { MediaPart, Part } from "../contracts/part.ts";
import type { ToolCall } from "../contracts/tool.ts";
import { decodeBase64, encodeBase64 } from "../canonical/base64.ts";
import { dataUrl, readDataUrl } from "./data_urls.ts";
import { Carrier, type Entry, withFields } from "./carried.ts";
import { isObject } from "./difference.ts";
import { distinctCalls, isLeftOut, isOwn, messageOf, taggedPart } from "./drafts.ts";
import type { Format, Messages, WriteOptions } from "./format.ts";
import type { OpenAIChatMessage } from "./openai_chat_types.ts";
import { dataAsText, namedMedia, type Spoken, spoken, textOf } from "./spoken.ts";
import { isName, type Item, readJsonItems, unshared } from "./theirs.ts";

const CARRIER = new Carrier("openai-chat");

const ROLES = ["system", "developer", "user", "assistant", "tool"] as const;

/**
 * OpenAI's Chat Completions: what `messages` of a request holds, and `choices[0].message` of an answer.
 *
 * - A refusal is text that says it is one; fields without a counterpart (`annotations`, `audio`, `detail`, …) are carried.
 * - Left out when written: reasoning, `isError`, `data` outside of tool results, and what other formats carry.
 * - Media that a role cannot send are named by a text: all but images, recordings and files of a user.
 * - Ids of calls and arguments are written as they are.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openaiChat } from "@holdfast/memory/formats";
 *
 * const theirs = [{ role: "user", content: "Where is order 7?" }, { role: "assistant", content: "At customs.", refusal: null }];
 * const messages = openaiChat.parse(theirs); // for conversation.append
 * assert.deepEqual(openaiChat.write(messages), theirs);
 * ```
 */
export const openaiChat: Format<readonly object[], OpenAIChatMessage[]> = {
  name: CARRIER.format,
  parse: (theirs: readonly object[]): NewMessage[] => readJsonItems("messages", theirs).map(parseMessage),
  write: (messages: Messages, options?: WriteOptions): OpenAIChatMessage[] =>
    unshared(spoken(messages, options).flatMap(writeMessage)),
};

function parseMessage(item: Item): NewMessage {
  const role = ROLES.find((known) => known === item.role);
  const { content = "", refusal, tool_call_id: toolCallId, name } = item;
  const isKnown = role !== undefined && (role !== "tool" || isName(toolCallId)) &&
    (typeof content === "string" || content === null || Array.isArray(content));
  if (!isKnown) return { role: "assistant", content: [CARRIER.item(item)] };
  const refused = role === "assistant" && content === null && typeof refusal === "string";
  const form = refused
    ? "refusal"
    : Array.isArray(content)
    ? "parts"
    : content === null && role === "assistant"
    ? "null"
    : "text";
  const draft = {
    role,
    form,
    parts: Array.isArray(content)
      ? content.flatMap((part) => parsePart(part, role))
      : form === "null"
      ? []
      : [{ type: "text", text: refused ? refusal : content as string ?? "" } as const],
    ...(isName(name) && role !== "tool" ? { name } : {}),
    ...(role === "tool" ? { toolCallId: toolCallId as string } : {}),
    ...(role === "assistant" ? { calls: parseCalls(item.tool_calls) } : {}),
  };
  return messageOf(draft, CARRIER, { item, write: (message) => writeMessage(message)[0] });
}

function parseCalls(calls: unknown): ToolCall[] {
  const list: readonly unknown[] = Array.isArray(calls) ? calls : [];
  return distinctCalls(list.flatMap((call): ToolCall[] => {
    if (!isObject(call) || !isName(call.id)) return [];
    const { function: named, custom } = call;
    if (isObject(named) && isName(named.name) && typeof named.arguments === "string") {
      return [{ id: call.id, name: named.name, arguments: named.arguments }];
    }
    if (!isObject(custom) || !isName(custom.name) || typeof custom.input !== "string") return [];
    return [{ id: call.id, name: custom.name, arguments: custom.input }];
  }));
}

function parsePart(item: unknown, role: Role): Part[] {
  if (isObject(item) && item.type === "text" && typeof item.text === "string") {
    const part = { type: "text", text: item.text } as const;
    return taggedPart(part, CARRIER, { item, written: part });
  }
  if (role === "assistant" && isObject(item) && item.type === "refusal" && typeof item.refusal === "string") {
    const written = { type: "refusal", refusal: item.refusal };
    return taggedPart({ type: "text", text: item.refusal }, CARRIER, { item, written, as: "refusal" });
  }
  const media = role === "user" && isObject(item) ? parseMedia(item) : null;
  const written = media === null ? null : writeMedia(media);
  if (media === null || written === null) return [CARRIER.content(item)];
  return taggedPart(media, CARRIER, { item, written });
}

const AUDIO_TYPES: Readonly<Record<string, string>> = { wav: "audio/wav", mp3: "audio/mpeg" };

function parseMedia({ type, image_url: image, input_audio: audio, file }: Item): MediaPart | null {
  if (type === "image_url" && isObject(image) && isName(image.url)) {
    const held = readDataUrl(image.url);
    if (held?.mediaType.startsWith("image/")) return { type: "media", ...held };
    return image.url.startsWith("data:") ? null : { type: "media", mediaType: "image/*", url: image.url };
  }
  if (type === "input_audio" && isObject(audio) && typeof audio.data === "string") {
    const mediaType = typeof audio.format === "string" ? AUDIO_TYPES[audio.format] : undefined;
    const data = decodeBase64(audio.data);
    return mediaType === undefined || data === null ? null : { type: "media", mediaType, data };
  }
  if (type !== "file" || !isObject(file) || typeof file.file_data !== "string") return null;
  const held = readDataUrl(file.file_data);
  return held === null
    ? null
    : { type: "media", ...held, ...(isName(file.filename) ? { filename: file.filename } : {}) };
}

function writeMedia({ mediaType, data, url, filename }: MediaPart): object | null {
  if (mediaType.startsWith("image/") && (data ?? url) !== undefined) {
    return { type: "image_url", image_url: { url: url ?? dataUrl(mediaType, data!) } };
  }
  if (data === undefined) return null;
  const format = Object.keys(AUDIO_TYPES).find((name) => AUDIO_TYPES[name] === mediaType);
  if (format !== undefined) return { type: "input_audio", input_audio: { data: encodeBase64(data), format } };
  return { type: "file", file: { file_data: dataUrl(mediaType, data), filename: filename ?? "file" } };
}

function writeMessage(message: Spoken): object[] {
  const { role, parts, name, toolCallId, calls } = message;
  const entries = CARRIER.entries(parts);
  const [first] = entries;
  if (first?.type === "item") {
    return entries.flatMap((entry) => entry.type === "item" ? [entry.json as object] : []);
  }
  const tag = CARRIER.messageTag(parts);
  const items = entries.flatMap((entry) => writePart(entry, message));
  if (isLeftOut(message, items, CARRIER)) return [];
  const form = tag.as ?? message.form;
  const isRefusal = form === "refusal" && role === "assistant";
  const item = {
    role,
    content: isRefusal ? null : writeContent(items, form, message),
    ...(isRefusal ? { refusal: textOf(parts) } : {}),
    ...(name === undefined || role === "tool" ? {} : { name }),
    ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(writeCall) }),
  };
  return [withFields(item, tag)];
}

function writeContent(items: readonly object[], form: string, { role, parts, calls }: Spoken): unknown {
  const isText = items.every((item) => "type" in item && item.type === "text");
  if (form === "text" && isText) return textOf(parts);
  if (form === "null" && items.length === 0) return null;
  if (items.length > 0 || (form === "parts" && isOwn(parts, CARRIER))) return items;
  return role === "assistant" && calls.length > 0 ? null : role === "tool" ? "" : items;
}

function writeCall({ id, name, arguments: text }: ToolCall): object {
  return { id, type: "function", function: { name, arguments: text } };
}

function writePart(entry: Entry, { role }: Spoken): object[] {
  if (entry.type === "content") return [entry.json as object];
  if (entry.type !== "part") return [];
  const { part, tag } = entry;
  switch (part.type) {
    case "text":
      return [
        withFields(
          tag?.as === "refusal" && role === "assistant" ? { type: "refusal", refusal: part.text } : part,
          tag,
        ),
      ];
    case "media": {
      const written = role === "user" ? writeMedia(part) : null;
      return [written === null ? namedMedia(part) : withFields(written, tag)];
    }
    case "data":
      return role === "tool" ? [dataAsText(part)] : [];
    case "reasoning":
      return [];
  }
}

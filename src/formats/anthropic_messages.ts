/** Messages of Anthropic's Messages API. */

import type { Json } from "../canonical/plain.ts";
import type { NewMessage } from "../contracts/new_message.ts";
import type { Part } from "../contracts/part.ts";
import type { ToolCall } from "../contracts/tool.ts";
import { ContractError } from "../errors.ts";
import { ANTHROPIC, parseBlock, writeCall, writeEntry } from "./anthropic_blocks.ts";
import type { AnthropicRequest } from "./anthropic_types.ts";
import { withUniqueCalls } from "./call_names.ts";
import { type Tag, withFields } from "./carried.ts";
import { type Difference, differenceOf, isObject } from "./difference.ts";
import { isLeftOut, messageOf, newMessage, withoutIdlePlaces } from "./drafts.ts";
import type { Format, Messages, WriteOptions } from "./format.ts";
import { JoinedItems } from "./joined_items.ts";
import { type Spoken, spoken, textOf } from "./spoken.ts";
import { copied, isName, type Item, jsonOf, readJsonItems, unshared } from "./theirs.ts";

/**
 * Anthropic's Messages API: `system` and `messages` of a request, and answers among the messages.
 *
 * - Thinking goes back with its signature, redacted thinking as it was; reasoning of other providers is left out.
 * - System and developer messages at the beginning are `system`; later ones are messages of role `system`.
 * - Results that follow one another are one user message. Server tools, citations and cache marks are carried.
 * - An id that is used again is renamed (`c1`, `c1_2`), with its result; other characters than the API takes become `_`.
 * - Arguments that are not a JSON object are sent as `{ invalid_arguments: TEXT }`.
 * - Left out when written: `name`, `data` outside of tool results, and what other formats carry. Media that cannot be
 *   sent are named by a text: all but pictures and PDF documents of users and tools.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { anthropicMessages } from "@holdfast/memory/formats";
 *
 * const theirs = { system: "Be brief.", messages: [{ role: "user", content: "Where is order 7?" }] };
 * const messages = anthropicMessages.parse(theirs); // for conversation.append
 * assert.deepEqual(messages.map((message) => message.role), ["system", "user"]);
 * assert.deepEqual(anthropicMessages.write(messages), theirs);
 * ```
 */
export const anthropicMessages: Format<
  { readonly system?: string | readonly object[]; readonly messages: readonly object[] },
  AnthropicRequest
> = { name: ANTHROPIC.format, parse: parseRequest, write: writeRequest };

function parseRequest(
  theirs: { readonly system?: string | readonly object[]; readonly messages: readonly object[] },
): NewMessage[] {
  if (!isObject(theirs)) throw new ContractError("request", "Expected request to be an object with messages");
  const { system, messages } = theirs as Item;
  const parsed: NewMessage[] = system === undefined ? [] : [parseSystem(system)];
  for (const item of readJsonItems("messages", messages)) parsed.push(...parseMessage(item, parsed));
  return parsed;
}

function parseSystem(system: unknown): NewMessage {
  if (typeof system === "string") return { role: "system", content: system };
  if (!Array.isArray(system)) {
    throw new ContractError("system", "Expected system to be text or a list of blocks");
  }
  return {
    role: "system",
    content: system.flatMap((block) => parseBlock(jsonOf(copied("system", block)), "system")),
  };
}

function parseMessage(item: Item, before: readonly NewMessage[]): NewMessage[] {
  const { role, content } = item;
  const isKnown = (role === "user" || role === "assistant" || role === "system") &&
    (typeof content === "string" || Array.isArray(content));
  if (!isKnown) return [{ role: "assistant", content: [ANTHROPIC.item(item)] }];
  const { content: _content, ...others } = item;
  const outer = differenceOf({ role }, others);
  if (role === "assistant") return [parseAssistant(content, outer)];
  const blocks = typeof content === "string" ? content : content as readonly Json[];
  if (role === "system") {
    const isFirst = before.every((message) => message.role === "system");
    return [parseSpeech(role, blocks, { outer, ...(isFirst ? { joins: false } : {}) })];
  }
  const follows = before.at(-1)?.role === "tool";
  return typeof blocks === "string"
    ? [parseSpeech(role, blocks, { outer })]
    : parseUser(blocks, outer, follows);
}

function parseSpeech(role: "system" | "user", content: string | readonly Json[], tag: Tag): NewMessage {
  const form = typeof content === "string" ? "text" : "parts";
  const parts: Part[] = typeof content === "string"
    ? [{ type: "text", text: content }]
    : content.flatMap((block) => parseBlock(block, role));
  return newMessage({ role, form, parts }, ANTHROPIC, tag);
}

/** A user's message is results, each a message of its own, and what stands before, between and after them. */
function parseUser(blocks: readonly Json[], outer: Difference, followsResult: boolean): NewMessage[] {
  const messages: NewMessage[] = [];
  let speech: Json[] = [];
  const tagFor = (isResult: boolean): Tag => {
    const last = messages.at(-1);
    if (last === undefined) return { outer, ...(isResult && followsResult ? { joins: false } : {}) };
    return isResult && last.role === "tool" ? {} : { joins: true };
  };
  const flush = (): void => {
    if (speech.length > 0) messages.push(parseSpeech("user", speech, tagFor(false)));
    speech = [];
  };
  for (const block of blocks) {
    if (!isResult(block)) speech.push(block);
    else {
      flush();
      messages.push(parseResult(block, tagFor(true)));
    }
  }
  flush();
  return messages.length > 0 ? messages : [parseSpeech("user", [], { outer })];
}

function isResult(block: Json): block is { readonly [key: string]: Json } & { readonly tool_use_id: string } {
  if (!isObject(block) || block.type !== "tool_result" || !isName(block.tool_use_id)) return false;
  const { content } = block;
  return content === undefined || typeof content === "string" || Array.isArray(content);
}

function parseResult(
  item: { readonly [key: string]: Json } & { readonly tool_use_id: string },
  tag: Tag,
): NewMessage {
  const { content = "" } = item;
  const draft = {
    role: "tool",
    form: typeof content === "string" ? "text" : "parts",
    parts: Array.isArray(content)
      ? (content as Json[]).flatMap((block) => parseBlock(block, "result"))
      : [{ type: "text", text: content as string } as const],
    toolCallId: item.tool_use_id,
    isError: item.is_error === true,
  } as const;
  return messageOf(draft, ANTHROPIC, { item, write: writeResult, tag });
}

function parseAssistant(content: unknown, outer: Difference): NewMessage {
  if (typeof content === "string") {
    return newMessage(
      { role: "assistant", form: "text", parts: [{ type: "text", text: content }] },
      ANTHROPIC,
      {
        outer,
      },
    );
  }
  const calls: ToolCall[] = [];
  const parts = (content as Json[]).flatMap((block): Part[] => {
    const call = parseCall(block);
    if (call === null || calls.some(({ id }) => id === call.id)) return parseBlock(block, "assistant");
    calls.push(call);
    return [ANTHROPIC.call({ id: call.id, fields: differenceOf(writeCall(call), block) })];
  });
  return newMessage(
    { role: "assistant", form: "parts", parts: withoutIdlePlaces(parts, ANTHROPIC), calls },
    ANTHROPIC,
    { outer },
  );
}

function parseCall(block: Json): ToolCall | null {
  if (!isObject(block) || block.type !== "tool_use" || !isName(block.id) || !isName(block.name)) return null;
  return { id: block.id, name: block.name, arguments: JSON.stringify(block.input ?? {}) };
}

function writeRequest(messages: Messages, options?: WriteOptions): AnthropicRequest {
  const list = withUniqueCalls(spoken(messages, options));
  const isOpening = ({ role, parts }: Spoken): boolean =>
    (role === "system" || role === "developer") && ANTHROPIC.messageTag(parts).joins !== false;
  const end = list.findIndex((message) => !isOpening(message));
  const opening = end < 0 ? list : list.slice(0, end);
  const items = new JoinedItems();
  for (const message of list.slice(opening.length)) addMessage(items, message);
  return unshared({
    ...(opening.length === 0 ? {} : { system: writeSystem(opening) }),
    messages: items.finished(),
  });
}

function writeSystem(opening: readonly Spoken[]): NonNullable<AnthropicRequest["system"]> {
  const [first] = opening;
  if (opening.length === 1 && first?.form === "text") return textOf(first.parts);
  const blocks = opening.flatMap(({ parts }) =>
    ANTHROPIC.entries(parts).flatMap((entry) => writeEntry(entry, "system"))
  );
  return blocks as Exclude<AnthropicRequest["system"], string | undefined>;
}

function addMessage(items: JoinedItems, message: Spoken): void {
  const entries = ANTHROPIC.entries(message.parts);
  if (entries[0]?.type === "item") {
    items.addWhole(entries.flatMap((entry) => entry.type === "item" ? [entry.json as object] : []));
    return;
  }
  const { joins, outer = [] } = ANTHROPIC.messageTag(message.parts);
  const isResult = message.role === "tool";
  const role = message.role === "developer" ? "system" : message.role === "tool" ? "user" : message.role;
  const content = isResult ? [writeResult(message)] : writeContent(message, role);
  if (content !== null) items.add({ role, content, outer, isResult, joins });
}

function writeResult(message: Spoken): object {
  const { parts, toolCallId, isError, form } = message;
  const tag = ANTHROPIC.messageTag(parts);
  const blocks = ANTHROPIC.entries(parts).flatMap((entry) => writeEntry(entry, "result"));
  const isText = (tag.as ?? form) === "text" &&
    parts.every(({ type }) => type === "text" || type === "opaque");
  const item = {
    type: "tool_result",
    tool_use_id: toolCallId,
    content: isText ? textOf(parts) : blocks,
    ...(isError ? { is_error: true } : {}),
  };
  return withFields(item, tag);
}

/** The content of a message; null where all of it is left out. */
function writeContent(
  message: Spoken,
  place: "system" | "user" | "assistant",
): string | readonly object[] | null {
  const { parts, form, calls } = message;
  const isText = (ANTHROPIC.messageTag(parts).as ?? form) === "text";
  if (isText && calls.length === 0) return textOf(parts);
  const entries = ANTHROPIC.entries(parts);
  const placed = new Set(entries.flatMap((entry) => entry.type === "call" ? [entry.tag.id] : []));
  const blocks = [
    // The API takes no empty text, which is what other formats write next to calls.
    ...isText && textOf(parts) === "" ? [] : entries.flatMap((entry) => writeEntry(entry, place, calls)),
    ...calls.filter(({ id }) => !placed.has(id)).map(writeCall),
  ];
  const isNothing = form === "null" && blocks.length === 0;
  return isNothing || isLeftOut(message, blocks, ANTHROPIC) ? null : blocks;
}

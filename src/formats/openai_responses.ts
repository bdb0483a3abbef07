/** Items of OpenAI's Responses API. */

import type { Json } from "../canonical/plain.ts";
import type { NewMessage } from "../contracts/new_message.ts";
import type { Part, ReasoningPart } from "../contracts/part.ts";
import type { ToolCall } from "../contracts/tool.ts";
import { type Entry, type Tag, withFields } from "./carried.ts";
import { differenceOf, isDifference, isObject } from "./difference.ts";
import { isLeftOut, messageOf, newMessage, taggedPart, withoutIdlePlaces } from "./drafts.ts";
import type { Format, Messages, WriteOptions } from "./format.ts";
import { parseContent, RESPONSES, writeContent } from "./openai_input_content.ts";
import type { OpenAIResponsesItem } from "./openai_responses_types.ts";
import { namedMedia, type Spoken, spoken } from "./spoken.ts";
import { isName, type Item, readJsonItems, unshared } from "./theirs.ts";

/** The mark after the parts of an answer's message: how many there are, and its fields besides its content. */
const OUTPUT = `${RESPONSES.format}:output`;

/**
 * OpenAI's Responses API: the items of `input`, and of `output` of an answer.
 *
 * - What an answer holds (reasoning, messages, calls, calls of built-in tools) is one assistant's message.
 * - Reasoning goes back before its own item with its id and encrypted content; that of other providers is left out.
 * - A refusal is text that says it is one. Annotations, ids, `status` and `phase` are carried.
 * - Left out when written: `name`, `isError`, `data` outside of tool results, and what other formats carry. Media that
 *   cannot be sent are named by a text: all but those of users and tools.
 * - Ids of calls and arguments are written as they are.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openaiResponses } from "@holdfast/memory/formats";
 *
 * const theirs = [
 *   { role: "user", content: "Where is order 7?" },
 *   { type: "function_call", call_id: "c1", name: "track", arguments: '{"order":7}', id: "fc_1", status: "completed" },
 *   { type: "function_call_output", call_id: "c1", output: "customs" },
 * ];
 * const messages = openaiResponses.parse(theirs); // for conversation.append
 * assert.deepEqual(messages.map((message) => message.role), ["user", "assistant", "tool"]);
 * assert.deepEqual(openaiResponses.write(messages), theirs);
 * ```
 */
export const openaiResponses: Format<readonly object[], OpenAIResponsesItem[]> = {
  name: RESPONSES.format,
  parse: parseItems,
  write: (messages: Messages, options?: WriteOptions): OpenAIResponsesItem[] =>
    unshared(spoken(messages, options).flatMap(writeMessage)),
};

function parseItems(theirs: readonly object[]): NewMessage[] {
  const messages: NewMessage[] = [];
  let answer: Item[] = [];
  const flush = (): void => {
    if (answer.length > 0) messages.push(parseAnswer(answer));
    answer = [];
  };
  for (const item of readJsonItems("items", theirs)) {
    const message = parseInput(item) ?? parseResult(item);
    if (message === null) answer.push(item);
    else {
      flush();
      messages.push(message);
    }
  }
  flush();
  return messages;
}

/** A message of a user, or an instruction; null where the item is none. */
function parseInput(item: Item): NewMessage | null {
  const { type = "message", role, content } = item;
  if (type !== "message" || (role !== "user" && role !== "system" && role !== "developer")) return null;
  if (typeof content !== "string" && !Array.isArray(content)) return null;
  const draft = { role, ...parseContent(content as string | readonly Json[], role === "user") } as const;
  return messageOf(draft, RESPONSES, { item, write: (message) => writeInput(message)[0] });
}

/** The result of a call; null where the item is none. */
function parseResult(item: Item): NewMessage | null {
  const { type, call_id: toolCallId, output } = item;
  const isCustom = type === "custom_tool_call_output";
  if ((type !== "function_call_output" && !isCustom) || !isName(toolCallId)) return null;
  if (typeof output !== "string" && !Array.isArray(output)) return null;
  const draft = {
    role: "tool",
    toolCallId,
    ...parseContent(output as string | readonly Json[], true),
  } as const;
  return messageOf(draft, RESPONSES, { item, write: writeResult });
}

/** What a model answered: items that follow one another make one message. */
function parseAnswer(items: readonly Item[]): NewMessage {
  const calls: ToolCall[] = [];
  const list = items.flatMap((item): Part[] => {
    const call = parseCall(item);
    if (call !== null && !calls.some(({ id }) => id === call.id)) {
      calls.push(call);
      return [RESPONSES.call({ id: call.id, fields: differenceOf(writeCall(call), item) })];
    }
    return parseReasoning(item) ?? parseOutput(item) ?? [RESPONSES.item(item)];
  });
  const parts = withoutIdlePlaces(list, RESPONSES);
  const [first] = parts;
  const isText = parts.length === 1 && first?.type === "text";
  // Empty text next to calls is not written, unless a mark says that it was there.
  if (isText && first.text === "" && calls.length > 0) parts.push(RESPONSES.origin({}));
  return newMessage(
    { role: "assistant", form: isText && parts.length === 1 ? "text" : "parts", parts, calls },
    RESPONSES,
    {},
  );
}

function parseCall({ type, call_id: id, name, arguments: text, input }: Item): ToolCall | null {
  if (!isName(id) || !isName(name)) return null;
  if (type === "function_call" && typeof text === "string") return { id, name, arguments: text };
  return type === "custom_tool_call" && typeof input === "string" ? { id, name, arguments: input } : null;
}

function writeCall({ id, name, arguments: text }: ToolCall): object {
  return { type: "function_call", call_id: id, name, arguments: text };
}

function parseReasoning(item: Item): Part[] | null {
  const { type, summary, encrypted_content: encrypted } = item;
  if (type !== "reasoning" || !Array.isArray(summary)) return null;
  const texts = summary.flatMap((entry) =>
    isObject(entry) && typeof entry.text === "string" ? [entry.text] : []
  );
  const part = {
    type: "reasoning",
    text: texts.join("\n\n"),
    ...(typeof encrypted === "string" ? { encrypted } : {}),
  } as const;
  return [part, RESPONSES.origin({ fields: differenceOf(writeReasoning(part), item) })];
}

function writeReasoning({ text, encrypted }: ReasoningPart): object {
  return {
    type: "reasoning",
    id: "",
    summary: text === "" ? [] : [{ type: "summary_text", text }],
    ...(encrypted === undefined ? {} : { encrypted_content: encrypted }),
  };
}

/** A message of an answer: text alone is written as it is; else a mark closes the parts of its content. */
function parseOutput(item: Item): Part[] | null {
  const { content, ...others } = item;
  const { type = "message", role } = item;
  if (type !== "message" || role !== "assistant") return null;
  if (typeof content === "string") {
    const part = { type: "text", text: content } as const;
    return taggedPart(part, RESPONSES, { item, written: { role, content } });
  }
  if (!Array.isArray(content)) return null;
  const json = { count: content.length, fields: differenceOf({ role }, others) as unknown as Json };
  const mark = { type: "opaque", format: OUTPUT, json } as const;
  return [...content.flatMap(parseOutputPart), mark];
}

function parseOutputPart(item: Json): Part[] {
  if (isObject(item) && item.type === "output_text" && typeof item.text === "string") {
    return taggedPart({ type: "text", text: item.text }, RESPONSES, {
      item,
      written: outputText(item.text, null),
    });
  }
  if (!isObject(item) || item.type !== "refusal" || typeof item.refusal !== "string") {
    return [RESPONSES.content(item)];
  }
  const tag = { as: "refusal" };
  const written = outputText(item.refusal, tag);
  return taggedPart({ type: "text", text: item.refusal }, RESPONSES, { item, written, ...tag });
}

function outputText(text: string, tag: Tag | null): object {
  return tag?.as === "refusal"
    ? { type: "refusal", refusal: text }
    : { type: "output_text", text, annotations: [] };
}

function writeMessage(message: Spoken): object[] {
  switch (message.role) {
    case "assistant":
      return writeAnswer(message);
    case "tool":
      return [writeResult(message)];
    default:
      return writeInput(message);
  }
}

function writeInput(message: Spoken): object[] {
  const { role, parts } = message;
  const content = writeContent(message);
  if (typeof content !== "string" && isLeftOut(message, content, RESPONSES)) return [];
  return [withFields({ role, content }, RESPONSES.messageTag(parts))];
}

function writeResult(message: Spoken): object {
  const item = { type: "function_call_output", call_id: message.toolCallId, output: writeContent(message) };
  return withFields(item, RESPONSES.messageTag(message.parts));
}

/** The items of an assistant's message, in their order. */
function writeAnswer({ parts, calls }: Spoken): object[] {
  const items: object[] = [];
  let open: { readonly text: string; readonly tag: Tag | null; readonly json?: Json }[] = [];
  const flush = (): void => {
    // What no mark closes is text by itself: the API takes it without an id. Calls need no empty text next to them.
    for (const { text, tag, json } of open) {
      const isIdle = text === "" && tag === null && parts.length === 1 && calls.length > 0;
      if (json === undefined && !isIdle) items.push(withFields({ role: "assistant", content: text }, tag));
    }
    open = [];
  };
  const placed = new Set<string>();
  for (const entry of entriesWithMarks(parts)) {
    if (entry.type === "mark") {
      const own = open.splice(Math.max(0, open.length - entry.count));
      flush();
      const content = own.map(({ text, tag, json }) => json ?? withFields(outputText(text, tag), tag));
      items.push(withFields({ role: "assistant", content }, { fields: entry.fields }));
    } else if (entry.type === "content") {
      open.push({ text: "", tag: null, json: entry.json });
    } else if (entry.type === "part" && entry.part.type === "text") {
      open.push({ text: entry.part.text, tag: entry.tag });
    } else if (entry.type === "part" && entry.part.type === "media") {
      open.push({ text: namedMedia(entry.part).text, tag: null });
    } else {
      flush();
      if (entry.type === "call") placed.add(entry.tag.id);
      items.push(...writeOther(entry, calls));
    }
  }
  flush();
  return [...items, ...calls.filter(({ id }) => !placed.has(id)).map(writeCall)];
}

/** The end of a message of an answer. */
interface Mark {
  readonly type: "mark";
  readonly count: number;
  readonly fields: NonNullable<Tag["fields"]>;
}

function entriesWithMarks(parts: readonly Part[]): (Entry | Mark)[] {
  const entries: (Entry | Mark)[] = [];
  let start = 0;
  for (const [index, part] of parts.entries()) {
    if (part.type !== "opaque" || part.format !== OUTPUT) continue;
    entries.push(...RESPONSES.entries(parts.slice(start, index)));
    const { count, fields } = part.json as Item;
    entries.push({ type: "mark", count: Number(count), fields: isDifference(fields) ? fields : [] });
    start = index + 1;
  }
  return [...entries, ...RESPONSES.entries(parts.slice(start))];
}

function writeOther(entry: Entry, calls: readonly ToolCall[]): object[] {
  if (entry.type === "item") return [entry.json as object];
  if (entry.type === "call") {
    return calls.filter(({ id }) => id === entry.tag.id).map((call) =>
      withFields(writeCall(call), entry.tag)
    );
  }
  if (entry.type !== "part" || entry.part.type !== "reasoning" || entry.tag === null) return [];
  return [withFields(writeReasoning(entry.part), entry.tag)];
}

/** Messages of a page, as the AI SDK has them. */

import type { Json } from "../canonical/plain.ts";
import type { Metadata } from "../contracts/message.ts";
import type { NewMessage } from "../contracts/new_message.ts";
import type { Part } from "../contracts/part.ts";
import type { ToolCall } from "../contracts/tool.ts";
import type { AiSdkUiMessage } from "./ai_sdk_types.ts";
import { parseUiPart, resultOf, UI, withResult, writeCall, writeUiEntry } from "./ai_sdk_ui_parts.ts";
import { type Tag, withFields } from "./carried.ts";
import { differenceOf, isObject } from "./difference.ts";
import { isLeftOut, messageOf, newMessage, withoutIdlePlaces } from "./drafts.ts";
import type { Format, Messages, WriteOptions } from "./format.ts";
import { type Spoken, spoken, spokenMessage, textOf } from "./spoken.ts";
import { isName, type Item, readJsonItems, unshared } from "./theirs.ts";

/**
 * The AI SDK's `UIMessage`: what `useChat` shows and sends, version 7.
 *
 * - An assistant's message is one message a step, with the results of its tools between the steps. Their ids are derived
 *   from its id, so that `append` with `onDuplicate: "skip"` knows what was stored before.
 * - `metadata` is the metadata of the message, `data-*` parts are `data`; files are media.
 * - Sources, states of approval, provider metadata and every part that is not known are carried.
 * - A developer's message becomes a system message. Reasoning goes back to the AI SDK only.
 * - A result without its call, and what other formats carry, is left out when written.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { aiSdkUi } from "@holdfast/memory/formats";
 *
 * const call = { type: "tool-track", toolCallId: "c1", state: "output-available", input: { order: 7 }, output: "customs" };
 * const theirs = [
 *   { id: "m1", role: "user", parts: [{ type: "text", text: "Where is order 7?" }] },
 *   { id: "m2", role: "assistant", parts: [{ type: "step-start" }, call, { type: "step-start" }, { type: "text", text: "At customs." }] },
 * ];
 * const messages = aiSdkUi.parse(theirs); // for conversation.append
 * assert.deepEqual(messages.map((message) => message.role), ["user", "assistant", "tool", "assistant"]);
 * assert.deepEqual(aiSdkUi.write(messages), theirs);
 * ```
 */
export const aiSdkUi: Format<readonly object[], AiSdkUiMessage[]> = {
  name: UI.format,
  parse: (theirs: readonly object[]): NewMessage[] => {
    const parsed: NewMessage[] = [];
    for (const item of readJsonItems("messages", theirs)) parsed.push(...parseMessage(item, parsed.at(-1)));
    return parsed;
  },
  write: writeMessages,
};

function parseMessage(item: Item, before: NewMessage | undefined): NewMessage[] {
  const { role, parts } = item;
  const isKnown = (role === "system" || role === "user" || role === "assistant") && Array.isArray(parts);
  if (!isKnown) return [{ role: "assistant", content: [UI.item(item)] }];
  if (role === "assistant") return parseAnswer(item, parts as readonly Json[], before?.role === "tool");
  const list = (parts as readonly Json[]).flatMap((part) => parseUiPart(part));
  const [only] = list;
  const form = list.length === 1 && only?.type === "text" ? "text" : "parts";
  const message = messageOf({ role, form, parts: list, ...idOf(item) }, UI, {
    item: withoutMetadata(item),
    write: (given) => writeSpeech(given, null)[0],
  });
  return [withMetadata(message, item)];
}

function idOf({ id }: Item): { readonly messageId?: string } {
  return isName(id) && !id.includes("\0") ? { messageId: id } : {};
}

/** Metadata that is an object is the message's own; any other is carried. */
function withoutMetadata(item: Item): Item {
  if (!isObject(item.metadata)) return item;
  const { metadata: _metadata, ...others } = item;
  return others;
}

function withMetadata(message: NewMessage, { metadata }: Item): NewMessage {
  return isObject(metadata) ? { ...message, metadata: metadata as Metadata } : message;
}

/** A message for each step, and the results of its calls after it. */
function parseAnswer(item: Item, parts: readonly Json[], followsResult: boolean): NewMessage[] {
  const { parts: _parts, ...others } = withoutMetadata(item);
  const { messageId } = idOf(item);
  const outer = differenceOf({ id: messageId ?? null, role: "assistant" }, others);
  const seen = new Set<string>();
  const messages = stepsOf(parts).flatMap(({ isBare, items }, index): NewMessage[] => {
    const { calls, list, results } = parseStep(items, seen);
    const joins = index === 0 ? (followsResult ? false : undefined) : true;
    const draft = {
      role: "assistant",
      form: "parts",
      parts: list,
      calls,
      ...(messageId === undefined ? {} : { messageId: index === 0 ? messageId : `${messageId}#${index}` }),
    } as const;
    const tag = {
      ...(isBare ? { as: "bare" } : {}),
      ...(joins === undefined ? {} : { joins }),
      ...(index === 0 ? { outer } : {}),
    };
    const answers = results.map((result) =>
      messageId === undefined ? result : { ...result, messageId: `${messageId}:${result.toolCallId}` }
    );
    return [newMessage(draft, UI, tag), ...answers];
  });
  return messages.map((message, index) => index === 0 ? withMetadata(message, item) : message);
}

interface Step {
  /** Whether no `step-start` stands before it. */
  readonly isBare: boolean;
  readonly items: readonly Json[];
}

function stepsOf(parts: readonly Json[]): Step[] {
  const starts = parts.flatMap((part, index) => isStart(part) ? [index] : []);
  const steps = starts.map((start, index) => ({
    isBare: false,
    items: parts.slice(start + 1, starts[index + 1]),
  }));
  return starts[0] === 0 ? steps : [{ isBare: true, items: parts.slice(0, starts[0]) }, ...steps];
}

function isStart(part: Json): boolean {
  return isObject(part) && part.type === "step-start" && Object.keys(part).length === 1;
}

interface ParsedStep {
  readonly calls: readonly ToolCall[];
  readonly list: readonly Part[];
  readonly results: readonly (NewMessage & { readonly role: "tool" })[];
}

function parseStep(items: readonly Json[], seen: Set<string>): ParsedStep {
  const calls: ToolCall[] = [];
  const results: (NewMessage & { readonly role: "tool" })[] = [];
  const list = items.flatMap((item): Part[] => {
    const call = callOf(item);
    if (call === null || seen.has(call.id)) return parseUiPart(item);
    seen.add(call.id);
    calls.push(call);
    const result = resultOf(item as Item, call);
    if (result !== null) results.push(result);
    const written = result === null ? writeCall(call) : withResult(writeCall(call), spokenMessage(result));
    return [UI.call({ id: call.id, fields: differenceOf(written, item) })];
  });
  return { calls, list: withoutIdlePlaces(list, UI), results };
}

function callOf(item: Json): ToolCall | null {
  if (!isObject(item) || typeof item.type !== "string" || !isName(item.toolCallId)) return null;
  const name = item.type === "dynamic-tool"
    ? item.toolName
    : item.type.startsWith("tool-")
    ? item.type.slice(5)
    : null;
  if (!isName(name)) return null;
  return { id: item.toolCallId, name, arguments: JSON.stringify(item.input ?? {}) };
}

/** A part of a message that is being put together. Its fields are set at the end, when its result is known. */
interface Piece {
  item: object;
  readonly tag: Tag | null;
}

/** An assistant's message that is being put together. */
class Answer {
  readonly pieces: Piece[] = [];

  constructor(readonly id: string, readonly metadata: Metadata | undefined, readonly tag: Tag) {}

  finished(): object {
    const parts = this.pieces.map(({ item, tag }) => withFields(item, tag));
    const item = withFields({ id: this.id, role: "assistant", parts }, { fields: this.tag.outer ?? [] });
    return this.metadata === undefined ? item : { ...item, metadata: this.metadata };
  }
}

function writeMessages(messages: Messages, options?: WriteOptions): AiSdkUiMessage[] {
  const items: (Answer | object)[] = [];
  const open = new Map<string, Piece[]>();
  let followsResult = false;
  for (const [index, message] of spoken(messages, options).entries()) {
    const entries = UI.entries(message.parts);
    if (entries[0]?.type === "item") {
      items.push(...entries.flatMap((entry) => entry.type === "item" ? [entry.json as object] : []));
    } else if (message.role === "assistant") {
      addAnswer(items, open, { message, followsResult, id: message.messageId ?? `message-${index}` });
    } else if (message.role !== "tool") {
      items.push(...writeSpeech(message, `message-${index}`));
    } else {
      const piece = open.get(message.toolCallId!)?.pop();
      if (piece !== undefined) piece.item = withResult(piece.item, message);
    }
    followsResult = message.role === "tool";
  }
  return unshared(items.map((item) => item instanceof Answer ? item.finished() : item));
}

function writeSpeech(message: Spoken, id: string | null): object[] {
  const { role, parts, messageId, metadata } = message;
  const list = UI.entries(parts).flatMap((entry) => writeUiEntry(entry, role));
  if (isLeftOut(message, list, UI)) return [];
  const item = { id: messageId ?? id, role: role === "developer" ? "system" : role, parts: list };
  return [{ ...withFields(item, UI.messageTag(parts)), ...(metadata === undefined ? {} : { metadata }) }];
}

interface NewAnswer {
  readonly message: Spoken;
  readonly followsResult: boolean;
  readonly id: string;
}

function addAnswer(
  items: (Answer | object)[],
  open: Map<string, Piece[]>,
  { message, followsResult, id }: NewAnswer,
): void {
  const { parts, calls, form, metadata } = message;
  const tag = UI.messageTag(parts);
  const callPiece = (call: ToolCall, said: Tag | null): Piece => {
    const piece = { item: writeCall(call), tag: said };
    const waiting = open.get(call.id);
    if (waiting === undefined) open.set(call.id, [piece]);
    else waiting.push(piece);
    return piece;
  };
  const entries = UI.entries(parts);
  const placed = new Set(entries.flatMap((entry) => entry.type === "call" ? [entry.tag.id] : []));
  const isIdle = form === "null" || (form === "text" && calls.length > 0 && textOf(parts) === "");
  const pieces = [
    ...entries.flatMap((entry): Piece[] => {
      if (entry.type === "call") {
        return calls.filter((call) => call.id === entry.tag.id).map((call) => callPiece(call, entry.tag));
      }
      return isIdle ? [] : writeUiEntry(entry, "assistant").map((item) => ({ item, tag: null }));
    }),
    ...calls.filter((call) => !placed.has(call.id)).map((call) => callPiece(call, null)),
  ];
  if (isLeftOut(message, pieces, UI)) return;
  const last = items.at(-1);
  const joins = (tag.joins ?? followsResult) && last instanceof Answer;
  const answer = joins ? last : new Answer(id, metadata, tag);
  if (!joins) items.push(answer);
  answer.pieces.push(...tag.as === "bare" ? [] : [{ item: { type: "step-start" }, tag: null }], ...pieces);
}

/** How a parsed message becomes one that can be appended: what its format alone can say is carried along. */

import type { Role } from "../contracts/message.ts";
import type { NewMessage } from "../contracts/new_message.ts";
import type { Part } from "../contracts/part.ts";
import type { ToolCall } from "../contracts/tool.ts";
import type { Carrier, Tag } from "./carried.ts";
import { differenceOf, isObject } from "./difference.ts";
import { type Spoken, spokenMessage, textOf } from "./spoken.ts";

/** A message that was parsed. */
interface Draft {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** The form that its content had: `text`, `null`, `parts`, or one that only its format knows. */
  readonly form: string;
  readonly messageId?: string;
  readonly name?: string;
  readonly isError?: boolean;
  readonly toolCallId?: string;
  readonly calls?: readonly ToolCall[];
}

/**
 * The message of a draft, with what `write` would not write of the item that it was parsed from, and with what is said
 * about it besides.
 */
export function messageOf(
  draft: Draft,
  carrier: Carrier,
  { item, write, tag = {} }: {
    readonly item: unknown;
    readonly write: (message: Spoken) => unknown;
    readonly tag?: Tag;
  },
): NewMessage {
  const trial = newMessage(draft, carrier, tag);
  const fields = differenceOf(write(spokenMessage(trial)), item);
  return fields.length === 0 ? trial : newMessage(draft, carrier, { ...tag, fields });
}

/** The message of a draft. Content that is text or null stays so, unless something has to be carried next to it. */
export function newMessage(draft: Draft, carrier: Carrier, tag: Tag): NewMessage {
  const { role, messageId, name, isError, toolCallId, calls = [] } = draft;
  return {
    role,
    content: contentOf(draft, carrier, tag),
    ...(messageId === undefined ? {} : { messageId }),
    ...(name === undefined ? {} : { name }),
    ...(isError ? { isError } : {}),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  } as unknown as NewMessage;
}

function contentOf({ parts, form }: Draft, carrier: Carrier, tag: Tag): NewMessage["content"] {
  if (carrier.message(tag).length === 0) {
    if (form === "text" && parts.length === 1) return textOf(parts);
    if (form === "null" && parts.length === 0) return null;
  }
  return [...parts, ...carrier.message(form === "parts" ? tag : { as: form, ...tag })];
}

/** A part with what else was in the item that it was read from. */
export function taggedPart(
  part: Part,
  carrier: Carrier,
  { item, written, as }: { readonly item: unknown; readonly written: unknown; readonly as?: string },
): Part[] {
  const fields = differenceOf(written, item);
  return [part, ...carrier.fields({ ...(as === undefined ? {} : { as }), fields })];
}

/** Parts without the places of calls that stand last and have no other fields: that is where calls stand anyway. */
export function withoutIdlePlaces(parts: readonly Part[], { format }: Carrier): Part[] {
  const isIdle = (part: Part): boolean =>
    part.type === "opaque" && part.format === `${format}:call` && isObject(part.json) &&
    part.json.fields === undefined;
  return parts.slice(0, parts.findLastIndex((part) => !isIdle(part)) + 1);
}

/** The calls that a message may have: of those with one id, the first. */
export function distinctCalls(calls: readonly ToolCall[]): ToolCall[] {
  return calls.filter(({ id }, index) => calls.findIndex((call) => call.id === id) === index);
}

/** Whether everything that a message said was left out, so that nothing of it is to be written. */
export function isLeftOut(
  { parts, form, calls, role }: Spoken,
  written: readonly unknown[],
  carrier: Carrier,
): boolean {
  return written.length === 0 && form === "parts" && calls.length === 0 && role !== "tool" &&
    !isOwn(parts, carrier);
}

/** Whether parts hold nothing but what a format carries for itself. */
export function isOwn(parts: readonly Part[], { format }: Carrier): boolean {
  return parts.every((part) => part.type === "opaque" && part.format.split(":")[0] === format);
}

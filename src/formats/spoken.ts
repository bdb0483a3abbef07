/** Messages in one form, whether they are new or were read back; and what formats leave out of them, by name. */

import type { Json } from "../canonical/plain.ts";
import { ContractError } from "../errors.ts";
import type { Message, Metadata, Role } from "../contracts/message.ts";
import type { NewMessage, NewToolCall } from "../contracts/new_message.ts";
import type { MediaPart, Part, TextPart } from "../contracts/part.ts";
import type { ToolCall } from "../contracts/tool.ts";
import type { MediaSource, Messages, WriteOptions } from "./format.ts";

/** A message with its content as parts. */
export interface Spoken {
  readonly role: Role;
  readonly parts: readonly Part[];
  /** Which form the content had. */
  readonly form: "text" | "null" | "parts";
  readonly messageId?: string;
  readonly name?: string;
  readonly metadata?: Metadata;
  readonly isError: boolean;
  readonly toolCallId?: string;
  readonly calls: readonly ToolCall[];
}

/** The messages in one form, media that were read back by reference with their bytes. */
export function spoken(messages: Messages, { media }: WriteOptions = {}): Spoken[] {
  if (!Array.isArray(messages)) throw new ContractError("messages", "Expected messages to be a list");
  return messages.map((message) => spokenMessage(message, media));
}

/** One message in that form. */
export function spokenMessage(message: NewMessage | Message, media?: MediaSource): Spoken {
  const { role, content, parts = null, contentIsNull = false } = message as Partial<Message> & NewMessage;
  const isNull = content === null || contentIsNull;
  const list = parts ?? (Array.isArray(content) ? content as readonly Part[] : null);
  const { messageId, name, metadata, isError, toolCallId, toolCalls } = message;
  return {
    role,
    parts: list?.map((part) => part.type === "media" ? withBytes(part, media) : part) ??
      (isNull ? [] : [{ type: "text", text: typeof content === "string" ? content : "" }]),
    form: list !== null ? "parts" : isNull ? "null" : "text",
    ...(messageId === undefined ? {} : { messageId }),
    ...(name === undefined ? {} : { name }),
    ...(metadata === undefined ? {} : { metadata }),
    isError: isError ?? false,
    ...(toolCallId === undefined ? {} : { toolCallId }),
    calls: (toolCalls ?? []).map(spokenCall),
  };
}

function spokenCall({ id, name, arguments: given }: NewToolCall): ToolCall {
  return { id, name, arguments: typeof given === "string" ? given : JSON.stringify(given) };
}

function withBytes(part: MediaPart, media?: MediaSource): MediaPart {
  if (part.ref === undefined) return part;
  const data: unknown = typeof media === "function" ? media(part.ref) : media?.get(part.ref);
  if (data !== undefined && !(data instanceof Uint8Array)) {
    throw new ContractError(
      "media",
      "Expected media to give bytes at once; conversation.withMedia reads them",
    );
  }
  if (data === undefined) return part;
  const { ref: _ref, bytes: _bytes, ...facts } = part;
  return { ...facts, data };
}

/** A text that names a file whose bytes are not sent: its type, its name, its description. */
export function namedMedia({ mediaType, filename, alt }: MediaPart): TextPart {
  const name = filename === undefined ? "" : ` ${JSON.stringify(filename)}`;
  return { type: "text", text: `[${mediaType}${name}${alt ? `: ${alt}` : ""}; not included]` };
}

/** Structured data as text, for formats whose tools answer with text. */
export function dataAsText({ json }: { readonly json: Json }): TextPart {
  return { type: "text", text: JSON.stringify(json) };
}

/** The texts of parts, as a store joins them. */
export function textOf(parts: readonly Part[]): string {
  return parts.flatMap((part) => part.type === "text" ? [part.text] : []).join("\n\n");
}

/** The object that a call's arguments are. Anything else is shown whole, as text: formats that demand an object get one. */
export function argumentsObject(text: string): Readonly<Record<string, Json>> {
  return jsonObject(text) ?? { invalid_arguments: text };
}

/** The JSON object that a text holds; else null. */
export function jsonObject(text: string): Readonly<Record<string, Json>> | null {
  try {
    const value: unknown = JSON.parse(text);
    const isPlain = typeof value === "object" && value !== null && !Array.isArray(value);
    return isPlain ? value as Readonly<Record<string, Json>> : null;
  } catch {
    return null;
  }
}

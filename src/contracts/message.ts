/** One message of a turn, as it is kept and read back: with the tool calls it makes or the call it answers. */

import { canonicalJson, type CanonicalObject } from "../canonical/canonical_json.ts";
import type { Json } from "../canonical/plain.ts";
import { codePointLength } from "../canonical/text.ts";
import { exceedsBytes } from "../canonical/utf8.ts";
import { METADATA_BYTES_MAX } from "../limits.ts";
import { printedAs } from "./discreet.ts";
import { joinedText, type Part, partsSchema } from "./part.ts";
import { boolean, Refused } from "./schema.ts";
import { type ToolCall, toolCallsSchema } from "./tool.ts";
import {
  anyText,
  type Fault,
  fields,
  jsonObject,
  list,
  name,
  oneOf,
  optional,
  refine,
  type Schema,
  text,
  transform,
  validate,
} from "./validate.ts";

/** Who speaks. */
export type Role = "system" | "developer" | "user" | "assistant" | "tool";

/** Plain JSON of the caller's own, such as usage, model and status: at most 16 384 bytes as stored. */
export interface Metadata {
  /** Any value of plain JSON. */
  readonly [key: string]: Json;
}

/**
 * One message. It can be appended or put again as it was read back. Where a field may be absent, `undefined` and
 * `null` count as absent when it is passed.
 */
export interface Message {
  /** Identifies the message; unique in its scope; without U+0000. */
  readonly messageId: string;
  /** Who speaks. */
  readonly role: Role;
  /** The text that is searched and counted; of parts, the texts of the text parts, joined by a blank line. */
  readonly content: string;
  /** The parts of the content; absent where it was given as text. */
  readonly parts?: readonly Part[];
  /** True where the content of an assistant's message was given as null; else absent. */
  readonly contentIsNull?: true;
  /** The name of who speaks. */
  readonly name?: string;
  /** Plain JSON of the caller's own. */
  readonly metadata?: Metadata;
  /** True where a tool failed; else absent. */
  readonly isError?: true;
  /** The call that a tool's message answers; absent for every other role. */
  readonly toolCallId?: string;
  /** The calls that an assistant's message makes; absent where there are none. */
  readonly toolCalls?: readonly ToolCall[];
}

/** A message that may have no id yet. Internal: what a validated `NewMessage` is. */
export type MessageDraft = Omit<Message, "messageId"> & { readonly messageId?: string };

const ROLES = ["system", "developer", "user", "assistant", "tool"] as const satisfies readonly Role[];

/** Whether a value is a role. */
export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}

/** Content as it may be passed: text, a list of parts, or null; which role may have what is another rule. */
type GivenContent = string | null | undefined | readonly Part[];

const contentSchema: Schema<GivenContent> = {
  read: (value, way) => {
    if (value === null || value === undefined) return value;
    if (Array.isArray(value)) return partsSchema.read(value, way);
    if (typeof value !== "string") throw new Refused([...way], "must be text or a list of parts");
    return anyText.read(value, way);
  },
};

/** Validates metadata. */
export const metadataSchema: Schema<Metadata> = refine(
  jsonObject,
  (metadata) => exceedsBytes(encodeMetadata(metadata), METADATA_BYTES_MAX) ? [[], METADATA_RULE] : null,
);

const METADATA_RULE = `must be at most ${METADATA_BYTES_MAX} bytes as stored`;

/** The canonical JSON of metadata, as payloads and digests hold it. */
export function encodeMetadata(metadata: Metadata): string {
  return canonicalJson(metadata as CanonicalObject, "metadata");
}

const SPOKEN = {
  content: contentSchema,
  role: oneOf(ROLES, "must be system, developer, user, assistant or tool"),
  toolCalls: optional(toolCallsSchema),
  toolCallId: optional(text),
  parts: optional(partsSchema),
  contentIsNull: optional(boolean),
  name: optional(text),
  metadata: optional(metadataSchema),
  isError: optional(boolean),
} as const;

/** Validates a message. */
export const messageSchema: Schema<Message> = transform(
  refine(fields({ messageId: name, ...SPOKEN }), faultOfGiven),
  (given) => validatedMessage({ ...given, ...normalContent(given) }),
);

/** Clients send empty text for an id that they do not have yet. */
const optionalId: Schema<string | null | undefined> & { readonly optional: true } = {
  ...optional(name),
  read: (value, way) => value === "" ? undefined : optional(name).read(value, way),
};

const draftSchema: Schema<MessageDraft> = transform(
  refine(fields({ messageId: optionalId, ...SPOKEN }), faultOfGiven),
  (given) => validatedMessage({ ...given, ...normalContent(given) }),
);

const draftsSchema: Schema<readonly MessageDraft[]> = transform(
  refine(list(draftSchema), (messages) => faultOfIds(messages)),
  (messages) => Object.freeze(messages),
);

/**
 * Validates an argument as a message.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toMessage(value: unknown, field = "message"): Message {
  return validate(messageSchema, value, { field, noun: "message" });
}

/**
 * Validates an argument as messages that have ids; there may be none.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toMessages(value: unknown, field = "messages"): readonly Message[] {
  return validate(list(messageSchema), value, { field, noun: "messages" });
}

/**
 * Validates an argument as messages whose ids the store may choose: at least one, given ids unique.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toNewMessages(value: unknown, field = "messages"): readonly MessageDraft[] {
  return validate(draftsSchema, value, { field, noun: "messages" });
}

/**
 * Validates an argument as metadata.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toMetadata(value: unknown, field = "metadata"): Metadata {
  return validate(metadataSchema, value, { field, noun: "metadata" });
}

/** What a message says: its fields besides the id, validated one by one. */
interface Given {
  readonly role: Role;
  readonly content: GivenContent;
  readonly parts?: readonly Part[] | null | undefined;
  readonly contentIsNull?: boolean | null | undefined;
  readonly name?: string | null | undefined;
  readonly metadata?: Metadata | null | undefined;
  readonly isError?: boolean | null | undefined;
  readonly toolCalls?: readonly ToolCall[] | null | undefined;
  readonly toolCallId?: string | null | undefined;
}

/** The same, its content as it is kept. */
type Spoken = Given & { readonly content: string };

/** Content, parts and null may be passed in the form in which they are read back, if they agree. */
function faultOfGiven(given: Given): Fault | null {
  const { role, content, parts, contentIsNull } = given;
  if (parts && content === undefined) return [["parts"], "must come with content; pass the parts as content"];
  if (parts && typeof content !== "string") return [["parts"], "must be absent unless content is text"];
  if (parts && joinedText(parts) !== content) return [["content"], "must be the texts of its parts"];
  const isNull = content === null || (contentIsNull ?? false);
  if (isNull && role !== "assistant") {
    return [["content"], "must be text or a list of parts, unless the role is assistant"];
  }
  if (isNull && ((content ?? "") !== "" || parts)) {
    return [["contentIsNull"], "must be absent unless content is null"];
  }
  if (content === undefined && role !== "assistant") return [["content"], "must be text or a list of parts"];
  return faultOf({ ...given, content: "" });
}

function normalContent(
  { content, parts, contentIsNull }: Given,
): { readonly content: string; readonly parts: readonly Part[] | null; readonly contentIsNull: boolean } {
  const isNull = content === null || (contentIsNull ?? false);
  if (typeof content === "string") return { content, parts: parts ?? null, contentIsNull: isNull };
  const list = content ?? null;
  return { content: list === null ? "" : joinedText(list), parts: list, contentIsNull: isNull };
}

type Validated = Spoken & { readonly messageId: string };
type DraftValidated = Spoken & { readonly messageId?: string | null | undefined };

/** A message from fields that were validated, without those that hold nothing. Internal: for this schema and stored payloads. */
export function validatedMessage(fields: Validated): Message;
export function validatedMessage(fields: DraftValidated): MessageDraft;
export function validatedMessage(fields: DraftValidated): MessageDraft {
  const { messageId, role, content, toolCallId, toolCalls } = fields;
  const message: Writable<MessageDraft> = typeof messageId === "string"
    ? { messageId, role, content }
    : { role, content };
  if (fields.parts) message.parts = fields.parts;
  if (fields.contentIsNull) message.contentIsNull = true;
  if (typeof fields.name === "string") message.name = fields.name;
  if (fields.metadata) message.metadata = fields.metadata;
  if (fields.isError) message.isError = true;
  if (typeof toolCallId === "string") message.toolCallId = toolCallId;
  if (toolCalls && toolCalls.length > 0) message.toolCalls = Object.freeze(toolCalls);
  return Object.freeze(printedMessage(message));
}

const printedMessage = printedAs<MessageDraft>(
  "Message",
  ({ messageId, role, content, parts, toolCallId, toolCalls }) => ({
    ...(messageId === undefined ? {} : { messageId }),
    role,
    characters: codePointLength(content),
    ...(parts === undefined ? {} : { parts: parts.length }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(toolCalls === undefined ? {} : { toolCalls: toolCalls.length }),
  }),
);

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The rules that concern more than one field, in the reference's order. */
export function faultOf({ role, toolCalls, toolCallId, isError }: Spoken): Fault | null {
  const calls = toolCalls ?? [];
  const repeated = firstRepeated(calls.map((call) => call.id));
  if (repeated >= 0) return [["toolCalls", repeated, "id"], "must be unique in the message"];
  if (calls.length > 0 && role !== "assistant") {
    return [["toolCalls"], "must be absent unless the role is assistant"];
  }
  const answers = typeof toolCallId === "string";
  if (role === "tool" && !answers) return [["toolCallId"], "must be there where the role is tool"];
  if (role !== "tool" && answers) return [["toolCallId"], "must be absent unless the role is tool"];
  if (role !== "tool" && isError) return [["isError"], "must be absent unless the role is tool"];
  return null;
}

/** The rules for the messages of one turn. A path starts at the list. */
export function faultOfIds(messages: readonly MessageDraft[]): Fault | null {
  if (messages.length === 0) return [[], "must hold at least one message"];
  const repeated = firstRepeated(messages.map((message) => message.messageId));
  return repeated < 0 ? null : [[repeated, "messageId"], "must be unique in the turn"];
}

/** The index of the first text that occurred before, or -1. */
export function firstRepeated(texts: readonly (string | undefined)[]): number {
  const seen = new Set<string>();
  for (const [index, text] of texts.entries()) {
    if (text === undefined) continue;
    if (seen.has(text)) return index;
    seen.add(text);
  }
  return -1;
}

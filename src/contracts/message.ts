/** One message of a turn, with the tool calls it makes or the call it answers. */

import { codePointLength } from "../canonical/text.ts";
import { printedAs } from "./discreet.ts";
import {
  anyText,
  type Fault,
  fields,
  jsonObjectText,
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

/**
 * Who speaks.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type Role } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const roles: readonly Role[] = ["user", "assistant"];
 * await conversation.append(roles.map((role) => ({ role, content: `This is the ${role}.` })));
 * const [said] = await Array.fromAsync(conversation.turns());
 * assert.deepEqual(said?.messages.map(({ role }) => role), roles);
 * ```
 */
export type Role = "system" | "user" | "assistant" | "tool";

/**
 * A call that an assistant's message makes.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type ToolCall } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const call: ToolCall = { id: "call-1", name: "weather", arguments: '{"place":"orchard"}' };
 * await conversation.append([
 *   { role: "assistant", content: "", toolCalls: [call] },
 *   { role: "tool", content: "Dry.", toolCallId: "call-1" },
 * ]);
 * const [looked] = await Array.fromAsync(conversation.turns());
 * assert.deepEqual(looked?.messages[0]?.toolCalls, [call]);
 * ```
 */
export interface ToolCall {
  /** Identifies the call; unique in a turn. */
  readonly id: string;
  /** The tool's name. */
  readonly name: string;
  /** The arguments: the text of a JSON object, kept byte for byte. */
  readonly arguments: string;
}

/**
 * One message. Where a field may be optional, `undefined` and `null` count as absent when it is handed in.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Message, turn } from "@holdfast/memory";
 *
 * const message: Message = { messageId: "message-1", role: "user", content: "Which trees were grafted?" };
 * const scope = { tenantId: "orchard", sessionId: "spring" };
 * assert.deepEqual(turn({ turnId: "turn-1", scope, messages: [message] }).messages, [message]);
 * ```
 */
export interface Message {
  /** Identifies the message; unique in its scope; without U+0000. */
  readonly messageId: string;
  /** Who speaks. */
  readonly role: Role;
  /** The text; may be empty. */
  readonly content: string;
  /** The call that a tool's message answers; absent for every other role. */
  readonly toolCallId?: string;
  /** The calls that an assistant's message makes; absent where there are none. */
  readonly toolCalls?: readonly ToolCall[];
}

/**
 * A message whose id the store may choose.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type NewMessage, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const message: NewMessage = { role: "user", content: "Which trees were grafted?" };
 * await conversation.append([message]);
 * const [said] = await Array.fromAsync(conversation.turns());
 * assert.equal(typeof said?.messages[0]?.messageId, "string");
 * ```
 */
export interface NewMessage extends Omit<Message, "messageId"> {
  /** Identifies the message; unique in its scope; chosen where it is absent. */
  readonly messageId?: string;
}

const callSchema: Schema<ToolCall> = transform(
  fields({ id: text, name: text, arguments: jsonObjectText }),
  (call) => validatedCall(call),
);

const printedCall = printedAs<ToolCall>("ToolCall", ({ id, arguments: given }) => ({
  id,
  characters: codePointLength(given),
}));

/** A call from fields that were validated. Internal: for this schema and stored payloads. */
export function validatedCall(call: ToolCall): ToolCall {
  return Object.freeze(printedCall(call));
}

const ROLES = ["system", "user", "assistant", "tool"] as const satisfies readonly Role[];

/** Whether a value is a role. */
export function isRole(value: unknown): value is Role {
  return ROLES.some((role) => role === value);
}

const SPOKEN = {
  content: anyText,
  role: oneOf(ROLES, "must be system, user, assistant or tool"),
  toolCalls: optional(list(callSchema)),
  toolCallId: optional(text),
} as const;

/** Validates a message. */
export const messageSchema: Schema<Message> = transform(
  refine(fields({ messageId: name, ...SPOKEN }), faultOf),
  (message) => validatedMessage(message),
);

const newMessageSchema: Schema<NewMessage> = transform(
  refine(fields({ messageId: optional(name), ...SPOKEN }), faultOf),
  (message) => validatedMessage(message),
);

const newMessagesSchema: Schema<readonly NewMessage[]> = transform(
  refine(list(newMessageSchema), (messages) => faultOfIds(messages)),
  (messages) => Object.freeze(messages),
);

/**
 * Validates what a caller handed in as a message.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toMessage(value: unknown, field = "message"): Message {
  return validate(messageSchema, value, { field, noun: "message" });
}

/**
 * Validates what a caller handed in as messages whose ids the store may choose: at least one, given ids unique.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toNewMessages(value: unknown, field = "messages"): readonly NewMessage[] {
  return validate(newMessagesSchema, value, { field, noun: "messages" });
}

/** What a message says: its fields besides the id, validated one by one. */
type Spoken = Pick<Message, "content" | "role"> & {
  readonly toolCalls?: readonly ToolCall[] | null | undefined;
  readonly toolCallId?: string | null | undefined;
};

type Validated = Spoken & { readonly messageId: string };
type NewValidated = Spoken & { readonly messageId?: string | null | undefined };

/** A message from fields that were validated, without those that hold nothing. Internal: for this schema and stored payloads. */
export function validatedMessage(fields: Validated): Message;
export function validatedMessage(fields: NewValidated): NewMessage;
export function validatedMessage(fields: NewValidated): NewMessage {
  const { messageId, role, content, toolCallId, toolCalls } = fields;
  const message: Writable<NewMessage> = typeof messageId === "string"
    ? { messageId, role, content }
    : { role, content };
  if (typeof toolCallId === "string") message.toolCallId = toolCallId;
  if (toolCalls && toolCalls.length > 0) message.toolCalls = Object.freeze(toolCalls);
  return Object.freeze(printedMessage(message));
}

const printedMessage = printedAs<NewMessage>(
  "Message",
  ({ messageId, role, content, toolCallId, toolCalls }) => ({
    ...(messageId === undefined ? {} : { messageId }),
    role,
    characters: codePointLength(content),
    ...(toolCallId === undefined ? {} : { toolCallId }),
    ...(toolCalls === undefined ? {} : { toolCalls: toolCalls.length }),
  }),
);

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** The rules that concern more than one field, in the reference's order. */
export function faultOf({ role, toolCalls, toolCallId }: Spoken): Fault | null {
  const calls = toolCalls ?? [];
  const repeated = firstRepeated(calls.map((call) => call.id));
  if (repeated >= 0) return [["toolCalls", repeated, "id"], "must be unique in the message"];
  if (calls.length > 0 && role !== "assistant") {
    return [["toolCalls"], "must be absent unless the role is assistant"];
  }
  const answers = typeof toolCallId === "string";
  if (role === "tool" && !answers) return [["toolCallId"], "must be there where the role is tool"];
  if (role !== "tool" && answers) return [["toolCallId"], "must be absent unless the role is tool"];
  return null;
}

/** The rules for the messages of one turn. A path starts at the list. */
export function faultOfIds(messages: readonly NewMessage[]): Fault | null {
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

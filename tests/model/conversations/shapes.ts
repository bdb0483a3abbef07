/** The shapes of messages that a run plays. */

import type { Message, NewMessage } from "@holdfast/memory";
import { toMessage } from "../../../src/contracts/message.ts";
import { takeMedia } from "../../../src/media/given_media.ts";
import { PARTS } from "../../../src/testing/kit/message_parts.ts";

type Given = NewMessage & { readonly messageId: string };

/** One of a few pictures, so that several turns have the same. */
function pictureOf(content: string): Uint8Array {
  return new Uint8Array(1 + content.length % 3).fill(content.length % 3);
}

const MAKERS: readonly ((messageId: string, content: string) => Given)[] = [
  (messageId, content) => ({ messageId, role: "user", content }),
  (messageId, content) => ({ messageId, role: "user", content: [...PARTS, { type: "text", text: content }] }),
  (messageId, content) => ({ messageId, role: "developer", content, name: "policy", metadata: { content } }),
  (messageId, content) => ({
    messageId,
    role: "assistant",
    content,
    toolCalls: [{ id: "c", name: "run", arguments: `{"cmd":"${content}` }, {
      id: "d",
      name: "run",
      arguments: [1],
    }],
  }),
  (messageId, content) => ({ messageId, role: "tool", toolCallId: "c", content, isError: true }),
  (messageId, content) => ({
    messageId,
    role: "user",
    content: [{ type: "text", text: content }, {
      type: "media",
      mediaType: "image/png",
      data: pictureOf(content),
    }],
  }),
];

/** How many there are. */
export const SHAPES = MAKERS.length;

/** A message of a shape, as it is put. */
export function messageOf(messageId: string, content: string, shape: number): Given {
  return MAKERS[shape]!(messageId, content);
}

/** The same as it is read back. */
export function storedMessageOf(messageId: string, content: string, shape: number): Message {
  return takeMedia([toMessage(messageOf(messageId, content, shape))]).messages[0]!;
}

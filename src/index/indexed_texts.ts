/** The texts of a turn that are indexed, each by itself: contents of messages, and arguments of the calls that they make. */

import type { Message } from "../contracts/message.ts";
import type { ToolCall } from "../contracts/tool.ts";
import type { Turn } from "../contracts/turn.ts";
import type { Analyzer } from "./analysis/analyzer.ts";

/** A text of a turn. */
export interface IndexedText {
  readonly message: Message;
  /** The call whose arguments the text is; null for the content of the message. */
  readonly call: ToolCall | null;
  /** The content, or the arguments. */
  readonly text: string;
  /** Names that the text is also found by: of the tool, or of the speaker and of files. */
  readonly names: string;
}

/** Returns the texts of a turn in order. An index knows each by its place in this list. */
export function indexedTexts(
  { messages }: Pick<Turn, "messages">,
  { readsCalls }: Pick<Analyzer, "readsCalls">,
): readonly IndexedText[] {
  if (!readsCalls) return messages.map((message) => contentOf(message, ""));
  return messages.flatMap((message) => [
    contentOf(message, namesOf(message)),
    ...(message.toolCalls ?? []).map((call) => ({ message, call, text: call.arguments, names: call.name })),
  ]);
}

function contentOf(message: Message, names: string): IndexedText {
  return { message, call: null, text: message.content, names };
}

function namesOf({ name, parts = [] }: Message): string {
  const files = parts.flatMap((part) =>
    "filename" in part && part.filename !== undefined ? [part.filename] : []
  );
  return [...(name === undefined ? [] : [name]), ...files].join(" ");
}

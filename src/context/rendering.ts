/** Renders blocks as a request, with their order and headings, and as its canonical JSON in parts. */

import { quote } from "../canonical/canonical_json.ts";
import { toolsWireText } from "../contracts/wire.ts";
import type { SourceRef } from "../contracts/source_ref.ts";
import type { ToolDefinition } from "../contracts/tool.ts";

/** The kind of a block. */
export type BlockKind = "system" | "pinned" | "summary" | "window" | "retrieved" | "question";

/** The blocks that layers create, in the order of the request. The question always comes last. */
export const LAYER_KINDS = ["system", "pinned", "summary", "window", "retrieved"] as const;

/** The kind of a block that a layer creates. */
type LayerKind = (typeof LAYER_KINDS)[number];

/** A well-formed part of a text, and its form inside a JSON string. */
export class TextPart {
  /** The text. */
  readonly text: string;
  #quoted: string | null = null;

  /** Creates a part. */
  constructor(text: string) {
    this.text = text;
  }

  /** The text inside a JSON string, without the quotation marks. */
  get quoted(): string {
    this.#quoted ??= quote(this.text).slice(1, -1);
    return this.#quoted;
  }
}

/** A block as a layer creates it. */
export interface Draft {
  /** The text in parts. A block without parts has no message. */
  readonly parts: readonly TextPart[];
  /** The sources of the text. */
  readonly sources: readonly SourceRef[];
}

/** The blocks that exist so far. */
export type Drafts = { readonly [K in LayerKind]?: Draft };

/** An empty block. */
export const EMPTY_DRAFT: Draft = { parts: [], sources: [] };

/** Creates a block of one text. */
export function draftOf(text: string, sources: readonly SourceRef[] = []): Draft {
  return text === "" ? { parts: [], sources } : { parts: [new TextPart(text)], sources };
}

/** Returns the text of a block. */
export function contentOf(draft: Draft): string {
  return draft.parts.map((part) => part.text).join("");
}

/** A message of the request. */
interface RequestMessage {
  readonly role: "system" | "user";
  /** The content in parts. */
  readonly parts: readonly TextPart[];
}

const HEADINGS: Readonly<Record<Exclude<LayerKind, "system">, TextPart>> = {
  pinned: new TextPart("[PINNED DATA]\n"),
  summary: new TextPart("[SUMMARY DATA]\n"),
  window: new TextPart("[WINDOW DATA]\n"),
  retrieved: new TextPart("[RETRIEVED DATA]\n"),
};

/** Returns the messages of blocks and a question. The history is data in them, whatever the role of its messages. */
export function messagesOf(drafts: Drafts, question: string): readonly RequestMessage[] {
  const messages: RequestMessage[] = [];
  for (const kind of LAYER_KINDS) {
    const parts = drafts[kind]?.parts ?? [];
    if (parts.length === 0) continue;
    messages.push(
      kind === "system" ? { role: "system", parts } : { role: "user", parts: [HEADINGS[kind], ...parts] },
    );
  }
  messages.push({ role: "user", parts: [new TextPart(question)] });
  return messages;
}

/** Returns the canonical JSON of a request, in parts. */
export function requestParts(
  messages: readonly RequestMessage[],
  tools: readonly ToolDefinition[],
): readonly string[] {
  const parts: string[] = ['{"messages":['];
  for (const [index, message] of messages.entries()) {
    parts.push(index === 0 ? '{"content":"' : ',{"content":"');
    for (const part of message.parts) parts.push(part.quoted);
    parts.push(`","role":"${message.role}"}`);
  }
  parts.push(tools.length === 0 ? "]}" : `],"tools":${toolsWireText(tools)}}`);
  return parts;
}

/** How blocks become a request: their order, their headings, and the request's text in parts. */

import { quote } from "../canonical/canonical_json.ts";
import { toolsWireText } from "../contracts/wire.ts";
import type { SourceRef } from "../contracts/source_ref.ts";
import type { ToolDefinition } from "../contracts/tool.ts";

/** What a block is. */
export type BlockKind = "system" | "pinned" | "summary" | "window" | "retrieved" | "question";

/** The blocks that layers make, in the order of the request. The question always comes last. */
export const LAYER_KINDS = ["system", "pinned", "summary", "window", "retrieved"] as const;

/** A block that a layer makes. */
type LayerKind = (typeof LAYER_KINDS)[number];

/** A part of a text, and how it stands inside a JSON string. Parts are well-formed each. */
export class TextPart {
  /** The text. */
  readonly text: string;
  #quoted: string | null = null;

  /** Takes the text. */
  constructor(text: string) {
    this.text = text;
  }

  /** The text inside a JSON string, without the quotation marks. */
  get quoted(): string {
    this.#quoted ??= quote(this.text).slice(1, -1);
    return this.#quoted;
  }
}

/** A block as a layer makes it. */
export interface Draft {
  /** Its text in parts; no part at all makes no message. */
  readonly parts: readonly TextPart[];
  /** Where it was taken from. */
  readonly sources: readonly SourceRef[];
}

/** The blocks there are so far. */
export type Drafts = { readonly [K in LayerKind]?: Draft };

/** No block. */
export const EMPTY_DRAFT: Draft = { parts: [], sources: [] };

/** A block of one text. */
export function draftOf(text: string, sources: readonly SourceRef[] = []): Draft {
  return text === "" ? { parts: [], sources } : { parts: [new TextPart(text)], sources };
}

/** The text of a block. */
export function contentOf(draft: Draft): string {
  return draft.parts.map((part) => part.text).join("");
}

/** A message of the request. */
interface RequestMessage {
  readonly role: "system" | "user";
  /** Its content in parts. */
  readonly parts: readonly TextPart[];
}

const HEADINGS: Readonly<Record<Exclude<LayerKind, "system">, TextPart>> = {
  pinned: new TextPart("[PINNED DATA]\n"),
  summary: new TextPart("[SUMMARY DATA]\n"),
  window: new TextPart("[WINDOW DATA]\n"),
  retrieved: new TextPart("[RETRIEVED DATA]\n"),
};

/** The messages that blocks and question make. What history said is data in them, whatever role said it. */
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

/** The canonical JSON of a request, in parts. */
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

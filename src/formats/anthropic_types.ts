/** Messages of Anthropic's Messages API as they are written: assignable to the parameters of the SDK. */

import type { Json } from "../canonical/plain.ts";

/** A text. */
export interface AnthropicText {
  type: "text";
  text: string;
}

/** A picture. */
export interface AnthropicImage {
  type: "image";
  source:
    | { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string }
    | { type: "url"; url: string };
}

/** A document. */
export interface AnthropicDocument {
  type: "document";
  source: { type: "base64"; media_type: "application/pdf"; data: string } | { type: "url"; url: string };
  title?: string;
}

/** The result of a call. */
export interface AnthropicToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: string | (AnthropicText | AnthropicImage | AnthropicDocument)[];
  is_error?: boolean;
}

/** A call of a tool. */
export interface AnthropicToolUse {
  type: "tool_use";
  id: string;
  name: string;
  input: { readonly [key: string]: Json };
}

/** A model's reasoning. */
export type AnthropicThinking =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "redacted_thinking"; data: string };

/** A block of a message. */
export type AnthropicBlock =
  | AnthropicText
  | AnthropicImage
  | AnthropicDocument
  | AnthropicToolResult
  | AnthropicToolUse
  | AnthropicThinking;

/** A message. */
export type AnthropicMessage =
  | { role: "user" | "assistant"; content: string | AnthropicBlock[] }
  | { role: "system"; content: string | AnthropicText[] };

/** What a request takes. */
export interface AnthropicRequest {
  system?: string | AnthropicText[];
  messages: AnthropicMessage[];
}

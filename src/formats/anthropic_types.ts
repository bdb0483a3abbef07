/** Messages of Anthropic's Messages API as they are written: assignable to the parameters of the SDK. */

import type { Json } from "../canonical/plain.ts";

/** A text. */
export interface AnthropicText {
  /** Says which part this is. */
  type: "text";
  /** The text. */
  text: string;
}

/** A picture. */
export interface AnthropicImage {
  /** Says which part this is. */
  type: "image";
  /** The bytes, or an address. */
  source:
    | { type: "base64"; media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp"; data: string }
    | { type: "url"; url: string };
}

/** A document. */
export interface AnthropicDocument {
  /** Says which part this is. */
  type: "document";
  /** The bytes, or an address. */
  source: { type: "base64"; media_type: "application/pdf"; data: string } | { type: "url"; url: string };
  /** Its name. */
  title?: string;
}

/** The result of a call. */
export interface AnthropicToolResult {
  /** Says which part this is. */
  type: "tool_result";
  /** The call that it answers. */
  tool_use_id: string;
  /** What the tool returned. */
  content: string | (AnthropicText | AnthropicImage | AnthropicDocument)[];
  /** Whether the tool failed. */
  is_error?: boolean;
}

/** A call of a tool. */
export interface AnthropicToolUse {
  /** Says which part this is. */
  type: "tool_use";
  /** Identifies it. */
  id: string;
  /** The tool's name. */
  name: string;
  /** The arguments. */
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
  /** The system text. */
  system?: string | AnthropicText[];
  /** The conversation. */
  messages: AnthropicMessage[];
}

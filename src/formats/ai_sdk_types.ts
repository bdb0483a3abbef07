/** Messages of the AI SDK as they are written: assignable to its `ModelMessage` and `UIMessage`. */

import type { Json } from "../canonical/plain.ts";

/** A text. */
export interface AiSdkText {
  /** Says which part this is. */
  type: "text";
  /** The text. */
  text: string;
}

/** A file of a model message: bytes, or an address. */
export interface AiSdkFile {
  /** Says which part this is. */
  type: "file";
  /** A media type, such as `image/png`. */
  mediaType: string;
  /** The bytes, or an address. */
  data: Uint8Array | URL;
  /** Its name. */
  filename?: string;
}

/** A model's reasoning. */
export interface AiSdkReasoning {
  /** Says which part this is. */
  type: "reasoning";
  /** The text. */
  text: string;
}

/** A call of a tool. */
export interface AiSdkToolCall {
  /** Says which part this is. */
  type: "tool-call";
  /** Identifies the call. */
  toolCallId: string;
  /** The tool's name. */
  toolName: string;
  /** The arguments. */
  input: Json;
}

/** An item of a tool's result. */
export type AiSdkResultItem =
  | AiSdkText
  | { type: "file-data"; data: string; mediaType: string; filename?: string }
  | { type: "file-url"; url: string; mediaType: string };

/** The result of a call. */
export interface AiSdkToolResult {
  /** Says which part this is. */
  type: "tool-result";
  /** Identifies the call. */
  toolCallId: string;
  /** The tool's name. */
  toolName: string;
  /** What the tool returned, or its error. */
  output:
    | { type: "text" | "error-text"; value: string }
    | { type: "json" | "error-json"; value: null | boolean | number | string }
    | { type: "content"; value: AiSdkResultItem[] };
}

/** A model message. */
export type AiSdkModelMessage =
  | { role: "system"; content: string }
  | { role: "user"; content: string | (AiSdkText | AiSdkFile)[] }
  | { role: "assistant"; content: string | (AiSdkText | AiSdkFile | AiSdkReasoning | AiSdkToolCall)[] }
  | { role: "tool"; content: AiSdkToolResult[] };

/** A part of a message of a page. */
export type AiSdkUiPart =
  | { type: "step-start" }
  | AiSdkText
  | AiSdkReasoning
  | { type: "file"; mediaType: string; url: string; filename?: string }
  | { type: `data-${string}`; data: Json }
  | { type: `tool-${string}`; toolCallId: string; state: "input-available"; input: Json }
  | { type: `tool-${string}`; toolCallId: string; state: "output-available"; input: Json; output: Json }
  | { type: `tool-${string}`; toolCallId: string; state: "output-error"; input: Json; errorText: string };

/** A message of a page. */
export interface AiSdkUiMessage {
  /** Identifies it. */
  id: string;
  /** Who speaks. */
  role: "system" | "user" | "assistant";
  /** The parts, in order. */
  parts: AiSdkUiPart[];
}

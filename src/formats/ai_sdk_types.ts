/** Messages of the AI SDK as they are written: assignable to its `ModelMessage` and `UIMessage`. */

import type { Json } from "../canonical/plain.ts";

/** A text. */
export interface AiSdkText {
  type: "text";
  text: string;
}

/** A file of a model message: bytes, or an address. */
export interface AiSdkFile {
  type: "file";
  mediaType: string;
  data: Uint8Array | URL;
  filename?: string;
}

/** A model's reasoning. */
export interface AiSdkReasoning {
  type: "reasoning";
  text: string;
}

/** A call of a tool. */
export interface AiSdkToolCall {
  type: "tool-call";
  toolCallId: string;
  toolName: string;
  input: Json;
}

/** An item of a tool's result. */
export type AiSdkResultItem =
  | AiSdkText
  | { type: "file-data"; data: string; mediaType: string; filename?: string }
  | { type: "file-url"; url: string; mediaType: string };

/** The result of a call. */
export interface AiSdkToolResult {
  type: "tool-result";
  toolCallId: string;
  toolName: string;
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
  id: string;
  role: "system" | "user" | "assistant";
  parts: AiSdkUiPart[];
}

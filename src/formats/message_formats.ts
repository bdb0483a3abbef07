/**
 * Messages as the common SDKs have them, and back: pure functions without dependencies.
 *
 * @module
 */

export { aiSdkModel } from "./ai_sdk_model.ts";
export type {
  AiSdkFile,
  AiSdkModelMessage,
  AiSdkReasoning,
  AiSdkResultItem,
  AiSdkText,
  AiSdkToolCall,
  AiSdkToolResult,
  AiSdkUiMessage,
  AiSdkUiPart,
} from "./ai_sdk_types.ts";
export { aiSdkUi } from "./ai_sdk_ui.ts";
export { anthropicMessages } from "./anthropic_messages.ts";
export type {
  AnthropicBlock,
  AnthropicDocument,
  AnthropicImage,
  AnthropicMessage,
  AnthropicRequest,
  AnthropicText,
  AnthropicThinking,
  AnthropicToolResult,
  AnthropicToolUse,
} from "./anthropic_types.ts";
export type { Format, MediaSource, Messages, WriteOptions } from "./format.ts";
export { langchain, type LangChainMessage } from "./langchain.ts";
export { openaiChat } from "./openai_chat.ts";
export type {
  OpenAIChatCall,
  OpenAIChatMessage,
  OpenAIChatPart,
  OpenAIChatRefusal,
  OpenAIChatText,
} from "./openai_chat_types.ts";
export { openaiResponses } from "./openai_responses.ts";
export type { OpenAIInputPart, OpenAIResponsesItem } from "./openai_responses_types.ts";
export type { Json } from "../canonical/plain.ts";
export type { Message, Metadata, Role } from "../contracts/message.ts";
export type { Content, NewMessage, NewMessageFacts, NewToolCall } from "../contracts/new_message.ts";
export type {
  DataPart,
  MediaFacts,
  MediaPart,
  OpaquePart,
  Part,
  ReasoningPart,
  TextPart,
} from "../contracts/part.ts";
export type { ToolCall } from "../contracts/tool.ts";

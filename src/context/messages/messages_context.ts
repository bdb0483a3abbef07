/** A finished context in messages: what a model is sent, in the form of any protocol. */

import { Discreet, type Outline, printedAs } from "../../contracts/discreet.ts";
import type { Message } from "../../contracts/message.ts";
import type { SourceRef } from "../../contracts/source_ref.ts";
import type { ToolDefinition } from "../../contracts/tool.ts";
import type { Format, WriteOptions } from "../../formats/format.ts";
import { openaiChat } from "../../formats/openai_chat.ts";
import type { OpenAIChatMessage } from "../../formats/openai_chat_types.ts";
import { type WireTool, wireTool } from "../assembled_context.ts";
import type { Degradation } from "./plan_messages.ts";

/** A request of Chat Completions. */
export interface MessagesRequest {
  /** System text, pins, summary, window, evidence and the question, in this order. */
  messages: OpenAIChatMessage[];
  /** The tools; absent if there are none. */
  tools?: WireTool[];
}

/** The diagnostics of a context in messages: ids, counts and reasons, never text. */
export interface MessagesDiagnostics {
  /** What the newest turns lost for want of room, in the order in which it was given up; empty where nothing did. */
  readonly degraded: readonly Degradation[];
  /** The highest estimate that the request may have. */
  readonly inputAllowance: number;
  /** The estimate of the request: its canonical JSON, calls included, and media as their parts say. */
  readonly estimatedTokens: number;
  /** Tokens of the request as canonical JSON, and of its media. */
  readonly serializedTokens: number;
  /** SHA-256 of the request as canonical JSON. */
  readonly requestFingerprint: string;
  /** Turns of which the window shows something, oldest first. */
  readonly keptTurnIds: readonly string[];
  /** How many turns the window leaves out. */
  readonly omittedTurnCount: number;
  /** Messages that are shown shortened, oldest first. */
  readonly shortenedMessageIds: readonly string[];
  /** Calls of the window that have no result: they are shown with one that says so. */
  readonly interruptedCallIds: readonly string[];
  /** Results that the window leaves out because it lacks their calls, by message id. */
  readonly omittedResultIds: readonly string[];
  /** The chunks of the evidence, best first. */
  readonly retrievedChunkIds: readonly string[];
  /** Where the evidence is from, best first. */
  readonly sources: readonly SourceRef[];
  /** Whether the request has a summary. */
  readonly summaryUsed: boolean;
  /** When pins and the summary were evaluated: ISO text. */
  readonly evaluatedAt: string;
}

/**
 * A context in messages that fits its budget. If it is printed, it shows only ids and counts. `JSON.stringify` and
 * `structuredClone` copy all of it.
 */
export interface MessagesContext {
  /** The messages, as a store has them: roles, calls and results as they were. */
  readonly messages: readonly Message[];
  /** The request for OpenAI's Chat Completions, and for every server that speaks like it. Every read returns a new copy. */
  readonly request: MessagesRequest;
  /**
   * Ends of what seldom changes, as numbers of messages of `messages`: after the system text, the pins and the summary;
   * and before the newest turn. For providers that want to be told what to cache.
   */
  readonly cacheBreakpoints: readonly number[];
  /** Ids, counts and reasons; never text. */
  readonly diagnostics: MessagesDiagnostics;
  /** The messages in the form of another protocol. Bytes of media are in `options.media`, by their references. */
  write<Written>(format: Format<never, Written>, options?: WriteOptions): Written;
}

/** The parts of a context. */
interface MessagesParts {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly cacheBreakpoints: readonly number[];
  readonly diagnostics: MessagesDiagnostics;
}

/** Creates a context. */
export function messagesContext(parts: MessagesParts): MessagesContext {
  return new MessagesValue(parts);
}

class MessagesValue extends Discreet implements MessagesContext {
  declare readonly request: MessagesRequest;
  readonly messages: readonly Message[];
  readonly cacheBreakpoints: readonly number[];
  readonly diagnostics: MessagesDiagnostics;

  constructor({ messages, tools, cacheBreakpoints, diagnostics }: MessagesParts) {
    super();
    this.messages = Object.freeze([...messages]);
    this.cacheBreakpoints = Object.freeze([...cacheBreakpoints]);
    this.diagnostics = Object.freeze(diagnostics);
    const make = (): MessagesRequest =>
      printedRequest({
        messages: openaiChat.write(this.messages),
        ...(tools.length === 0 ? {} : { tools: tools.map(wireTool) }),
      });
    // An own property, so that comparing two contexts compares their requests.
    Object.defineProperty(this, "request", { enumerable: true, get: make });
    Object.freeze(this);
  }

  write<Written>(format: Format<never, Written>, options?: WriteOptions): Written {
    return format.write(this.messages, options);
  }

  protected override noun(): string {
    return "MessagesContext";
  }

  protected override outline(): Outline {
    const { inputAllowance, estimatedTokens, keptTurnIds, omittedTurnCount, degraded, retrievedChunkIds } =
      this.diagnostics;
    return {
      degraded: degraded.map(({ kind }) => kind),
      inputAllowance,
      estimatedTokens,
      messages: this.messages.length,
      keptTurnIds: [...keptTurnIds],
      omittedTurnCount,
      retrievedChunks: retrievedChunkIds.length,
    };
  }
}

const printedRequest = printedAs<MessagesRequest>("MessagesRequest", ({ messages, tools = [] }) => ({
  messages: messages.length,
  tools: tools.length,
}));

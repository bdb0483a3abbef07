/** A finished context: the request, its blocks, and its diagnostics. */

import { codePointLength } from "../canonical/text.ts";
import { Discreet, type Outline, printedAs } from "../contracts/discreet.ts";
import type { SourceRef } from "../contracts/source_ref.ts";
import type { ToolDefinition } from "../contracts/tool.ts";
import { readFields, requireBoolean } from "../contracts/arguments.ts";
import type { ContextDiagnostics } from "./diagnostics.ts";
import type { BlockKind } from "./rendering.ts";

/** A message in the format of the chat completions API. */
export interface WireMessage {
  /** The role. Contexts have only system and user messages: the history is data inside them. */
  role: "system" | "user" | "assistant" | "tool";
  /** The text. */
  content: string;
  /** Tool calls; absent in contexts. */
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  /** The tool call that the message answers; absent in contexts. */
  tool_call_id?: string;
}

/** A tool in the format of the chat completions API. */
export interface WireTool {
  /** Always `"function"`. */
  type: "function";
  /** Name, description, and the JSON schema of the arguments. */
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** A request in the format of the chat completions API. */
export interface ContextRequest {
  /** The system text, pins, summary, window, evidence and the question, in this order. */
  messages: WireMessage[];
  /** The tools; absent if there are none. */
  tools?: WireTool[];
}

/** A block of the context. */
export interface Block {
  /** The kind of block. */
  readonly kind: BlockKind;
  /** The text, without the heading that the request puts before it; empty if the block is absent. */
  readonly content: string;
  /** The sources of the text. */
  readonly sources: readonly SourceRef[];
  /** The tokens of the content alone. */
  readonly tokens: number;
}

/** The record of an assembly for a log, ready for `JSON.stringify`. */
export interface ExportedContext {
  /** Ids, counts and reasons; never text. */
  readonly diagnostics: ContextDiagnostics;
  /** Whether `request` is present. */
  readonly contentIncluded: boolean;
  /** The request to the model; present only with `includeContent: true`. */
  readonly request?: ContextRequest;
}

/**
 * A context that fits its budget. If it is printed, it shows only ids and counts, and so do its blocks, its request and
 * the messages of the request. `JSON.stringify` and `structuredClone` copy all of it.
 */
export interface AssembledContext {
  /** The request to the model. Every read returns a new copy. */
  readonly request: ContextRequest;
  /** All six kinds, in the order of the request. */
  readonly blocks: readonly Block[];
  /** Ids, counts and reasons; never text. */
  readonly diagnostics: ContextDiagnostics;
  /**
   * Exports the assembly for a log, as the reference does. It has the diagnostics, and with `includeContent` the request.
   *
   * @throws {ContractError} if `includeContent` is not a boolean
   */
  export(options?: { readonly includeContent?: boolean }): ExportedContext;
}

/** The parts of a context. */
interface ContextParts {
  readonly messages: readonly { readonly role: "system" | "user"; readonly content: string }[];
  readonly tools: readonly ToolDefinition[];
  readonly blocks: readonly Block[];
  readonly diagnostics: ContextDiagnostics;
}

/** Creates a context. */
export function assembledContext(parts: ContextParts): AssembledContext {
  return new ContextValue(parts);
}

class ContextValue extends Discreet implements AssembledContext {
  declare readonly request: ContextRequest;
  readonly blocks: readonly Block[];
  readonly diagnostics: ContextDiagnostics;

  constructor({ messages, tools, blocks, diagnostics }: ContextParts) {
    super();
    // An own property, so that comparing two contexts compares their requests.
    Object.defineProperty(this, "request", { enumerable: true, get: () => requestOf(messages, tools) });
    this.blocks = deepFreeze(blocks.map((block) => printedBlock({ ...block })));
    this.diagnostics = deepFreeze(diagnostics);
    Object.freeze(this);
  }

  export(options: { readonly includeContent?: boolean } = {}): ExportedContext {
    const { includeContent = false } = readFields("options", options, ["includeContent"]);
    const contentIncluded = requireBoolean("includeContent", includeContent);
    const exported = { diagnostics: structuredClone(this.diagnostics), contentIncluded };
    return contentIncluded ? { ...exported, request: this.request } : exported;
  }

  protected override noun(): string {
    return "AssembledContext";
  }

  protected override outline(): Outline {
    const { estimate, inputAllowance, keptTurnIds, omittedTurnCount, retrievedChunkIds, summaryUsed } =
      this.diagnostics;
    return {
      inputAllowance,
      estimatedTokens: estimate.estimatedTokens,
      blocks: Object.fromEntries(this.blocks.map((block) => [block.kind, block.tokens])),
      keptTurnIds: [...keptTurnIds],
      omittedTurnCount,
      retrievedChunks: retrievedChunkIds.length,
      summaryUsed,
    };
  }
}

function requestOf(messages: ContextParts["messages"], tools: readonly ToolDefinition[]): ContextRequest {
  const copies = messages.map(({ role, content }) => printedMessage({ role, content }));
  return printedRequest({ messages: copies, ...tools.length === 0 ? {} : { tools: tools.map(wireTool) } });
}

const printedBlock = printedAs<Block>("Block", ({ kind, content, sources, tokens }) => ({
  kind,
  tokens,
  characters: codePointLength(content),
  sources: sources.length,
}));

const printedMessage = printedAs<WireMessage>("WireMessage", ({ role, content }) => ({
  role,
  characters: codePointLength(content),
}));

const printedRequest = printedAs<ContextRequest>("ContextRequest", ({ messages, tools = [] }) => ({
  messages: messages.length,
  tools: tools.length,
}));

/** A tool as the protocol has it. */
export function wireTool({ name, description, parametersJson }: ToolDefinition): WireTool {
  return { type: "function", function: { name, description, parameters: JSON.parse(parametersJson) } };
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const field of Object.values(value)) deepFreeze(field);
  return Object.freeze(value);
}

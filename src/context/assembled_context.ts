/** A finished context: the request, the blocks it was made of, and what can be told about it. */

import { codePointLength } from "../canonical/text.ts";
import { Discreet, type Outline, printedAs } from "../contracts/discreet.ts";
import type { SourceRef } from "../contracts/source_ref.ts";
import type { ToolDefinition } from "../contracts/tool.ts";
import { readFields, requireBoolean } from "../contracts/arguments.ts";
import type { ContextDiagnostics } from "./diagnostics.ts";
import type { BlockKind } from "./rendering.ts";

/** A message in the shape of chat completions. */
export interface WireMessage {
  /** Who speaks. Contexts have a system message and users' messages only: what history said is data in them. */
  role: "system" | "user" | "assistant" | "tool";
  /** The text. */
  content: string;
  /** Calls; none in a context. */
  tool_calls?: { id: string; type: "function"; function: { name: string; arguments: string } }[];
  /** The call that is answered; none in a context. */
  tool_call_id?: string;
}

/** A tool in the shape of chat completions. */
export interface WireTool {
  /** Always `"function"`. */
  type: "function";
  /** Name, description, and the JSON schema of the arguments. */
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/** A request in the shape of chat completions. */
export interface ContextRequest {
  /** The system text, pins, summary, window, evidence and the question, in this order. */
  messages: WireMessage[];
  /** The tools; absent where there are none. */
  tools?: WireTool[];
}

/** A block of the context. */
export interface Block {
  /** What it is. */
  readonly kind: BlockKind;
  /** Its text, without the heading that the request puts before it; empty where there is nothing. */
  readonly content: string;
  /** Where it was taken from. */
  readonly sources: readonly SourceRef[];
  /** Tokens of the content alone. */
  readonly tokens: number;
}

/** What is kept of an assembly, ready for `JSON.stringify`. */
export interface ExportedContext {
  /** Ids, counts and reasons; never text. */
  readonly diagnostics: ContextDiagnostics;
  /** Whether the request is included. */
  readonly contentIncluded: boolean;
  /** What is sent to the model; only where it was asked for. */
  readonly request?: ContextRequest;
}

/**
 * A context that fits its budget. Printed, it shows ids and counts, and so do its blocks, its request and the messages in
 * it; `JSON.stringify` and `structuredClone` give all of it.
 */
export interface AssembledContext {
  /** What is sent to the model: a fresh copy each time it is read. */
  readonly request: ContextRequest;
  /** All six kinds, in the order of the request. */
  readonly blocks: readonly Block[];
  /** Ids, counts and reasons; never text. */
  readonly diagnostics: ContextDiagnostics;
  /**
   * What the reference exports of an assembly, for a log: the diagnostics, and the request where it is asked for.
   *
   * @throws {ContractError} where `includeContent` is no boolean
   */
  export(options?: { readonly includeContent?: boolean }): ExportedContext;
}

/** What a context is made from. */
interface ContextParts {
  readonly messages: readonly { readonly role: "system" | "user"; readonly content: string }[];
  readonly tools: readonly ToolDefinition[];
  readonly blocks: readonly Block[];
  readonly diagnostics: ContextDiagnostics;
}

/** Makes a context. */
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
    this.blocks = deepFrozen(blocks.map((block) => printedBlock({ ...block })));
    this.diagnostics = deepFrozen(diagnostics);
    Object.freeze(this);
  }

  export(options: { readonly includeContent?: boolean } = {}): ExportedContext {
    const { includeContent = false } = readFields("options", options, ["includeContent"]);
    const contentIncluded = requireBoolean("includeContent", includeContent);
    const told = { diagnostics: structuredClone(this.diagnostics), contentIncluded };
    return contentIncluded ? { ...told, request: this.request } : told;
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

function wireTool({ name, description, parametersJson }: ToolDefinition): WireTool {
  return { type: "function", function: { name, description, parameters: JSON.parse(parametersJson) } };
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const field of Object.values(value)) deepFrozen(field);
  return Object.freeze(value);
}

/** A finished context: the request, the blocks it was made of, and what can be told about it. */

import { Discreet, type Exportable, type ExportedFields, type ExportOptions } from "../contracts/discreet.ts";
import type { SourceRef } from "../contracts/source_ref.ts";
import type { ToolDefinition } from "../contracts/tool.ts";
import { ContractError } from "../errors.ts";
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

/**
 * A context that fits its budget. Printed, it shows ids and counts; `export({ includeContent: true })` adds the request.
 */
export interface AssembledContext extends Exportable {
  /** What is sent to the model: a fresh copy each time it is read. */
  readonly request: ContextRequest;
  /** All six kinds, in the order of the request. */
  readonly blocks: readonly Block[];
  /** Ids, counts and reasons; never text. */
  readonly diagnostics: ContextDiagnostics;
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
    this.blocks = deepFrozen(blocks);
    this.diagnostics = deepFrozen(diagnostics);
    Object.freeze(this);
  }

  override export({ includeContent = false }: ExportOptions = {}): ExportedFields {
    if (typeof includeContent !== "boolean") {
      throw new ContractError("includeContent", "includeContent must be a boolean");
    }
    const diagnostics = structuredClone(this.diagnostics);
    const told = { diagnostics, contentIncluded: includeContent };
    return includeContent ? { ...told, request: this.request } : told;
  }

  protected override noun(): string {
    return "AssembledContext";
  }

  protected override outline(): ExportedFields {
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
  const copies = messages.map(({ role, content }) => ({ role, content }));
  return tools.length === 0 ? { messages: copies } : { messages: copies, tools: tools.map(wireTool) };
}

function wireTool({ name, description, parametersJson }: ToolDefinition): WireTool {
  return { type: "function", function: { name, description, parameters: JSON.parse(parametersJson) } };
}

function deepFrozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  for (const field of Object.values(value)) deepFrozen(field);
  return Object.freeze(value);
}

/** A finished context: the request, the blocks it was made of, and what can be told about it. */

import { Discreet, type Exportable, type ExportedFields, type ExportOptions } from "../contracts/discreet.ts";
import type { SourceRef } from "../contracts/source_ref.ts";
import type { ToolDefinition } from "../contracts/tool.ts";
import { ContractError } from "../errors.ts";
import type { ContextDiagnostics } from "./diagnostics.ts";
import type { BlockKind } from "./rendering.ts";

/**
 * A message in the shape of chat completions.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type WireMessage } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const talk = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await talk.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const { context } = await talk.assemble("What was grafted?", {}, { system: "Answer from the notes." });
 * const asked: WireMessage | undefined = context.request.messages.at(-1);
 * assert.deepEqual(asked, { role: "user", content: "What was grafted?" });
 * ```
 */
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

/**
 * A tool in the shape of chat completions.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type WireTool } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const talk = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const tools = [{ name: "weather", description: "Tells the weather.", parametersJson: '{"type":"object"}' }];
 * const { context } = await talk.assemble("Is it dry?", {}, { system: "Answer from the notes.", tools });
 * const offered: readonly WireTool[] | undefined = context.request.tools;
 * assert.deepEqual(offered?.[0]?.function.parameters, { type: "object" });
 * ```
 */
export interface WireTool {
  /** Always `"function"`. */
  type: "function";
  /** Name, description, and the JSON schema of the arguments. */
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/**
 * A request in the shape of chat completions.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type ContextRequest, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const talk = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await talk.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const { context } = await talk.assemble("What was grafted?", {}, { system: "Answer from the notes." });
 * const request: ContextRequest = context.request;
 * assert.equal(request.messages[0]?.content, "Answer from the notes.");
 * assert.equal(request.messages.at(-1)?.content, "What was grafted?");
 * ```
 */
export interface ContextRequest {
  /** The system text, pins, summary, window, evidence and the question, in this order. */
  messages: WireMessage[];
  /** The tools; absent where there are none. */
  tools?: WireTool[];
}

/**
 * A block of the context.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type Block, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const talk = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await talk.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const { context } = await talk.assemble("What was grafted?", {}, { system: "Answer from the notes." });
 * const window: Block | undefined = context.blocks.find(({ kind }) => kind === "window");
 * assert(window?.content.includes("grafted in March"));
 * assert.equal(window?.sources.length, 1);
 * ```
 */
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
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type AssembledContext, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const talk = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await talk.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const { context } = await talk.assemble("What was grafted?", {}, { system: "Answer from the notes." });
 * const printed = (shown: AssembledContext): string => JSON.stringify(shown);
 * assert(!printed(context).includes("March"));
 * assert(JSON.stringify(context.request).includes("March"));
 * ```
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

/** What a tool is, as a model is told. */

import { canonicalJsonObject } from "../canonical/json_object.ts";
import { anyText, fields, jsonObjectText, type Schema, text, transform, validate } from "./validate.ts";

/**
 * A tool that the model may call.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { openMemory, type ToolDefinition } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * const weather: ToolDefinition = {
 *   name: "weather",
 *   description: "Tells the weather.",
 *   parametersJson: '{"type":"object","properties":{"place":{"type":"string"}}}',
 * };
 * const options = { system: "Answer from the notes.", tools: [weather] };
 * const { context } = await conversation.assemble("Is it dry?", {}, options);
 * assert(context.diagnostics.estimate.toolSchemaTokens > 0);
 * ```
 */
export interface ToolDefinition {
  /** The tool's name; unique in a request. */
  readonly name: string;
  /** What it does; may be empty. */
  readonly description: string;
  /** The JSON schema of its arguments: the text of a JSON object, kept in canonical form. */
  readonly parametersJson: string;
}

const toolSchema: Schema<ToolDefinition> = transform(
  fields({
    name: text,
    description: anyText,
    parametersJson: transform(jsonObjectText, (json) => canonicalJsonObject(json) ?? json),
  }),
  (tool) => Object.freeze(tool),
);

/**
 * Validates what a caller handed in as a tool, and puts its parameters into canonical form.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toTool(value: unknown, field = "tool"): ToolDefinition {
  return validate(toolSchema, value, { field, noun: "tool" });
}

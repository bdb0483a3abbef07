/** Definitions of tools, as a model receives them, and the calls that a model makes. */

import { canonicalJsonObject, jsonObjectFault } from "../canonical/json_object.ts";
import { codePointLength } from "../canonical/text.ts";
import { printedAs } from "./discreet.ts";
import {
  anyText,
  fields,
  json,
  jsonObjectText,
  list,
  type Schema,
  text,
  transform,
  validate,
} from "./validate.ts";

/**
 * A tool that the model may call.
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
 * Validates an argument as a tool, and puts its parameters into canonical form.
 *
 * @throws {ContractError} naming the path below `field`
 */
export function toTool(value: unknown, field = "tool"): ToolDefinition {
  return validate(toolSchema, value, { field, noun: "tool" });
}

/** A call that an assistant's message makes. */
export interface ToolCall {
  /** Identifies the call until it is answered. */
  readonly id: string;
  /** The tool's name. */
  readonly name: string;
  /** The arguments, as text exactly as it was given: of a JSON object, or whatever else a model wrote. */
  readonly arguments: string;
}

/** Text as it is; any other JSON value as compact JSON. */
const argumentsSchema: Schema<string> = {
  read: (value, way) =>
    typeof value === "string" ? anyText.read(value, way) : JSON.stringify(json.read(value, way)),
};

const callSchema: Schema<ToolCall> = transform(
  fields({ id: text, name: text, arguments: argumentsSchema }),
  (call) => validatedCall(call),
);

/** Validates the calls of a message. */
export const toolCallsSchema: Schema<readonly ToolCall[]> = list(callSchema);

const printedCall = printedAs<ToolCall>("ToolCall", ({ id, arguments: given }) => ({
  id,
  characters: codePointLength(given),
}));

/** A call from fields that were validated. Internal: for this schema and stored payloads. */
export function validatedCall(call: ToolCall): ToolCall {
  return Object.freeze(printedCall(call));
}

const objects = new WeakSet<ToolCall>();

/** Whether the arguments are the text of a JSON object; remembered, since reading it takes longer than all else. */
export function hasObjectArguments(call: ToolCall): boolean {
  if (objects.has(call)) return true;
  if (jsonObjectFault(call.arguments) !== null) return false;
  objects.add(call);
  return true;
}

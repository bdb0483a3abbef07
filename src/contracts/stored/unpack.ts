/** Turns, pins and summaries read back from their stored payloads. */

import { type CanonicalValue, Float } from "../../canonical/canonical_json.ts";
import { decodePayload, jsonObjectFault, PAYLOAD_BYTES_MAX } from "../../canonical/json_object.ts";
import { copyPlain, type Json, PlainFailure } from "../../canonical/plain.ts";
import { readStoredInstant } from "../../canonical/time.ts";
import { exceedsBytes } from "../../canonical/utf8.ts";
import { ContractError, IntegrityError } from "../../errors.ts";
import { type Argument, carried } from "../validate.ts";
import { isEffective, type TimedPin, toPlainPin } from "../pin.ts";
import { STORED_PART_NAMES } from "../part.ts";
import { quickTurn } from "./quick_turn.ts";
import { type Summary, toPlainSummary } from "../summary.ts";
import { isTimed, type TimedTurn, toPlainTurn } from "../turn.ts";

/** How the fields of a stored object become those of a contract. Two stored names may stand for one field. */
interface Layout {
  /** Stored name to field name. */
  readonly names: Readonly<Record<string, string>>;
  /** Stored names that must be there, even where they hold null. */
  readonly required: readonly string[];
  /** Stored names of times. */
  readonly times?: readonly string[];
  /** Stored names of plain JSON. */
  readonly json?: readonly string[];
  /** Stored names of flags, which are written only where they are true. */
  readonly flags?: readonly string[];
  /** Whether fields agree with one another that only a payload has. */
  readonly agree?: (stored: Fields) => boolean;
  /** Stored names of objects, or lists of objects, with a layout of their own. */
  readonly nested?: Readonly<Record<string, Layout>>;
}

const SCOPE: Layout = {
  names: { tenant_id: "tenantId", session_id: "sessionId" },
  required: [],
};

const TOOL_CALL: Layout = {
  names: { call_id: "id", name: "name", arguments_json: "arguments", arguments_text: "arguments" },
  required: [],
  agree: ({ arguments_json: json, arguments_text: text }) =>
    (typeof json !== "string" || jsonObjectFault(json) === null) &&
    (typeof text !== "string" || jsonObjectFault(text) !== null),
};

const PART: Layout = {
  names: {
    ...Object.fromEntries(
      [
        "type",
        "text",
        "signature",
        "encrypted",
        "url",
        "bytes",
        "filename",
        "alt",
        "tokens",
        "name",
        "format",
        "json",
      ]
        .map((name) => [name, name]),
    ),
    ...STORED_PART_NAMES,
  },
  required: [],
  json: ["json"],
};

const MESSAGE: Layout = {
  names: {
    message_id: "messageId",
    role: "role",
    content: "content",
    tool_call_id: "toolCallId",
    tool_calls: "toolCalls",
    content_null: "contentIsNull",
    is_error: "isError",
    metadata: "metadata",
    name: "name",
    parts: "parts",
  },
  required: ["tool_calls"],
  json: ["metadata"],
  flags: ["content_null", "is_error"],
  nested: { tool_calls: TOOL_CALL, parts: PART },
};

const SOURCE: Layout = {
  names: {
    scope: "scope",
    turn_id: "turnId",
    message_id: "messageId",
    revision: "revision",
    start: "start",
    end: "end",
    message_hash: "messageHash",
    tool_call_id: "toolCallId",
  },
  required: [],
  nested: { scope: SCOPE },
};

const TURN: Layout = {
  names: {
    turn_id: "turnId",
    scope: "scope",
    messages: "messages",
    revision: "revision",
    timestamp: "timestamp",
    metadata: "metadata",
  },
  required: ["messages", "scope", "timestamp"],
  json: ["metadata"],
  times: ["timestamp"],
  nested: { scope: SCOPE, messages: MESSAGE },
};

const PIN: Layout = {
  names: {
    scope: "scope",
    key: "key",
    value: "value",
    origin: "origin",
    revision: "revision",
    effective_at: "effectiveAt",
    expires_at: "expiresAt",
    source: "source",
  },
  required: ["scope", "effective_at", "expires_at", "source"],
  times: ["effective_at", "expires_at"],
  nested: { scope: SCOPE, source: SOURCE },
};

const SUMMARY: Layout = {
  names: {
    scope: "scope",
    content: "content",
    history_fingerprint: "historyFingerprint",
    covered_turn_ids: "coveredTurnIds",
    sources: "sources",
    policy_version: "policyVersion",
    created_at: "createdAt",
    expires_at: "expiresAt",
  },
  required: ["scope", "sources", "created_at", "expires_at"],
  times: ["created_at", "expires_at"],
  nested: { scope: SCOPE, sources: SOURCE },
};

/**
 * A turn from its payload.
 *
 * @throws {IntegrityError} for anything but a turn's payload
 */
export function unpackTurn(raw: unknown): TimedTurn {
  const quick = typeof raw === "string" && !exceedsBytes(raw, PAYLOAD_BYTES_MAX) ? quickTurn(raw) : null;
  return quick ?? strictTurn(raw);
}

/** The same, always in the strict way. */
function strictTurn(raw: unknown): TimedTurn {
  const turn = unpack("turn", TURN, raw, toPlainTurn);
  if (!isTimed(turn)) throw damage("turn");
  return turn;
}

/**
 * A pin from its payload.
 *
 * @throws {IntegrityError} for anything but a pin's payload
 */
export function unpackPin(raw: unknown): TimedPin {
  const pin = unpack("pin", PIN, raw, toPlainPin);
  if (!isEffective(pin)) throw damage("pin");
  return pin;
}

/**
 * A summary from its payload.
 *
 * @throws {IntegrityError} for anything but a summary's payload
 */
export function unpackSummary(raw: unknown): Summary {
  return unpack("summary", SUMMARY, raw, toPlainSummary);
}

function unpack<T>(
  kind: string,
  layout: Layout,
  raw: unknown,
  validate: (value: unknown, place: Argument) => T,
): T {
  try {
    return validate(renameFields(decodePayload(raw), layout), { field: kind, noun: kind });
  } catch (error) {
    if (error instanceof ContractError || error instanceof IntegrityError) throw damage(kind, error);
    throw error;
  }
}

function damage(kind: string, cause?: ContractError | IntegrityError): IntegrityError {
  const field = cause instanceof ContractError ? { field: cause.field } : {};
  return new IntegrityError(`Stored ${kind} is not valid`, { details: { kind, ...field }, cause });
}

type Fields = Readonly<Record<string, unknown>>;

/** The fields under their names in the contract. Anything that is not as laid out is left for the schema to refuse. */
function renameFields(stored: Fields, layout: Layout): Fields {
  const { names, required, times = [], json = [], flags = [], agree, nested = {} } = layout;
  if (agree?.(stored) === false) throw new IntegrityError("Stored fields do not agree");
  for (const name of required) {
    if (!(name in stored)) throw new IntegrityError("Stored field is missing");
  }
  const renamed: Record<string, unknown> = {};
  for (const name in stored) {
    const field = names[name];
    if (field === undefined) throw new IntegrityError("Stored field is unknown");
    const inner = nested[name];
    const value = stored[name];
    if (field in renamed) throw new IntegrityError("Stored field is repeated");
    if (flags.includes(name) && value !== true) throw new IntegrityError("Stored flag is not true");
    if (inner !== undefined) renamed[field] = renameNested(value, inner);
    else if (json.includes(name)) renamed[field] = plainJson(value as CanonicalValue);
    else renamed[field] = times.includes(name) ? renameTime(value) : value;
  }
  return renamed;
}

function renameNested(value: unknown, layout: Layout): unknown {
  if (Array.isArray(value)) return value.map((item) => renameNested(item, layout));
  return isFields(value) ? renameFields(value, layout) : value;
}

/** What the strict reader makes of an object: it alone has no prototype. */
function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null;
}

function renameTime(value: unknown): unknown {
  const instant = typeof value === "string" ? readStoredInstant(value) : null;
  return instant === null ? value : carried(instant);
}

/** What the strict reader read, as plain JSON: numbers are numbers, objects have the usual prototype. */
function plainJson(value: CanonicalValue): Json {
  try {
    return copyPlain(numbersOf(value));
  } catch (error) {
    if (error instanceof PlainFailure) throw new IntegrityError("Stored JSON is not plain", { cause: error });
    throw error;
  }
}

function numbersOf(value: CanonicalValue): unknown {
  if (value instanceof Float) return value.value + 0;
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map(numbersOf);
  if (!isFields(value)) return value;
  const copy: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value)) copy[key] = numbersOf(value[key] as CanonicalValue);
  return copy;
}

/**
 * The exact texts in which scopes, turns, pins and summaries are stored and hashed: canonical JSON, written
 * field by field because the order of the keys is known.
 */

import { encodeMetadata, type MessageDraft } from "./message.ts";
import { encodeParts } from "./part.ts";
import type { Pin } from "./pin.ts";
import type { Scope } from "./scope.ts";
import type { SourceRef } from "./source_ref.ts";
import type { Summary } from "./summary.ts";
import type { Turn } from "./turn.ts";
import { hasObjectArguments, type ToolCall } from "./tool.ts";
import { canonicalJson, Float, quote } from "../canonical/canonical_json.ts";

/** A scope; also the key of every table that belongs to one. */
export function encodeScope(scope: Scope): string {
  return `{"session_id":${quote(scope.sessionId)},"tenant_id":${quote(scope.tenantId)}}`;
}

/** A turn's payload. An open timestamp is written as null: for digests only, never for storage. */
export function encodeTurn(turn: Turn): string {
  const metadata = turn.metadata === undefined ? "" : `"metadata":${encodeMetadata(turn.metadata)},`;
  return `{"messages":${encodeMessages(turn.messages)},${metadata}"revision":${turn.revision},` +
    `"scope":${encodeScope(turn.scope)},"timestamp":${quoteOrNull(turn.timestamp)},"turn_id":${
      quote(turn.turnId)
    }}`;
}

/** Messages as a turn's payload holds them; a missing message id is written as null: for digests only. */
export function encodeMessages(messages: readonly MessageDraft[]): string {
  return list(messages, encodeMessage);
}

/** Keys that the reference does not have are written only where they hold something, so that its texts stay the same. */
function encodeMessage(message: MessageDraft): string {
  const { content, contentIsNull, isError, messageId, metadata, name, parts, role, toolCallId } = message;
  return `{"content":${quote(content)}${contentIsNull ? ',"content_null":true' : ""}` +
    `${isError ? ',"is_error":true' : ""},"message_id":${quoteOrNull(messageId)}` +
    (metadata === undefined ? "" : `,"metadata":${encodeMetadata(metadata)}`) +
    (name === undefined ? "" : `,"name":${quote(name)}`) +
    (parts === undefined ? "" : `,"parts":${encodeParts(parts)}`) +
    `,"role":"${role}","tool_call_id":${quoteOrNull(toolCallId)},` +
    `"tool_calls":${list(message.toolCalls ?? [], encodeCall)}}`;
}

function encodeCall(call: ToolCall): string {
  const key = hasObjectArguments(call) ? "arguments_json" : "arguments_text";
  return `{"${key}":${quote(call.arguments)},"call_id":${quote(call.id)},"name":${quote(call.name)}}`;
}

/** A source. */
export function encodeSourceRef(source: SourceRef): string {
  return `{"end":${source.end},"message_hash":"${source.messageHash}","message_id":${
    quote(source.messageId)
  },` +
    `"revision":${source.revision},"scope":${encodeScope(source.scope)},"start":${source.start},` +
    (source.toolCallId === undefined ? "" : `"tool_call_id":${quote(source.toolCallId)},`) +
    `"turn_id":${quote(source.turnId)}}`;
}

/** A pin's payload. An open start is written as null: for digests only, never for storage. */
export function encodePin(pin: Pin): string {
  const source = pin.source === undefined ? "null" : encodeSourceRef(pin.source);
  return `{"effective_at":${quoteOrNull(pin.effectiveAt)},"expires_at":${quoteOrNull(pin.expiresAt)},` +
    `"key":${quote(pin.key)},"origin":${quote(pin.origin)},"revision":${pin.revision},` +
    `"scope":${encodeScope(pin.scope)},"source":${source},"value":${quote(pin.value)}}`;
}

/** A list of pins. */
export function encodePinList(pins: readonly Pin[]): string {
  return list(pins, encodePin);
}

/** A summary's payload. */
export function encodeSummary(summary: Summary): string {
  return `{"content":${quote(summary.content)},"covered_turn_ids":${list(summary.coveredTurnIds, quote)},` +
    `"created_at":${quote(summary.createdAt)},"expires_at":${quoteOrNull(summary.expiresAt)},` +
    `"history_fingerprint":${quote(summary.historyFingerprint)},"policy_version":${
      quote(summary.policyVersion)
    },` +
    `"scope":${encodeScope(summary.scope)},"sources":${list(summary.sources, encodeSourceRef)}}`;
}

/** The seven values that decide retrieval. */
export interface RetrievalValues {
  readonly chunkCharacters: number;
  readonly overlapCharacters: number;
  readonly topK: number;
  readonly minimumScore: number;
  readonly k1: number;
  readonly b: number;
  readonly recoverCappedWindow: boolean;
}

/** A retrieval configuration. `b`, `k1` and `minimumScore` are written as floats, even where they are whole. */
export function encodeRetrieval(retrieval: RetrievalValues): string {
  return canonicalJson({
    b: new Float(retrieval.b),
    chunk_characters: retrieval.chunkCharacters,
    k1: new Float(retrieval.k1),
    minimum_score: new Float(retrieval.minimumScore),
    overlap_characters: retrieval.overlapCharacters,
    recover_capped_window: retrieval.recoverCappedWindow,
    top_k: retrieval.topK,
  }, "retrieval");
}

function list<T>(items: readonly T[], encode: (item: T) => string): string {
  return `[${items.map((item) => encode(item)).join(",")}]`;
}

function quoteOrNull(text: string | null | undefined): string {
  return text === undefined || text === null ? "null" : quote(text);
}

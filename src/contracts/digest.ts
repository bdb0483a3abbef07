/** Every digest of conversations: SHA-256 over the UTF-8 of a canonical text, as 64 lower-case hex digits. */

import type { KeyedPins } from "./keyed_pins.ts";
import { encodeMetadata, type Message, type MessageDraft, type Metadata } from "./message.ts";
import type { Pin } from "./pin.ts";
import type { Scope } from "./scope.ts";
import type { SourceRef } from "./source_ref.ts";
import type { Summary } from "./summary.ts";
import type { TimedTurn, Turn } from "./turn.ts";
import { canonicalJson, type CanonicalValue, quote } from "../canonical/canonical_json.ts";
import {
  encodeMessages,
  encodePin,
  encodePinList,
  encodeRetrieval,
  encodeScope,
  encodeSourceRef,
  encodeSummary,
  encodeTurn,
  type RetrievalValues,
} from "./payload.ts";
import { sha256Hex } from "../canonical/sha256.ts";
import { identifiedMessageText, messageWireText } from "./wire.ts";

/** The digest of a value's canonical JSON. */
export function digest(value: CanonicalValue): string {
  return sha256Hex(canonicalJson(value));
}

/** The digest of a message's raw content, which is not JSON. */
export function contentHash(message: Pick<Message, "content">): string {
  return sha256Hex(message.content);
}

/** The digest of a turn's messages and metadata; turn id, scope, revision and time are no part of it. */
function turnContentHash({ messages, metadata }: Pick<Turn, "messages" | "metadata">): string {
  const list = `[${messages.map(identifiedMessageText).join(",")}]`;
  return sha256Hex(
    metadata === undefined ? list : `{"messages":${list},"metadata":${encodeMetadata(metadata)}}`,
  );
}

/** The digest of turns in order, each with scope, id, revision, time and content. */
export function historyDigest(turns: readonly TimedTurn[]): string {
  return sha256Hex(`[${turns.map(historyEntry).join(",")}]`);
}

function historyEntry(turn: TimedTurn): string {
  return `[${encodeScope(turn.scope)},${quote(turn.turnId)},${turn.revision},${quote(turn.timestamp)},` +
    `"${turnContentHash(turn)}"]`;
}

/** The digest of a pin's payload. */
export function pinDigest(pin: Pin): string {
  return sha256Hex(encodePin(pin));
}

/** The digest of a summary's payload. */
export function summaryDigest(summary: Summary): string {
  return sha256Hex(encodeSummary(summary));
}

/** The id of a chunk: the digest of its source and the chunker's version. */
export function chunkId(source: SourceRef, version: string): string {
  return sha256Hex(`[${encodeSourceRef(source)},${quote(version)}]`);
}

/** When something expires: ISO text, `null` for never, `"keep"` where the caller left it out. */
type Expiry = string | null;

/** What an operation id of `putTurn` stands for. A timestamp that the caller left open counts as null. */
export function putTurnInputDigest(turn: Turn, expiresAt: Expiry): string {
  return sha256Hex(`[${encodeTurn(turn)},${expiresAt === null ? "null" : quote(expiresAt)}]`);
}

/** What else an operation id of `append` stands for; what is not there changes nothing. */
interface AppendFacts {
  /** ISO text. */
  readonly timestamp: string | null;
  readonly metadata: Metadata | null;
  readonly subject: string | null;
  readonly skipsDuplicates: boolean;
}

/** What an operation id of `append` stands for. A message id that the caller left out counts as null. */
export function appendInputDigest(
  messages: readonly MessageDraft[],
  expiresAt: Expiry,
  { timestamp, metadata, subject, skipsDuplicates }: AppendFacts,
): string {
  const facts = (timestamp === null ? "" : `,"timestamp:${timestamp}"`) +
    (metadata === null ? "" : `,${encodeMetadata(metadata)}`) +
    (subject === null ? "" : `,${quote(`subject:${subject}`)}`) + (skipsDuplicates ? ',"skip"' : "");
  return sha256Hex(`[${encodeMessages(messages)},${expiresAt === null ? "null" : quote(expiresAt)}${facts}]`);
}

/** What an assembly is made from. */
interface AssemblyInput {
  readonly scope: Scope;
  /** {@linkcode historyDigest} of the turns as they came. */
  readonly original: string;
  /** {@linkcode historyDigest} of the turns as capped. */
  readonly working: string;
  /** All pins, also inactive ones. */
  readonly pins: KeyedPins;
  readonly question: Message;
}

/** The digest of what an assembly is made from. */
export function inputDigest({ scope, original, working, pins, question }: AssemblyInput): string {
  return sha256Hex(
    `{"original":${quote(original)},"pins":${encodePinList(pins.pins)},"question":${
      messageWireText(question)
    },` +
      `"question_id":${quote(question.messageId)},"scope":${encodeScope(scope)},"working":${quote(working)}}`,
  );
}

/** The digest of a serialized request. */
export function requestFingerprint(serialized: string): string {
  return sha256Hex(serialized);
}

/** Everything that is configured for an assembly. */
interface AssemblyConfiguration {
  /** Tokens, after the reserves of options that are off were set to zero. */
  readonly budget: {
    readonly maxInputTokens: number;
    readonly contextWindow: number;
    readonly maxOutputTokens: number;
    readonly retrievalReserve: number;
    readonly summaryReserve: number;
    readonly providerInputCap: number | null;
  };
  /** Tokens. */
  readonly cap: { readonly maxTokens: number; readonly headTokens: number; readonly tailTokens: number };
  readonly retrieval: RetrievalValues;
  readonly options: {
    readonly cap: boolean;
    readonly pins: boolean;
    readonly retrieve: boolean;
    readonly summarize: boolean;
  };
  /** The values of the final estimate. */
  readonly counting: {
    readonly tokenizer: string;
    readonly version: string;
    readonly serializer: string;
    readonly factor: number;
    readonly overhead: number;
  };
}

/** The digest of a configuration. */
export function configFingerprint(
  { budget, cap, retrieval, options, counting }: AssemblyConfiguration,
): string {
  const budgetText = canonicalJson({
    input_cap: budget.maxInputTokens,
    model_capacity: budget.contextWindow,
    completion_reservation: budget.maxOutputTokens,
    retrieval_reserve: budget.retrievalReserve,
    summary_reserve: budget.summaryReserve,
    provider_input_cap: budget.providerInputCap,
  }, "budget");
  const capText = canonicalJson({
    max_tokens: cap.maxTokens,
    head_tokens: cap.headTokens,
    tail_tokens: cap.tailTokens,
  }, "cap");
  const { tokenizer, version, serializer, factor, overhead } = counting;
  const countingText = canonicalJson({ tokenizer, version, serializer, factor, overhead }, "counting");
  const optionsText = canonicalJson(
    { cap: options.cap, pins: options.pins, retrieve: options.retrieve, summarize: options.summarize },
    "options",
  );
  return sha256Hex(
    `{"budget":${budgetText},"cap":${capText},"counting":${countingText},"options":${optionsText},` +
      `"retrieval":${encodeRetrieval(retrieval)}}`,
  );
}

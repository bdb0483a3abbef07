/** Parses one line of an import, validated as strictly as the arguments of a put. */

import { requireTitle } from "../contracts/arguments.ts";
import { decodeBase64 } from "../canonical/base64.ts";
import { canonicalJson, type CanonicalValue } from "../canonical/canonical_json.ts";
import { encodeTurn } from "../contracts/payload.ts";
import { JSON_DEPTH_MAX } from "../canonical/plain.ts";
import { readStrictJson, StrictJsonFailure } from "../canonical/strict_json.ts";
import {
  anything,
  fields,
  integer,
  oneOf,
  optional,
  type Schema,
  time,
  validatePlain,
} from "../contracts/validate.ts";
import type { TimedPin } from "../contracts/pin.ts";
import type { RecordKind } from "../contracts/record_kind.ts";
import { boolean, string, where } from "../contracts/schema.ts";
import { type Scope, scopeSchema } from "../contracts/scope.ts";
import type { Summary } from "../contracts/summary.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { type Metadata, toMetadata } from "../contracts/message.ts";
import { expiryMs } from "../canonical/time.ts";
import { unpackPin, unpackSummary, unpackTurn } from "../contracts/stored/unpack.ts";
import { deadlineOf, requireBytes, writtenPin, writtenSummary } from "../conversations/plans.ts";
import type { WrittenPin } from "../conversations/put_pin.ts";
import type { WrittenSummary } from "../conversations/put_summary.ts";
import type { Deadline } from "../conversations/put_turn.ts";
import { ContractError, IntegrityError } from "../errors.ts";
import { encodeEntry, requirePart } from "../journals/journal.ts";
import { MEDIA_PIECE_BYTES, TURN_BYTES_MAX } from "../limits.ts";
import type { GivenMedia } from "../media/given_media.ts";
import { LINES_FORMAT, LINES_VERSION } from "./line.ts";
import { type LineFields, nullable, validateLine } from "./line_fields.ts";
import type { ImportedEntry, ImportedJournal } from "./import_journal.ts";
import { type ImportedRecord, KEYED_HASH, parseRecord, subjectIn, toPlain } from "./parse_record.ts";

/** A turn to import. */
export interface ImportedTurn {
  readonly type: "turn";
  readonly turn: TimedTurn;
  readonly expiry: Deadline | null;
  readonly payload: string;
  readonly bytes: number;
  /** Bytes that the lines have, and that messages refer to. */
  readonly media: GivenMedia;
}

/** A piece of media, of which later turns of its scope have a part. */
export interface ImportedPiece {
  readonly type: "media";
  readonly ref: string;
  /** Of the whole. */
  readonly bytes: number;
  readonly piece: number;
  readonly data: Uint8Array;
}

/** A pin to import. */
export interface ImportedPin {
  readonly type: "pin";
  readonly pin: TimedPin;
  readonly written: WrittenPin;
}

/** A summary to import. */
export interface ImportedSummary {
  readonly type: "summary";
  readonly summary: Summary;
  readonly written: WrittenSummary;
}

/** A scope to import. What an older line does not say is null. */
export interface ImportedScope {
  readonly type: "scope";
  readonly scope: Scope;
  /** Milliseconds. */
  readonly created: number | null;
  /** Milliseconds. */
  readonly updated: number | null;
  readonly recent: number | null;
  readonly title: string | null;
  readonly metadata: Metadata | null;
  /** The name of the person whose session it is; null if it is not said. */
  readonly subject: string | null;
  /** The person's hash in this store; null if the name is said, or there is no subject. */
  readonly subjectHash: Uint8Array | null;
}

/** A scope, or an item of it. */
export type ScopeItem =
  | ImportedScope
  | ImportedTurn
  | ImportedPin
  | ImportedSummary
  | ImportedJournal
  | ImportedEntry;

/** The first line. */
export interface ParsedHeader {
  readonly type: "header";
  readonly watermark: { readonly lineage: string; readonly sequence: number; readonly head: string };
}

/** The last line. */
export interface ParsedEnd {
  readonly type: "end";
  readonly records: number;
  readonly scopes: number;
  readonly turns: number;
  readonly pins: number;
  readonly summaries: number;
  readonly journals: number;
  readonly entries: number;
  readonly skipped?: number | null | undefined;
  readonly digest: string;
}

/** A parsed line. */
export type ParsedLine =
  | ParsedHeader
  | { readonly type: "mark"; readonly sequence: number }
  | { readonly type: "skipped" }
  | ImportedRecord
  | ImportedPiece
  | ScopeItem
  | ParsedEnd;

/**
 * Parses and validates a line.
 *
 * @throws {ContractError} naming the field
 */
export function parseLine(text: string, kinds: ReadonlyMap<string, RecordKind>): ParsedLine {
  const given = readObject(text);
  const type = validatePlain(TYPE, given.type, { field: "type", noun: "type" });
  switch (type) {
    case "header":
      return parseHeader(given);
    case "mark":
      return validateLine(MARK, given);
    case "skipped":
      return validateLine(SKIPPED, given);
    case "record":
      return parseRecord(given, kinds);
    case "scope":
      return parseScope(given);
    case "media":
      return parsePiece(given);
    case "turn":
      return parseTurn(given);
    case "pin":
      return parsePin(given);
    case "summary":
      return parseSummary(given);
    case "journal":
      return { type, part: requirePart(validateLine(JOURNAL, given).part) };
    case "entry":
      return parseEntry(given);
    case "end":
      return validateLine(END, given);
  }
}

function readObject(text: string): LineFields {
  let value: CanonicalValue;
  try {
    value = readStrictJson(text, JSON_DEPTH_MAX + 1);
  } catch (error) {
    if (error instanceof StrictJsonFailure) throw new ContractError("lines", `The line ${error.rule}`);
    throw error;
  }
  // The strict reader returns objects, and only objects, without a prototype.
  if (typeof value === "object" && value !== null && Object.getPrototypeOf(value) === null) {
    return value as LineFields;
  }
  throw new ContractError("lines", "Expected the line to be a JSON object");
}

const TYPES = [
  ...[
    "header",
    "mark",
    "record",
    "scope",
    "media",
    "turn",
    "pin",
    "summary",
    "journal",
    "entry",
    "skipped",
    "end",
  ] as const,
];
const TYPE: Schema<(typeof TYPES)[number]> = oneOf(TYPES, `must be one of ${TYPES.join(", ")}`);

const HASH: Schema<string> = where(
  (value): value is string => typeof value === "string" && /^[0-9a-f]{64}$/.test(value),
  "must be 64 lower-case hex digits",
);

/** A scope with its stored field names. */
const STORED_SCOPE: Schema<Scope> = {
  read: (value, way) => {
    const { tenant_id: tenantId, session_id: sessionId } = fields({
      tenant_id: anything,
      session_id: anything,
    })
      .read(value, way);
    return scopeSchema.read({ tenantId, sessionId }, way);
  },
};

const HEADER = fields({
  type: anything,
  format: oneOf([LINES_FORMAT], `must be ${LINES_FORMAT}`),
  version: oneOf([LINES_VERSION], `must be ${LINES_VERSION}`),
  content: boolean,
  note: optional(string),
  scope: optional(STORED_SCOPE),
  generation: integer(0),
  epoch: string,
  watermark: fields({ lineage: string, sequence: integer(0), head: HASH }),
  at: time,
});

function parseHeader(given: LineFields): ParsedHeader {
  const { content, watermark } = validateLine(HEADER, given);
  if (!content) {
    throw new ContractError(
      "content",
      "Cannot import: the lines were exported without content, and are no backup",
    );
  }
  return { type: "header", watermark };
}

const MARK = fields({ type: oneOf(["mark"], "must be mark"), sequence: integer(0) });
const SCOPE = fields({
  type: anything,
  scope: STORED_SCOPE,
  created_at: optional(time),
  updated_at: optional(time),
  recent: optional(integer(1)),
  title: optional(anything),
  metadata: optional(anything),
  subject: optional(anything),
  subject_hash: optional(KEYED_HASH),
});

function parseScope(given: LineFields): ImportedScope {
  const { scope, recent, ...rest } = validateLine(SCOPE, given);
  const { created_at: created, updated_at: updated, title, metadata } = rest;
  return {
    type: "scope",
    scope,
    created: created === undefined || created === null ? null : expiryMs(created),
    updated: updated === undefined || updated === null ? null : expiryMs(updated),
    recent: recent ?? null,
    title: title === undefined ? null : requireTitle(title),
    metadata: metadata === undefined ? null : toMetadata(toPlain(metadata as CanonicalValue, "metadata")),
    ...subjectIn(rest),
  };
}

const SKIPPED = fields({
  type: oneOf(["skipped"], "must be skipped"),
  table: string,
  tenant_id: optional(string),
  session_id: optional(string),
  turn_id: optional(string),
  kind: optional(string),
  key: optional(string),
  part: optional(string),
  place: optional(integer(Number.MIN_SAFE_INTEGER)),
});
const END = fields({
  type: oneOf(["end"], "must be end"),
  records: integer(0),
  scopes: integer(0),
  turns: integer(0),
  pins: integer(0),
  summaries: integer(0),
  journals: integer(0),
  entries: integer(0),
  skipped: optional(integer(1)),
  digest: HASH,
});

const TURN = fields({ type: anything, expires_at: nullable(time), turn: anything });

function parseTurn(given: LineFields): ImportedTurn {
  const { expires_at: expiresAt, turn: stored } = validateLine(TURN, given);
  const turn = unpack("turn", stored, unpackTurn);
  const payload = encodeTurn(turn);
  const bytes = requireBytes("turn", payload, TURN_BYTES_MAX);
  const expiry = expiresAt === null ? null : deadlineOf(expiresAt);
  return { type: "turn", turn, expiry, payload, bytes, media: new Map() };
}

const PIECE = fields({ type: anything, ref: HASH, bytes: integer(0), piece: integer(0), data: string });

/** Which bytes belong together says the hash; that of the whole is verified once all pieces are there. */
function parsePiece(given: LineFields): ImportedPiece {
  const { ref, bytes, piece, data: text } = validateLine(PIECE, given);
  const data = decodeBase64(text);
  const expected = Math.min(MEDIA_PIECE_BYTES, bytes - piece * MEDIA_PIECE_BYTES);
  if (data !== null && data.length === expected) return { type: "media", ref, bytes, piece, data };
  throw new ContractError("data", `Expected data to be ${Math.max(0, expected)} bytes in base64`);
}

const PIN = fields({ type: anything, pin: anything });

function parsePin(given: LineFields): ImportedPin {
  const pin = unpack("pin", validateLine(PIN, given).pin, unpackPin);
  return { type: "pin", pin, written: writtenPin(pin) };
}

const SUMMARY = fields({ type: anything, summary: anything });

function parseSummary(given: LineFields): ImportedSummary {
  const summary = unpack("summary", validateLine(SUMMARY, given).summary, unpackSummary);
  return { type: "summary", summary, written: writtenSummary(summary) };
}

const JOURNAL = fields({ type: anything, part: string });
const ENTRY = fields({ type: anything, place: integer(1), uuid: nullable(string), json: anything });

/** Which journal it is of says the line of the journal, which came before. */
function parseEntry(given: LineFields): ImportedEntry {
  const { place, uuid, json } = validateLine(ENTRY, given);
  const plain = toPlain(json as CanonicalValue, "json");
  const entry = uuid === null ? { json: plain } : { json: plain, uuid };
  return { type: "entry", part: "", place, ...encodeEntry(entry, "entry") };
}

/** Unpacks a stored payload. What would be damage in a store is an invalid argument here. */
function unpack<T>(noun: string, stored: unknown, read: (payload: string) => T): T {
  try {
    return read(canonicalJson(stored as CanonicalValue, noun));
  } catch (error) {
    if (!(error instanceof IntegrityError)) throw error;
    const field = typeof error.details.field === "string" ? error.details.field : noun;
    throw new ContractError(field, `Expected ${field} to be as a store writes it`, { cause: error });
  }
}

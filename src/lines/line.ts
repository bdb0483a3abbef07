/** The lines of an export as text: a header, the content, and a closing line that proves them complete. */

import { toHex } from "../canonical/keyed_hash.ts";
import { type NamedSubject, nameOf } from "../tables/subjects.ts";
import { encodeBase64 } from "../canonical/base64.ts";
import { quote } from "../canonical/canonical_json.ts";
import { instantFromMs } from "../canonical/time.ts";
import { encodeMetadata } from "../contracts/message.ts";
import { encodeScope } from "../contracts/payload.ts";
import { RunningSha256 } from "../canonical/sha256.ts";
import type { DamagedRow } from "../contracts/damaged.ts";
import type { LineCounts } from "../contracts/options/lines_options.ts";
import type { Scope } from "../contracts/scope.ts";
import type { Watermark } from "../contracts/watermark.ts";
import type { EntryFields } from "../tables/journal_entries.ts";
import type { JournalRow } from "../tables/journals.ts";
import type { Description } from "../tables/descriptions.ts";
import type { ScopeRow } from "../tables/scopes.ts";
import type { TurnHead } from "../tables/turns.ts";
import type { Identity, RecordHead } from "../tables/records.ts";

/** The name of the format, in the first line. */
export const LINES_FORMAT = "holdfast-lines";

/** The version of the format; a reader refuses any other. */
export const LINES_VERSION = 1;

/** A note in the first line of an export without content, so that it is not mistaken for a backup. */
const NO_BACKUP = "Not a backup: without content it cannot be imported";

/** The facts in the first line. */
interface HeaderFacts {
  readonly content: boolean;
  /** Null for the whole store. */
  readonly scope: Scope | null;
  readonly generation: number;
  readonly epoch: string;
  readonly watermark: Watermark;
  /** ISO text. */
  readonly at: string;
}

/** The first line. */
export function headerLine({ content, scope, generation, epoch, watermark, at }: HeaderFacts): string {
  const { lineage, sequence, head } = watermark;
  const note = content ? "" : `"note":"${NO_BACKUP}",`;
  return `{"type":"header","format":"${LINES_FORMAT}","version":${LINES_VERSION},"content":${content},${note}` +
    `"scope":${scope === null ? "null" : encodeScope(scope)},"generation":${generation},"epoch":"${epoch}",` +
    `"watermark":{"lineage":"${lineage}","sequence":${sequence},"head":"${head}"},"at":${quote(at)}}`;
}

/** States how many deletions had been applied when the next lines were read. It is written where the number changes. */
export function markLine(sequence: number): string {
  return `{"type":"mark","sequence":${sequence}}`;
}

/** A record; its body is JSON already and is copied as stored. */
export function recordLine(
  identity: Identity,
  head: RecordHead,
  { whose, body }: { readonly whose: LineSubject; readonly body: string },
): string {
  return `${recordStart(identity, head)}${subjectText(whose)},"value":${body}}`;
}

/** A record without its value. */
export function recordOutline(identity: Identity, head: RecordHead, bytes: number): string {
  return `${recordStart(identity, head)},"bytes":${bytes}}`;
}

function recordStart({ tenantId, kind, key }: Identity, head: RecordHead): string {
  const { revision, created, maxAge, expires, version } = head;
  return `{"type":"record","tenant":${quote(tenantId)},"kind":${quote(kind)},"key":${quote(key)},` +
    `"revision":${revision},"created":${created},"max_age":${maxAge},"expires":${expires}` +
    (version === 1 ? "" : `,"version":${version}`);
}

/** A scope and what is said of it, without its revision, which belongs to the store and not to the content. */
export function scopeLine(
  scope: Scope,
  row: SessionTimes,
  { title, metadata, whose }: Pick<Description, "title" | "metadata"> & { readonly whose: LineSubject },
): string {
  return `{"type":"scope","scope":${encodeScope(scope)},${timesOf(row)}` +
    (title === null ? "" : `,"title":${quote(title)}`) +
    (metadata === null ? "" : `,"metadata":${encodeMetadata(metadata)}`) +
    `${subjectText(whose)}}`;
}

/** Whose something is; a person whose name is not known goes by a hash, which only this very store can tell from others. */
export interface LineSubject {
  readonly name: string | null;
  readonly hash: Uint8Array | null;
}

/** Whose something is, for its line. */
export function lineSubjectOf(hashKey: Uint8Array, owner: NamedSubject): LineSubject {
  return { name: nameOf(hashKey, owner), hash: owner.subject };
}

function subjectText({ name, hash }: LineSubject): string {
  if (name !== null) return `,"subject":${quote(name)}`;
  return hash === null ? "" : `,"subject_hash":"${toHex(hash)}"`;
}

/** When a session was created and written to, and its place among those of its tenant. */
type SessionTimes = Pick<ScopeRow, "created" | "updated" | "recent">;

function timesOf({ created, updated, recent }: SessionTimes): string {
  return `"created_at":${quote(instantFromMs(created).text)},` +
    `"updated_at":${quote(instantFromMs(updated).text)},"recent":${recent}`;
}

/** A scope with its running totals. */
export function scopeOutline(
  scope: Scope,
  totals: SessionTimes & Pick<ScopeRow, "revision" | "turns" | "turnBytes">,
): string {
  const { revision, turns, turnBytes } = totals;
  return `{"type":"scope","scope":${encodeScope(scope)},${
    timesOf(totals)
  },"revision":${revision},"turns":${turns},` +
    `"turn_bytes":${turnBytes}}`;
}

/** A turn with its deadline; its payload is copied as stored. */
export function turnLine(head: TurnHead, payload: string): string {
  return `{"type":"turn","expires_at":${quoteOrNull(head.expiresAt)},"turn":${payload}}`;
}

/** A turn without its messages. */
export function turnOutline({ turnId, revision, bytes, expiresAt }: TurnHead): string {
  return `{"type":"turn","turn_id":${quote(turnId)},"revision":${revision},"bytes":${bytes},` +
    `"expires_at":${quoteOrNull(expiresAt)}}`;
}

/** A piece of media, before the first turn that refers to it. */
export function mediaLine(ref: string, bytes: number, piece: number, data: Uint8Array): string {
  return `{"type":"media","ref":"${ref}","bytes":${bytes},"piece":${piece},"data":"${encodeBase64(data)}"}`;
}

/** A summary; its payload is copied as stored. */
export function summaryLine(payload: string): string {
  return `{"type":"summary","summary":${payload}}`;
}

/** A summary without its text. */
export function summaryOutline(bytes: number): string {
  return `{"type":"summary","bytes":${bytes}}`;
}

/** A pin; its payload is copied as stored. */
export function pinLine(payload: string): string {
  return `{"type":"pin","pin":${payload}}`;
}

/** A pin without its value. */
export function pinOutline(key: string, revision: number, bytes: number): string {
  return `{"type":"pin","key":${quote(key)},"revision":${revision},"bytes":${bytes}}`;
}

/** A journal; its entries follow. Its revision says where this store stands, not what it holds. */
export function journalLine({ part }: Pick<JournalRow, "part">): string {
  return `{"type":"journal","part":${quote(part)}}`;
}

/** A journal with its running totals. */
export function journalOutline({ part, revision, entries, bytes }: JournalRow): string {
  return `{"type":"journal","part":${
    quote(part)
  },"revision":${revision},"entries":${entries},"bytes":${bytes}}`;
}

/** An entry; its payload is JSON already, and stands as it is stored. */
export function entryLine({ place, uuid }: Pick<EntryFields, "place" | "uuid">, payload: string): string {
  return `{"type":"entry","place":${place},"uuid":${quoteOrNull(uuid)},"json":${payload}}`;
}

/** An entry without its JSON. */
export function entryOutline({ place, uuid, bytes }: EntryFields): string {
  return `{"type":"entry","place":${place},"uuid":${quoteOrNull(uuid)},"bytes":${bytes}}`;
}

/** A damaged row that was left out, named by its labels. */
export function skippedLine(row: DamagedRow): string {
  const { table, tenantId, sessionId, turnId, kind, key, part, place } = row;
  const labels = { tenant_id: tenantId, session_id: sessionId, turn_id: turnId, kind, key, part };
  const fields = Object.entries(labels).flatMap(([name, label]) =>
    label === undefined ? [] : [`,"${name}":${quote(label.toWellFormed())}`]
  );
  if (place !== undefined) fields.push(`,"place":${place}`);
  return `{"type":"skipped","table":${quote(table)}${fields.join("")}}`;
}

/**
 * The last line: the number of lines of each type, and the SHA-256 of all lines before it. If damaged rows were left out,
 * it also has their number.
 */
export function endLine(
  { records, scopes, turns, pins, summaries, journals, entries }: LineCounts,
  skipped: number,
  digest: string,
): string {
  return `{"type":"end","records":${records},"scopes":${scopes},"turns":${turns},"pins":${pins},` +
    `"summaries":${summaries},"journals":${journals},"entries":${entries},` +
    `${skipped === 0 ? "" : `"skipped":${skipped},`}"digest":"${digest}"}`;
}

/** Running counts of lines by type. */
export type Tally = { -readonly [Sort in keyof LineCounts]: number };

/** Counts of zero. */
export function emptyTally(): Tally {
  return { records: 0, scopes: 0, turns: 0, pins: 0, summaries: 0, journals: 0, entries: 0 };
}

/** The digest of lines with their line feeds, as `sha256sum` computes it for the file without its last line. */
export class LinesDigest {
  readonly #hash = new RunningSha256();

  /** Adds the next line, without its line feed. */
  add(line: string): void {
    this.#hash.add(line);
    this.#hash.add("\n");
  }

  /** Returns the digest; no line can be added afterwards. */
  finish(): string {
    return this.#hash.finish();
  }
}

function quoteOrNull(text: string | null): string {
  return text === null ? "null" : quote(text);
}

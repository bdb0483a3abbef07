/** Stores the media of a turn, once for each scope. */

import { fromHex } from "../canonical/keyed_hash.ts";
import type { MessageDraft } from "../contracts/message.ts";
import type { Change } from "../deletion/cascade.ts";
import { eraseMediaOfTurn } from "../deletion/erase_media.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import { ConflictError, ContractError } from "../errors.ts";
import { insertPieces, insertRefs, SELECT_REF, toMediaRef } from "../tables/media.ts";
import type { ScopeRow } from "../tables/scopes.ts";
import { type Cited, citedMedia, type GivenMedia } from "./given_media.ts";

/** What a put knows of its media. */
interface MediaPlan {
  readonly messages: readonly MessageDraft[];
  /** The path of the messages in the arguments. */
  readonly messagesField: string;
  readonly media: GivenMedia;
}

/** The media of a turn, and which of it the scope does not have yet. */
export interface FoundMedia {
  readonly cited: readonly Cited[];
  readonly missing: readonly Cited[];
  /** Bytes that are to be added to the scope's. */
  readonly addedBytes: number;
}

const NOTHING_FOUND: FoundMedia = { cited: [], missing: [], addedBytes: 0 };

/** Looks up which media of a turn the scope has; what it lacks must have been given. */
export function* findMedia(
  transaction: WriteTransaction,
  row: ScopeRow,
  { messages, messagesField, media }: MediaPlan,
  absent: (field: string) => Error = missingMedia,
): Operation<FoundMedia> {
  const cited = citedMedia(messages);
  if (cited.length === 0) return NOTHING_FOUND;
  const rows = yield* transaction.getEach(SELECT_REF, cited.map(({ ref }) => [row.id, fromHex(ref)]));
  const missing: Cited[] = [];
  for (const [index, each] of cited.entries()) {
    const found = rows[index];
    const bytes = found === undefined ? media.get(each.ref)?.length : toMediaRef(found).bytes;
    if (bytes === undefined) throw absent(`${messagesField}${each.path}.ref`);
    if (bytes !== each.bytes) throw otherSize(`${messagesField}${each.path}.bytes`);
    if (found === undefined) missing.push(each);
  }
  return { cited, missing, addedBytes: missing.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function missingMedia(field: string): ConflictError {
  return new ConflictError(
    "MISSING",
    `Cannot put turn: ${field} refers to media that the conversation lacks`,
    {
      details: { field },
    },
  );
}

function otherSize(field: string): ContractError {
  return new ContractError(field, `Expected ${field} to be the size of what ref refers to`);
}

/** Writes the media of a turn; that of an earlier revision goes, unless something still refers to it. */
export function* writeMedia(
  change: Change,
  turn: number,
  { cited, missing, addedBytes }: FoundMedia,
  { media, isRevision }: { readonly media: GivenMedia; readonly isRevision: boolean },
): Operation<void> {
  const { transaction, row } = change;
  if (isRevision) yield* eraseMediaOfTurn(change, turn, new Set(cited.map(({ ref }) => ref)));
  if (cited.length === 0) return;
  row.mediaBytes += addedBytes;
  const refs = cited.map(({ ref, bytes }) => ({ scope: row.id, hash: fromHex(ref), turn, bytes }));
  yield* insertRefs(transaction, refs);
  for (const { ref } of missing) {
    yield* insertPieces(transaction, { scope: row.id, hash: fromHex(ref), data: media.get(ref)! });
  }
}

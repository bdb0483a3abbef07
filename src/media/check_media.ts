/** Looks through the media of a scope: what its turns refer to is there, whole, and nothing else is. */

import { toHex } from "../canonical/keyed_hash.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import type { CheckCollector } from "../engine/check_collector.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { Row, SqlValue } from "../engine/values.ts";
import {
  isIntactRef,
  piecesOf,
  SELECT_REFS_OF_SCOPE,
  SELECT_REFS_OF_TURN,
  toMediaRef,
} from "../tables/media.ts";
import type { ScopeRow } from "../tables/scopes.ts";
import { citedMedia } from "./given_media.ts";
import { readWhole } from "./read_media.ts";

/** How a check reads: what cannot be read is noted, and counts as nothing. */
interface CheckReader {
  readonly collector: CheckCollector;
  all(table: string, sql: string, ...parameters: SqlValue[]): Promise<readonly Row[]>;
  read<T>(
    table: string,
    factory: (transaction: ReadTransaction) => Operation<T>,
  ): Promise<T | undefined>;
}

/** Compares what is noted of a turn with what its messages refer to; resolves to how many references it has. */
export async function checkMediaOfTurn(
  reader: CheckReader,
  { id, turn }: { readonly id: number; readonly turn: TimedTurn },
  place: string,
): Promise<number> {
  const cited = citedMedia(turn.messages);
  if (cited.length === 0) return 0;
  const noted = (await reader.all("media_refs", SELECT_REFS_OF_TURN, id)).map(toMediaRef);
  const refs = new Map(noted.map(({ hash, bytes }) => [toHex(hash), bytes]));
  if (noted.length !== cited.length || cited.some(({ ref, bytes }) => refs.get(ref) !== bytes)) {
    reader.collector.problem("main", "media_refs", "References to media differ from the turn's", place);
  }
  return noted.length;
}

const COUNT_PIECES = `SELECT count(*) FROM media_pieces WHERE scope = $1`;

/** Verifies the bytes of each media of a scope. `references` is how many its turns have. */
export async function checkMedia(
  reader: CheckReader,
  scope: ScopeRow,
  { place, references }: { readonly place: string; readonly references: number },
): Promise<void> {
  const { collector } = reader;
  const refs = (await reader.all("media_refs", SELECT_REFS_OF_SCOPE, scope.id)).map(toMediaRef);
  if (refs.length !== references) {
    collector.problem("main", "media_refs", "Media is noted that no message refers to", place);
  }
  const sizes = new Map<string, number>();
  for (const ref of refs) {
    if (!isIntactRef(ref)) {
      collector.problem("main", "media_refs", "The checksum of a reference to media does not match", place);
      continue;
    }
    if (sizes.has(toHex(ref.hash))) continue;
    sizes.set(toHex(ref.hash), ref.bytes);
    const whole = await reader.read(
      "media_pieces",
      (transaction) => readWhole(transaction, { row: scope, hash: ref.hash, bytes: ref.bytes }),
    );
    if (whole === null) {
      collector.problem("main", "media_pieces", "The bytes of media do not match their hash", place);
    }
    await collector.batch("media", 1);
  }
  const bytes = sizes.values().reduce((sum, each) => sum + each, 0);
  if (bytes !== scope.mediaBytes) {
    collector.problem("main", "scopes", "The size of the media is wrong", place);
  }
  const pieces = (await reader.all("media_pieces", COUNT_PIECES, scope.id))[0]?.[0];
  const expected = sizes.values().reduce((sum, each) => sum + piecesOf(each), 0);
  if (pieces !== undefined && pieces !== expected) {
    collector.problem("main", "media_pieces", "There are other pieces of media than turns refer to", place);
  }
}

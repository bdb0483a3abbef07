/** Cached responses: their rows, validated where they are read, and the statements that more than one operation needs. */

import { checksumOf } from "../canonical/checksum.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import type { Fields } from "./schema/descriptor.ts";
import { REPLAYS } from "./schema/main_tables.ts";

/** The row of a cached response. */
type ReplayFields = Fields<typeof REPLAYS.columns>;

/** One cached response. Parameters: the scope's row, the key. */
export const SELECT_REPLAY = `${REPLAYS.select} WHERE scope = $1 AND key = $2`;

/** The cached responses of a scope, by key. Parameter: the scope's row. */
export const SELECT_REPLAYS = `${REPLAYS.select} WHERE scope = $1 ORDER BY key`;

/** Decodes a row as it is, and says whether it is intact, its payload included. */
export function toReplay(row: Row): ReplayFields & { readonly isIntact: boolean } {
  const replay = REPLAYS.toFields(row);
  const { payload, payloadChecksum } = replay;
  const isPayload = typeof payload === "string" && checksumOf(payload) === payloadChecksum;
  return { ...replay, isIntact: isPayload && REPLAYS.isIntact(replay) };
}

/** Writes a cached response, in place of an earlier one with its key. */
export function* upsertReplay(
  transaction: WriteTransaction,
  replay: Omit<ReplayFields, "payloadChecksum" | "checksum">,
): Operation<void> {
  const payloadChecksum = checksumOf(replay.payload);
  yield* transaction.run(REPLAYS.upsert, ...REPLAYS.toValues({ ...replay, payloadChecksum }));
}

/** Turns: their rows, validated where they are read, and the statements that more than one operation needs. */

import { checksumOf } from "../canonical/checksum.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { unpackTurn } from "../contracts/stored/unpack.ts";
import type { Operation, WriteTransaction } from "../engine/operation.ts";
import type { Row } from "../engine/values.ts";
import { damagedRow, type ScopeRow } from "./scopes.ts";
import { IntegrityError } from "../errors.ts";
import type { Fields, Head } from "./schema/descriptor.ts";
import { MESSAGE_IDS, TURNS } from "./schema/main_tables.ts";

/** A turn's row. */
type TurnFields = Fields<typeof TURNS.columns>;

/** A turn's row without its payload. */
export type TurnHead = Readonly<Head<typeof TURNS.columns>>;

/** A turn with its deadline. */
export interface StoredTurn extends TurnHead {
  readonly turn: TimedTurn;
}

/** One turn. Parameters: the scope's row, the turn's id. */
export const SELECT_TURN = `${TURNS.select} WHERE scope = $1 AND turn_id = $2`;

/** One turn without its payload. Parameters: as above. */
export const SELECT_TURN_HEAD = `${TURNS.selectHead} WHERE scope = $1 AND turn_id = $2`;

/** One turn. Parameter: its row. */
export const SELECT_TURN_BY_ROW = `${TURNS.select} WHERE id = $1`;

/** Turns in the order of the history. Parameters: the scope's row, the row to begin after, how many. */
export const SELECT_TURNS_AFTER = `${TURNS.select} WHERE scope = $1 AND id > $2 ORDER BY id LIMIT $3`;

/** Turns, newest first. Parameters: the scope's row, the row to begin before, how many. */
export const SELECT_TURNS_BEFORE = `${TURNS.select} WHERE scope = $1 AND id < $2 ORDER BY id DESC LIMIT $3`;

/** Whose turns are read. */
type TurnScope = Pick<ScopeRow, "id" | "tenant" | "session">;

/** A turn's row as it is, whether or not it is intact. */
export function toTurnFields(row: Row): TurnFields {
  return TURNS.toFields(row);
}

/** Requires that a turn's row is intact, except for its payload, which the row need not have. */
export function toTurnHead(scope: TurnScope, row: Row): TurnHead {
  const head = TURNS.toHead(row);
  if (head.scope === scope.id && TURNS.isIntact(head)) return head;
  throw damaged("The checksum of a turn's row does not match", scope, head);
}

/** Requires that a turn's row and its payload are intact and belong together. */
export function toStoredTurn(scope: TurnScope, row: Row): StoredTurn {
  const head = toTurnHead(scope, row);
  const turn = unpackPayload(scope, head, TURNS.toFields(row).payload);
  const { tenantId, sessionId } = turn.scope;
  if (
    turn.turnId !== head.turnId || turn.revision !== head.revision || tenantId !== scope.tenant ||
    sessionId !== scope.session
  ) {
    throw damaged("A turn's payload is not the one of its row", scope, head);
  }
  return { ...head, turn };
}

function unpackPayload(scope: TurnScope, head: TurnHead, payload: unknown): TimedTurn {
  const text = requirePayload(scope, head, payload);
  try {
    return unpackTurn(text);
  } catch (cause) {
    throw damaged("A turn's payload is not that of a turn", scope, head, cause);
  }
}

/** Requires that a payload has the checksum that is in its row. */
export function requirePayload(scope: TurnScope, head: TurnHead, payload: unknown): string {
  if (typeof payload === "string" && checksumOf(payload) === head.payloadChecksum) return payload;
  throw damaged("The checksum of a turn's payload does not match", scope, head);
}

function damaged(
  message: string,
  scope: TurnScope,
  { turnId }: Pick<TurnHead, "turnId">,
  cause?: unknown,
): IntegrityError {
  return damagedRow(message, "turns", scope, { turnId, cause });
}

/** Writes the row of a new turn. */
export function* insertTurn(
  transaction: WriteTransaction,
  turn: Omit<TurnFields, "checksum">,
): Operation<void> {
  yield* transaction.run(TURNS.insert, ...TURNS.toValues(turn));
}

/** Notes which messages a turn has. */
export function* insertMessageIds(
  transaction: WriteTransaction,
  { scope, turn, messageIds }: {
    readonly scope: number;
    readonly turn: number;
    readonly messageIds: readonly string[];
  },
): Operation<void> {
  const rows = messageIds.map((messageId) => MESSAGE_IDS.toValues({ scope, messageId, turn }));
  yield* transaction.runEach(MESSAGE_IDS.insert, rows);
}

/** Writes the row of a turn in place of an older revision. */
export function* updateTurn(
  transaction: WriteTransaction,
  turn: Omit<TurnFields, "checksum">,
): Operation<void> {
  const changed = yield* transaction.run(TURNS.update, ...TURNS.toUpdate(turn));
  if (changed !== 1) throw new IntegrityError("Cannot put turn: the file did not take the write");
}

/** The turn that has a message. Parameters: the scope's row, the message's id. */
export const SELECT_TURN_OF_MESSAGE = `SELECT turn FROM message_ids WHERE scope = $1 AND message_id = $2`;

/** Parameter: the turn's row. */
export const DELETE_TURN = `DELETE FROM turns WHERE id = $1`;

/** Parameter: the turn's row. */
export const DELETE_MESSAGE_IDS = `DELETE FROM message_ids WHERE turn = $1`;

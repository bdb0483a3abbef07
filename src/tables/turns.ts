/** A turn's row, judged where it enters. */

import { checksumOf } from "../canonical/checksum.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import { unpackTurn } from "../contracts/unpack.ts";
import type { Row } from "../engine/values.ts";
import { damagedRow, type ScopeRow } from "./scopes.ts";
import type { IntegrityError } from "../errors.ts";

/** A turn's row without its payload. */
export interface TurnHead {
  readonly id: number;
  readonly turnId: string;
  readonly revision: number;
  /** UTF-8 bytes of the payload. */
  readonly bytes: number;
  /** Milliseconds: when it is due. */
  readonly expires: number | null;
  /** The deadline as it was given. */
  readonly expiresAt: string | null;
  readonly payloadChecksum: number;
}

/** A turn with its deadline. */
export interface StoredTurn extends TurnHead {
  readonly turn: TimedTurn;
}

/** The checksum over a head. */
export function headChecksum(scope: number, head: Omit<TurnHead, "id">): number {
  const { turnId, revision, bytes, expires, expiresAt, payloadChecksum } = head;
  return checksumOf(scope, turnId, revision, bytes, expires, expiresAt, payloadChecksum);
}

/** Whose turns are read. */
type TurnScope = Pick<ScopeRow, "id" | "tenant" | "session">;

/** Judges the columns `id`, `turn_id`, `revision`, `bytes`, `expires`, `expires_at`, `payload_checksum`, `checksum`. */
export function toTurnHead(scope: TurnScope, row: Row): TurnHead {
  const [id, turnId, revision, bytes, expires, expiresAt, payloadChecksum, checksum] = row;
  const head = { id, turnId, revision, bytes, expires, expiresAt, payloadChecksum } as TurnHead;
  if (headChecksum(scope.id, head) === checksum) return head;
  throw damaged("The checksum of a turn's row does not match", scope, head);
}

/** Judges a head and the payload after it. */
export function toStoredTurn(scope: TurnScope, row: Row): StoredTurn {
  const head = toTurnHead(scope, row);
  const turn = unpackPayload(scope, head, row[8]);
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

/** Judges a payload by its checksum. */
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

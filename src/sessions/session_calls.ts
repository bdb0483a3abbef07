/** The calls on a tenant's sessions, loaded by the first of them. */

import { equalBytes, keyedHash, toHex } from "../canonical/keyed_hash.ts";
import { instantFromMs } from "../canonical/time.ts";
import type { Receipt } from "../contracts/options/receipt.ts";
import type { SessionPage } from "../contracts/options/session_options.ts";
import { nothingErased } from "../deletion/cascade.ts";
import { drainErased } from "../deletion/drain_scopes.ts";
import { eraseOwned, raiseTenantFloor } from "../deletion/erase_owned.ts";
import { receiptMac } from "../deletion/receipt_mac.ts";
import { tenantHash } from "../deletion/scope_hashes.ts";
import { hashOfSubjectOrNull } from "../tables/subjects.ts";
import { tryScrub } from "../deletion/scrub.ts";
import type { Engine } from "../engine/engine.ts";
import type { EventPlace, Operation, RecordedEvent, WriteTransaction } from "../engine/operation.ts";
import { listSessions } from "./list_sessions.ts";
import type { ValidatedErase, ValidatedList } from "./validate_sessions.ts";

export { describeSession, labelSession, readDescribed } from "./describe_session.ts";
export { sessionOf } from "./list_sessions.ts";
export { validateChanges, validateErase, validateList } from "./validate_sessions.ts";

/** Lists one page of a tenant's sessions. */
export function readSessionPage(engine: Engine, list: ValidatedList): Promise<SessionPage> {
  return engine.read((transaction) => listSessions(transaction, list), { signal: list.signal });
}

/** What is erased, by its hashes. */
interface ErasePlan {
  readonly tenantId: string;
  readonly scopeHash: Uint8Array;
  readonly subject: Uint8Array | null;
  /** The hash of the operation id; null if there is none. */
  readonly operation: Uint8Array | null;
}

/** An erasure that was recorded now, or by an earlier call of the same operation. */
interface Erasure {
  readonly place: EventPlace;
  readonly counts: RecordedEvent["counts"];
}

function* erase(
  transaction: WriteTransaction,
  { tenantId, scopeHash, subject, operation }: ErasePlan,
): Operation<Erasure> {
  const keyHash = subject ?? scopeHash;
  const first = operation === null ? null : yield* findErasure(transaction, keyHash, operation);
  if (first !== null) return { place: first, counts: first.counts };
  const { counts, floor } = yield* eraseOwned(transaction, subject ?? tenantId, transaction.deletions() + 1);
  yield* raiseTenantFloor(transaction, scopeHash, floor);
  const event = { kind: "erase", scopeHash, keyHash, reserved: false, floor, counts } as const;
  const place = transaction.record({ ...event, ...operation === null ? {} : { hashes: [operation] } });
  return { place, counts };
}

/** The ledger itself remembers the operation: main may lose what is written with an event. */
function* findErasure(
  transaction: WriteTransaction,
  keyHash: Uint8Array,
  operation: Uint8Array,
): Operation<RecordedEvent | null> {
  const events = yield* transaction.eventsOf(keyHash);
  return events.find(({ kind, hashes }) =>
    kind === "erase" && hashes !== undefined && equalBytes(hashes[0]!, operation)
  ) ?? null;
}

/** Erases everything of a tenant, or of a person in it; resolves once nothing of it is left in a table. */
export async function eraseEverything(
  engine: Engine,
  { tenantId, subject: person, operationId, scrub: isScrubWanted, signal }: ValidatedErase,
): Promise<Receipt> {
  const { hashKey, lineage } = engine;
  const scopeHash = tenantHash(hashKey, tenantId);
  const subject = hashOfSubjectOrNull(hashKey, tenantId, person);
  const operation = operationId === null
    ? null
    : keyedHash(hashKey, ["operation", toHex(subject ?? scopeHash), operationId]);
  const plan = { tenantId, scopeHash, subject, operation };
  const { place, counts } = await engine.write((transaction) => erase(transaction, plan), {
    ledger: true,
    signal,
  });
  await drained(engine, signal);
  const receipt = {
    lineage,
    sequence: place.sequence,
    head: place.head,
    kind: "erase",
    reserved: false,
    at: instantFromMs(place.at).text,
    already: false,
    scrubbed: isScrubWanted && await tryScrub(engine, signal),
    erased: Object.freeze({ ...nothingErased(), ...counts }),
    target: Object.freeze({
      tenantId: toHex(scopeHash),
      ...subject === null ? {} : { subject: toHex(subject) },
    }),
  } as const;
  return Object.freeze({ ...receipt, mac: receiptMac(hashKey, receipt) });
}

/** An erasure that has committed never fails because its contents could not be erased at once: the next open goes on. */
async function drained(engine: Engine, signal: AbortSignal | undefined): Promise<void> {
  try {
    await drainErased(engine, signal);
  } catch {
    return;
  }
}

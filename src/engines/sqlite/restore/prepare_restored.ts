/** Prepares the copy of a backup to become the live store: step 4.3 of the protocol, on a work file. */

import { randomIdentity, yieldIfBusy } from "../../../clock.ts";
import type { Watermark } from "../../../contracts/watermark.ts";
import { because, IntegrityError, StorageError } from "../../../errors.ts";
import { CHAIN_EVENTS_PER_BATCH, GENERATIONS_MAX } from "../../../limits.ts";
import { firstHead, verifyChain } from "../../../engine/chain.ts";
import type { Operation, WriteTransaction } from "../../../engine/operation.ts";
import { movedIds, movedRevision } from "../../../engine/revision_range.ts";
import { applyEvents, type ApplyParts, insertDirty } from "../write/catch_up.ts";
import { GIVE_BACK_PAGES, rewriteDirty } from "../write/scrubbing.ts";
import { APPLIED_EVENTS } from "../database/applied_events.ts";
import type { Connection } from "../database/connection.ts";
import { MAIN } from "../database/database.ts";
import { upgradeSchema } from "../database/formats.ts";
import { GroupTransaction } from "../../../engine/group_transaction.ts";
import type { Ledger } from "../database/ledger.ts";
import { type MainMeta, readMainMeta, updateMainMeta } from "../database/main_meta.ts";

/** What a restore does to a copy's rows besides applying deletions. Each step continues after the last one. */
export interface ResetRows {
  readonly dropDerived: (transaction: WriteTransaction) => Operation<void>;
  /** Erases a part of what was erased with its tenant or person; returns whether there may be more. */
  readonly drainScopes: (transaction: WriteTransaction) => Operation<boolean>;
  readonly moveRevisions: (
    transaction: WriteTransaction,
    after: number,
    generation: number,
  ) => Operation<number | null>;
}

/** Dependencies of {@linkcode prepareRestored}. */
interface PrepareParts extends ApplyParts {
  readonly resetRows: ResetRows;
  readonly signal: AbortSignal | undefined;
  /** Called with the number of newer deletions that were applied so far. */
  readonly onApplied: (events: number) => void;
}

/** Number of rows of a copy, by table. */
interface RowCounts {
  readonly records: number;
  readonly scopes: number;
  readonly turns: number;
  readonly pins: number;
  readonly entries: number;
}

/** The result of preparing a copy. */
export interface Prepared {
  readonly meta: MainMeta;
  readonly from: Watermark;
  /** Rows that newer deletions erased from the copy. */
  readonly erased: RowCounts;
}

/** Turns a copy of a backup into a main, upgrades an older schema, and validates the meta row. */
export function openBackup(copy: Connection): MainMeta {
  copy.begin("immediate");
  copy.get(MAIN.setApplicationId);
  upgradeSchema(copy);
  copy.commit();
  const meta = readMainMeta(copy);
  if (meta.pendingFrom !== null) {
    throw new StorageError("RESTORE", "Cannot restore: the backup is itself an unfinished restore");
  }
  return meta;
}

/**
 * Requires that a ledger is intact, of the backup's lineage, and continues backup and watermark.
 *
 * If `backup` is null, only the watermark is compared.
 *
 * @returns its generation
 */
export async function verifyLedgerContinues(
  ledger: Ledger,
  backup: MainMeta | null,
  { watermark, signal }: { readonly watermark: Watermark; readonly signal: AbortSignal | undefined },
): Promise<number> {
  const { lineage, generation, count, head } = ledger.readMeta();
  if (backup !== null && backup.lineage !== lineage) {
    throw new IntegrityError("Cannot restore: the backup and the ledger belong to different stores", {
      details: because("other-ledger"),
    });
  }
  if (watermark.lineage !== lineage) {
    throw new IntegrityError("Cannot restore: the watermark and the ledger belong to different stores", {
      details: because("other-ledger"),
    });
  }
  // With a ledger from before a restore, the same range of revisions would be issued again.
  if (backup !== null && backup.generation > generation) {
    throw new IntegrityError("Cannot restore: the ledger is older than the backup", {
      details: because("older-ledger", { recorded: generation, backup: backup.generation }),
    });
  }
  let place = { sequence: 0, head: firstHead(lineage) };
  while (place.sequence < count) {
    const events = ledger.eventsAfter(
      place.sequence,
      Math.min(CHAIN_EVENTS_PER_BATCH, count - place.sequence),
    );
    if (events.length === 0) throw new IntegrityError("Cannot restore: events are missing in the ledger");
    place = verifyChain(events, place);
    await yieldIfBusy();
    signal?.throwIfAborted();
  }
  if (place.head !== head) {
    throw new IntegrityError("Cannot restore: the ledger's events do not lead to its head");
  }
  for (
    const [what, known] of [
      ["backup", backup === null ? null : { sequence: backup.applied, head: backup.appliedHead }],
      ["watermark", watermark],
    ] as const
  ) {
    if (known === null) continue;
    const { sequence } = known;
    if (sequence > count) {
      throw new IntegrityError(`Cannot restore: the ledger is older than the ${what}`, {
        details: because("older-ledger", { recorded: count, [what]: sequence }),
      });
    }
    if (ledger.headAt(sequence, ledger.readMeta()) !== known.head) {
      throw new IntegrityError(
        `Cannot restore: the ledger has another history of deletions than the ${what}`,
        {
          details: because("other-history", { [what]: sequence }),
        },
      );
    }
  }
  return generation;
}

/** Applies newer deletions, and assigns a new epoch and range of revisions, in one transaction. */
export async function prepareRestored(
  meta: MainMeta,
  generation: number,
  ledger: Ledger | null,
  parts: PrepareParts,
): Promise<Prepared> {
  if (generation >= GENERATIONS_MAX) {
    throw new IntegrityError("Cannot restore: the store was restored too often");
  }
  const { main, clock, signal } = parts;
  const from = { lineage: meta.lineage, sequence: meta.applied, head: meta.appliedHead };
  main.begin("immediate");
  try {
    const before = countRows(main);
    if (ledger !== null) await applyNewer(ledger, meta, parts, from.sequence);
    const draining = new GroupTransaction(clock, meta, APPLIED_EVENTS);
    while (main.drive(parts.resetRows.drainScopes(draining))) {
      await yieldIfBusy();
      signal?.throwIfAborted();
    }
    insertDirty(main, draining.dirty);
    const after = countRows(main);
    meta.verified = Math.min(meta.verified, meta.applied);
    meta.pendingFrom = generation;
    meta.generation = generation + 1;
    meta.epoch = randomIdentity();
    meta.counter = movedRevision(meta.counter, meta.generation);
    meta.lastIds = movedIds(meta.lastIds, meta.generation);
    meta.shrunkBytes = null;
    const transaction = new GroupTransaction(clock, meta, APPLIED_EVENTS);
    main.drive(parts.resetRows.dropDerived(transaction));
    for (let after: number | null = 0; after !== null;) {
      after = main.drive(parts.resetRows.moveRevisions(transaction, after, meta.generation));
      await yieldIfBusy();
      signal?.throwIfAborted();
    }
    insertDirty(main, transaction.dirty);
    await rewriteDirty(main, transaction, signal);
    updateMainMeta(main, meta);
    main.commit();
    main.all(GIVE_BACK_PAGES);
    return { meta, from, erased: difference(before, after) };
  } catch (error) {
    throw main.abandon(error);
  }
}

async function applyNewer(ledger: Ledger, meta: MainMeta, parts: PrepareParts, from: number): Promise<void> {
  for (;;) {
    const events = ledger.eventsAfter(meta.applied, CHAIN_EVENTS_PER_BATCH);
    if (events.length === 0) return;
    applyEvents(parts, meta, events);
    parts.onApplied(meta.applied - from);
    await yieldIfBusy();
    parts.signal?.throwIfAborted();
  }
}

const COUNT_ROWS = `SELECT (SELECT count(*) FROM records), (SELECT count(*) FROM scopes),
  (SELECT count(*) FROM turns), (SELECT count(*) FROM pins), (SELECT count(*) FROM journal_entries)`;

function countRows(main: Connection): RowCounts {
  const [records, scopes, turns, pins, entries] = main.get(COUNT_ROWS)! as readonly number[];
  return { records: records!, scopes: scopes!, turns: turns!, pins: pins!, entries: entries! };
}

function difference(before: RowCounts, after: RowCounts): RowCounts {
  return {
    records: before.records - after.records,
    scopes: before.scopes - after.scopes,
    turns: before.turns - after.turns,
    pins: before.pins - after.pins,
    entries: before.entries - after.entries,
  };
}

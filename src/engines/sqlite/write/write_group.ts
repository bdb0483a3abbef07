import { StorageError } from "../../../errors.ts";
import { CATCH_UPS_PER_GROUP_MAX } from "../../../limits.ts";
import { chainEvents } from "../../../engine/chain.ts";
import type { RecordedEvent } from "../../../engine/operation.ts";
import { APPLIED_EVENTS } from "../database/applied_events.ts";
import { assertAgreement } from "../database/agreement.ts";
import { catchUp, insertDirty } from "./catch_up.ts";
import { insertDeletions } from "./deletions.ts";
import { failRecorded, outcomeUnknown } from "../../../engine/group_errors.ts";
import { GroupTransaction } from "../../../engine/group_transaction.ts";
import type { LedgerMeta } from "../database/ledger.ts";
import { type MainMeta, readMainMeta, updateMainMeta } from "../database/main_meta.ts";
import type { Member } from "../../../engine/member.ts";
import type { StoreParts } from "../database/store_parts.ts";
import { newMark, probeLedger, probeMain } from "./refused_commit.ts";
import { isBusy, isFull } from "../drivers/result_codes.ts";

/** The result of an attempt: start over, wait for a lock (the error), or done. */
type Attempt = "again" | "done" | StorageError;

/** Runs write groups and deletions in the steps of the two-file protocol. */
export class WriteGroups {
  readonly #parts: StoreParts;
  /** Tables known to be marked as dirty, until a table is rewritten. */
  #knownDirty = new Set<string>();
  #knownScrubs = -1;
  #refusal: StorageError | null = null;
  /** Sequence of the event up to which this process verified the chain. */
  #verified: number;

  constructor(parts: StoreParts, verified: number) {
    this.#parts = parts;
    this.#verified = verified;
  }

  /** Runs one group; returns the error, with nothing changed, if a lock was held. */
  run(members: readonly Member[]): StorageError | null {
    if (this.#refusal !== null) return this.#fail(members, this.#refusal);
    for (let attempt = 0; attempt < CATCH_UPS_PER_GROUP_MAX; attempt++) {
      for (const member of members) member.outcome = null;
      const result = this.#attempt(members);
      if (result === "done") return null;
      if (result !== "again") return result;
    }
    return new StorageError("BUSY", "Cannot write: other processes record deletions all the time");
  }

  #attempt(members: readonly Member[]): Attempt {
    const { main, ledger, time, apply, exclusive } = this.#parts;
    const clock = time.readAhead();
    let meta: MainMeta;
    let ledgerMeta: LedgerMeta;
    try {
      main.begin(exclusive && members[0]!.ledger ? "exclusive" : "immediate");
      meta = readMainMeta(main);
      ledgerMeta = ledger.meta();
      assertAgreement(meta, ledger, ledgerMeta);
      if (ledgerMeta.count > meta.applied) {
        catchUp({ main, ledger, clock, apply }, meta);
        this.#verified = meta.verified;
        return "again";
      }
      if (ledgerMeta.announced !== null && !ledger.announce(ledgerMeta, null)) return this.#startOver();
    } catch (error) {
      return this.#giveUp(members, error);
    }
    time.observe(meta.clockMark, meta.clockEpoch);
    const transaction = new GroupTransaction(clock, meta, APPLIED_EVENTS);
    const interrupted = this.#runMembers(members, transaction);
    if (interrupted !== null) return interrupted;
    return this.#commit(members, transaction, meta, ledgerMeta);
  }

  /** Starts over, because the ledger changed meanwhile. */
  #startOver(): Attempt {
    this.#parts.main.rollback();
    this.#parts.ledger.forgetMeta();
    return "again";
  }

  /** Runs each member, in a savepoint if there are several; a result other than null ends the group. */
  #runMembers(members: readonly Member[], transaction: GroupTransaction): Attempt | null {
    const { main } = this.#parts;
    const several = members.length > 1;
    for (const member of members) {
      const mark = transaction.mark();
      try {
        if (several) main.savepoint();
        const value = main.drive(member.factory(transaction));
        if (several) main.releaseSavepoint();
        member.outcome = { kind: "done", value, recorded: transaction.lastPlaceSince(mark) };
      } catch (error) {
        if (isBusy(error)) return this.#giveUp(members, error);
        transaction.rewind(mark);
        member.outcome = { kind: "failed", error };
        if (!main.isTransaction) return runOthersAlone(members, member);
        if (several && !this.#undoMember(member)) return runOthersAlone(members, member);
      }
    }
    return null;
  }

  /** Rolls back to a member's savepoint. If that fails, rolls back the whole transaction and returns false. */
  #undoMember(member: Member): boolean {
    const { main } = this.#parts;
    try {
      main.rollbackToSavepoint();
      return true;
    } catch {
      const { error } = member.outcome as { error: unknown };
      member.outcome = { kind: "failed", error: main.abandon(error) };
      return false;
    }
  }

  #commit(
    members: readonly Member[],
    transaction: GroupTransaction,
    meta: MainMeta,
    ledgerMeta: LedgerMeta,
  ): Attempt {
    const { main, time } = this.#parts;
    if (!transaction.changed || members.every((member) => member.outcome?.kind === "failed")) {
      return this.#endUnchanged(members);
    }
    const before = meta.probe;
    let events: readonly RecordedEvent[] = [];
    try {
      meta.counter = transaction.counter;
      meta.lastIds = transaction.lastIds;
      if (transaction.events.length > 0) {
        events = chainEvents(
          transaction.events,
          { sequence: meta.applied, head: meta.appliedHead },
          transaction.time().effectiveMs,
        );
        transaction.place(events);
      }
      const { markMs, lowered } = transaction.nextClockMark(meta.clockMark);
      meta.clockMark = markMs;
      if (lowered) meta.clockEpoch++;
      meta.verified = Math.max(meta.verified, this.#verified);
      meta.probe = newMark();
      meta.scrubs += transaction.scrubs;
      meta.shrunkBytes = leastOf(meta.shrunkBytes, transaction.shrunkBytes);
      this.#markDirty(transaction.dirty, meta.scrubs);
      if (events.length === 0) updateMainMeta(main, meta);
    } catch (error) {
      return this.#giveUp(members, error);
    }
    const attempt = events.length === 0
      ? this.#commitMain(members, meta, before)
      : this.#commitDeletion(members, meta, ledgerMeta, events);
    if (attempt !== "done") return attempt;
    if (members.some((member) => member.outcome?.kind === "done")) {
      for (const table of transaction.dirty) this.#knownDirty.add(table);
      time.observe(meta.clockMark, meta.clockEpoch);
      this.#verified = meta.verified;
    }
    return "done";
  }

  #endUnchanged(members: readonly Member[]): Attempt {
    try {
      this.#parts.main.rollback();
    } catch (error) {
      return this.#giveUp(members, error);
    }
    return "done";
  }

  #markDirty(tables: readonly string[], scrubs: number): void {
    if (scrubs !== this.#knownScrubs) {
      this.#knownDirty = new Set();
      this.#knownScrubs = scrubs;
    }
    insertDirty(this.#parts.main, tables.filter((table) => !this.#knownDirty.has(table)));
  }

  /** Commits a group without deletions. */
  #commitMain(members: readonly Member[], meta: MainMeta, before: number): Attempt {
    const { main } = this.#parts;
    try {
      main.commit();
    } catch (error) {
      if (main.isTransaction) return this.#giveUp(members, error);
      const verdict = probeMain(main, meta, before);
      if (verdict !== "durable") {
        if (verdict !== "unknown" && isFull(error) && members.length > 1) {
          return runOthersAlone(members, null);
        }
        if (verdict !== "gone") this.#refuseWrites();
        return this.#giveUp(members, verdict === "gone" ? error : outcomeUnknown(error));
      }
    }
    return this.#lookAtFiles(members, meta);
  }

  /** Records the events in the ledger, then commits main; the ledger's COMMIT makes them irrevocable. */
  #commitDeletion(
    members: readonly Member[],
    meta: MainMeta,
    ledgerMeta: LedgerMeta,
    events: readonly RecordedEvent[],
  ): Attempt {
    const { main, ledger, exclusive, announces } = this.#parts;
    try {
      if (announces && !ledger.announce(ledger.meta(), meta.applied + 1)) return this.#startOver();
      ledger.connection.begin(exclusive ? "exclusive" : "immediate");
      const fresh = ledger.readMeta();
      const moved = fresh.count !== meta.applied || fresh.head !== meta.appliedHead;
      // A restore may have withdrawn the announcement: it locks another main than this one.
      const announced = !announces || fresh.announced === meta.applied + 1;
      if (moved || fresh.epoch !== meta.epoch || !announced) {
        ledger.connection.rollback();
        main.rollback();
        ledger.forgetMeta();
        return "again";
      }
      ledger.append(fresh, events);
    } catch (error) {
      return this.#giveUp(members, ledger.connection.abandon(error));
    }
    const refused = this.#commitLedger(members, ledgerMeta, events);
    if (refused !== null) return refused;
    return this.#completeDeletion(members, meta, events);
  }

  /** Commits the ledger; returns null once the events are recorded. */
  #commitLedger(
    members: readonly Member[],
    before: LedgerMeta,
    events: readonly RecordedEvent[],
  ): Attempt | null {
    const { ledger } = this.#parts;
    const { connection } = ledger;
    try {
      connection.commit();
      return null;
    } catch (error) {
      ledger.forgetMeta();
      if (connection.isTransaction) return this.#giveUp(members, connection.abandon(error));
      const verdict = probeLedger(ledger, before, events.at(-1)!.head);
      if (verdict === "durable") return null;
      if (verdict === "gone") return this.#giveUp(members, error);
      this.#refuseWrites();
      return this.#giveUp(members, outcomeUnknown(error));
    }
  }

  /** Commits main's half of a recorded deletion; if that fails, it is completed later. */
  #completeDeletion(members: readonly Member[], meta: MainMeta, events: readonly RecordedEvent[]): Attempt {
    const { main, freshness } = this.#parts;
    const last = events.at(-1)!;
    meta.applied = last.sequence;
    meta.appliedHead = last.head;
    meta.verified = last.sequence;
    try {
      insertDeletions(main, events);
      updateMainMeta(main, meta);
      main.commit();
    } catch (error) {
      freshness.lookedAtMs = -Infinity;
      failRecorded(members, main.abandon(error));
      return "done";
    }
    return this.#lookAtFiles(members, meta);
  }

  /** Refuses to acknowledge a write to a file that is no longer the store's. */
  #lookAtFiles(members: readonly Member[], meta: MainMeta): Attempt {
    try {
      this.#parts.sentinel?.look(meta.shrunkBytes, () => readMainMeta(this.#parts.main).shrunkBytes);
    } catch (error) {
      failRecorded(members, outcomeUnknown(error));
    }
    return "done";
  }

  #refuseWrites(): void {
    this.#refusal = new StorageError(
      "IO",
      "Cannot write: the outcome of an earlier write is unknown; close and open the store again",
      { details: { refused: true } },
    );
  }

  /**
   * Rolls main back. Returns the error of a held lock, to wait for it; any other error fails the members that have
   * not failed yet.
   */
  #giveUp(members: readonly Member[], error: unknown): Attempt {
    const first = this.#parts.main.abandon(error);
    if (isBusy(first)) return first as StorageError;
    this.#fail(members, first);
    return "done";
  }

  #fail(members: readonly Member[], error: unknown): null {
    for (const member of members) {
      if (member.outcome?.kind !== "failed") member.outcome = { kind: "failed", error };
    }
    return null;
  }
}

/** Lets all members but the failing one run again, each alone: SQLite ended the whole transaction. */
function runOthersAlone(members: readonly Member[], failing: Member | null): Attempt {
  for (const member of members) {
    if (member !== failing) member.outcome = { kind: "alone" };
  }
  return "done";
}

/**
 * The lesser of two sizes. Long after a later scrub, main may still have the smaller size that an earlier one left.
 */
function leastOf(before: number | null, now: number | null): number | null {
  if (before === null) return now;
  return now === null ? before : Math.min(before, now);
}

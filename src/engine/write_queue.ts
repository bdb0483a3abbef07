import { jitter, monotonicMs, sleep, soon } from "../clock.ts";
import type { StorageError } from "../errors.ts";
import {
  BUSY_SLEEP_MS,
  GROUP_BYTES_MAX,
  GROUP_MEMBERS_MAX,
  WRITING_PAUSE_MS,
  WRITING_WITHOUT_PAUSE_MS_MAX,
} from "../limits.ts";
import type { Operation, WriteTransaction } from "./operation.ts";
import type { Member, Outcome } from "./member.ts";

/** Runs a group in one transaction; returns the error if a lock was held, with nothing changed. */
type RunGroup = (members: readonly Member[]) => StorageError | null;

/**
 * The writes of one process, in call order. The queue takes a group once the event loop has delivered what was ready, so
 * that calls from separate requests share one commit.
 */
export class WriteQueue {
  readonly #runGroup: RunGroup;
  readonly #busyTimeoutMs: number;
  readonly #assertOpen: () => void;
  #waiting: Member[] = [];
  #pumping = false;
  #writingSinceMs = 0;
  #lastGroupEndedMs = -Infinity;
  #onIdle: (() => void)[] = [];
  /** Modules that members need and that are still loading. */
  #needs: Promise<void>[] = [];

  /** `assertOpen` throws once the store is closed. */
  constructor(runGroup: RunGroup, busyTimeoutMs: number, assertOpen: () => void) {
    this.#assertOpen = assertOpen;
    this.#runGroup = runGroup;
    this.#busyTimeoutMs = busyTimeoutMs;
  }

  /** Queues a write; rejects with the signal's reason if it is cancelled before it ran. */
  add<T>(
    factory: (transaction: WriteTransaction) => Operation<T>,
    options: {
      readonly ledger: boolean;
      readonly bytes: number;
      readonly alone?: boolean;
      readonly needs?: readonly (Promise<void> | undefined)[];
      readonly signal: AbortSignal | undefined;
    },
  ): Promise<T> {
    const { ledger, bytes, alone = false, needs = [], signal } = options;
    return new Promise<T>((resolve, reject) => {
      if (signal?.aborted === true) return reject(signal.reason);
      const withdraw = (): void => {
        const index = this.#waiting.indexOf(member);
        if (index < 0) return;
        this.#waiting.splice(index, 1);
        reject(signal?.reason);
      };
      const settle = (outcome: Outcome): void => {
        signal?.removeEventListener("abort", withdraw);
        if (outcome.kind === "done") resolve(outcome.value as T);
        else if (outcome.kind === "failed") reject(outcome.error);
      };
      const deadlineMs = monotonicMs() + this.#busyTimeoutMs;
      const member: Member = { factory, ledger, bytes, deadlineMs, alone, outcome: null, settle };
      signal?.addEventListener("abort", withdraw, { once: true });
      // Reading the signal may run the caller's code, which may close the store.
      this.#assertOpen();
      this.#waiting.push(member);
      this.#needs.push(...needs.filter((need) => need !== undefined));
      this.#wake();
    });
  }

  /** Resolves once nothing is queued. */
  idle(): Promise<void> {
    if (!this.#pumping) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onIdle.push(resolve);
    });
  }

  #wake(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    soon(() => void this.#pump());
  }

  async #pump(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#pauseForOthers();
      while (this.#needs.length > 0) await Promise.all(this.#needs.splice(0));
      const group = this.#takeGroup();
      if (group.length === 0) break;
      const busy = this.#runGroup(group);
      this.#lastGroupEndedMs = monotonicMs();
      if (busy === null) this.#settleGroup(group);
      else await this.#waitForLock(group, busy);
      if (this.#waiting.length > 0 && busy === null) await new Promise<void>(soon);
    }
    this.#pumping = false;
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  /** Takes members in order, all of which write to the ledger or none, within the limits of a group. */
  #takeGroup(): Member[] {
    const first = this.#waiting[0];
    if (first === undefined) return [];
    let count = 1;
    let bytes = first.bytes;
    while (!first.alone && count < GROUP_MEMBERS_MAX) {
      const next = this.#waiting[count];
      if (next === undefined || next.alone || next.ledger !== first.ledger) break;
      bytes += next.bytes;
      if (bytes > GROUP_BYTES_MAX) break;
      count++;
    }
    return this.#waiting.splice(0, count);
  }

  /** Settles the callers; members that have to run alone return to the head, in order. */
  #settleGroup(group: readonly Member[]): void {
    const again: Member[] = [];
    for (const member of group) {
      const outcome = member.outcome!;
      if (outcome.kind === "alone") {
        again.push(Object.assign(member, { alone: true, outcome: null }));
      } else {
        member.settle(outcome);
      }
    }
    this.#waiting.unshift(...again);
  }

  /** Returns the group to the head and sleeps outside any transaction, so that the process holds no lock while it waits. */
  async #waitForLock(group: readonly Member[], busy: StorageError): Promise<void> {
    const nowMs = monotonicMs();
    const patient = group.filter((member) => member.deadlineMs > nowMs);
    this.#waiting.unshift(...patient);
    for (const member of group) {
      if (member.deadlineMs <= nowMs) member.settle({ kind: "failed", error: busy });
    }
    if (this.#waiting.length === 0) return;
    const untilDeadline = Math.min(...patient.map((member) => member.deadlineMs)) - nowMs;
    await sleep(Math.min(jitter(BUSY_SLEEP_MS.min, BUSY_SLEEP_MS.max), untilDeadline));
    this.#writingSinceMs = monotonicMs();
  }

  /** After writing for a while, releases the lock long enough for another process to take it. */
  async #pauseForOthers(): Promise<void> {
    const nowMs = monotonicMs();
    if (nowMs - this.#lastGroupEndedMs > WRITING_PAUSE_MS) this.#writingSinceMs = nowMs;
    if (nowMs - this.#writingSinceMs < WRITING_WITHOUT_PAUSE_MS_MAX) return;
    await sleep(WRITING_PAUSE_MS);
    this.#writingSinceMs = monotonicMs();
  }
}

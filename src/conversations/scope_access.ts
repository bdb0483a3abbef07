import { equalBytes } from "../canonical/keyed_hash.ts";
import type { Tell } from "../contracts/memory_options.ts";
import type { Engine } from "../engine/engine.ts";
import type { DeletionEvent, Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import { StorageError } from "../errors.ts";
import { LateModule } from "../late_module.ts";
import { CLOCK_BEHIND_MS_MAX, UPKEEP_ROUNDS_MAX } from "../limits.ts";
import { type Place, UpkeepDue } from "./place.ts";
import type { Due, Moment, StoreAccess, WriteOptions } from "./store_access.ts";

/** What runs in the store: every module counts at every start, so the first call of any conversation loads it. */
export const CALLS: LateModule<typeof import("./calls.ts")> = new LateModule(() => import("./calls.ts"));

const CAN_WAIT: ReadonlySet<string> = new Set(["BUSY", "FULL", "READONLY"]);

/**
 * Whether an error kept something from being written that nobody waits for: upkeep, or the note of an index's use. A read
 * then answers without; also where nothing is written any more, since the outcome of an earlier write is unknown.
 */
export function canWait(error: unknown): boolean {
  return error instanceof StorageError && (CAN_WAIT.has(error.code) || error.details.refused === true);
}

/** One scope's reads and writes, with its upkeep: what is due there is erased before it could be seen. */
export class ScopeAccess implements StoreAccess {
  readonly engine: Engine;
  readonly place: Place;
  readonly tell: Tell;

  constructor(engine: Engine, place: Place, tell: Tell) {
    this.engine = engine;
    this.place = place;
    this.tell = tell;
  }

  read<T>(
    factory: (transaction: ReadTransaction) => Operation<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return this.engine.read(factory, {
      concerns: (event) => this.#concerns(event),
      needs: CALLS.load(),
      signal,
    });
  }

  #concerns(event: DeletionEvent): boolean {
    return event.kind !== "record" && equalBytes(event.scopeHash, this.place.scopeHash);
  }

  async readUpkept<T extends Due>(
    factory: (transaction: ReadTransaction, moment: Moment) => Operation<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const { epoch } = this.engine;
    const read = (): Promise<T> =>
      this.read(
        (transaction) => factory(transaction, { atMs: transaction.time().effectiveMs, epoch }),
        signal,
      );
    const found = await read();
    const { effectiveMs, behindMs } = this.engine.time();
    const { nextDue } = found.row;
    if (nextDue === null || nextDue > effectiveMs || behindMs > CLOCK_BEHIND_MS_MAX) return found;
    try {
      await this.#upkeep(signal);
    } catch (error) {
      if (canWait(error)) return found;
      throw error;
    }
    return await read();
  }

  async write<T>(
    factory: (transaction: WriteTransaction) => Operation<T>,
    options: WriteOptions,
  ): Promise<T> {
    for (let round = 0;; round++) {
      try {
        return await this.engine.write(factory, { ...options, needs: CALLS.load() });
      } catch (error) {
        if (!(error instanceof UpkeepDue) || round >= UPKEEP_ROUNDS_MAX) throw error;
      }
      await this.#upkeep(options.signal);
    }
  }

  /** Erases what is due in this scope, in groups of their own. */
  async #upkeep(signal: AbortSignal | undefined): Promise<void> {
    const { scopeHash, hashKey } = this.place;
    for (let round = 0; round < UPKEEP_ROUNDS_MAX; round++) {
      const { more } = await this.engine.write(
        (transaction) => CALLS.module.expireScope(transaction, scopeHash, hashKey),
        { ledger: true, signal },
      );
      if (!more) return;
    }
  }
}

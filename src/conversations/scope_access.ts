import { equalBytes } from "../canonical/keyed_hash.ts";
import type { EmitEvent } from "../contracts/options/memory_options.ts";
import { tenantHash } from "../deletion/scope_hashes.ts";
import type { Engine } from "../engine/engine.ts";
import type { DeletionEvent, Operation, ReadTransaction, WriteTransaction } from "../engine/operation.ts";
import { LateModule } from "../contracts/late_module.ts";
import { CLOCK_BEHIND_MS_MAX, UPKEEP_ROUNDS_MAX } from "../limits.ts";
import { canWait, ExpiryPending, type Place } from "../scopes/place.ts";
import type { ExpiryState, Moment, StoreAccess, WriteOptions } from "../scopes/store_access.ts";

/** What runs in the store: every module counts at every start, so the first call of any conversation loads it. */
export const CALLS: LateModule<typeof import("./calls.ts")> = new LateModule(() => import("./calls.ts"));

/** Reads and writes of one scope; erases its expired content before it could be seen. */
export class ScopeAccess implements StoreAccess {
  readonly engine: Engine;
  readonly place: Place;
  readonly emit: EmitEvent;
  readonly #others: Pick<LateModule<unknown>, "load"> | undefined;

  /** With what else the calls run, if they are of another room. */
  constructor(engine: Engine, place: Place, emit: EmitEvent, others?: Pick<LateModule<unknown>, "load">) {
    this.engine = engine;
    this.place = place;
    this.emit = emit;
    this.#others = others;
  }

  /** What has to be loaded before an operation runs; undefined once it is there. */
  #needs(): Promise<void> | undefined {
    const own = CALLS.load();
    const others = this.#others?.load();
    return own && others ? own.then(() => others) : own ?? others;
  }

  read<T>(
    factory: (transaction: ReadTransaction) => Operation<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    return this.engine.read(factory, {
      concerns: (event) => this.#concerns(event),
      needs: this.#needs(),
      signal,
    });
  }

  #concerns(event: DeletionEvent): boolean {
    const { hashKey, scope, scopeHash } = this.place;
    if (event.kind === "erase") return equalBytes(event.scopeHash, tenantHash(hashKey, scope.tenantId));
    return event.kind !== "record" && equalBytes(event.scopeHash, scopeHash);
  }

  async readUpkept<T extends ExpiryState>(
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
    const { nextExpiry } = found.row;
    if (nextExpiry === null || nextExpiry > effectiveMs || behindMs > CLOCK_BEHIND_MS_MAX) return found;
    try {
      await this.upkeep(signal);
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
        return await this.engine.write(factory, { ...options, needs: this.#needs() });
      } catch (error) {
        if (!(error instanceof ExpiryPending) || round >= UPKEEP_ROUNDS_MAX) throw error;
      }
      await this.upkeep(options.signal);
    }
  }

  /** Erases expired content of this scope, in groups of its own. */
  async upkeep(signal: AbortSignal | undefined): Promise<void> {
    const { scopeHash, hashKey } = this.place;
    for (let round = 0; round < UPKEEP_ROUNDS_MAX; round++) {
      const { more, isDraining } = await this.engine.write(
        (transaction) => CALLS.module.expireScope(transaction, scopeHash, hashKey),
        { ledger: true, signal },
      );
      if (isDraining) await CALLS.module.drainScope(this.engine, scopeHash, signal);
      if (!more) return;
    }
  }
}

/** A signal that counts how often a call looks at it, and is aborted at one of these looks. */

/** What a cancelled call must reject with. */
export const REASON: Error = new Error("cancelled at a look");

const readAborted = Object.getOwnPropertyDescriptor(AbortSignal.prototype, "aborted")!.get!;

/** See the module's documentation. */
export class CountedSignal {
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #at: number;
  #looks = 0;

  /** Aborts at the look with this number, from 0; at none if it is infinite. */
  constructor(at: number) {
    this.#at = at;
    const { signal } = this.#controller;
    const look = (): boolean => this.#look();
    const listen = signal.addEventListener;
    Object.defineProperties(signal, {
      aborted: { get: look },
      throwIfAborted: {
        value: () => {
          if (look()) throw signal.reason;
        },
      },
      // Whoever listens is waiting: the signal is aborted while it does.
      addEventListener: {
        value: (...parameters: Parameters<typeof listen>) => {
          listen.apply(signal, parameters);
          if (this.#looks++ === this.#at) queueMicrotask(() => this.#controller.abort(REASON));
        },
      },
    });
    this.signal = signal;
  }

  /** How often it was looked at. */
  get looks(): number {
    return this.#looks;
  }

  /** Whether it has been aborted. */
  get struck(): boolean {
    return this.#looks > this.#at;
  }

  #look(): boolean {
    if (this.#looks++ === this.#at) this.#controller.abort(REASON);
    return readAborted.call(this.signal) as boolean;
  }
}

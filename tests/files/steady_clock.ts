/** Replaces the monotonic clock, so that a window of milliseconds is tested to the millisecond. */
export class SteadyClock implements Disposable {
  readonly #real = performance.now;
  #nowMs = 1_000_000;

  constructor() {
    performance.now = () => this.#nowMs;
  }

  /** Lets time pass. */
  advance(ms: number): void {
    this.#nowMs += ms;
  }

  [Symbol.dispose](): void {
    performance.now = this.#real;
  }
}

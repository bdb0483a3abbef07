/** Stops the clock that deadlines and pauses go by, so that a test decides how much time has passed. */
export class StoppedStopwatch implements Disposable {
  /** Milliseconds, as `performance.now()` tells them. */
  ms = 1_000_000;
  readonly #original = performance.now;

  constructor() {
    performance.now = (): number => this.ms;
  }

  [Symbol.dispose](): void {
    performance.now = this.#original;
  }
}

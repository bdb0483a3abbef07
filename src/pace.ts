/** Keeps long work cancellable and the event loop responsive. */

import { monotonicMs, WORK_MS, yieldToEventLoop } from "./clock.ts";

/** The pace of long work: checks for cancellation and yields to the event loop. Results do not depend on it. */
export class Pace {
  readonly #signal: AbortSignal | null;
  #startedMs = monotonicMs();

  /** Starts with the signal of the call, if it has one. */
  constructor(signal: AbortSignal | null = null) {
    this.#signal = signal;
  }

  /** Throws the signal's reason if the call was cancelled. */
  check(): void {
    this.#signal?.throwIfAborted();
  }

  /** Whether it is time to {@linkcode rest}; also checks for cancellation. */
  mustYield(): boolean {
    this.check();
    return monotonicMs() - this.#startedMs >= WORK_MS;
  }

  /** Yields to the event loop, so that cancellations and other requests can arrive. */
  async rest(): Promise<void> {
    await yieldToEventLoop();
    this.check();
    this.#startedMs = monotonicMs();
  }
}

/** Keeps long work cancellable, and other work served. */

import { monotonicMs, WORK_MS, yieldToEventLoop } from "./clock.ts";

/** Work that can be cancelled, and gives way now and then. What it computes does not depend on it. */
export class Pace {
  readonly #signal: AbortSignal | null;
  #startedMs = monotonicMs();

  /** Takes the signal of the call, if it has one. */
  constructor(signal: AbortSignal | null = null) {
    this.#signal = signal;
  }

  /** Throws the signal's reason if the call was cancelled. */
  check(): void {
    this.#signal?.throwIfAborted();
  }

  /** Whether it is time to {@linkcode rest}; checks for cancellation too. */
  isDue(): boolean {
    this.check();
    return monotonicMs() - this.#startedMs >= WORK_MS;
  }

  /** Lets the event loop run, so that a cancellation can arrive and other requests are served. */
  async rest(): Promise<void> {
    await yieldToEventLoop();
    this.check();
    this.#startedMs = monotonicMs();
  }
}

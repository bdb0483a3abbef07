/** SIGINT and SIGTERM: the first aborts the work, which leaves nothing half done. The second exits at once. */

const SIGNALS: readonly (readonly [signal: Deno.Signal, exitCode: number])[] = Deno.build.os === "windows"
  ? [["SIGINT", 130]]
  : [["SIGINT", 130], ["SIGTERM", 143]];

/** Listens for signals until it is disposed. */
export class Interruption implements Disposable {
  readonly #controller = new AbortController();
  readonly #listeners = SIGNALS.map(([signal, exitCode]) =>
    [signal, (): void => this.#interrupt(exitCode)] as const
  );
  /** The exit code for work that was aborted; null before a signal. */
  exitCode: number | null = null;

  constructor() {
    for (const [signal, listener] of this.#listeners) Deno.addSignalListener(signal, listener);
  }

  /** Aborted by the first signal. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  #interrupt(exitCode: number): void {
    if (this.exitCode !== null) Deno.exit(exitCode);
    this.exitCode = exitCode;
    this.#controller.abort();
  }

  [Symbol.dispose](): void {
    for (const [signal, listener] of this.#listeners) Deno.removeSignalListener(signal, listener);
  }
}

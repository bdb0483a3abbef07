/** SIGINT and SIGTERM: the first asks the work to end, which leaves nothing half done; a second one ends the process. */

const SIGNALS: readonly (readonly [signal: Deno.Signal, exitCode: number])[] = Deno.build.os === "windows"
  ? [["SIGINT", 130]]
  : [["SIGINT", 130], ["SIGTERM", 143]];

/** Listens until its block ends. */
export class Interruption implements Disposable {
  readonly #controller = new AbortController();
  readonly #listeners = SIGNALS.map(([signal, exitCode]) =>
    [signal, (): void => this.#interrupt(exitCode)] as const
  );
  /** What the process ends with if the work did end early; null before a signal. */
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

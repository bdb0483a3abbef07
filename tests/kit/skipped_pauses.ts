/** Writes down how long code wants to sleep, and lets it go on at once. */
export class SkippedPauses implements Disposable {
  /** Milliseconds of each pause, in order. */
  readonly delays: (number | undefined)[] = [];
  readonly #original = globalThis.setTimeout;

  constructor() {
    const replacement = (callback: () => void, ms?: number): ReturnType<typeof setTimeout> => {
      this.delays.push(ms);
      return this.#original(callback, 0);
    };
    globalThis.setTimeout = replacement as typeof setTimeout;
  }

  [Symbol.dispose](): void {
    globalThis.setTimeout = this.#original;
  }
}

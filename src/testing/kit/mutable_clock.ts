/** A clock that stands still until a test moves it. */
export class MutableClock {
  /** Milliseconds since the Unix epoch. */
  ms: number;

  constructor(seconds = 1_000) {
    this.ms = seconds * 1_000;
  }

  /** What `openMemory` takes as its clock. */
  readonly now = (): number => this.ms;

  /** Moves it to a time in seconds, forwards or backwards. */
  set(seconds: number): void {
    this.ms = seconds * 1_000;
  }

  /** Moves it forwards by seconds. */
  advance(seconds: number): void {
    this.ms += seconds * 1_000;
  }
}

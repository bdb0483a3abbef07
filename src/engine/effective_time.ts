import { systemNowMs } from "../clock.ts";
import { ContractError } from "../errors.ts";
import { CLOCK_MS_MAX } from "../limits.ts";
import type { GroupTime } from "./operation.ts";

/**
 * The store's time: the clock, or the highest time seen if that is later, so that nothing expired comes back when a
 * clock steps back. The highest time lives in memory and is written with each write group that asked for the time.
 */
export class EffectiveTime {
  readonly #clock: () => number;
  #highestMs = 0;
  #epoch = -1;

  constructor(clock: () => number = systemNowMs) {
    this.#clock = clock;
  }

  /** Takes over the mark that the store holds; a newer epoch means that the mark was lowered on purpose. */
  observe(markMs: number, epoch: number): void {
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#highestMs = markMs;
    } else if (markMs > this.#highestMs) {
      this.#highestMs = markMs;
    }
  }

  /** Reads the clock, and remembers the time it tells. */
  read(): GroupTime {
    const clockMs = this.#readClock();
    const behindMs = Math.max(0, this.#highestMs - clockMs);
    if (clockMs > this.#highestMs) this.#highestMs = clockMs;
    return { effectiveMs: this.#highestMs, behindMs };
  }

  /** The highest time seen, for what must go on although the clock broke. */
  get highestMs(): number {
    return this.#highestMs;
  }

  #readClock(): number {
    let clockMs: unknown;
    try {
      clockMs = this.#clock();
    } catch (cause) {
      throw new ContractError("clock", "The clock handed to openMemory threw", { cause });
    }
    if (typeof clockMs !== "number" || !(clockMs >= 0 && clockMs <= CLOCK_MS_MAX)) {
      throw new ContractError(
        "clock",
        "The clock handed to openMemory must give milliseconds since the Unix epoch",
      );
    }
    return Math.floor(clockMs);
  }
}

import { systemNowMs } from "../clock.ts";
import { ConflictError, ContractError } from "../errors.ts";
import { CLOCK_MS_MAX } from "../limits.ts";
import type { GroupTime } from "./operation.ts";

/**
 * One reading of the caller's clock, made before a transaction begins. The clock is the caller's code, which may call the
 * store, so operations use this reading and never the clock.
 */
export interface ClockReading {
  /** Effective time at this reading; throws if the clock was broken. */
  time(): GroupTime;
}

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

  /** Adopts the stored mark; a new epoch means that a caller lowered it. */
  observe(markMs: number, epoch: number): void {
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#highestMs = markMs;
    } else if (markMs > this.#highestMs) {
      this.#highestMs = markMs;
    }
  }

  /** Reads the clock, and remembers the highest time. */
  read(): GroupTime {
    return this.#timeAt(this.#readClock());
  }

  /** Reads the clock now, for a transaction that may ask later. If the clock throws, only asking throws. */
  readAhead(): ClockReading {
    let clockMs: number;
    try {
      clockMs = this.#readClock();
    } catch (error) {
      return {
        time: () => {
          throw error;
        },
      };
    }
    return { time: () => this.#timeAt(clockMs) };
  }

  #timeAt(clockMs: number): GroupTime {
    const behindMs = Math.max(0, this.#highestMs - clockMs);
    if (clockMs > this.#highestMs) this.#highestMs = clockMs;
    return { effectiveMs: this.#highestMs, behindMs };
  }

  /** The highest time seen, for work that continues although the clock throws. */
  get highestMs(): number {
    return this.#highestMs;
  }

  #readClock(): number {
    let clockMs: unknown;
    try {
      clockMs = this.#clock();
    } catch (cause) {
      throw new ContractError("clock", "The clock passed to openMemory threw", { cause });
    }
    if (typeof clockMs !== "number" || !(clockMs >= 0 && clockMs <= CLOCK_MS_MAX)) {
      throw new ContractError(
        "clock",
        "The clock passed to openMemory must return milliseconds since the Unix epoch",
      );
    }
    return Math.floor(clockMs);
  }
}

/** For what a deadline is compared. */
interface Comparison {
  /** The action that fails, such as `put turn`. */
  readonly action: string;
  /** The argument that holds the deadline. */
  readonly field?: string;
  /** How far the clock may be behind before it counts as wrong; nothing is tolerated by default. */
  readonly toleratedMs?: number;
}

/**
 * Whether a deadline has passed.
 *
 * @throws {ConflictError} `CLOCK` where it lies after the clock, but not after the highest time seen
 */
export function hasPassed(time: GroupTime, expiryMs: number, comparison: Comparison): boolean {
  const { effectiveMs, behindMs } = time;
  if (expiryMs > effectiveMs) return false;
  if (expiryMs <= effectiveMs - behindMs || behindMs <= (comparison.toleratedMs ?? 0)) return true;
  throw clockBehind(behindMs, comparison);
}

/** The error of a call that cannot set or compare a deadline because the clock is behind. */
export function clockBehind(
  behindMs: number,
  { action, field }: Pick<Comparison, "action" | "field">,
): ConflictError {
  return new ConflictError(
    "CLOCK",
    `Cannot ${action}: the clock is ${behindMs} ms behind the highest time seen`,
    { details: field === undefined ? { behindMs } : { behindMs, field } },
  );
}

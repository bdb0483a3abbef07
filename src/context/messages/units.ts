/** The history in units, newest first: the fewest newest turns that hold the calls of all their results. */

import type { Message } from "../../contracts/message.ts";
import { pairCalls } from "../../contracts/pairing.ts";
import type { TimedTurn } from "../../contracts/turn.ts";
import type { Pace } from "../../pace.ts";
import type { TurnSource } from "../window_turns.ts";

/** Turns that are searched for the call of a result; past them it counts as deleted. */
const TURNS_PER_UNIT_MAX = 64;

/** Turns that a window has or leaves out together, oldest first. */
export interface Unit {
  /** The id of its oldest turn. */
  readonly id: string;
  readonly turns: readonly TimedTurn[];
  readonly messages: readonly Message[];
}

/** Reads units, each once. */
export class Units {
  readonly #iterator: Iterator<TimedTurn> | AsyncIterator<TimedTurn>;
  readonly #pace: Pace;
  /** Turns that were read and belong to no unit yet, newest first. */
  #ahead: TimedTurn[] = [];
  #isDone = false;

  constructor(source: TurnSource, pace: Pace) {
    const turns = source.newestFirst();
    this.#iterator = Symbol.asyncIterator in turns ? turns[Symbol.asyncIterator]() : turns[Symbol.iterator]();
    this.#pace = pace;
  }

  /** The next unit; null past the oldest. */
  async next(): Promise<Unit | null> {
    const newest = await this.#turnAt(0);
    if (newest === null) return null;
    let [size, fewest] = [1, Infinity];
    for (let tried = 1; tried <= TURNS_PER_UNIT_MAX && fewest > 0; tried++) {
      if ((await this.#turnAt(tried - 1)) === null) break;
      const orphans = pairCalls(messagesOf(this.#ahead.slice(0, tried).reverse())).orphans.size;
      if (orphans < fewest) [size, fewest] = [tried, orphans];
    }
    const turns = this.#ahead.slice(0, size).reverse();
    this.#ahead = this.#ahead.slice(size);
    return { id: turns[0]!.turnId, turns, messages: messagesOf(turns) };
  }

  async #turnAt(place: number): Promise<TimedTurn | null> {
    while (this.#ahead.length <= place && !this.#isDone) {
      if (this.#pace.mustYield()) await this.#pace.rest();
      const step = await this.#iterator.next();
      if (step.done) this.#isDone = true;
      else this.#ahead.push(step.value);
    }
    return this.#ahead[place] ?? null;
  }

  async close(): Promise<void> {
    if (!this.#isDone) await this.#iterator.return?.();
    this.#isDone = true;
  }
}

function messagesOf(turns: readonly TimedTurn[]): readonly Message[] {
  return turns.flatMap(({ messages }) => messages);
}

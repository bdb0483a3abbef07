/** One row beside something else that does the same work here. */

import {
  type Answer,
  type Call,
  type Effort,
  type Pairs,
  perUnit,
  type Size,
  timeInTurn,
} from "../measure.ts";

/** What is compared. */
export interface PeerQuestion {
  /** What both do. */
  readonly work: string;
  readonly ours: string;
  readonly peer: string;
  /** How durable both are, and what either does not do. */
  readonly terms: string;
  /** Runs all rounds; says why where the peer cannot be had. */
  readonly run: (size: Size) => Promise<PeerAnswer | string>;
}

/** What the rounds gave, the peer being the floor. */
export type PeerAnswer = Pick<Answer, "floor" | "ours" | "checksum">;

const EFFORT: Readonly<Record<Size, Effort>> = {
  full: { rounds: 11, repetitions: 20, warm: 1 },
  small: { rounds: 1, repetitions: 2, warm: 1 },
};

/** Times two calls in turn, some rounds of some repetitions, after a round that is not counted. */
export function inTurn(size: Size, peer: Call, ours: Call): Promise<Pairs> {
  return timeInTurn(EFFORT[size], peer, ours);
}

/** Divides by the number of calls that were timed together. */
export function perCall(pairs: Pairs, calls: number): Pairs {
  return perUnit(pairs, { floor: calls, ours: calls });
}

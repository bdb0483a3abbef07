/** The interface of a row that compares with another store. */

import {
  type Answer,
  type Call,
  type Effort,
  type Pairs,
  perUnit,
  type Size,
  timeInTurn,
} from "../measure.ts";

/** A comparison with a peer. */
export interface PeerQuestion {
  /** The work of both. */
  readonly work: string;
  readonly ours: string;
  readonly peer: string;
  /** The durability of both, and the work that either does not do. */
  readonly terms: string;
  /** Runs all rounds; resolves to a reason if the peer is not available. */
  readonly run: (size: Size) => Promise<PeerAnswer | string>;
}

/** The result of the rounds; the peer is the floor. */
export type PeerAnswer = Pick<Answer, "floor" | "ours" | "checksum">;

const EFFORT: Readonly<Record<Size, Effort>> = {
  full: { rounds: 11, repetitions: 20, warm: 1 },
  small: { rounds: 1, repetitions: 2, warm: 1 },
};

/** Times two calls in turn, after a warm-up round. */
export function inTurn(size: Size, peer: Call, ours: Call): Promise<Pairs> {
  return timeInTurn(EFFORT[size], peer, ours);
}

/** Divides by the number of calls that were timed together. */
export function perCall(pairs: Pairs, calls: number): Pairs {
  return perUnit(pairs, { floor: calls, ours: calls });
}

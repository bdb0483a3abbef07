/** One row beside something else that does the same work here. */

import { median, type Size, timeUs } from "../measure.ts";

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

/** Microseconds for each unit of work, one number a round. */
export interface PeerAnswer {
  readonly peerUs: readonly number[];
  readonly oursUs: readonly number[];
  /** What was done, so that none of it can be left out. */
  readonly checksum: number;
}

/** Times two calls in turn, some rounds of some repetitions, after a round that is not counted. */
export async function inTurn(
  size: Size,
  peer: (repetition: number) => unknown,
  ours: (repetition: number) => unknown,
): Promise<{ peerUs: number[]; oursUs: number[] }> {
  const [rounds, repetitions] = size === "full" ? [11, 20] : [1, 2];
  const peerUs: number[] = [];
  const oursUs: number[] = [];
  let number = 0;
  for (let round = -1; round < rounds; round++) {
    const one: number[] = [];
    const two: number[] = [];
    for (let repetition = 0; repetition < repetitions; repetition++) {
      one.push(await timeUs(() => peer(number)));
      two.push(await timeUs(() => ours(number)));
      number++;
    }
    if (round < 0) continue;
    peerUs.push(median(one));
    oursUs.push(median(two));
  }
  return { peerUs, oursUs };
}

/** Divides by the number of calls that were timed together. */
export function perCall(
  { peerUs, oursUs }: { readonly peerUs: readonly number[]; readonly oursUs: readonly number[] },
  calls: number,
): { peerUs: readonly number[]; oursUs: readonly number[] } {
  return { peerUs: peerUs.map((us) => us / calls), oursUs: oursUs.map((us) => us / calls) };
}

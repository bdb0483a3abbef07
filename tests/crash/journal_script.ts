/** The calls that a process makes on a journal before it is killed, and what the journal holds after each of them. */

import type { Journal } from "@holdfast/memory";
import { Seeded } from "../model/records/seeded.ts";
import type { Strike } from "./strike.ts";

/** What a process is told to do. */
export interface JournalErrand {
  readonly path: string;
  readonly seed: number;
  /** What the journal holds when it begins. */
  readonly held: readonly number[];
  /** The first number that was never appended. */
  readonly next: number;
  readonly strike: Strike | null;
}

/** What a process tells: that it opened the store, and each call that was acknowledged. */
export type JournalLine = { readonly type: "open" | "end" } | {
  readonly type: "done";
  readonly call: number;
};

/** One call, and what the journal holds afterwards. */
export interface JournalCall {
  readonly after: readonly number[];
  /** The first number that was not appended then. */
  readonly next: number;
  readonly make: (journal: Journal) => Promise<unknown>;
}

/** Calls without end, the same for the same errand. */
export function* journalCalls({ seed, held, next: first }: JournalErrand): Generator<JournalCall> {
  const seeded = new Seeded(seed);
  let before = held;
  for (let next = first;;) {
    const fresh = Array.from({ length: seeded.integer(1, 4) }, () => next++);
    const entries = fresh.map((json) => ({ uuid: `entry ${json}`, json }));
    const from = seeded.integer(1, before.length + 1);
    const count = seeded.integer(1, 3);
    const kept = before;
    const [after, make] = seeded.weighted<readonly [readonly number[], JournalCall["make"]]>([
      [6, [[...kept, ...fresh], (journal) => journal.append(entries)]],
      [2, [kept.slice(0, Math.max(0, kept.length - count)), (journal) => journal.pop(count)]],
      [2, [[...kept.slice(0, from - 1), ...fresh], async (journal) => {
        const expectedRevision = await journal.revision();
        await journal.replaceSuffix({ from, expectedRevision }, entries);
      }]],
      [1, [[], (journal) => journal.clear()]],
    ]);
    before = after;
    yield { after, next, make };
  }
}

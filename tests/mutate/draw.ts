/** Draws breaks by a seed: from each room in turn, a kind, then one break of it. */

import { Seeded } from "../model/records/seeded.ts";
import { type Break, BREAK_KINDS } from "./break.ts";
import type { Room } from "./rooms.ts";

/** A break that was drawn. */
export interface Drawn {
  /** The seed and the number of the draw: the same in the same tree. */
  readonly id: string;
  readonly room: Room;
  readonly found: Break;
}

/** Draws until every break of every room was drawn once; a kind is as likely as another, however many breaks it has. */
export function* drawBreaks(
  seed: number,
  found: ReadonlyMap<Room, readonly Break[]>,
): Generator<Drawn, void> {
  const seeded = new Seeded(seed);
  const left = [...found].map(([room, breaks]) => ({
    room,
    kinds: BREAK_KINDS.map((kind) => seeded.shuffled(breaks.filter((one) => one.kind === kind))),
  }));
  for (let number = 1; left.some(({ kinds }) => kinds.some(({ length }) => length > 0));) {
    for (const { room, kinds } of left) {
      const some = kinds.filter(({ length }) => length > 0);
      if (some.length > 0) yield { id: `${seed}/${number++}`, room, found: seeded.pick(some).pop()! };
    }
  }
}

/** A small store, changed step by step and closed without a scrub: the same seed leaves the same bytes. */

import { openMemory } from "@holdfast/memory";
import { atNoon, ORCHARD, turnOf } from "../conversations/samples.ts";
import { Seeded } from "../model/records/seeded.ts";

/** What was deleted, and how the search for it ends. */
export interface Leftovers {
  /** Deleted marks that are found while the store is open. */
  readonly open: number;
  /** Deleted marks that are found once it is closed. */
  readonly closed: number;
}

const ROUNDS = 60;
const SCATTER = 48_271;

/** Puts twelve turns, revises five, deletes five, sixty times; `search` gives every mark that is in the files. */
export async function leaveBehind(
  path: string,
  seed: number,
  search: () => ReadonlySet<string>,
): Promise<Leftovers> {
  const memory = await openMemory(path, atNoon());
  const conversation = memory.conversation(ORCHARD);
  const seeded = new Seeded(seed);
  const turns: { readonly id: string; content: string; revision: number }[] = [];
  const gone = new Set<string>();
  let revision = await conversation.create();
  let marks = 0;
  const mark = (): string => {
    const number = ((seed * 100_000 + marks++) * SCATTER) % 100_000_000;
    return `zqx${String(number).padStart(8, "0")}`;
  };
  const put = (turn: (typeof turns)[number]): Promise<number> => {
    const text = Array.from({ length: seeded.integer(1, 60) }, () => turn.content).join(" ");
    const expectedRevision = revision++;
    return conversation.putTurn(turnOf(turn.id, text, { revision: turn.revision }), {
      operationId: `operation ${expectedRevision}`,
      expectedRevision,
    });
  };
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(Array.from({ length: 12 }, () => {
      const turn = { id: mark(), content: mark(), revision: 1 };
      turns.push(turn);
      return put(turn);
    }));
    await Promise.all(Array.from({ length: 5 }, () => {
      const turn = seeded.pick(turns);
      gone.add(turn.content);
      turn.content = mark();
      turn.revision++;
      return put(turn);
    }));
    await Promise.all(Array.from({ length: 5 }, () => {
      const [turn] = turns.splice(seeded.integer(0, turns.length - 1), 1);
      gone.add(turn!.id).add(turn!.content);
      return conversation.delete({ kind: "turn", key: turn!.id, expectedRevision: revision++ });
    }));
  }
  const count = (): number => [...search()].filter((found) => gone.has(found)).length;
  const open = count();
  await memory.close();
  return { open, closed: count() };
}

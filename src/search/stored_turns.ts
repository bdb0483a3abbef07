/** Reads the turns of a scope, newest first, in pages that grow, and only as far as the caller iterates. */

import type { TimedTurn } from "../contracts/turn.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { FIRST_PAGE_TURNS, TURNS_PER_PAGE } from "../limits.ts";
import type { View } from "../index/scope_view.ts";
import { SELECT_TURNS_BEFORE, type StoredTurn } from "../tables/turns.ts";

/** The boundary of an empty window: every row is below it. */
const NO_WINDOW: number = Number.MAX_SAFE_INTEGER;

/** A page of turns, and the row before which the next page begins; null after the last. */
interface TurnPage {
  readonly turns: readonly StoredTurn[];
  readonly before: number | null;
}

/** The turns of a view. */
export class StoredTurns {
  readonly count: number;
  readonly #view: View;
  readonly #newest: StoredTurn[] = [];

  /** Creates the turns of a view; reads nothing yet. */
  constructor(view: View) {
    this.#view = view;
    this.count = view.turnCount;
  }

  /** Yields the turns, newest first. */
  async *newestFirst(): AsyncGenerator<TimedTurn, void, undefined> {
    let before: number | null = NO_WINDOW;
    for (let size = FIRST_PAGE_TURNS; before !== null; size = Math.min(size * 2, TURNS_PER_PAGE)) {
      const from: number = before;
      const page = await this.#view.read((transaction) => this.#page(transaction, from, size));
      before = page.before;
      for (const stored of page.turns) {
        this.#newest.push(stored);
        yield stored.turn;
      }
    }
  }

  *#page(transaction: ReadTransaction, before: number, limit: number): Operation<TurnPage> {
    const rows = yield* transaction.all(SELECT_TURNS_BEFORE, this.#view.row.id, before, limit);
    const turns = this.#view.toTurns(rows.filter(([id]) => !this.#view.expiredTurns.has(id as number)));
    return { turns, before: rows.length < limit ? null : rows.at(-1)![0] as number };
  }

  /** Returns the newest turns, which must be read already. */
  newest(size: number): readonly StoredTurn[] {
    return this.#newest.slice(0, size);
  }

  /** Returns the row of the oldest turn of a window; all older turns have lower rows. */
  boundary(size: number): number {
    return size === 0 ? NO_WINDOW : this.#newest[size - 1]!.id;
  }
}

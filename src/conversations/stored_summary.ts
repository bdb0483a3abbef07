/** The summary of a scope, as far as it stands for the oldest turns that a window leaves out. */

import type { SummarySource, UsableSummary } from "../context/summary_policy.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import type { View } from "../index/scope_view.ts";
import { SELECT_COVERED } from "../tables/summaries.ts";

const SELECT_NEWEST_COVERED = `SELECT max(turn) FROM covered_turns WHERE scope = $1`;
const COUNT_TURNS_UP_TO = `SELECT count(*) FROM turns WHERE scope = $1 AND id <= $2`;

/**
 * The stored summary. That it is of its turns exactly as they are was proved when it was put, and a change to one of
 * them drops it; what remains is that they are the oldest, without a gap. One that is damaged by now still counts as
 * summarized, but the view does not have it.
 */
export class StoredSummary implements SummarySource {
  readonly #view: View;

  /** Takes the view, without a summary of expired turns. */
  constructor(view: View) {
    this.#view = view;
  }

  /** The summary, if it covers the oldest of the omitted turns. */
  async find(omitted: number): Promise<UsableSummary | null> {
    const { summary } = this.#view.snapshot;
    const covered = summary?.coveredTurnIds.length ?? 0;
    if (summary === null || covered === 0 || covered - this.#view.expiredTurns.size > omitted) return null;
    const { turns, lost } = await this.#view.read((transaction) => this.#upToCovered(transaction));
    const coveredTurns = covered - lost;
    return turns === coveredTurns && coveredTurns <= omitted ? { summary, coveredTurns } : null;
  }

  /** The view's turns up to the newest that is covered, and covered ones that the view does not have. */
  *#upToCovered(transaction: ReadTransaction): Operation<{ readonly turns: number; readonly lost: number }> {
    const { row, expiredTurns } = this.#view;
    const newest = (yield* transaction.get(SELECT_NEWEST_COVERED, row.id))![0] as number | null;
    if (newest === null) return { turns: 0, lost: 0 };
    const turns = (yield* transaction.get(COUNT_TURNS_UP_TO, row.id, newest))![0] as number;
    const missing = [...expiredTurns].filter((turn) => turn <= newest);
    let lost = 0;
    for (const turn of missing) {
      if ((yield* transaction.get(SELECT_COVERED, row.id, turn)) !== undefined) lost++;
    }
    return { turns: turns - missing.length, lost };
  }
}

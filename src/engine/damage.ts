/** How one call treats damaged rows: it fails at the first one, or notes and skips each. */

import type { Damaged, DamagedRow } from "../contracts/damaged.ts";
import { IntegrityError } from "../errors.ts";
import { CHECK_PROBLEMS_MAX } from "../limits.ts";

/** See the module's documentation. */
export class Damage {
  readonly isSkipped: boolean;
  /** The rows skipped so far, each once; no more than a check would list. */
  readonly skipped: DamagedRow[];
  /** Row ids of the turns among them. */
  readonly turns: Set<number> = new Set();
  readonly #seen = new Set<string>();

  /** Takes the caller's choice, and the list that the caller sees. */
  constructor(damaged: Damaged, skipped: DamagedRow[] = []) {
    this.isSkipped = damaged === "skip";
    this.skipped = skipped;
  }

  /** Reads a row; returns undefined for a damaged one that is skipped. */
  read<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.note(error);
      return undefined;
    }
  }

  /** Reads the row of a turn; notes its id if it is damaged. */
  readTurn<T>(id: number, read: () => T): T | undefined {
    const turn = this.read(read);
    if (turn === undefined) this.turns.add(id);
    return turn;
  }

  /** Notes the damaged row that an error names; rethrows the error if the call skips nothing. */
  note(error: unknown): void {
    if (!this.isSkipped || !(error instanceof IntegrityError)) throw error;
    this.noteRow(error.details as unknown as DamagedRow);
  }

  /** Notes a damaged row; returns false if it was noted before. */
  noteRow(row: DamagedRow): boolean {
    const key = JSON.stringify(row);
    if (this.#seen.has(key)) return false;
    if (this.skipped.length >= CHECK_PROBLEMS_MAX) return true;
    this.#seen.add(key);
    this.skipped.push(Object.freeze({ ...row }));
    return true;
  }

  /** Forgets the noted rows, because they were read before the scope changed. */
  clear(): void {
    this.skipped.length = 0;
    this.turns.clear();
    this.#seen.clear();
  }
}

/** Skips nothing: damage is an error. */
export const NOTHING_SKIPPED: Damage = new Damage("error");

/** How one call treats damaged rows: the first one ends it, or each is noted and left out. */

import type { Damaged, DamagedRow } from "../contracts/damaged.ts";
import { IntegrityError } from "../errors.ts";
import { CHECK_PROBLEMS_MAX } from "../limits.ts";

/** See the module's documentation. */
export class Damage {
  readonly isSkipped: boolean;
  /** What was left out so far, each row once; no more than a check would list. */
  readonly skipped: DamagedRow[];
  /** Row ids of the turns among them. */
  readonly turns: Set<number> = new Set();
  readonly #seen = new Set<string>();

  /** Takes what the caller asked for, and the list that the caller sees. */
  constructor(damaged: Damaged, skipped: DamagedRow[] = []) {
    this.isSkipped = damaged === "skip";
    this.skipped = skipped;
  }

  /** Reads a row; undefined for a damaged one that is left out. */
  read<T>(read: () => T): T | undefined {
    try {
      return read();
    } catch (error) {
      this.note(error);
      return undefined;
    }
  }

  /** Reads a turn's row, of which the id comes first. */
  readTurn<T>(id: number, read: () => T): T | undefined {
    const turn = this.read(read);
    if (turn === undefined) this.turns.add(id);
    return turn;
  }

  /** Notes the damaged row that an error names; throws the error again where nothing is left out. */
  note(error: unknown): void {
    if (!this.isSkipped || !(error instanceof IntegrityError)) throw error;
    this.noteRow(error.details as unknown as DamagedRow);
  }

  /** Notes a damaged row; whether it was not noted before. */
  noteRow(row: DamagedRow): boolean {
    const key = JSON.stringify(row);
    if (this.#seen.has(key)) return false;
    if (this.skipped.length >= CHECK_PROBLEMS_MAX) return true;
    this.#seen.add(key);
    this.skipped.push(Object.freeze({ ...row }));
    return true;
  }

  /** Forgets what was noted, because it was read before the scope changed. */
  clear(): void {
    this.skipped.length = 0;
    this.turns.clear();
    this.#seen.clear();
  }
}

/** Leaves nothing out. */
export const NOTHING_SKIPPED: Damage = new Damage("error");

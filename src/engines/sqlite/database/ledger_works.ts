import { checksumOf } from "../../../canonical/checksum.ts";
import { monotonicMs } from "../../../clock.ts";
import { WORKS_PER_READ } from "../../../limits.ts";
import type { CheckCollector } from "../../../engine/check_collector.ts";
import type { Works } from "../files/works_list.ts";
import type { Connection } from "./connection.ts";
import { retryWhileBusy } from "./retry_while_busy.ts";

const SELECT_WORKS = `SELECT path, checksum FROM works WHERE path > $1 ORDER BY path LIMIT $2`;

const SELECT_WORK = `SELECT checksum FROM works WHERE path = $1`;

const INSERT_WORK = `INSERT INTO works (path, checksum) VALUES ($1, $2)`;

const DELETE_WORK = `DELETE FROM works WHERE path = $1`;

/** Dependencies of {@linkcode LedgerWorks}. */
interface WorksParts {
  /** The ledger's connection. */
  readonly connection: Connection;
  readonly busyTimeoutMs: number;
  readonly readOnly?: boolean;
  /** Directories of main and ledger; none if omitted, as for a store in memory. */
  readonly directories?: readonly string[];
  /** Throws once the store is closed. */
  readonly assertOpen?: () => void;
}

/**
 * The list of work files, in a table of the ledger: it outlives each main, and a restore has it open.
 *
 * Each change is a transaction of its own, which touches neither events nor the meta row.
 */
export class LedgerWorks implements Works {
  readonly #parts: WorksParts;

  constructor(parts: WorksParts) {
    this.#parts = parts;
  }

  get directories(): readonly string[] {
    return this.#parts.directories ?? [];
  }

  list(): Promise<readonly string[]> {
    return this.#retryWhileBusy((connection) => [...readWorks(connection)].filter((path) => path !== null));
  }

  async remember(path: string): Promise<void> {
    if (this.#parts.readOnly) return;
    const checksum = checksumOf(path);
    await this.#retryWhileBusy((connection) => {
      if (connection.get(SELECT_WORK, path)?.[0] === checksum) return;
      this.#write(connection, () => {
        connection.run(DELETE_WORK, path);
        connection.run(INSERT_WORK, path, checksum);
      });
    });
  }

  async forget(path: string, condition: () => boolean): Promise<void> {
    if (this.#parts.readOnly) return;
    await this.#retryWhileBusy((connection) => {
      if (connection.get(SELECT_WORK, path) === undefined) return;
      this.#write(connection, () => {
        if (condition()) connection.run(DELETE_WORK, path);
      });
    });
  }

  #write(connection: Connection, change: () => void): void {
    try {
      connection.begin("immediate");
      change();
      connection.commit();
    } catch (error) {
      throw connection.abandon(error);
    }
  }

  #retryWhileBusy<T>(call: (connection: Connection) => T): Promise<T> {
    const { connection, busyTimeoutMs, assertOpen } = this.#parts;
    return retryWhileBusy(monotonicMs() + busyTimeoutMs, () => {
      assertOpen?.();
      return call(connection);
    });
  }
}

/** Yields each path, in order; null for a damaged row, whose path must not be used. */
function* readWorks(connection: Connection): Generator<string | null> {
  for (let after = "";;) {
    const rows = connection.all(SELECT_WORKS, after, WORKS_PER_READ);
    for (const [path, checksum] of rows) {
      yield checksumOf(path as string) === checksum ? path as string : null;
    }
    if (rows.length < WORKS_PER_READ) return;
    after = rows.at(-1)![0] as string;
  }
}

/** Checks the rows. */
export function checkWorks(connection: Connection, collector: CheckCollector): void {
  for (const path of readWorks(connection)) {
    if (path === null) {
      collector.problem("ledger", "works", "The checksum of a work file's path does not match");
    }
  }
}

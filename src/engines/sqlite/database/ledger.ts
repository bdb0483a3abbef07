import { checksumOf } from "../../../canonical/checksum.ts";
import { IntegrityError, StorageError } from "../../../errors.ts";
import { lstatOrNull } from "../files/private_file.ts";
import { LEDGER_TAIL_EVENTS } from "../../../limits.ts";
import { decodeCounts, decodeHashes, encodeCounts, encodeHashes, firstHead } from "../../../engine/chain.ts";
import type { DeletionKind, RecordedEvent } from "../../../engine/operation.ts";
import type { Row } from "../../../engine/values.ts";
import type { Connection } from "./connection.ts";
import { isCount, isHead, isIdentity } from "./main_meta.ts";

/** The ledger's one row about itself. */
export interface LedgerMeta {
  /** Identifies the store: 32 hex digits, the same in ledger and main. */
  readonly lineage: string;
  /** Number of restores of this lineage. */
  readonly generation: number;
  /** The epoch of the live main; null until the first main is finished. */
  readonly epoch: string | null;
  /** Number of events. */
  readonly count: number;
  /** Head of the hash chain at the newest event. */
  readonly head: string;
  /** Changed to find out whether a failed commit can still take effect. */
  readonly probe: number;
  /** The sequence of a batch that is about to be recorded; null if none is. */
  readonly announced: number | null;
}

const SELECT_META =
  `SELECT lineage, generation, epoch, count, head, probe, announced, checksum FROM meta WHERE id = 1`;

const INSERT_META =
  `INSERT INTO meta (id, lineage, generation, epoch, count, head, probe, announced, checksum)
  VALUES (1, $1, $2, $3, $4, $5, $6, $7, $8)`;

const UPDATE_META =
  `UPDATE meta SET generation = $1, epoch = $2, count = $3, head = $4, probe = $5, announced = $6,
  checksum = $7
  WHERE id = 1`;

const UPDATE_ANNOUNCED = `UPDATE meta SET announced = $1, checksum = $2 WHERE id = 1 AND checksum = $3`;

const SELECT_DATA_VERSION = `PRAGMA data_version`;

const PAGE_COUNT = `PRAGMA page_count`;

const PAGE_SIZE = `PRAGMA page_size`;

const SELECT_HEAD = `SELECT head FROM events WHERE sequence = $1`;

/** The columns of an event in the ledger; main's copy has a checksum besides. */
export const EVENT_COLUMNS =
  "sequence, batch, kind, scope_hash, key_hash, reserved, floor, at, counts, head, hashes";

const SELECT_EVENTS = `SELECT ${EVENT_COLUMNS} FROM events WHERE sequence > $1 ORDER BY sequence LIMIT $2`;

const INSERT_EVENT = `INSERT INTO events (${EVENT_COLUMNS})
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`;

/** The deletion ledger: an append-only chain of events in a database of its own. */
export class Ledger {
  readonly connection: Connection;
  readonly #path: string | null;
  #cached: { readonly dataVersion: number; readonly meta: LedgerMeta } | null = null;

  /** @param path the file of an open store's ledger; null for a copy or a store in memory */
  constructor(connection: Connection, path: string | null = null) {
    this.connection = connection;
    this.#path = path;
  }

  /** The meta row, cached until another connection changes the file. */
  meta(): LedgerMeta {
    const dataVersion = this.connection.get(SELECT_DATA_VERSION)![0] as number;
    if (this.#cached?.dataVersion !== dataVersion) this.#cached = { dataVersion, meta: this.readMeta() };
    return this.#cached.meta;
  }

  /** Clears the cache of {@linkcode meta}: a connection's own commits do not change its data version. */
  forgetMeta(): void {
    this.#cached = null;
  }

  /** Reads the meta row. */
  readMeta(): LedgerMeta {
    const row = this.connection.get(SELECT_META);
    if (row === undefined) throw new IntegrityError("Cannot use ledger: its meta row is missing");
    if (checksumOf(...row.slice(0, 7)) !== row[7]) {
      throw new IntegrityError("Cannot use ledger: the checksum of its meta row does not match", {
        details: { table: "ledger.meta" },
      });
    }
    const meta = {
      lineage: row[0] as string,
      generation: row[1] as number,
      epoch: row[2] as string | null,
      count: row[3] as number,
      head: row[4] as string,
      probe: row[5] as number,
      announced: row[6] as number | null,
    };
    if (isPossible(meta)) return meta;
    throw new IntegrityError("Cannot use ledger: its meta row has impossible values", {
      details: { table: "ledger.meta" },
    });
  }

  insertMeta(meta: LedgerMeta): void {
    const { lineage, generation, epoch, count, head, probe, announced } = meta;
    const checksum = checksumOfMeta(meta);
    this.connection.run(INSERT_META, lineage, generation, epoch, count, head, probe, announced, checksum);
  }

  updateMeta(meta: LedgerMeta): void {
    const { generation, epoch, count, head, probe, announced } = meta;
    const checksum = checksumOfMeta(meta);
    const changed = this.connection.run(
      UPDATE_META,
      generation,
      epoch,
      count,
      head,
      probe,
      announced,
      checksum,
    );
    if (changed !== 1) throw new IntegrityError("Cannot use ledger: its meta row is missing");
    this.forgetMeta();
  }

  /**
   * Announces, in a commit of its own, that a batch will be recorded; null withdraws the announcement.
   *
   * Returns false if the ledger changed meanwhile. A process that is killed during the COMMIT of its batch can leave
   * pages in the log. No connection sees them while the ledger stays open, but they take effect when the log is
   * recovered: a deletion that was never acknowledged would then erase what was written since. A process that finds
   * an announced batch missing therefore withdraws the announcement first. That commit overwrites those pages.
   */
  announce(meta: LedgerMeta, announced: number | null): boolean {
    this.forgetMeta();
    const checksum = checksumOfMeta({ ...meta, announced });
    return this.connection.run(UPDATE_ANNOUNCED, announced, checksum, checksumOfMeta(meta)) === 1;
  }

  /** The head of the chain at an event; null if there is no such event. */
  headAt(sequence: number, meta: LedgerMeta): string | null {
    if (sequence === meta.count) return meta.head;
    if (sequence === 0) return firstHead(meta.lineage);
    return (this.connection.get(SELECT_HEAD, sequence)?.[0] ?? null) as string | null;
  }

  /** Reads up to `limit` events after a sequence, oldest first. */
  eventsAfter(sequence: number, limit: number): readonly RecordedEvent[] {
    return this.connection.all(SELECT_EVENTS, sequence, limit).map(toRecordedEvent);
  }

  /** Reads the meta row and every event after a sequence, in one snapshot. */
  since(sequence: number): { readonly meta: LedgerMeta; readonly events: readonly RecordedEvent[] } {
    const { connection } = this;
    connection.begin("deferred");
    try {
      const meta = this.readMeta();
      const events = this.eventsAfter(sequence, meta.count - sequence);
      connection.commit();
      return { meta, events };
    } catch (error) {
      throw connection.abandon(error);
    }
  }

  /**
   * Reads the meta row and the newest events in one snapshot, and verifies the file's size.
   *
   * The events are not verified. A concurrent writer in another process causes no error.
   *
   * @throws {IntegrityError} if the file was truncated or cannot be read
   */
  tail(): { readonly meta: LedgerMeta; readonly rows: readonly Row[] } {
    const { connection } = this;
    connection.begin("deferred");
    try {
      const meta = this.readMeta();
      this.#requireWholeFile();
      const after = Math.max(0, meta.count - LEDGER_TAIL_EVENTS);
      const rows = meta.count === 0 ? [] : connection.all(SELECT_EVENTS, after, LEDGER_TAIL_EVENTS);
      connection.commit();
      return { meta, rows };
    } catch (error) {
      throw connection.abandon(asDamage(error));
    }
  }

  /**
   * Requires that the file has all the pages that SQLite counts. SQLite reads missing bytes of a last page as zeros.
   *
   * While the log has content the file may be shorter, because a killed checkpoint has copied only some of the log's
   * pages. The log cannot be emptied, and the file cannot change, while this transaction reads.
   */
  #requireWholeFile(): void {
    if (this.#path === null || (lstatOrNull(`${this.#path}-wal`)?.size ?? 0) > 0) return;
    const bytes = lstatOrNull(this.#path)?.size;
    const pages = this.connection.get(PAGE_COUNT)![0] as number;
    const expected = pages * (this.connection.get(PAGE_SIZE)![0] as number);
    if (bytes === undefined || bytes >= expected) return;
    throw new IntegrityError("Cannot use ledger: its file was truncated", { details: { bytes, expected } });
  }

  /** Inserts events and updates the meta row; must run within a transaction of this connection. */
  append(meta: LedgerMeta, events: readonly RecordedEvent[]): void {
    this.insertEvents(events);
    const last = events.at(-1)!;
    this.updateMeta({ ...meta, count: last.sequence, head: last.head, announced: null });
  }

  /** Inserts events without updating the meta row. */
  insertEvents(events: readonly RecordedEvent[]): void {
    for (const event of events) {
      this.connection.run(
        INSERT_EVENT,
        event.sequence,
        event.batch,
        event.kind,
        event.scopeHash,
        event.keyHash,
        event.reserved ? 1 : 0,
        event.floor,
        event.at,
        encodeCounts(event.counts),
        event.head,
        encodeHashes(event.hashes),
      );
    }
  }
}

/** Reports damage that SQLite finds in the tail like damage that the chain reveals. */
function asDamage(error: unknown): unknown {
  if (!(error instanceof StorageError && error.code === "CORRUPT")) return error;
  const { details } = error;
  return new IntegrityError("Cannot use ledger: its newest pages cannot be read", { details, cause: error });
}

function checksumOfMeta({ lineage, generation, epoch, count, head, probe, announced }: LedgerMeta): number {
  return checksumOf(lineage, generation, epoch, count, head, probe, announced);
}

/** Whether the values are possible. A checksum reveals damage, but a forged file can have a correct one. */
function isPossible({ lineage, generation, epoch, count, head, probe, announced }: LedgerMeta): boolean {
  return isIdentity(lineage) && isCount(generation) && (epoch === null || isIdentity(epoch)) &&
    isCount(count) && isHead(head) && isCount(probe) && isCount(Math.abs(announced ?? 0));
}

const KINDS: ReadonlySet<unknown> = new Set<DeletionKind>([
  ...["record", "scope", "turn", "pin", "journal", "subject", "erase"] as const,
]);

/** Validates an event's row. */
export function toRecordedEvent(row: Row): RecordedEvent {
  const [sequence, batch, kind, scopeHash, keyHash, reserved, floor, at, counts, head, encodedHashes] = row;
  if (!KINDS.has(kind)) throw new IntegrityError("Cannot use ledger: an event has an unknown kind");
  if (!(scopeHash instanceof Uint8Array && keyHash instanceof Uint8Array)) {
    throw new IntegrityError("Cannot use ledger: an event lacks a hash of its scope or key");
  }
  if (reserved !== 0 && reserved !== 1) {
    throw new IntegrityError("Cannot use ledger: an event's reserved flag must be 0 or 1");
  }
  const hashes = decodeHashes(encodedHashes);
  return {
    sequence: sequence as number,
    batch: batch as number,
    kind: kind as DeletionKind,
    scopeHash,
    keyHash,
    reserved: reserved === 1,
    floor: floor as number,
    at: at as number,
    counts: decodeCounts(counts as string),
    head: head as string,
    ...hashes === undefined ? {} : { hashes },
  };
}

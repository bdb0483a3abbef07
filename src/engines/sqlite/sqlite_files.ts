/** Creates files of a store: backups, exported ledgers, other private files; and removes leftovers. */

import type { BackupProgress, BackupReport } from "../../contracts/options/backup_options.ts";
import type { Leftover, SweptLeftovers } from "../../contracts/options/leftovers_report.ts";
import { CheckCollector } from "../../engine/check_collector.ts";
import type { EffectiveTime } from "../../engine/effective_time.ts";
import type { Engine } from "../../engine/engine.ts";
import type { BackupParts, CopyStep, EngineFiles, NewFile } from "../../engine/engine_files.ts";
import { IntegrityError, StorageError } from "../../errors.ts";
import { BACKUP, type DatabaseKind, LEDGER, LEDGER_EXPORT, MAIN } from "./database/database.ts";
import { LedgerWorks } from "./database/ledger_works.ts";
import type { OpenedStore } from "./database/opened_store.ts";
import { WorkDatabase } from "./database/work_database.ts";
import { prepareDestination } from "./files/destination.ts";
import { findLeftovers, sweepLeftovers } from "./files/leftovers.ts";
import { parsePath, resolveFile } from "./files/store_path.ts";
import { RememberedWork } from "./files/remembered_work.ts";
import type { Works } from "./files/works_list.ts";
import { checkCopy } from "./read/check_copy.ts";
import { copyDatabase } from "./read/copying.ts";

/** Dependencies of {@linkcode SqliteFiles}. */
interface FilesParts {
  readonly engine: Pick<Engine, "readOnly" | "lineage" | "epoch" | "watermark">;
  readonly store: OpenedStore;
  readonly time: EffectiveTime;
  readonly busyTimeoutMs: number;
  /** Applies pending deletions, unless that has to wait. */
  readonly completeIfPossible: () => Promise<void>;
  /** Throws once the store is closed. */
  readonly assertOpen: () => void;
}

/** Creates a store's backups, exported ledgers and other private files, and removes leftovers. */
export class SqliteFiles implements EngineFiles {
  /** The list of this store's work files. */
  readonly works: Works;
  readonly #parts: FilesParts;

  constructor(parts: FilesParts) {
    const { engine, store, busyTimeoutMs, assertOpen } = parts;
    this.#parts = parts;
    this.works = new LedgerWorks({
      connection: store.ledger.connection,
      busyTimeoutMs,
      readOnly: engine.readOnly,
      directories: store.directories,
      assertOpen,
    });
  }

  async backUp(
    of: BackupReport["of"],
    destination: unknown,
    { signal, onProgress, mend, checkRows }: BackupParts,
  ): Promise<Omit<BackupReport, "skipped">> {
    const target = prepareDestination("destination", destination);
    signal?.throwIfAborted();
    const leftovers = await this.sweep();
    await using work = await RememberedWork.claim(this.works, target);
    const { file: copy } = work;
    const report = (step: BackupProgress["step"]) => (part: string, rows: number): void =>
      onProgress?.({ step, part, rows });
    const place = await this.#copy(of, copy.path, { signal, onRows: report("copy") });
    if (mend !== undefined) await this.#change(copy.path, mend, signal);
    const collector = new CheckCollector({
      signal,
      onProgress: ({ part, rows }) => report("check")(part, rows),
    });
    const kind = copyKind(of);
    {
      using database = WorkDatabase.open(kind, copy.path, this.#parts.store.driver);
      await checkCopy(kind, database, collector, checkRows);
    }
    assertIntact(collector);
    const { bytes } = copy;
    signal?.throwIfAborted();
    copy.publish();
    return { of, bytes, ...place, leftovers };
  }

  async create(field: string, path: unknown): Promise<NewFile> {
    return await RememberedWork.claim(this.works, resolveFile(parsePath(field, path)));
  }

  leftovers(): Promise<readonly Leftover[]> {
    return findLeftovers(this.works);
  }

  async sweep(): Promise<SweptLeftovers> {
    if (this.#parts.engine.readOnly) return { removed: [], kept: await this.leftovers() };
    return await sweepLeftovers(this.works);
  }

  async #copy(
    of: BackupReport["of"],
    path: string,
    options: Parameters<typeof copyDatabase>[3],
  ): ReturnType<typeof copyDatabase> {
    const { engine, store, busyTimeoutMs, completeIfPossible, assertOpen } = this.#parts;
    const { main, ledger, driver, openReader } = store;
    assertOpen();
    await completeIfPossible();
    assertOpen();
    const kind = of === "ledger" ? LEDGER : MAIN;
    const parts = {
      own: kind === LEDGER ? ledger.connection : main,
      openReader: openReader === null ? null : () => openReader(kind),
      driver,
      busyTimeoutMs,
    };
    const place = await copyDatabase(copyKind(of), path, parts, options);
    // A read, which throws if another store took this one's place.
    await engine.watermark();
    if (place.lineage === engine.lineage && place.epoch === engine.epoch) return place;
    throw new StorageError("REPLACED", "Cannot copy store: it was replaced meanwhile", {
      details: { by: "file" },
    });
  }

  /** Changes a copy of main in one transaction, step by step; erased content leaves no trace in the file. */
  async #change(
    path: string,
    change: (step: CopyStep) => Promise<void>,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { changeCopy } = await import("./write/change_copy.ts");
    using work = WorkDatabase.open(BACKUP, path, this.#parts.store.driver);
    await changeCopy(work.connection, this.#parts.time, { change, signal });
  }
}

function copyKind(of: BackupReport["of"]): DatabaseKind {
  return of === "ledger" ? LEDGER_EXPORT : BACKUP;
}

/** Refuses a copy of a damaged store: a restore would refuse it when it is needed. */
function assertIntact(collector: CheckCollector): void {
  const [first] = collector.report().problems;
  if (first === undefined) return;
  throw new IntegrityError(
    `Cannot make backup: the store is damaged in ${first.table}; check() says where`,
    {
      details: {
        ...collector.first,
        problems: collector.report().problems.length,
        table: first.table,
      },
    },
  );
}

/** Imports lines: validates each one, and writes them in bounded groups, except those that were deleted here. */

import { yieldToEventLoop } from "../clock.ts";
import { readFields, requireSignal } from "../contracts/arguments.ts";
import type { ImportReport, LineCounts, Lines } from "../contracts/options/lines_options.ts";
import type { EmitEvent } from "../contracts/options/memory_options.ts";
import type { RecordKind } from "../contracts/record_kind.ts";
import { sameScope } from "../contracts/scope.ts";
import { placeOf } from "../scopes/place.ts";
import type { ScopeLimits } from "../conversations/put_turn.ts";
import { ScopeAccess } from "../conversations/scope_access.ts";
import { firstHead } from "../engine/chain.ts";
import type { Engine } from "../engine/engine.ts";
import { ConflictError, ContractError, StorageError } from "../errors.ts";
import { IMPORT_GROUP_BYTES, IMPORT_GROUP_LINES } from "../limits.ts";
import { HeldMedia } from "./held_media.ts";
import { importRecords, type Outcome, type Outcomes } from "./import_records.ts";
import { importItems } from "./import_scope.ts";
import { emptyTally, LinesDigest, type Tally } from "./line.ts";
import { type NumberedLine, readLines, SourceFailure } from "./line_source.ts";
import {
  type ParsedEnd,
  type ParsedHeader,
  type ParsedLine,
  parseLine,
  type ScopeItem,
} from "./parse_line.ts";
import type { ImportedRecord } from "./parse_record.ts";
import type { Origin } from "./tombstone_pass.ts";

/** The store to import into. */
interface ImportTarget {
  readonly engine: Engine;
  readonly kinds: ReadonlyMap<string, RecordKind>;
  readonly limits: ScopeLimits;
  readonly emit: EmitEvent;
}

/** Imports lines; resolves to the number of lines by outcome. */
export async function importLines(
  target: ImportTarget,
  lines: Lines,
  options: unknown,
): Promise<ImportReport> {
  const signal = requireSignal(readFields("options", options, ["signal"]).signal);
  if (target.engine.readOnly) {
    throw new StorageError("READONLY", "Cannot import: the store was opened read-only");
  }
  const importing = new Import(target, signal);
  signal?.throwIfAborted();
  try {
    for await (const line of readLines(lines, signal)) await importing.take(line);
    return importing.finish();
  } catch (error) {
    if (error instanceof SourceFailure) throw error.cause;
    throw importing.withLine(error instanceof ContractError ? await importing.settle(error) : error);
  }
}

type Sort = keyof LineCounts;
type Item = ImportedRecord | ScopeItem;

const SORTS: Readonly<Record<Item["type"], Sort>> = {
  record: "records",
  scope: "scopes",
  turn: "turns",
  pin: "pins",
  summary: "summaries",
  journal: "journals",
  entry: "entries",
};

/** A validated line that waits to be written with others: a record, or an item of the current scope. */
interface Waiting {
  readonly line: number;
  readonly item: Item;
}

/** A running import. */
class Import {
  readonly #target: ImportTarget;
  readonly #signal: AbortSignal | undefined;
  readonly #digest = new LinesDigest();
  readonly #seen = emptyTally();
  readonly #report: Readonly<Record<Outcome, Tally>> = {
    imported: emptyTally(),
    unchanged: emptyTally(),
    conflicting: emptyTally(),
    refused: emptyTally(),
    expired: emptyTally(),
  };
  /** Null before the header. */
  #origin: Origin | null = null;
  /** The current scope, to which turns, pins and summaries belong. */
  #scope: ScopeItem & { readonly type: "scope" } | null = null;
  /** The part of the journal that entries belong to; null where no journal of the scope has begun. */
  #part: string | null = null;
  /** The part of the last journal of the scope that differs from the one here. */
  #differing: string | null = null;
  #waiting: Waiting[] = [];
  #waitingBytes = 0;
  /** Media of the current scope. */
  #media: HeldMedia;
  /** Damaged rows that the export left out. */
  #skipped = 0;
  #line = 0;
  #ended = false;

  constructor(target: ImportTarget, signal: AbortSignal | undefined) {
    this.#target = target;
    this.#signal = signal;
    this.#media = new HeldMedia(target.limits.bytes);
  }

  /** Validates a line; writes the waiting ones once the group is full or another scope begins. */
  async take({ number, text }: NumberedLine): Promise<void> {
    this.#line = number;
    if (this.#ended) throw new ContractError("lines", "Expected no line after the closing line");
    const parsed = parseLine(text, this.#target.kinds);
    if ((parsed.type === "header") !== (this.#origin === null)) {
      throw new ContractError("type", "Expected a header as the first line, and nowhere else");
    }
    await this.#takeParsed(parsed, text.length);
    if (parsed.type !== "end") this.#digest.add(text);
  }

  async #takeParsed(parsed: ParsedLine, bytes: number): Promise<void> {
    if (parsed.type !== "media") this.#media.requireWhole();
    switch (parsed.type) {
      case "header":
        this.#origin = await this.#originOf(parsed);
        return;
      case "mark":
        await this.write();
        if (this.#origin?.sequence !== null) this.#origin = { sequence: parsed.sequence };
        return;
      case "skipped":
        this.#skipped++;
        return;
      case "media":
        if (this.#scope === null) {
          throw new ContractError("type", "Expected media after the line of its scope");
        }
        this.#media.take(parsed);
        return;
      case "end":
        await this.write();
        this.#requireWhole(parsed);
        this.#ended = true;
        return;
      default:
        await this.#wait(parsed, bytes);
    }
  }

  /** The origin of the lines. A store's own export names a position in its history of deletions. */
  async #originOf({ watermark }: ParsedHeader): Promise<Origin> {
    const { engine } = this.#target;
    if (watermark.lineage !== engine.lineage) return { sequence: null };
    const { sequence, head } = watermark;
    const found = sequence === 0
      ? firstHead(engine.lineage)
      : await engine.read((transaction) => transaction.headAt(sequence), { concerns: () => false });
    if (found !== head) {
      throw new ContractError(
        "watermark",
        "Expected the watermark to be a position in this store's history of deletions",
      );
    }
    return { sequence };
  }

  async #wait(item: Item, bytes: number): Promise<void> {
    if (item.type === "record") {
      if (this.#scope !== null) throw new ContractError("type", "Expected records before scopes");
    } else if (item.type === "scope") {
      await this.write();
      this.#media = new HeldMedia(this.#target.limits.bytes);
      this.#scope = item;
      this.#part = this.#differing = null;
    } else {
      this.#requireOwn(item);
    }
    if (item.type === "journal") this.#part = item.part;
    const own = this.#completed(item);
    this.#waiting.push({ line: this.#line, item: own });
    this.#waitingBytes += bytes;
    if (own.type === "turn") {
      this.#waitingBytes += own.media.values().reduce((sum, { length }) => sum + length, 0);
    }
    this.#seen[SORTS[item.type]]++;
    if (this.#waiting.length >= IMPORT_GROUP_LINES || this.#waitingBytes >= IMPORT_GROUP_BYTES) {
      await this.write();
    }
  }

  /** The item with what earlier lines said: its journal, or its media. */
  #completed(item: Item): Item {
    if (item.type === "entry") return { ...item, part: this.#part! };
    return item.type === "turn" ? { ...item, media: this.#media.citedBy(item.turn.messages) } : item;
  }

  #requireOwn(item: Exclude<ScopeItem, { readonly type: "scope" }>): void {
    if (item.type === "journal" || item.type === "entry") {
      if (this.#scope !== null && (item.type === "journal" || this.#part !== null)) return;
      const before = item.type === "journal" ? "its scope" : "its journal";
      throw new ContractError("type", `A line of type ${item.type} must follow the line of ${before}`);
    }
    const own = item.type === "turn"
      ? item.turn.scope
      : item.type === "pin"
      ? item.pin.scope
      : item.summary.scope;
    if (this.#scope !== null && sameScope(own, this.#scope.scope)) return;
    throw new ContractError(`${item.type}.scope`, `Expected the ${item.type} after the line of its scope`);
  }

  /** Writes the valid lines before an invalid one; resolves to the first error in the order of lines. */
  async settle(error: ContractError): Promise<unknown> {
    const line = this.#line;
    try {
      await this.write();
    } catch (earlier) {
      return earlier;
    }
    this.#line = line;
    return error;
  }

  /** Writes the waiting lines. */
  async write(): Promise<void> {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    const bytes = this.#waitingBytes;
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.#signal?.throwIfAborted();
    const items = waiting.map(({ item }) => item);
    const { outcomes, failure } = items[0]!.type === "record"
      ? await this.#writeRecords(items as ImportedRecord[], bytes)
      : await this.#writeItems(items as ScopeItem[], bytes);
    for (const [index, outcome] of outcomes.entries()) {
      const item = items[index]!;
      this.#report[outcome][SORTS[item.type]]++;
      if (item.type === "entry" && outcome === "conflicting") this.#differing = item.part;
      if (item.type === "turn" && outcome === "imported") this.#media.release(item.media);
    }
    if (failure !== null) {
      this.#line = waiting[outcomes.length]!.line;
      throw failure;
    }
    await yieldToEventLoop();
  }

  async #writeRecords(records: readonly ImportedRecord[], bytes: number): Promise<Outcomes> {
    const { engine } = this.#target;
    const { hashKey, generation } = engine;
    const place = { hashKey, generation, origin: this.#origin! };
    return await engine.write((transaction) => importRecords(transaction, records, place), {
      bytes,
      signal: this.#signal,
    });
  }

  async #writeItems(items: readonly ScopeItem[], bytes: number): Promise<Outcomes> {
    const { engine, limits, emit } = this.#target;
    const place = placeOf(engine.hashKey, this.#scope!.scope);
    const differing = this.#differing;
    const line = this.#scope!;
    const target = { place, line, limits, generation: engine.generation, origin: this.#origin!, differing };
    return await new ScopeAccess(engine, place, emit).write(
      (transaction) => importItems(transaction, items, target),
      {
        bytes,
        signal: this.#signal,
      },
    );
  }

  #requireWhole(end: ParsedEnd): void {
    const sorts = Object.values(SORTS);
    const areAllThere = sorts.every((sort) => end[sort] === this.#seen[sort]) &&
      (end.skipped ?? 0) === this.#skipped;
    if (areAllThere && end.digest === this.#digest.finish()) return;
    throw new ContractError(
      "digest",
      "The lines differ from the exported ones: some are missing or changed",
    );
  }

  /** Returns the report; throws if the closing line is missing. */
  finish(): ImportReport {
    if (!this.#ended) {
      this.#line++;
      throw new ContractError("lines", "The closing line is missing: the export is incomplete");
    }
    return { ...this.#report, skipped: this.#skipped };
  }

  /** Adds the line number, and the number of lines imported before, to an error. */
  withLine(error: unknown): unknown {
    const details = { line: this.#line, imported: { ...this.#report.imported } };
    if (error instanceof ContractError) {
      const { field, message, cause } = error;
      const all = { ...details, ...error.details };
      return new ContractError(field, `Line ${all.line}: ${message}`, { details: all, cause });
    }
    if (error instanceof ConflictError) {
      const { reason, message, cause } = error;
      return new ConflictError(reason, `Line ${this.#line}: ${message}`, {
        details: { ...details, ...error.details },
        cause,
      });
    }
    return error;
  }
}

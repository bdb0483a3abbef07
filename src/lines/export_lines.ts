/** Exports a scope or a store as lines: reads in pages, each scope as it is at one moment. */

import { equalBytes } from "../canonical/keyed_hash.ts";
import { instantFromMs } from "../canonical/time.ts";
import { yieldIfBusy } from "../clock.ts";
import { readFields, requireBoolean, requireDamaged, requireSignal } from "../contracts/arguments.ts";
import type { Damaged, DamagedRow } from "../contracts/damaged.ts";
import type { ExportLinesOptions } from "../contracts/options/lines_options.ts";
import { type Scope, toScope } from "../contracts/scope.ts";
import type { Watermark } from "../contracts/watermark.ts";
import { type Place, placeOf } from "../scopes/place.ts";
import { absence, requireScope } from "../scopes/present_scope.ts";
import { Damage } from "../engine/damage.ts";
import type { Engine } from "../engine/engine.ts";
import type { DeletionEvent, Operation, ReadTransaction } from "../engine/operation.ts";
import { ConflictError, IntegrityError } from "../errors.ts";
import { EXPORT_AT_ONCE_BYTES, EXPORT_HELD_BYTES, FRESH_TRIES_MAX } from "../limits.ts";
import type { Identity } from "../tables/records.ts";
import { ExportedMedia } from "./exported_media.ts";
import { exportJournals } from "./export_journals.ts";
import { emptyTally, endLine, headerLine, LinesDigest, markLine, skippedLine, type Tally } from "./line.ts";
import { readRecordLines } from "./read_records.ts";
import {
  readAtOnce,
  readLastScope,
  type ReadScope,
  readScopeHashes,
  readTurnLines,
  type ScopePlan,
  type ScopeView,
  type TurnLine,
} from "./read_scope.ts";

/** Yields the lines of an export, each with its line feed. Adds damaged rows that are left out to `skipped`. */
export async function* exportLines(
  engine: Engine,
  options: ExportLinesOptions,
  skipped: DamagedRow[],
): AsyncGenerator<string> {
  const given = readFields("options", options, ["scope", "includeContent", "damaged", "signal"]);
  const scope = given.scope === undefined ? null : toScope(given.scope);
  const content = given.includeContent === undefined
    ? false
    : requireBoolean("includeContent", given.includeContent);
  const signal = requireSignal(given.signal);
  const damaged = requireDamaged(given.damaged);
  for await (const line of new Export(engine, { content, damaged, skipped, signal }).lines(scope)) {
    signal?.throwIfAborted();
    yield line;
  }
}

/** A running export. */
class Export {
  readonly #engine: Engine;
  readonly #content: boolean;
  readonly #damaged: Damaged;
  /** All rows that were left out so far. */
  readonly #leftOut: Damage;
  readonly #signal: AbortSignal | undefined;
  readonly #digest = new LinesDigest();
  readonly #tally: Tally = emptyTally();
  #skipped = 0;
  /** The number of applied deletions that the last header or mark line stated. */
  #mark = 0;

  constructor(engine: Engine, { content, damaged, skipped, signal }: {
    readonly content: boolean;
    readonly damaged: Damaged;
    readonly skipped: DamagedRow[];
    readonly signal: AbortSignal | undefined;
  }) {
    this.#engine = engine;
    this.#content = content;
    this.#damaged = damaged;
    this.#leftOut = new Damage(damaged, skipped);
    this.#signal = signal;
  }

  async *lines(scope: Scope | null): AsyncGenerator<string> {
    const place = scope === null ? null : placeOf(this.#engine.hashKey, scope);
    const beginning = await this.#read((transaction) => readBeginning(transaction, place), () => false);
    const { generation, epoch } = this.#engine;
    const at = instantFromMs(this.#engine.time().effectiveMs).text;
    const { watermark, lastScope } = beginning;
    this.#mark = watermark.sequence;
    yield this.#line(headerLine({ content: this.#content, scope, generation, epoch, watermark, at }));
    if (place === null) {
      yield* this.#records();
      yield* this.#scopes(lastScope);
    } else if (!(yield* this.#scope(place.scopeHash))) {
      throw await this.#read((transaction) => absence(transaction, place), () => false);
    }
    yield `${endLine(this.#tally, this.#skipped, this.#digest.finish())}\n`;
  }

  #line(text: string): string {
    this.#digest.add(text);
    return `${text}\n`;
  }

  *#counted(sort: keyof Tally, lines: readonly string[]): Generator<string> {
    for (const line of lines) {
      this.#tally[sort]++;
      yield this.#line(line);
    }
  }

  /** A line for each row that the last read left out. */
  *#skippedLines({ skipped }: Damage): Generator<string> {
    for (const row of skipped) {
      if (!this.#leftOut.noteRow(row)) continue;
      this.#skipped++;
      yield this.#line(skippedLine(row));
    }
  }

  *#marked(applied: number): Generator<string> {
    if (applied === this.#mark) return;
    this.#mark = applied;
    yield this.#line(markLine(applied));
  }

  #read<T>(
    factory: (transaction: ReadTransaction) => Operation<T>,
    concerns: (event: DeletionEvent) => boolean,
  ): Promise<T> {
    return this.#engine.read(factory, { concerns, signal: this.#signal });
  }

  async *#records(): AsyncGenerator<string> {
    let after: Identity | null = { tenantId: "", kind: "", key: "" };
    while (after !== null) {
      const from: Identity = after;
      const damage = new Damage(this.#damaged);
      const page = await this.#read((transaction) =>
        readRecordLines(transaction, from, {
          nowSeconds: Math.floor(transaction.time().effectiveMs / 1_000),
          content: this.#content,
          damage,
        }), (event) => event.kind === "record" || event.kind === "erase");
      if (page.lines.length > 0) yield* this.#marked(page.applied);
      yield* this.#counted("records", page.lines);
      yield* this.#skippedLines(damage);
      after = page.after;
      await yieldIfBusy();
    }
  }

  async *#scopes(last: number): AsyncGenerator<string> {
    for (let after = 0;;) {
      const from = after;
      const found = await this.#read((transaction) => readScopeHashes(transaction, from, last), () => false);
      for (const [id, scopeHash] of found) {
        after = id;
        // A scope that was deleted meanwhile yields no lines.
        yield* this.#scope(scopeHash);
      }
      if (found.length === 0) return;
      await yieldIfBusy();
    }
  }

  /** Yields a scope's lines; returns false if the scope does not exist. */
  async *#scope(scopeHash: Uint8Array): AsyncGenerator<string, boolean> {
    const concerns = (event: DeletionEvent): boolean =>
      event.kind === "erase" || event.kind !== "record" && equalBytes(event.scopeHash, scopeHash);
    if (!(yield* this.#conversation(scopeHash, concerns))) return false;
    yield* exportJournals({
      content: this.#content,
      damaged: this.#damaged,
      read: (factory) => this.#read(factory, concerns),
      marked: (applied) => this.#marked(applied),
      counted: (sort, lines) => this.#counted(sort, lines),
      skippedLines: (damage) => this.#skippedLines(damage),
    }, scopeHash);
    return true;
  }

  /** A scope's lines without its journals; false if there is none. */
  async *#conversation(
    scopeHash: Uint8Array,
    concerns: (event: DeletionEvent) => boolean,
  ): AsyncGenerator<string, boolean> {
    for (let attempt = 1;; attempt++) {
      const damage = new Damage(this.#damaged);
      const atMs = this.#engine.time().effectiveMs;
      const plan = { scopeHash, atMs, content: this.#content, damage };
      const bytesMax = attempt > FRESH_TRIES_MAX ? EXPORT_HELD_BYTES : EXPORT_AT_ONCE_BYTES;
      const found = await this.#readOrSkip(plan, bytesMax, concerns);
      if (found === null) {
        yield* this.#skippedLines(damage);
        return false;
      }
      const { view } = found;
      const media = new ExportedMedia((factory) => this.#read(factory, concerns), damage);
      if (view.row.turnBytes + view.row.mediaBytes > EXPORT_HELD_BYTES) {
        yield* this.#opening(view);
        for await (const page of this.#pages(view, plan, concerns)) {
          if (page === null) throw changedMeanwhile();
          for (const turn of page) yield* this.#turn(turn, await media.linesOf(turn) ?? throwChanged());
        }
        yield* this.#closing(view, damage);
        return true;
      }
      const turns = found.turns ?? await this.#buffered(view, plan, concerns);
      const lines = turns === null ? null : await media.linesOfAll(turns);
      if (turns === null || lines === null) continue;
      yield* this.#opening(view);
      for (const [index, turn] of turns.entries()) yield* this.#turn(turn, lines[index]!);
      yield* this.#closing(view, damage);
      return true;
    }
  }

  /** A turn after its media; nothing of it where its media is damaged and left out. */
  *#turn({ line }: TurnLine, media: readonly string[] | "damaged"): Generator<string> {
    if (media === "damaged") return;
    for (const piece of media) yield this.#line(piece);
    yield* this.#counted("turns", [line]);
  }

  *#opening(view: ScopeView): Generator<string> {
    yield* this.#marked(view.applied);
    yield* this.#counted("scopes", [view.opening]);
  }

  *#closing({ closing: { summary, pins } }: ScopeView, damage: Damage): Generator<string> {
    if (summary !== null) yield* this.#counted("summaries", [summary]);
    yield* this.#counted("pins", pins);
    yield* this.#skippedLines(damage);
  }

  /** Reads a scope; null if it does not exist, or if its row is damaged and the whole scope is left out. */
  async #readOrSkip(
    plan: ScopePlan,
    bytesMax: number,
    concerns: (event: DeletionEvent) => boolean,
  ): Promise<ReadScope | null> {
    try {
      return await this.#read((transaction) => readAtOnce(transaction, plan, bytesMax), concerns);
    } catch (error) {
      if (!(error instanceof IntegrityError) || error.details.table !== "scopes") throw error;
      plan.damage.note(error);
      return null;
    }
  }

  /** Buffers all turns of a scope; null if the scope changed while it was read. */
  async #buffered(
    view: ScopeView,
    plan: ScopePlan,
    concerns: (event: DeletionEvent) => boolean,
  ): Promise<readonly TurnLine[] | null> {
    const turns: TurnLine[] = [];
    for await (const page of this.#pages(view, plan, concerns)) {
      if (page === null) return null;
      turns.push(...page);
    }
    return turns;
  }

  /** Yields the turns in pages; ends with null if the scope changed. */
  async *#pages(
    view: ScopeView,
    plan: ScopePlan,
    concerns: (event: DeletionEvent) => boolean,
  ): AsyncGenerator<readonly TurnLine[] | null> {
    for (let after: number | null = 0; after !== null;) {
      const from: number = after;
      const page = await this.#read((transaction) => readTurnLines(transaction, view, plan, from), concerns);
      if (page === null) {
        yield null;
        return;
      }
      yield page.lines;
      after = page.after;
      await yieldIfBusy();
    }
  }
}

function throwChanged(): never {
  throw changedMeanwhile();
}

function changedMeanwhile(): ConflictError {
  return new ConflictError("SNAPSHOT", "Cannot export: the scope changed while it was read");
}

/** Reads the facts of the header; throws before the first line if the requested scope does not exist. */
function* readBeginning(
  transaction: ReadTransaction,
  place: Place | null,
): Operation<{ readonly watermark: Watermark; readonly lastScope: number }> {
  if (place !== null) yield* requireScope(transaction, place);
  const { lineage, applied, appliedHead } = yield* transaction.facts();
  return {
    watermark: { lineage, sequence: applied, head: appliedHead },
    lastScope: yield* readLastScope(transaction),
  };
}

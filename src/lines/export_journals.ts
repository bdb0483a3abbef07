/** Exporting the journals of a scope: each as it is at one moment, after everything else of the scope. */

import { yieldIfBusy } from "../clock.ts";
import type { Damaged } from "../contracts/damaged.ts";
import { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { ConflictError, IntegrityError } from "../errors.ts";
import { EXPORT_AT_ONCE_BYTES, EXPORT_HELD_BYTES, FRESH_TRIES_MAX } from "../limits.ts";
import {
  type JournalPlan,
  readEntryLines,
  readJournalAtOnce,
  readParts,
  type ViewedJournal,
} from "./read_journals.ts";

/** The export that the lines are part of. */
interface ExportParts {
  readonly content: boolean;
  readonly damaged: Damaged;
  read<T>(factory: (transaction: ReadTransaction) => Operation<T>): Promise<T>;
  /** Says how many deletions had been applied to what comes next. */
  marked(applied: number): Iterable<string>;
  counted(sort: "journals" | "entries", lines: readonly string[]): Iterable<string>;
  /** Lines on what was left out. */
  skippedLines(damage: Damage): Iterable<string>;
}

/** The lines of the journals of a scope. */
export async function* exportJournals(parts: ExportParts, scopeHash: Uint8Array): AsyncGenerator<string> {
  const { content, damaged } = parts;
  for (const part of await parts.read((transaction) => readParts(transaction, scopeHash))) {
    let isDone = false;
    for (let attempt = 1; !isDone; attempt++) {
      const plan = { scopeHash, part, content, damage: new Damage(damaged) };
      isDone = yield* exportJournal(parts, plan, attempt);
    }
  }
}

/** A journal's lines; false if entries have gone while it was read, and it has to be read again. */
async function* exportJournal(
  parts: ExportParts,
  plan: JournalPlan,
  attempt: number,
): AsyncGenerator<string, boolean> {
  const bytesMax = attempt > FRESH_TRIES_MAX ? EXPORT_HELD_BYTES : EXPORT_AT_ONCE_BYTES;
  const found = await readOrSkip(parts, plan, bytesMax);
  if (found !== null) {
    const { view } = found;
    const isLarge = view.journal.bytes > EXPORT_HELD_BYTES;
    const entries = isLarge ? [] : found.entries ?? await held(parts, view, plan);
    if (entries === null) return false;
    yield* parts.marked(view.applied);
    yield* parts.counted("journals", [view.opening]);
    yield* parts.counted("entries", entries);
    if (isLarge) {
      for await (const page of pages(parts, view, plan)) {
        if (page === null) {
          throw new ConflictError("SNAPSHOT", "A journal has changed while it was exported");
        }
        yield* parts.counted("entries", page);
      }
    }
  }
  yield* parts.skippedLines(plan.damage);
  return true;
}

/** The journal as it is; null if there is none any more, or its row is damaged and left out with all that it has. */
async function readOrSkip(
  parts: ExportParts,
  plan: JournalPlan,
  bytesMax: number,
): Promise<{ readonly view: ViewedJournal; readonly entries: readonly string[] | null } | null> {
  try {
    return await parts.read((transaction) => readJournalAtOnce(transaction, plan, bytesMax));
  } catch (error) {
    if (!(error instanceof IntegrityError) || error.details.table !== "journals") throw error;
    plan.damage.note(error);
    return null;
  }
}

/** All entries of a journal; null if one has gone meanwhile. */
async function held(
  parts: ExportParts,
  view: ViewedJournal,
  plan: JournalPlan,
): Promise<readonly string[] | null> {
  const entries: string[] = [];
  for await (const page of pages(parts, view, plan)) {
    if (page === null) return null;
    entries.push(...page);
  }
  return entries;
}

/** The entries in pages; a null, and nothing after it, if one has gone. */
async function* pages(
  parts: ExportParts,
  view: ViewedJournal,
  plan: JournalPlan,
): AsyncGenerator<readonly string[] | null> {
  for (let next: number | null = 1; next !== null;) {
    const from: number = next;
    const page = await parts.read((transaction) => readEntryLines(transaction, view, plan, from));
    if (page === null) {
      yield null;
      return;
    }
    yield page.lines;
    next = page.next;
    await yieldIfBusy();
  }
}

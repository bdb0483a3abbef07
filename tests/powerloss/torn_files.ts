/**
 * What a power loss within one call into SQLite may leave, made from the files before and after it. The order of SQLite's
 * writes and syncs is that of its documentation (https://www.sqlite.org/walformat.html, https://www.sqlite.org/atomiccommit.html),
 * and was compared with a trace of the system calls of such runs:
 *
 * - a log: its header, synced (with the directory where the log is new); frames, synced;
 * - a checkpoint: the log synced; pages of the database, synced; the log cut or removed, and that not synced;
 * - a rollback journal: its records, synced, with the directory; its header, synced; pages of the database, synced; the
 *   journal removed (and, with `synchronous = EXTRA`, the directory synced).
 *
 * What was not synced may be there in any sectors, or not at all.
 */

import { equalBytes, type Files, type Step } from "./recording.ts";

const SECTOR = 512;
const PAGE = 4_096;
const LOG_HEADER = 32;
const FRAME = 24 + PAGE;
const NO_BYTES = new Uint8Array();

/** A state of the disk, and what it is. */
export interface Torn {
  readonly what: string;
  readonly files: Files;
}

/** Draws whole numbers below a bound. */
export type Draw = (bound: number) => number;

/** Every kind of state that a power loss within a step may leave, a few of each; the states around it are not among them. */
export function* tornStates(step: Step, draw: Draw): Generator<Torn> {
  if (step.by === "write") yield* tornWork(step, draw);
  if (step.by !== "sqlite") return;
  const changed = new Set(
    [...step.before.keys(), ...step.after.keys()].filter((name) =>
      step.before.get(name) !== step.after.get(name)
    ),
  );
  for (const name of changed) {
    if (/\.(partial|restoring)/.test(name)) {
      yield* tornWork(step, draw);
      return;
    }
  }
  for (const name of changed) {
    if (name.endsWith("-wal")) yield* tornLog(step, name, draw);
    else if (!name.endsWith("-journal")) yield* tornDatabase(step, name, draw);
  }
}

function withFile(files: Files, name: string, bytes: Uint8Array | undefined): Files {
  const copy = new Map(files);
  if (bytes === undefined) copy.delete(name);
  else copy.set(name, bytes);
  return copy;
}

/** A file in the making is not synced before it is whole. */
function* tornWork({ before, after }: Step, draw: Draw): Generator<Torn> {
  for (const [name, bytes] of after) {
    if (!/\.(partial|restoring)$/.test(name) || bytes === before.get(name)) continue;
    yield { what: `${name} cut`, files: withFile(after, name, bytes.slice(0, draw(bytes.length + 1))) };
    yield { what: `${name} in part`, files: withFile(after, name, someSectors(NO_BYTES, bytes, draw)) };
  }
}

function* tornLog({ before, after }: Step, name: string, draw: Draw): Generator<Torn> {
  const old = before.get(name) ?? NO_BYTES;
  const log = after.get(name) ?? NO_BYTES;
  if (log.length === 0) return;
  const isNew = !startsWith(log, old.subarray(0, LOG_HEADER)) || old.length < LOG_HEADER;
  if (isNew) {
    for (const cut of [0, 8, 16, 24]) {
      const header = overlay(old, log.subarray(0, cut), 0);
      yield { what: `${name}: ${cut} bytes of its header`, files: withFile(before, name, header) };
    }
  }
  const from = firstDifference(isNew ? overlay(old, log.subarray(0, LOG_HEADER), 0) : old, log);
  const synced = isNew ? overlay(old, log.subarray(0, LOG_HEADER), 0) : old;
  for (let end = from; end < log.length; end += FRAME) {
    for (const cut of [end, end + draw(FRAME)]) {
      const bytes = overlay(synced, log.subarray(from, cut), from);
      yield { what: `${name}: written up to ${cut} of ${log.length}`, files: withFile(before, name, bytes) };
    }
  }
  for (let times = 0; times < 3; times++) {
    const bytes = someSectors(synced, log, draw, from);
    yield { what: `${name}: some sectors from ${from} on`, files: withFile(before, name, bytes) };
  }
  // Without the directory's entry of a log that is new, nothing of it is there.
  if (!before.has(name)) yield { what: `${name}: its name lost`, files: withFile(before, name, undefined) };
}

/** Main changes by a checkpoint while its log is there, else under a rollback journal. */
function* tornDatabase({ before, after }: Step, name: string, draw: Draw): Generator<Torn> {
  const old = before.get(name) ?? NO_BYTES;
  const database = after.get(name);
  if (database === undefined) return;
  const log = before.get(`${name}-wal`);
  if (log !== undefined && log.length > 0) {
    for (let times = 0; times < 3; times++) {
      yield {
        what: `${name}: copied in part`,
        files: withFile(before, name, someSectors(old, database, draw)),
      };
    }
    const copied = withFile(before, name, database);
    yield { what: `${name}: copied, its log still whole`, files: copied };
    yield { what: `${name}: copied, its log of no bytes`, files: withFile(copied, `${name}-wal`, NO_BYTES) };
    yield { what: `${name}: copied, its log gone`, files: withFile(copied, `${name}-wal`, undefined) };
    return;
  }
  if (old.length === 0 && !before.has(name)) return;
  const journal = makeJournal(old, database, draw(2 ** 32));
  const journalName = `${name}-journal`;
  for (const cut of [0, 12, SECTOR, SECTOR + 100, draw(journal.length + 1)]) {
    const unsynced = journal.slice(0, cut);
    unsynced.fill(0, 8, Math.min(12, cut));
    yield { what: `${journalName}: ${cut} bytes`, files: withFile(before, journalName, unsynced) };
  }
  for (let times = 0; times < 3; times++) {
    const files = withFile(before, journalName, journal);
    yield {
      what: `${name}: written in part`,
      files: withFile(files, name, someSectors(old, database, draw)),
    };
  }
  const files = withFile(withFile(before, name, database), journalName, journal);
  yield { what: `${name}: written, its journal not removed`, files };
}

/** A rollback journal that puts one file back to another, as SQLite would have written it. */
function makeJournal(old: Uint8Array, database: Uint8Array, nonce: number): Uint8Array {
  const pages: number[] = [];
  for (let page = 0; page * PAGE < old.length; page++) {
    const at = page * PAGE;
    if (!startsWith(database.subarray(at, at + PAGE), old.subarray(at, at + PAGE))) pages.push(page);
  }
  const journal = new Uint8Array(SECTOR + pages.length * (PAGE + 8));
  const view = new DataView(journal.buffer);
  view.setBigUint64(0, 0xd9d505f920a163d7n);
  for (
    const [at, value] of [[8, pages.length], [12, nonce], [16, old.length / PAGE], [20, SECTOR], [
      24,
      PAGE,
    ]] as const
  ) {
    view.setUint32(at, value);
  }
  pages.forEach((page, index) => {
    const at = SECTOR + index * (PAGE + 8);
    const bytes = old.subarray(page * PAGE, (page + 1) * PAGE);
    let sum = nonce;
    for (let offset = PAGE - 200; offset > 0; offset -= 200) sum += bytes[offset]!;
    view.setUint32(at, page + 1);
    journal.set(bytes, at + 4);
    view.setUint32(at + 4 + PAGE, sum >>> 0);
  });
  return journal;
}

/** Old bytes, with those of some sectors new, at least from `from` on; the length that of the last sector written. */
function someSectors(old: Uint8Array, fresh: Uint8Array, draw: Draw, from: number = 0): Uint8Array {
  let result = old;
  for (let at = from - from % SECTOR; at < fresh.length; at += SECTOR) {
    if (draw(2) === 0) continue;
    const start = Math.max(at, from);
    result = overlay(result, fresh.subarray(start, Math.min(at + SECTOR, fresh.length)), start);
  }
  return result;
}

function overlay(old: Uint8Array, bytes: Uint8Array, at: number): Uint8Array {
  if (bytes.length === 0) return old;
  const result = new Uint8Array(Math.max(old.length, at + bytes.length));
  result.set(old);
  result.set(bytes, at);
  return result;
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  return bytes.length >= start.length && equalBytes(bytes.subarray(0, start.length), start);
}

function firstDifference(old: Uint8Array, fresh: Uint8Array): number {
  let at = 0;
  while (at < old.length && at < fresh.length && old[at] === fresh[at]) at++;
  return at;
}

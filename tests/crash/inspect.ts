/** Inspects a store after a kill: first a copy of its files, then through the module. */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { nodeSqlite, type SqliteDriver } from "@holdfast/memory";
import { chainHead, firstHead, ObservedStore } from "../model/records/observed_store.ts";
import { type Line, NOW } from "./errand.ts";
import type { Ending } from "./kill.ts";
import type { Found, FoundRow, InFlight, Truth } from "./truth.ts";

const SUFFIXES = ["", "-wal", "-shm", "-journal"];

/** The deletions in a store's two files, before anything could complete them. */
export interface Recorded {
  readonly inLedger: number;
  readonly inMain: number;
}

/**
 * Copies the files as the killed process left them and reads the copies, so that the store itself is first opened by
 * the module. Null if creation was not far enough.
 */
export function readRecorded(path: string): Recorded | null {
  const directory = Deno.makeTempDirSync({ prefix: "holdfast-copy-" });
  try {
    for (const name of ["", ".deletions"]) {
      for (const suffix of SUFFIXES) copyIfThere(path + name + suffix, `${directory}/copy${name}${suffix}`);
    }
    const inLedger = readNumber(`${directory}/copy.deletions`, "SELECT count FROM meta");
    const inMain = readNumber(`${directory}/copy`, "SELECT applied FROM meta");
    return inLedger === null || inMain === null ? null : { inLedger, inMain };
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

function copyIfThere(from: string, to: string): void {
  try {
    Deno.copyFileSync(from, to);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function readNumber(path: string, sql: string): number | null {
  const database = new DatabaseSync(path);
  try {
    if (database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'meta'").get() === undefined) return null;
    return Object.values(database.prepare(sql).get()!)[0] as number;
  } finally {
    database.close();
  }
}

/** The result of an inspection after a kill. */
export interface Look extends InFlight {
  /** Deletions that were recorded in the ledger and not yet applied. */
  readonly completed: number;
}

/** Reads what a child reported, opens the store that it left, and verifies everything. */
export async function verify(
  path: string,
  truth: Truth,
  { lines, signal }: Ending,
  through: SqliteDriver = nodeSqlite,
): Promise<Look> {
  for (const line of lines) if (line.type !== "error") truth.hear(line);
  assertNoError(lines);
  assert.equal(signal, "SIGKILL", "the child ended before it was killed");
  const recorded = readRecorded(path);
  const store = await ObservedStore.open({ file: path }, { clock: () => NOW * 1_000, through });
  try {
    const found = find(store);
    if (recorded !== null) {
      assert.equal(found.deletions, recorded.inLedger, "opening completes what is recorded");
    }
    assertChain(store);
    const look = truth.settle(found);
    for (const { call, revision } of look.repeatable) {
      const { tenantId, key, text, expectedRevision, ttl, operationId } = call;
      const value = { schema: 1, text, source: "child", reviewed: false } as const;
      const again = await store.memory.records.put({ tenantId, kind: "fact", key }, value, {
        expectedRevision,
        ttl,
        now: NOW,
        operationId,
      });
      truth.repeated(call, revision, again);
    }
    const report = await store.memory.check();
    assert.deepEqual(report.problems, []);
    return { ...look, completed: recorded === null ? 0 : recorded.inLedger - recorded.inMain };
  } finally {
    await store.memory.close();
  }
}

function assertNoError(lines: readonly Line[]): void {
  const error = lines.find((line) => line.type === "error");
  assert.equal(error, undefined, "the child met an error");
}

function find(store: ObservedStore): Found {
  const rows = store.main("SELECT tenant, key, revision, expires, body, kind FROM records");
  const [[counter, applied]] = store.main("SELECT counter, applied FROM meta") as unknown as [
    [number, number],
  ];
  const [[count]] = store.ledger("SELECT count(*) FROM events") as [[number]];
  assert.equal(applied, count, "every recorded deletion is applied");
  return {
    rows: rows.map(([tenantId, key, revision, expires, body]) =>
      ({
        tenantId,
        key,
        revision,
        expires,
        text: (JSON.parse(body as string) as { text: string }).text,
      }) as FoundRow
    ),
    counter,
    deletions: count,
  };
}

/** Recomputes the chain without the module, in the ledger and in main's copy of it. */
export function assertChain(store: ObservedStore): void {
  const columns =
    "sequence, batch, kind, lower(hex(scope_hash)), lower(hex(key_hash)), reserved, floor, at, " +
    "counts, head, lower(hex(hashes))";
  const events = store.ledger(`SELECT ${columns} FROM events ORDER BY sequence`);
  assert.deepEqual(store.main(`SELECT ${columns} FROM deletions ORDER BY sequence`), events);
  const [[lineage, epoch, count, last]] = store.ledger(
    "SELECT lineage, epoch, count, head FROM meta",
  ) as unknown as [
    [string, string, number, string],
  ];
  assert.deepEqual(store.main("SELECT lineage, epoch, applied, applied_head FROM meta"), [
    [lineage, epoch, count, last],
  ]);
  let head = firstHead(lineage);
  for (const [index, event] of events.entries()) {
    const [sequence, batch, kind, scopeHash, keyHash, reserved, floor, at, counts, after, messages] = event;
    assert.equal(sequence, index + 1);
    const hashed = [sequence, batch, kind, scopeHash, keyHash, reserved === 1, floor, at, counts];
    head = chainHead(head, messages === "" ? hashed : [...hashed, messages]);
    assert.equal(after, head, `the chain at event ${index + 1}`);
  }
  assert.equal(last, head);
}

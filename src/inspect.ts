/** Lists tenants and scopes with their counts and sizes, a page at a time; reads no text. */

import { equalBytes } from "./canonical/keyed_hash.ts";
import { instantFromMs } from "./canonical/time.ts";
import { yieldIfBusy } from "./clock.ts";
import { readFields, requireInteger, requireSignal } from "./contracts/arguments.ts";
import type {
  InspectedScope,
  InspectedTenant,
  Inspection,
  InspectOptions,
} from "./contracts/options/inspection.ts";
import { LATEST_MS } from "./scopes/take_snapshot.ts";
import { tenantHash } from "./deletion/scope_hashes.ts";
import { type ScopeRow, SELECT_SCOPES_AFTER, toScopeRow } from "./tables/scopes.ts";
import type { Engine } from "./engine/engine.ts";
import type { DeletionEvent, Operation, ReadTransaction } from "./engine/operation.ts";
import { because, ContractError, StorageError } from "./errors.ts";
import { CHECK_ROWS_PER_BATCH, INSPECTED_DEFAULT, INSPECTED_MAX, PENDING_EVENTS_READ_MAX } from "./limits.ts";
import { selectNextTenant } from "./records/read.ts";

/** Reads one page. */
export async function inspect(engine: Engine, options: InspectOptions): Promise<Inspection> {
  const given = readFields("options", options, ["after", "limit", "signal"]);
  const limit = given.limit === undefined
    ? INSPECTED_DEFAULT
    : requireInteger("limit", given.limit, 1, INSPECTED_MAX);
  const from = readCursor(given.after);
  const page = new Page(engine, requireSignal(given.signal));
  const tenants = from.part === "tenants" ? await page.tenants(from.tenant, limit) : [];
  const isDone = tenants.length < limit;
  const scopes = isDone
    ? await page.scopes(from.part === "scopes" ? from.id : 0, limit - tenants.length)
    : [];
  const pending = await pendingOf(engine);
  const files = await engine.files?.();
  return {
    tenants: tenants.filter(({ tenantId }) => !concernsTenant(engine, pending, tenantId)),
    scopes: scopes.filter(({ scopeHash }) => !concernsScope(pending, scopeHash)).map(toInspected),
    pending: pending.length,
    leftovers: await files?.leftovers() ?? [],
    next: isDone && scopes.length < limit - tenants.length
      ? null
      : cursorAfter(tenants.at(-1)?.tenantId ?? null, scopes.at(-1)?.id ?? null),
  };
}

type Cursor =
  | { readonly part: "tenants"; readonly tenant: string }
  | { readonly part: "scopes"; readonly id: number };

const SCOPES_CURSOR = /^scope:(\d{1,15})$/;

function readCursor(after: unknown): Cursor {
  if (after === undefined) return { part: "tenants", tenant: "" };
  const text = typeof after === "string" && after.isWellFormed() && !after.includes("\0") ? after : "";
  const id = SCOPES_CURSOR.exec(text)?.[1];
  if (id !== undefined) return { part: "scopes", id: Number(id) };
  if (text.startsWith("tenant:")) return { part: "tenants", tenant: text.slice("tenant:".length) };
  throw new ContractError("after", "Expected after to be the next of an earlier page");
}

function cursorAfter(tenant: string | null, scope: number | null): string {
  return scope === null ? `tenant:${tenant ?? ""}` : `scope:${scope}`;
}

/** Pending deletions. A read completes them first, except in a read-only store, where their targets are left out. */
async function pendingOf(engine: Engine): Promise<readonly DeletionEvent[]> {
  if (!engine.readOnly) return [];
  const events = await engine.pending();
  if (events.length < PENDING_EVENTS_READ_MAX) return events;
  throw new StorageError("READONLY", "Cannot inspect: too many recorded deletions are pending", {
    details: because("pending"),
  });
}

function concernsTenant(engine: Engine, pending: readonly DeletionEvent[], tenant: string): boolean {
  if (pending.length === 0) return false;
  const hash = tenantHash(engine.hashKey, tenant);
  return pending.some((event) => event.kind === "record" && equalBytes(event.scopeHash, hash));
}

function concernsScope(pending: readonly DeletionEvent[], scopeHash: Uint8Array): boolean {
  return pending.some((event) => event.kind !== "record" && equalBytes(event.scopeHash, scopeHash));
}

function toInspected(row: ScopeRow): InspectedScope {
  return {
    scope: { tenantId: row.tenant, sessionId: row.session },
    revision: row.revision,
    turns: row.turns,
    bytes: row.turnBytes,
    pins: row.pins,
    journals: row.journals,
    journalBytes: row.journalBytes,
    mediaBytes: row.mediaBytes,
    nextExpiryAt: row.nextExpiry === null ? null : instantFromMs(Math.min(row.nextExpiry, LATEST_MS)).text,
  };
}

const SELECT_RECORD_SIZES = `SELECT kind, key, expires, length(body) FROM records
  WHERE tenant = $1 AND (kind, key) > ($2, $3) ORDER BY kind, key LIMIT $4`;

/** Reads the parts of a page. */
class Page {
  readonly #engine: Engine;
  readonly #signal: AbortSignal | undefined;

  constructor(engine: Engine, signal: AbortSignal | undefined) {
    this.#engine = engine;
    this.#signal = signal;
  }

  #read<T>(factory: (transaction: ReadTransaction) => Operation<T>): Promise<T> {
    const signal = this.#signal;
    return this.#engine.readOnly
      ? this.#engine.read(factory, { concerns: () => false, signal })
      : this.#engine.read(factory, { signal });
  }

  async tenants(after: string, limit: number): Promise<readonly InspectedTenant[]> {
    const tenants: InspectedTenant[] = [];
    for (let last = after; tenants.length < limit;) {
      const from = last;
      const tenant = await this.#read((transaction) => selectNextTenant(transaction, from));
      if (tenant === null) break;
      tenants.push(await this.#tenant(tenant));
      last = tenant;
    }
    return tenants;
  }

  async #tenant(tenantId: string): Promise<InspectedTenant> {
    let [kind, key, records, bytes] = ["", "", 0, 0];
    let nextExpiry: number | null = null;
    for (;;) {
      const after: readonly [string, string] = [kind, key];
      const rows = await this.#read((transaction) =>
        transaction.all(SELECT_RECORD_SIZES, tenantId, ...after, CHECK_ROWS_PER_BATCH)
      );
      for (const row of rows as readonly (readonly [string, string, number | null, number])[]) {
        [kind, key] = row;
        records++;
        // A body is ASCII, so its length is its size.
        bytes += row[3];
        if (row[2] !== null && (nextExpiry === null || row[2] < nextExpiry)) nextExpiry = row[2];
      }
      if (rows.length < CHECK_ROWS_PER_BATCH) break;
      await yieldIfBusy();
    }
    const nextExpiryAt = nextExpiry === null ? null : instantFromMs(nextExpiry * 1_000).text;
    return { tenantId, records, bytes, nextExpiryAt };
  }

  async scopes(after: number, limit: number): Promise<readonly ScopeRow[]> {
    const rows = await this.#read((transaction) => transaction.all(SELECT_SCOPES_AFTER, after, limit));
    return rows.map(toScopeRow);
  }
}

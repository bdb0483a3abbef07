/**
 * Searches all sessions of a tenant in one ranking. Every session has an index of its own, so that an append writes no row
 * that two sessions share; the statistics of the search are the sums of theirs. Sessions are opened in the order of the
 * best score that they can have, and only as long as one can still be among the best.
 */

import { compareCodePoints } from "../../canonical/text.ts";
import { monotonicMs } from "../../clock.ts";
import { overlap } from "../../context/evidence.ts";
import type { DamagedRow } from "../../contracts/damaged.ts";
import type { EmitEvent } from "../../contracts/options/memory_options.ts";
import { Damage } from "../../engine/damage.ts";
import type { Engine } from "../../engine/engine.ts";
import { ConflictError } from "../../errors.ts";
import { FRESH_TRIES_MAX, SESSIONS_INDEXED_TOGETHER } from "../../limits.ts";
import { indexAll, noteDamaged } from "../../index/index_run.ts";
import { indexKind } from "../../index/index_state.ts";
import { TurnsDamaged, ViewGone } from "../../index/scope_view.ts";
import { Pace } from "../../pace.ts";
import { placeOf } from "../../scopes/place.ts";
import type { StoreAccess } from "../../scopes/store_access.ts";
import type { FoundChunk, Hit, Hits } from "../../search/evidence_source.ts";
import { Heap } from "../../search/heap.ts";
import { toHit } from "../../search/hits.ts";
import { type RankedSession, SessionRankings } from "../../search/session_rankings.ts";
import type { ValidatedTenantSearch } from "../context_options.ts";
import { ScopeAccess } from "../scope_access.ts";
import { readSession, readSessions, type SearchedSession, type SessionReading } from "./searched_sessions.ts";

export { validateTenantSearch } from "../context_options.ts";

/** Searches a tenant; what it was validated with is good. */
export async function searchTenant(
  { engine, emit }: { readonly engine: Engine; readonly emit: EmitEvent },
  validated: ValidatedTenantSearch,
): Promise<Hits> {
  const startedMs = monotonicMs();
  const search = new TenantSearch(engine, emit, validated);
  const hits = await search.run();
  emit({ operation: "search", counts: { hits: hits.length } }, startedMs);
  // No element, so that it is not counted, printed or sent among the hits.
  return Object.defineProperty([...hits], "skipped", { value: search.skipped }) as unknown as Hits;
}

/** A session that may have a further hit. */
interface Candidate {
  readonly session: RankedSession<SearchedSession>;
  /** The score of its best chunk; an upper bound while that is not known. */
  readonly most: number;
  readonly chunk: FoundChunk | null;
}

/** Orders by score, then by chunk id; a session whose best chunk is not known comes before equal chunks. */
function isBetter(left: Candidate, right: Candidate): boolean {
  if (left.most !== right.most) return left.most > right.most;
  if (left.chunk === null || right.chunk === null) return left.chunk === null && right.chunk !== null;
  return compareCodePoints(left.chunk.chunk.chunkId, right.chunk.chunk.chunkId) < 0;
}

class TenantSearch {
  /** The damaged rows that were skipped. */
  readonly skipped: DamagedRow[] = [];
  readonly #engine: Engine;
  readonly #emit: EmitEvent;
  readonly #asked: ValidatedTenantSearch;
  readonly #reading: SessionReading;
  readonly #pace: Pace;
  readonly #attempts = new Map<number, number>();
  #taken: { readonly session: RankedSession<SearchedSession>; readonly chunk: FoundChunk }[] = [];

  constructor(engine: Engine, emit: EmitEvent, asked: ValidatedTenantSearch) {
    this.#engine = engine;
    this.#emit = emit;
    this.#asked = asked;
    const { analyzer } = asked.profile;
    this.#reading = {
      kind: indexKind(asked.retrieval, analyzer),
      terms: analyzer.queryTerms(asked.query),
      hashKey: engine.hashKey,
      newDamage: () => new Damage(asked.damaged, this.skipped),
    };
    this.#pace = new Pace(asked.signal ?? null);
  }

  /** Returns the best hits, best first. */
  async run(): Promise<readonly Hit[]> {
    const { terms } = this.#reading;
    const { profile: { analyzer, ranking: rules }, retrieval: settings, filter } = this.#asked;
    if (terms.length === 0) return [];
    const sessions = await this.#prepare(await this.#sessions());
    const rankings = new SessionRankings<SearchedSession>({
      ...{ terms, rules, settings, filter },
      pace: this.#pace,
      read: (factory) => this.#engine.read(factory, { signal: this.#asked.signal }),
      leastWanted: () => this.#leastWanted(),
    });
    const ranked = await rankings.open(sessions);
    await this.#take(rankings, ranked);
    return this.#taken.map(({ chunk }) => toHit(chunk, { terms, analyzer }));
  }

  /** Reads the sessions of the tenant, or those that are asked for. */
  async #sessions(): Promise<readonly SearchedSession[]> {
    const { tenantId, sessions: wanted, signal } = this.#asked;
    const sessions: SearchedSession[] = [];
    if (wanted !== null) {
      for (const sessionId of wanted) {
        if (this.#pace.mustYield()) await this.#pace.rest();
        const place = placeOf(this.#engine.hashKey, { tenantId, sessionId });
        const session = await this.#readSession({ place, damage: this.#reading.newDamage() });
        if (session !== null) sessions.push(session);
      }
      return sessions;
    }
    for (let after: number | null = 0; after !== null;) {
      const from: number = after;
      const page = await this.#engine.read(
        (transaction) => readSessions(transaction, this.#reading, { tenantId, after: from }),
        { signal },
      );
      sessions.push(...page.sessions);
      after = page.after;
      if (this.#pace.mustYield()) await this.#pace.rest();
    }
    return sessions;
  }

  #readSession(
    { place, damage }: Pick<SearchedSession, "place" | "damage">,
  ): Promise<SearchedSession | null> {
    return this.#engine.read((transaction) => readSession(transaction, this.#reading, place, damage), {
      signal: this.#asked.signal,
    });
  }

  /** Completes the indexes of sessions, some at a time, so that they share commits. Turns that come later are not waited for. */
  async #prepare(sessions: readonly SearchedSession[]): Promise<readonly SearchedSession[]> {
    const ready = sessions.filter(({ isReady }) => isReady);
    const others = sessions.filter(({ isReady }) => !isReady);
    for (let from = 0; from < others.length; from += SESSIONS_INDEXED_TOGETHER) {
      const some = others.slice(from, from + SESSIONS_INDEXED_TOGETHER);
      const indexed = await Promise.all(some.map((session) => this.#index(session)));
      ready.push(...indexed.filter((session) => session !== null));
      if (this.#pace.mustYield()) await this.#pace.rest();
    }
    return ready;
  }

  async #index({ place, damage }: SearchedSession): Promise<SearchedSession | null> {
    const { kind } = this.#reading;
    const { signal } = this.#asked;
    const store: StoreAccess = new ScopeAccess(this.#engine, place, this.#emit);
    try {
      if (!this.#engine.readOnly) await indexAll(store, kind, { damage, signal });
      else if (!(await noteDamaged(store, kind, { damage, signal }))) {
        const message = "Cannot search: an index is not complete, and the store was opened read-only";
        throw new ConflictError("NOT_READY", message);
      }
    } catch (error) {
      // The session was deleted meanwhile.
      if (error instanceof ConflictError && (error.reason === "MISSING" || error.reason === "DELETED")) {
        return null;
      }
      throw error;
    }
    return await this.#readSession({ place, damage });
  }

  /** The score that a chunk must exceed to matter: chunks with the least score among the hits may still come before it. */
  #leastWanted(): number {
    const last = this.#taken[this.#asked.topK - 1];
    return last === undefined ? 0 : last.chunk.score.total * (1 - 1e-12);
  }

  /** Takes the best chunks of all sessions, until the sessions that they are of have not changed. */
  async #take(
    rankings: SessionRankings<SearchedSession>,
    ranked: readonly RankedSession<SearchedSession>[],
  ): Promise<void> {
    const open = new Heap(isBetter);
    open.fill(ranked.map((session) => ({ session, most: session.most, chunk: null })));
    for (;;) {
      await this.#merge(rankings, open);
      const changed = await this.#changed();
      if (changed.length === 0) return;
      for (const session of changed) await this.#openAgain(rankings, open, session);
    }
  }

  async #merge(
    rankings: SessionRankings<SearchedSession>,
    open: Heap<Candidate>,
  ): Promise<void> {
    for (let { best } = open; best !== undefined; { best } = open) {
      if (best.most <= this.#leastWanted()) return;
      if (this.#pace.mustYield()) await this.#pace.rest();
      open.pop();
      const { session, chunk, most } = best;
      try {
        if (chunk === null) {
          const next = await session.next();
          if (next !== null) open.push({ session, most: next.score.total, chunk: next });
        } else {
          this.#add(session, chunk);
          open.push({ session, most, chunk: null });
        }
      } catch (error) {
        if (!(error instanceof ViewGone || error instanceof TurnsDamaged)) throw error;
        await this.#openAgain(rankings, open, session, error instanceof TurnsDamaged);
      }
    }
  }

  /** Adds a chunk in its place, unless it overlaps a better one of its message. */
  #add(session: RankedSession<SearchedSession>, chunk: FoundChunk): void {
    const { topK } = this.#asked;
    if (
      this.#taken.some((taken) =>
        taken.session === session && overlap(taken.chunk.chunk.source, chunk.chunk.source)
      )
    ) {
      return;
    }
    const isAfter = ({ chunk: { score, chunk: { chunkId } } }: { readonly chunk: FoundChunk }): boolean =>
      score.total < chunk.score.total ||
      (score.total === chunk.score.total && compareCodePoints(chunkId, chunk.chunk.chunkId) > 0);
    const at = this.#taken.findIndex(isAfter);
    this.#taken.splice(at < 0 ? this.#taken.length : at, 0, { session, chunk });
    if (this.#taken.length > topK) this.#taken.length = topK;
  }

  /** Returns the sessions of hits that have changed since they were opened. */
  async #changed(): Promise<readonly RankedSession<SearchedSession>[]> {
    const sessions = [...new Set(this.#taken.map(({ session }) => session))];
    const changed: RankedSession<SearchedSession>[] = [];
    for (const session of sessions) {
      const { row, place, damage, expiredTurns } = session.of;
      const now = await this.#readSession({ place, damage });
      if (
        now?.row.id !== row.id || now.row.revision !== row.revision ||
        now.expiredTurns.size !== expiredTurns.size
      ) {
        changed.push(session);
      }
    }
    return changed;
  }

  /** Opens a session again that has changed: its hits so far are dropped, and others may take their places. */
  async #openAgain(
    rankings: SessionRankings<SearchedSession>,
    open: Heap<Candidate>,
    old: RankedSession<SearchedSession>,
    isKnownDamage = false,
  ): Promise<void> {
    const { row, damage } = old.of;
    const attempts = (this.#attempts.get(row.id) ?? 0) + (isKnownDamage ? 0 : 1);
    if (attempts > FRESH_TRIES_MAX) {
      throw new ConflictError("SNAPSHOT", "Cannot finish: a session keeps changing; try again");
    }
    this.#attempts.set(row.id, attempts);
    // Sessions that ended below the hits that are dropped now may have further ones.
    const ended = rankings.ended();
    const kept = this.#taken.filter(({ session }) => session !== old && !ended.includes(session));
    const hadHits = kept.length < this.#taken.length;
    this.#taken = kept;
    const others = open.near(open.size).filter(({ session }) => session !== old);
    open.fill([...others]);
    if (!isKnownDamage) damage.clear();
    const read = await this.#readSession(old.of);
    const [fresh] = read === null ? [] : await this.#prepare([read]);
    if (fresh !== undefined) {
      const again = await rankings.openAgain(fresh);
      if (again !== null) open.push({ session: again, most: again.most, chunk: null });
    }
    if (!hadHits) return;
    for (const session of ended) {
      if (session === old) continue;
      const again = await rankings.openAgain(session.of);
      if (again !== null) open.push({ session: again, most: again.most, chunk: null });
    }
  }
}

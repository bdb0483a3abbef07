/** Search: the retrieval of the RETRIEVE layer by itself, over the whole history. */

import { monotonicMs } from "../clock.ts";
import { Damage } from "../engine/damage.ts";
import { overlap } from "../context/evidence.ts";
import type { FoundChunk, Hit, Hits } from "../search/evidence_source.ts";
import { type Asked, toHit } from "../search/hits.ts";
import { Pace } from "../pace.ts";
import { withView } from "../index/open_view.ts";
import type { ValidatedSearch } from "./context_options.ts";
import { StoredTurns } from "../search/stored_turns.ts";
import type { View } from "../index/scope_view.ts";
import { IndexEvidence } from "../search/index_evidence.ts";
import { indexKind } from "../index/index_state.ts";
import type { StoreAccess } from "../scopes/store_access.ts";

/** Searches; what it was validated with is good. */
export async function searchStored(store: StoreAccess, validated: ValidatedSearch): Promise<Hits> {
  const { profile, retrieval, signal } = validated;
  const damage = new Damage(validated.damaged);
  const startedMs = monotonicMs();
  const kind = indexKind(retrieval, profile.analyzer);
  const hits = await withView({ store, kind, signal, damage }, {
    use: (view) => searchView(view, validated),
    ifMissing: () => Promise.resolve([]),
  });
  store.emit({ operation: "search", counts: { hits: hits.length } }, startedMs);
  // No element, so that it is not counted, printed or sent among the hits.
  return Object.defineProperty([...hits], "skipped", { value: damage.skipped }) as unknown as Hits;
}

/** The best chunks, as RETRIEVE takes them: one that overlaps a better one is passed over. */
async function searchView(view: View, validated: ValidatedSearch): Promise<readonly Hit[]> {
  const { query, topK, filter, profile: { analyzer, ranking }, retrieval, signal } = validated;
  const terms = analyzer.queryTerms(query);
  if (terms.length === 0) return [];
  const turns = new StoredTurns(view);
  const pace = new Pace(signal ?? null);
  const settings = retrieval;
  const evidence = new IndexEvidence({ view, turns, analyzer, rules: ranking, settings, pace, filter });
  return await takeHits(await evidence.rank(terms, { size: 0, shortened: new Map() }), {
    terms,
    analyzer,
    topK,
  });
}

/** Takes the best chunks; passes over one that overlaps a better one. */
async function takeHits(
  found: Iterable<FoundChunk> | AsyncIterable<FoundChunk>,
  { topK, ...asked }: Asked & { readonly topK: number },
): Promise<readonly Hit[]> {
  const hits: Hit[] = [];
  for await (const chunk of found) {
    if (hits.some((hit) => overlap(hit.source, chunk.chunk.source))) continue;
    hits.push(toHit(chunk, asked));
    if (hits.length >= topK) break;
  }
  return hits;
}

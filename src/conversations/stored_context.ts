/** Assembly of a context from a store: no more of the history is read than is needed. */

import { instantOf } from "../canonical/time.ts";
import { monotonicMs } from "../clock.ts";
import { assemble } from "../context/finish_context.ts";
import type { AssembledContext } from "../context/assembled_context.ts";
import type { AssemblyInput } from "../context/layers.ts";
import type { CountMemory } from "../context/counting/count_memory.ts";
import { defaultTokenCounter } from "../context/counting/default_counter.ts";
import type { TokenCounter } from "../context/counting/token_counter.ts";
import type { TimedPin } from "../contracts/pin.ts";
import { Damage } from "../engine/damage.ts";
import type { Operation, ReadTransaction } from "../engine/operation.ts";
import { ContractError } from "../errors.ts";
import { Pace } from "../pace.ts";
import { rememberedCounts } from "./remembered_counts.ts";
import { withView } from "../index/open_view.ts";
import { assembleMessages } from "../context/messages/assemble_messages.ts";
import type { MessagesContext } from "../context/messages/messages_context.ts";
import type { Assembly, MessagesAssembly, ValidatedAssembly } from "./context_options.ts";
import { StoredSummary } from "./stored_summary.ts";
import { StoredTurns } from "../search/stored_turns.ts";
import type { View } from "../index/scope_view.ts";
import { IndexEvidence } from "../search/index_evidence.ts";
import { indexKind } from "../index/index_state.ts";
import type { Snapshot } from "../contracts/snapshot.ts";
import type { Reading } from "../scopes/take_snapshot.ts";
import type { StoreAccess } from "../scopes/store_access.ts";
import { SELECT_TURN_OF_MESSAGE } from "../tables/turns.ts";

/** An assembly with its counter. */
interface Counted extends ValidatedAssembly {
  readonly tokens: TokenCounter;
  readonly memory: CountMemory;
}

/** Assembles a context; what it was validated with is good. */
export async function assembleStored(
  store: StoreAccess,
  validated: ValidatedAssembly,
): Promise<Assembly | MessagesAssembly> {
  validated.signal?.throwIfAborted();
  const startedMs = monotonicMs();
  const tokens = validated.counter ?? await defaultTokenCounter();
  const call: Counted = { ...validated, tokens, memory: rememberedCounts(store.engine, tokens) };
  const { retrieval, profile } = call.settings;
  const damage = new Damage(validated.damaged);
  const { skipped } = damage;
  const opening = {
    store,
    kind: indexKind(retrieval, profile.analyzer),
    signal: call.signal,
    damage,
    validate: (transaction: ReadTransaction, reading: Reading) => requireFreeId(transaction, reading, call),
  };
  const assembly = await withView(opening, {
    use: async (view) => ({
      snapshot: view.snapshot,
      context: await assembleView(view, call),
      skipped,
    }),
    ifMissing: async (snapshot) => ({
      snapshot,
      context: await assembleLayers(snapshot, call, NO_HISTORY),
      skipped,
    }),
  });
  store.emit({ operation: "assemble", counts: countsOf(assembly.context) }, startedMs);
  return assembly as Assembly | MessagesAssembly;
}

function countsOf({ diagnostics }: AssembledContext | MessagesContext): Readonly<Record<string, number>> {
  return {
    tokens: "estimate" in diagnostics ? diagnostics.estimate.estimatedTokens : diagnostics.estimatedTokens,
    turns: diagnostics.keptTurnIds.length,
    chunks: diagnostics.retrievedChunkIds.length,
  };
}

/** What of a history an assembly is made from. */
type History = Pick<AssemblyInput, "turns" | "evidence" | "summaries">;

/** That of a scope that is not there: as an empty history in memory. */
const NO_HISTORY: History = {
  turns: { count: 0, newestFirst: () => [] },
  evidence: { rank: () => Promise.resolve([]) },
  summaries: null,
};

async function assembleView(view: View, call: Counted): Promise<AssembledContext | MessagesContext> {
  const { profile, retrieval, options } = call.settings;
  const { snapshot } = view;
  const turns = new StoredTurns(view);
  return await assembleLayers(snapshot, call, {
    turns,
    evidence: new IndexEvidence({
      view,
      turns,
      analyzer: profile.analyzer,
      rules: profile.ranking,
      settings: retrieval,
      pace: new Pace(call.signal ?? null),
    }),
    summaries: options.summarize && snapshot.summary !== null ? new StoredSummary(view) : null,
  });
}

function assembleLayers(
  snapshot: Snapshot,
  call: Counted,
  history: History,
): Promise<AssembledContext | MessagesContext> {
  const { settings, system, question, tools, tokens, memory, signal } = call;
  const common = {
    ...history,
    settings,
    counter: tokens,
    memory,
    pace: new Pace(signal ?? null),
    at: instantOf(snapshot.at),
    system,
    pins: pinsOf(snapshot, call),
    tools,
  };
  return call.form === "messages"
    ? assembleMessages({ ...common, question, query: call.query })
    : assemble({ ...common, question: question!.content }, null);
}

function pinsOf({ pins }: Snapshot, { settings }: Counted): readonly TimedPin[] {
  return settings.options.pins ? pins : [];
}

/** The question's own id must not be that of a message in the history. */
function* requireFreeId(
  transaction: ReadTransaction,
  { row, expiredTurns }: Reading,
  { question, hasOwnId }: ValidatedAssembly,
): Operation<void> {
  if (!hasOwnId || question === null) return;
  const found = yield* transaction.get(SELECT_TURN_OF_MESSAGE, row.id, question.messageId);
  if (found === undefined || expiredTurns.has(found[0] as number)) return;
  throw new ContractError("question.messageId", "question.messageId must not occur in the history");
}

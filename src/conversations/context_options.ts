/** What the calls that index, search and assemble take and give, and how it is validated. */

import type { TokenCounter } from "../context/counting/token_counter.ts";
import type { AssembledContext } from "../context/assembled_context.ts";
import type { MessagesContext } from "../context/messages/messages_context.ts";
import type { AssemblySettings } from "../context/layers.ts";
import {
  type AssemblyOptions,
  type Cap,
  type CountingOptions,
  type Retrieval,
  type RetrievalSettings,
  toCounting,
  toRetrieval,
} from "../context/configuration.ts";
import { settingsOf, toQuestion, toSystem, toTools } from "../context/validate_input.ts";
import {
  isProfileName,
  type Profile,
  PROFILE_DEFAULT,
  type ProfileName,
  profileOf,
} from "../context/profile.ts";
import { readFields, requireDamaged, requireInteger, requireSignal } from "../contracts/arguments.ts";
import type { Damaged, DamagedRow } from "../contracts/damaged.ts";
import type { Message } from "../contracts/message.ts";
import type { ToolDefinition } from "../contracts/tool.ts";
import { ContractError } from "../errors.ts";
import { INDEX_BATCH_DEFAULT, INDEX_BATCH_MAX } from "../limits.ts";
import { indexKind } from "../index/index_state.ts";
import type { Snapshot } from "../contracts/snapshot.ts";
import type { ValidatedBatch } from "../index/index_progress.ts";

/** What `indexBatch` takes besides snapshot and retrieval configuration. */
export interface IndexBatchOptions {
  /** Whose analyzer indexes; `"holdfast"` unless said otherwise. */
  readonly profile?: ProfileName | undefined;
  /** Turns at most: 1 to 256; 32 unless said otherwise. */
  readonly batchSize?: number | undefined;
  /** Cancels the batch, of which nothing is left then. */
  readonly signal?: AbortSignal | undefined;
}

/** What `search` takes besides the query. */
export interface SearchOptions {
  /** Hits at most; `retrieval.topK` unless said otherwise. */
  readonly topK?: number | undefined;
  /** `"holdfast"` unless said otherwise. */
  readonly profile?: ProfileName | undefined;
  /** How it is searched. */
  readonly retrieval?: Retrieval | undefined;
  /** What becomes of damaged turns, pins and summaries; `"error"` if omitted. */
  readonly damaged?: Damaged | undefined;
  /** Cancels between two steps. */
  readonly signal?: AbortSignal | undefined;
}

/** What `assemble` takes besides question and budget, whatever the form. */
export interface CommonAssembleOptions {
  /** The system text; not blank. */
  readonly system: string;
  /** `"holdfast"` unless said otherwise. */
  readonly profile?: ProfileName | undefined;
  /** How evidence is found. */
  readonly retrieval?: Retrieval | undefined;
  /** How messages of the window are shortened. */
  readonly cap?: Cap | undefined;
  /** How tokens are counted. */
  readonly counting?: CountingOptions | undefined;
  /** The tools that the request offers; names unique. */
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Which layers run. */
  readonly options?: AssemblyOptions | undefined;
  /** Whether a summary of only the oldest turns that are left out will do; as the profile says. */
  readonly summaryPrefix?: boolean | undefined;
  /** What becomes of damaged turns, pins and summaries; `"error"` if omitted. */
  readonly damaged?: Damaged | undefined;
  /** Cancels between two steps. */
  readonly signal?: AbortSignal | undefined;
}

/** What `assemble` takes besides question and budget. */
export interface AssembleOptions extends CommonAssembleOptions {
  /** `"quoted"`, unless said otherwise: the window is data in one message. */
  readonly form?: "quoted" | undefined;
}

/** What `assemble` takes for a context in messages. */
export interface AssembleMessagesOptions extends CommonAssembleOptions {
  /** The window has the messages as they were: roles, calls and results. Not under `"reference"`. */
  readonly form: "messages";
  /** What evidence is looked for; the question if omitted, and nothing where that is null. */
  readonly query?: string | undefined;
}

/** The result of `assemble` with `form: "messages"`. */
export interface MessagesAssembly extends Omit<Assembly, "context"> {
  /** The context. */
  readonly context: MessagesContext;
}

/** The result of `assemble`. */
export interface Assembly {
  /** What the scope was, and still was when the context was finished; of revision 0 where it is not there yet. */
  readonly snapshot: Snapshot;
  /** The context. */
  readonly context: AssembledContext;
  /** Damaged rows that were met and left out, with `damaged: "skip"`. */
  readonly skipped: readonly DamagedRow[];
}

/** Validates what `indexBatch` takes. */
export function validateBatch(config: unknown, options: unknown): ValidatedBatch {
  const given = readFields("options", options, ["profile", "batchSize", "signal"]);
  const signal = requireSignal(given.signal);
  const { analyzer } = toProfile(given.profile);
  const batchSize = given.batchSize === undefined
    ? INDEX_BATCH_DEFAULT
    : requireInteger("batchSize", given.batchSize, 1, INDEX_BATCH_MAX);
  return { kind: indexKind(toRetrieval(config), analyzer), batchSize, signal };
}

/** A call of `search`, validated. */
export interface ValidatedSearch {
  readonly query: string;
  readonly topK: number;
  readonly profile: Profile;
  readonly retrieval: RetrievalSettings;
  readonly damaged: Damaged;
  readonly signal: AbortSignal | undefined;
}

/** Validates what `search` takes. */
export function validateSearch(query: unknown, options: unknown): ValidatedSearch {
  const given = readFields("options", options, ["topK", "profile", "retrieval", "damaged", "signal"]);
  const signal = requireSignal(given.signal);
  if (typeof query !== "string" || !query.isWellFormed()) {
    throw new ContractError("query", "Expected query to be well-formed text");
  }
  const retrieval = toRetrieval(given.retrieval);
  const topK = given.topK === undefined
    ? retrieval.topK
    : requireInteger("topK", given.topK, 1, Number.MAX_SAFE_INTEGER);
  const damaged = requireDamaged(given.damaged);
  return { query, topK, profile: toProfile(given.profile), retrieval, damaged, signal };
}

/** A call of `assemble`, validated as far as that goes without the store. */
export interface ValidatedAssembly {
  readonly settings: AssemblySettings;
  /** Null where the default one is meant. */
  readonly counter: TokenCounter | null;
  readonly system: string;
  /** Null only in the form of messages. */
  readonly question: Message | null;
  readonly form: "quoted" | "messages";
  /** What evidence is looked for in the form of messages; null for nothing. */
  readonly query: string | null;
  /** Whether the question's id was given, so that no message of the history may have it. */
  readonly hasOwnId: boolean;
  readonly tools: readonly ToolDefinition[];
  readonly damaged: Damaged;
  readonly signal: AbortSignal | undefined;
}

/** Validates what `assemble` takes. */
export function validateAssembly(question: unknown, budget: unknown, options: unknown): ValidatedAssembly {
  const { signal, system, tools, damaged, form, query, ...configuration } = readFields("options", options, [
    ...["system", "profile", "retrieval", "cap", "counting"] as const,
    ...["tools", "options", "summaryPrefix", "damaged", "signal", "form", "query"] as const,
  ]);
  const settings = settingsOf({ ...configuration, budget });
  const chosen = toForm(form, settings.profile);
  const asked = question === null && chosen === "messages"
    ? null
    : toQuestion(question, new Set(), settings.profile);
  return {
    signal: requireSignal(signal),
    settings,
    damaged: requireDamaged(damaged),
    counter: toCounting(configuration.counting).counter,
    system: toSystem(system),
    question: asked,
    form: chosen,
    query: toEvidenceQuery(query, chosen) ?? asked?.content ?? null,
    hasOwnId: asked !== null && typeof question !== "string",
    tools: toTools(tools === undefined ? [] : tools),
  };
}

function toForm(value: unknown, { isReference }: Profile): "quoted" | "messages" {
  if (value === undefined || value === "quoted") return "quoted";
  if (value !== "messages") throw new ContractError("form", 'Expected form to be "quoted" or "messages"');
  if (isReference) {
    throw new ContractError("form", 'Expected form to be "quoted" under the profile "reference"');
  }
  return "messages";
}

function toEvidenceQuery(value: unknown, form: "quoted" | "messages"): string | undefined {
  if (value === undefined) return undefined;
  if (form === "quoted") throw new ContractError("query", 'Expected query only with form: "messages"');
  if (typeof value === "string" && value.isWellFormed()) return value;
  throw new ContractError("query", "Expected query to be well-formed text");
}

function toProfile(value: unknown): Profile {
  const name = value === undefined ? PROFILE_DEFAULT : value;
  if (isProfileName(name)) return profileOf(name);
  throw new ContractError("profile", 'Expected profile to be "holdfast" or "reference"');
}

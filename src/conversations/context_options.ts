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
import { instantMs, toInstant } from "../canonical/time.ts";
import {
  readFields,
  requireDamaged,
  requireInteger,
  requireList,
  requireSignal,
  requireText,
} from "../contracts/arguments.ts";
import type { Damaged, DamagedRow } from "../contracts/damaged.ts";
import { isRole, type Message, type Role } from "../contracts/message.ts";
import { toScope } from "../contracts/scope.ts";
import type { ToolDefinition } from "../contracts/tool.ts";
import { ContractError } from "../errors.ts";
import {
  INDEX_BATCH_DEFAULT,
  INDEX_BATCH_MAX,
  LIST_ARGUMENT_ITEMS_MAX,
  ROLES_MAX,
  TURN_BYTES_MAX,
} from "../limits.ts";
import type { SearchFilter } from "../search/search_filter.ts";
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
  /** Only turns of this time and later ones: RFC 3339 text with an offset, or a `Date`; compared in milliseconds. */
  readonly after?: string | Date | undefined;
  /** Only turns before this time: as `after`. */
  readonly before?: string | Date | undefined;
  /** Only what these say; everyone if omitted. */
  readonly roles?: readonly Role[] | undefined;
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
  readonly filter: SearchFilter;
  readonly damaged: Damaged;
  readonly signal: AbortSignal | undefined;
}

/** The names of what `search` takes besides the query. */
const SEARCH_OPTIONS = [
  ...["topK", "profile", "retrieval", "after", "before", "roles", "damaged", "signal"] as const,
];

/** Validates what `search` takes. */
export function validateSearch(query: unknown, options: unknown): ValidatedSearch {
  const given = readFields("options", options, SEARCH_OPTIONS);
  const signal = requireSignal(given.signal);
  if (typeof query !== "string" || !query.isWellFormed()) {
    throw new ContractError("query", "Expected query to be well-formed text");
  }
  const retrieval = toRetrieval(given.retrieval);
  const topK = given.topK === undefined
    ? retrieval.topK
    : requireInteger("topK", given.topK, 1, Number.MAX_SAFE_INTEGER);
  const damaged = requireDamaged(given.damaged);
  const filter = {
    afterMs: toMs("after", given.after),
    beforeMs: toMs("before", given.before),
    roles: toRoles(given.roles),
  };
  return { query, topK, profile: toProfile(given.profile), retrieval, filter, damaged, signal };
}

/** What `memory.search` takes besides the query. */
export interface TenantSearchOptions extends SearchOptions {
  /** Only these sessions, and their statistics; all of the tenant if omitted. */
  readonly sessions?: readonly string[] | undefined;
}

/** A call of `memory.search`, validated. */
export interface ValidatedTenantSearch extends ValidatedSearch {
  readonly tenantId: string;
  /** The ids of sessions, each once; null: all. */
  readonly sessions: readonly string[] | null;
}

/** Validates what `memory.search` takes. */
export function validateTenantSearch(of: unknown, query: unknown, options: unknown): ValidatedTenantSearch {
  const { tenantId } = readFields("of", of, ["tenantId"]);
  const tenant = requireText("of.tenantId", tenantId, TURN_BYTES_MAX);
  const { sessions, ...others } = readFields("options", options, [...SEARCH_OPTIONS, "sessions"]);
  return { ...validateSearch(query, others), tenantId: tenant, sessions: toSessions(tenant, sessions) };
}

function toSessions(tenantId: string, value: unknown): readonly string[] | null {
  if (value === undefined) return null;
  const ids = requireList("sessions", value, LIST_ARGUMENT_ITEMS_MAX);
  return [
    ...new Set(
      ids.map((sessionId, place) => toScope({ tenantId, sessionId }, `sessions[${place}]`).sessionId),
    ),
  ];
}

function toMs(field: string, value: unknown): number | null {
  return value === undefined ? null : instantMs(toInstant(value, field));
}

function toRoles(value: unknown): ReadonlySet<Role> | null {
  if (value === undefined) return null;
  const roles = requireList("roles", value, ROLES_MAX);
  for (const [place, role] of roles.entries()) {
    if (!isRole(role)) {
      throw new ContractError(`roles[${place}]`, `Expected roles[${place}] to be the role of a message`);
    }
  }
  return new Set(roles as readonly Role[]);
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

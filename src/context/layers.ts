/**
 * Runs the five layers over any source of turns, evidence and summaries. A source is a whole history in memory, or a store
 * that reads only the part that is needed. This file and the files that it imports decide what a context holds.
 */

import type { Instant } from "../canonical/time.ts";
import type { TimedPin } from "../contracts/pin.ts";
import type { Chunk } from "../contracts/chunk.ts";
import { requireReferenceTurn } from "../contracts/pairing.ts";
import type { ToolDefinition } from "../contracts/tool.ts";
import type { TimedTurn } from "../contracts/turn.ts";
import type { EvidenceSource, VisibleText, WindowView } from "../search/evidence_source.ts";
import type { Pace } from "../pace.ts";
import { type BudgetPlan, pinnedDraft, planBudget } from "./budget_plan.ts";
import { Capper } from "./capper.ts";
import type { BudgetValues, CapValues, OptionValues, RetrievalSettings } from "./configuration.ts";
import type { CountMemory } from "./counting/count_memory.ts";
import type { LayerDiagnostic, LayerName, LayerReason } from "./diagnostics.ts";
import type { Calibration } from "./counting/estimate.ts";
import { chooseEvidence, type ChosenEvidence } from "./evidence.ts";
import { PartCounter } from "./counting/part_counter.ts";
import type { Profile } from "./profile.ts";
import { draftOf, type Drafts, EMPTY_DRAFT } from "./rendering.ts";
import { RequestMeter } from "./request_meter.ts";
import { chooseSummary, type ChosenSummary } from "./summary_layer.ts";
import type { SummarySource } from "./summary_policy.ts";
import type { TokenCounter } from "./counting/token_counter.ts";
import { planWindow } from "./window_planner.ts";
import { type TurnSource, visibleText, windowDraft, type WindowTurn, WindowTurns } from "./window_turns.ts";

/** The validated configuration of an assembly. */
export interface AssemblySettings {
  readonly profile: Profile;
  /** Without the reserves of layers that do not run. */
  readonly budget: BudgetValues;
  readonly cap: CapValues;
  readonly retrieval: RetrievalSettings;
  readonly options: OptionValues;
  readonly calibration: Calibration;
  readonly summaryPrefix: boolean;
}

/** The validated input of an assembly. */
export interface AssemblyInput {
  readonly settings: AssemblySettings;
  readonly counter: TokenCounter;
  /** The caches of the counter. */
  readonly memory: CountMemory;
  readonly pace: Pace;
  readonly at: Instant;
  /** Not blank. */
  readonly system: string;
  readonly question: string;
  /** The active pins, sorted by key. */
  readonly pins: readonly TimedPin[];
  readonly tools: readonly ToolDefinition[];
  readonly turns: TurnSource;
  readonly evidence: EvidenceSource;
  /** Null if no summary is looked up. */
  readonly summaries: SummarySource | null;
}

/** The result of the layers, before the final check of the whole request. */
export interface LayeredContext {
  readonly meter: RequestMeter;
  readonly plan: BudgetPlan;
  /** The window, oldest turn first. */
  readonly window: readonly WindowTurn[];
  /** The evidence, best first. */
  readonly chunks: readonly Chunk[];
  readonly drafts: Drafts;
  /** PIN, RETRIEVE, WINDOW and SUMMARIZE. */
  readonly layers: readonly LayerDiagnostic[];
}

/**
 * Runs PIN, RETRIEVE, WINDOW and SUMMARIZE; CAP runs on each turn as it is read.
 *
 * @throws {BudgetError} if the required blocks do not fit
 * @throws {PolicyError} if the counter or a summary policy fails
 */
export async function runLayers(input: AssemblyInput): Promise<LayeredContext> {
  const layers = new Layers(input);
  try {
    return await layers.run();
  } finally {
    await layers.close();
  }
}

/** The outcome of RETRIEVE for one window. */
interface Retrieved extends ChosenEvidence {
  readonly reason: LayerReason;
}

const NOTHING_RETRIEVED: ChosenEvidence = { chunks: [], draft: EMPTY_DRAFT, hasMatches: false };

class Layers {
  readonly #input: AssemblyInput;
  readonly #meter: RequestMeter;
  readonly #turns: WindowTurns;
  /** The terms of the question; computed after the question is known to fit. */
  #terms: readonly string[] = [];

  constructor(input: AssemblyInput) {
    this.#input = input;
    const { settings, counter, memory, pace, tools } = input;
    const parts = new PartCounter(counter, memory);
    this.#meter = new RequestMeter({ counter: parts, calibration: settings.calibration, tools });
    const capper = new Capper(settings.options.cap ? settings.cap : null, parts, memory);
    const { isReference } = settings.profile;
    const require = (turn: TimedTurn): void => isReference ? requireReferenceTurn(turn, "turn") : undefined;
    this.#turns = new WindowTurns(input.turns, capper, pace, require);
  }

  async close(): Promise<void> {
    await this.#turns.close();
  }

  async run(): Promise<LayeredContext> {
    const { settings, pace, pins, system, question } = this.#input;
    const mandatory: Drafts = { system: draftOf(system), pinned: pinnedDraft(pins) };
    const plan = planBudget(settings.budget, this.#meter.estimate(mandatory, question));
    this.#terms = settings.profile.analyzer.queryTerms(question);
    pace.check();
    const first = await this.#planFirstWindow(mandatory, plan);
    const retrieved = await this.#retrieve(mandatory, plan, first);
    pace.check();
    const drafts: Drafts = { ...mandatory, retrieved: retrieved.draft, window: this.#window(first) };
    const summary = await this.#summarize(drafts, plan, first);
    pace.check();
    const size = settings.profile.sharesReserves
      ? await this.#growWindow({ ...drafts, summary: summary.draft }, plan, {
        size: first,
        retrieved,
        summary,
      })
      : first;
    const fixed: Drafts = { ...mandatory, summary: summary.draft };
    const final = size === first ? retrieved : await this.#retrieve(fixed, plan, size);
    pace.check();
    return this.#finish(plan, { size, retrieved: final, summary, drafts: mandatory });
  }

  /** Returns the size of the window that fits its own share of the budget. */
  #planFirstWindow(mandatory: Drafts, plan: BudgetPlan): Promise<number> {
    const estimateMax = plan.required.estimatedTokens + plan.windowTokens;
    return this.#planWindow({ drafts: mandatory, estimateMax, from: 0 });
  }

  #planWindow(plan: {
    readonly drafts: Drafts;
    readonly estimateMax: number;
    readonly from: number;
    readonly isBarrier?: (turn: WindowTurn, distance: number) => boolean;
  }): Promise<number> {
    const { pace, question } = this.#input;
    return planWindow({ turns: this.#turns, meter: this.#meter, pace, question, ...plan });
  }

  #window(size: number): ReturnType<typeof windowDraft> {
    return windowDraft(this.#turns.newest(size));
  }

  /**
   * Grows the window by the tokens that evidence and summary left of their reserves. The window stops before a turn whose
   * evidence it would replace by a shortened text, and before a turn that the summary covers. Afterwards evidence is
   * retrieved again.
   */
  #growWindow(drafts: Drafts, plan: BudgetPlan, current: {
    readonly size: number;
    readonly retrieved: ChosenEvidence;
    readonly summary: ChosenSummary;
  }): Promise<number> {
    const { turns, settings } = this.#input;
    const { size, retrieved, summary } = current;
    const newestSummarized = summary.coveredTurns === 0 ? Infinity : turns.count - summary.coveredTurns;
    const recovers = settings.retrieval.recoverCappedWindow;
    const isBarrier = (turn: WindowTurn, distance: number): boolean =>
      distance >= newestSummarized || (!recovers && hides(turn, retrieved.chunks));
    return this.#planWindow({ drafts, estimateMax: plan.inputAllowance, from: size, isBarrier });
  }

  /** Runs RETRIEVE for a window of the newest `size` turns. */
  async #retrieve(drafts: Drafts, plan: BudgetPlan, size: number): Promise<Retrieved> {
    const { turns, evidence, settings, pace, question } = this.#input;
    const view = this.#viewOf(size);
    if (this.#terms.length === 0) return { ...NOTHING_RETRIEVED, reason: "empty_query" };
    if (size >= turns.count && view.shortened.size === 0) {
      return { ...NOTHING_RETRIEVED, reason: "no_old_history" };
    }
    if (plan.retrievalTokens === 0) return { ...NOTHING_RETRIEVED, reason: "zero_reserve" };
    const { system = EMPTY_DRAFT, pinned = EMPTY_DRAFT } = drafts;
    const reserveMax = plan.required.estimatedTokens + plan.retrievalTokens;
    const window = this.#window(size);
    const chosen = await chooseEvidence(await evidence.rank(this.#terms, view), {
      topK: settings.retrieval.topK,
      misfitsMax: settings.profile.misfitsMax,
      pace,
      fitsReserve: (retrieved) =>
        this.#meter.estimated({ system, pinned, retrieved }, question) <= reserveMax,
      fitsRequest: (retrieved) =>
        this.#meter.estimated({ ...drafts, window, retrieved }, question) <= plan.inputAllowance,
    });
    const found = chosen.chunks.length > 0 ? "evidence_retrieved" : "evidence_over_budget";
    return { ...chosen, reason: chosen.hasMatches ? found : "no_match" };
  }

  #viewOf(size: number): WindowView {
    const shortened = new Map<string, VisibleText>();
    if (this.#input.settings.retrieval.recoverCappedWindow) {
      for (const turn of this.#turns.newest(size)) {
        if (turn.isShortened) shortened.set(turn.turn.turnId, visibleText(turn));
      }
    }
    return { size, shortened };
  }

  /** Runs SUMMARIZE for the turns that a window of the newest `size` turns leaves out. */
  #summarize(drafts: Drafts, plan: BudgetPlan, size: number): Promise<ChosenSummary> {
    const { summaries, settings, turns, question } = this.#input;
    const { system = EMPTY_DRAFT, pinned = EMPTY_DRAFT } = drafts;
    const reserveMax = plan.required.estimatedTokens + plan.summaryTokens;
    return chooseSummary(summaries, {
      omittedTurns: turns.count - size,
      hasReserve: plan.summaryTokens > 0,
      takesPrefix: settings.summaryPrefix,
      quotes: settings.profile.quotesSummary,
      fits: (summary) =>
        this.#meter.estimated({ system, pinned, summary }, question) <= reserveMax &&
        this.#meter.estimated({ ...drafts, summary }, question) <= plan.inputAllowance,
    });
  }

  #finish(plan: BudgetPlan, { size, retrieved, summary, drafts: mandatory }: {
    readonly size: number;
    readonly retrieved: Retrieved;
    readonly summary: ChosenSummary;
    readonly drafts: Drafts;
  }): LayeredContext {
    const window = this.#turns.newest(size);
    const windowIds = window.map(({ turn }) => turn.turnId);
    const drafts: Drafts = {
      ...mandatory,
      summary: summary.draft,
      window: windowDraft(window),
      retrieved: retrieved.draft,
    };
    const tokens = (kind: keyof Drafts): number => this.#meter.contentTokens(drafts[kind] ?? EMPTY_DRAFT);
    const retrievedIds = [...new Set(retrieved.chunks.map(({ source }) => source.turnId))];
    const shown = window.length > 0 ? "recent_suffix_selected" : "empty_window";
    const layers = [
      diagnosticOf("PIN", "required_context_reserved", tokens("system") + tokens("pinned")),
      diagnosticOf("RETRIEVE", retrieved.reason, tokens("retrieved"), retrievedIds),
      diagnosticOf("WINDOW", shown, tokens("window"), windowIds),
      diagnosticOf("SUMMARIZE", summary.reason, summary.isUsed ? tokens("summary") : 0),
    ];
    return { meter: this.#meter, plan, window, chunks: retrieved.chunks, drafts, layers };
  }
}

function diagnosticOf(
  layer: LayerName,
  reason: LayerReason,
  outputTextTokens: number,
  changedTurnIds: readonly string[] = [],
): LayerDiagnostic {
  return { layer, reason, changedTurnIds, inputTextTokens: 0, outputTextTokens };
}

/** Whether the window would replace evidence from this turn by a shortened text. */
function hides(turn: WindowTurn, chunks: readonly Chunk[]): boolean {
  return chunks.some(({ source, content }) => {
    if (source.turnId !== turn.turn.turnId) return false;
    const shown = turn.messages.find((message) => message.messageId === source.messageId);
    return shown === undefined || (source.toolCallId === undefined && !shown.content.includes(content));
  });
}

/** Finishes a context from its layers, in the same way for a history in memory and for a store. */

import { configFingerprint, digest } from "../contracts/digest.ts";
import { type AssembledContext, assembledContext, type Block } from "./assembled_context.ts";
import { account } from "./accounting.ts";
import { type AssemblyInput, type AssemblySettings, type LayeredContext, runLayers } from "./layers.ts";
import { CAP_DISABLED, capDiagnostic } from "./capper.ts";
import type { BlockDiagnostic, ContextDiagnostics, LayerDiagnostic } from "./diagnostics.ts";
import type { TokenEstimate } from "./counting/estimate.ts";
import { admit, type Admitted } from "./final_admission.ts";
import { PACKAGE_VERSION } from "../package_version.ts";
import { openCalls, pairWindow } from "./paired_window.ts";
import { contentOf, draftOf, EMPTY_DRAFT, messagesOf } from "./rendering.ts";

/** The facts about a history that are known only if all of it was read. */
export interface WholeHistory {
  /** All turns, oldest first. */
  readonly turnIds: readonly string[];
  readonly historyFingerprint: string;
  readonly inputFingerprint: string;
  /** What CAP did to all turns; null if the diagnostics report only on the window. */
  readonly cap: LayerDiagnostic | null;
}

/**
 * Assembles a context from validated input.
 *
 * @param whole the facts about the whole history, or null if only a part of it is read
 * @throws {BudgetError} if the required blocks do not fit
 * @throws {PolicyError} if the counter or a summary policy fails
 */
export async function assemble(input: AssemblyInput, whole: WholeHistory | null): Promise<AssembledContext> {
  const { pace, question, tools } = input;
  const layered = await runLayers(input);
  const { meter, plan } = layered;
  const admitted = admit(layered, { meter, question, inputAllowance: plan.inputAllowance, pace });
  const accounts = account(admitted, meter, question);
  pace.check();
  const diagnostics = diagnosticsOf(input, whole, { layered, admitted, ...accounts });
  const messages = messagesOf(admitted.drafts, question).map(({ role, parts }) => ({
    role,
    content: parts.map((part) => part.text).join(""),
  }));
  return assembledContext({
    messages,
    tools,
    diagnostics,
    blocks: blocksOf(admitted, accounts.blocks, question),
  });
}

function blocksOf(
  { drafts }: Admitted,
  accounts: readonly BlockDiagnostic[],
  question: string,
): readonly Block[] {
  return accounts.map(({ kind, sources, contentTokens }) => {
    const draft = kind === "question" ? draftOf(question) : drafts[kind] ?? EMPTY_DRAFT;
    return { kind, content: contentOf(draft), sources, tokens: contentTokens };
  });
}

function diagnosticsOf(
  input: AssemblyInput,
  whole: WholeHistory | null,
  { layered, admitted, baseRequestTokens, blocks }: {
    readonly layered: LayeredContext;
    readonly admitted: Admitted;
    readonly baseRequestTokens: number;
    readonly blocks: readonly BlockDiagnostic[];
  },
): ContextDiagnostics {
  const { estimate, chunks, drafts, drops } = admitted;
  const keptTurnIds = admitted.window.map(({ turn }) => turn.turnId);
  const kept = new Set(keptTurnIds);
  const pairing = pairWindow(admitted.window);
  const interrupted = openCalls(admitted.window, pairing).map(({ id }) => id);
  const omitted = [...pairing.orphans].map(({ messageId }) => messageId);
  return {
    inputAllowance: layered.plan.inputAllowance,
    estimate,
    remainingTokens: layered.plan.inputAllowance - estimate.estimatedTokens,
    baseRequestTokens,
    blocks,
    plannedWindowTurnIds: layered.window.map(({ turn }) => turn.turnId),
    keptTurnIds,
    omittedTurnCount: input.turns.count - kept.size,
    ...(whole === null ? {} : { omittedTurnIds: whole.turnIds.filter((id) => !kept.has(id)) }),
    ...interrupted.length === 0 ? {} : { interruptedCallIds: interrupted },
    ...omitted.length === 0 ? {} : { omittedResultIds: omitted },
    retrievedTurnIds: [...new Set(chunks.map(({ source }) => source.turnId))],
    retrievedChunkIds: chunks.map(({ chunkId }) => chunkId),
    summaryUsed: (drafts.summary?.parts.length ?? 0) > 0,
    layers: [capOf(input, whole, layered), ...layered.layers],
    drops,
    ...(whole === null ? {} : {
      historyFingerprint: whole.historyFingerprint,
      inputFingerprint: whole.inputFingerprint,
    }),
    configFingerprint: fingerprintOf(input.settings, estimate),
    evaluatedAt: input.at.text,
    packageVersion: PACKAGE_VERSION,
  };
}

function capOf(
  { settings }: AssemblyInput,
  whole: WholeHistory | null,
  layered: LayeredContext,
): LayerDiagnostic {
  if (!settings.options.cap) return CAP_DISABLED;
  return whole?.cap ?? capDiagnostic(layered.window, layered.meter.counter);
}

/** Returns the reference's fingerprint, or for any other profile a digest that includes the profile. */
function fingerprintOf(settings: AssemblySettings, estimate: TokenEstimate): string {
  const { profile, budget, cap, retrieval, options, summaryPrefix } = settings;
  const configuration = configFingerprint({
    budget,
    cap,
    retrieval,
    options,
    counting: {
      tokenizer: estimate.tokenizerName,
      version: estimate.tokenizerVersion,
      serializer: estimate.serializerName,
      factor: estimate.calibrationFactor,
      overhead: estimate.adapterOverheadTokens,
    },
  });
  if (profile.name === "reference" && !summaryPrefix) return configuration;
  return digest({ configuration, profile: profile.name, summary_prefix: summaryPrefix });
}

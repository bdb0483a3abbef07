/** Computes the cost of each block, by adding the blocks one after the other to an empty request. */

import type { SourceRef } from "../contracts/source_ref.ts";
import { wholeMessage } from "../contracts/source_ref.ts";
import { PolicyError } from "../errors.ts";
import type { BlockDiagnostic } from "./diagnostics.ts";
import type { Admitted } from "./final_admission.ts";
import { draftOf, type Drafts, EMPTY_DRAFT, LAYER_KINDS } from "./rendering.ts";
import { pairWindow } from "./paired_window.ts";
import type { RequestMeter } from "./request_meter.ts";
import type { WindowTurn } from "./window_turns.ts";

/** The cost of a request, block by block. */
interface Accounts {
  /** The estimate of a request without blocks and with an empty question. */
  readonly baseRequestTokens: number;
  /** All six kinds, in the order of the request. */
  readonly blocks: readonly BlockDiagnostic[];
}

/**
 * Computes the part of the estimate that each block adds. The base and these parts add up to the whole estimate.
 *
 * @throws {PolicyError} if the counter returns another number for the same request
 */
export function account(admitted: Admitted, meter: RequestMeter, question: string): Accounts {
  const baseRequestTokens = meter.estimated({}, "");
  const blocks: BlockDiagnostic[] = [];
  let drafts: Drafts = {};
  let before = baseRequestTokens;
  for (const kind of LAYER_KINDS) {
    const draft = admitted.drafts[kind] ?? EMPTY_DRAFT;
    drafts = { ...drafts, [kind]: draft };
    const included = draft.parts.length > 0;
    const after = included ? meter.estimated(drafts, "") : before;
    const sources = kind === "window" ? windowSources(admitted.window) : draft.sources;
    blocks.push({
      kind,
      contentTokens: meter.contentTokens(draft),
      inputDeltaTokens: after - before,
      sources,
      included,
    });
    before = after;
  }
  const { estimatedTokens } = admitted.estimate;
  if (meter.estimated(drafts, question) !== estimatedTokens) {
    throw new PolicyError("The token counter returned two numbers for the same request");
  }
  const contentTokens = meter.contentTokens(draftOf(question));
  blocks.push({
    kind: "question",
    contentTokens,
    inputDeltaTokens: estimatedTokens - before,
    sources: [],
    included: true,
  });
  return { baseRequestTokens, blocks };
}

/** Returns the sources of the window: the whole original text of each message that is not empty, except results without calls. */
function windowSources(window: readonly WindowTurn[]): readonly SourceRef[] {
  const { orphans } = pairWindow(window);
  return window.flatMap(({ turn, messages }) =>
    turn.messages.flatMap((message, index) =>
      orphans.has(messages[index]!) ? [] : wholeMessage(turn, message) ?? []
    )
  );
}

/** What each block costs, by adding them one after the other to an empty request. */

import type { SourceRef } from "../contracts/source_ref.ts";
import { wholeMessage } from "../contracts/source_ref.ts";
import { PolicyError } from "../errors.ts";
import type { BlockDiagnostic } from "./diagnostics.ts";
import type { Admitted } from "./final_admission.ts";
import { draftOf, type Drafts, EMPTY_DRAFT, LAYER_KINDS } from "./rendering.ts";
import { pairWindow } from "./paired_window.ts";
import type { RequestMeter } from "./request_meter.ts";
import type { WindowTurn } from "./window_turns.ts";

/** What the request costs, block by block. */
interface Accounts {
  /** The estimate of a request without blocks, its question empty. */
  readonly baseRequestTokens: number;
  /** All six kinds, in the order of the request. */
  readonly blocks: readonly BlockDiagnostic[];
}

/**
 * Reckons each block's share of the estimate. Base and shares make the whole.
 *
 * @throws {PolicyError} where the counter counts the same request differently
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
    throw new PolicyError("The token counter counted the identical request differently");
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

/** The whole original text of each message of the window that is not empty, results without their calls apart. */
function windowSources(window: readonly WindowTurn[]): readonly SourceRef[] {
  const { orphans } = pairWindow(window);
  return window.flatMap(({ turn, messages }) =>
    turn.messages.flatMap((message, index) =>
      orphans.has(messages[index]!) ? [] : wholeMessage(turn, message) ?? []
    )
  );
}

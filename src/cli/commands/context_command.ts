/** `context`: shows the context that an agent would get for a question, block by block, and what was left out. */

import type { AssembledContext } from "../../context/assembled_context.ts";
import type { Drop, LayerName, LayerReason } from "../../context/diagnostics.ts";
import type { SourceRef } from "../../contracts/source_ref.ts";
import {
  type Answer,
  counted,
  type Declare,
  grouped,
  type Session,
  storeCommand,
  wholeNumber,
  withScope,
} from "./command.ts";
import {
  type IndexedOptions,
  openIndexed,
  requireConversation,
  SHOWS_TEXT,
  withReadOnly,
} from "./indexed_reading.ts";
import { Progress } from "../terminal/progress.ts";
import type { Screen } from "../terminal/screen.ts";
import { damagedOption, reportSkipped } from "./skipping.ts";

interface ContextOptions extends IndexedOptions {
  readonly budget?: number;
  readonly system: string;
}

const SYSTEM_DEFAULT = "Answer from the data you are given.";

/** The reason of a layer's outcome, in words. */
const REASONS: Readonly<Record<LayerReason, string>> = {
  unchanged: "nothing had to be shortened",
  messages_capped: "longer than the cap: shortened to head and tail",
  no_old_history: "no turn is older than the window",
  recent_suffix_selected: "the window holds the newest turns that fit",
  empty_window: "no turn fits the window",
  empty_query: "the question has no searchable word",
  no_match: "nothing matches",
  zero_reserve: "no tokens are reserved for it",
  summary_reused: "it covers older turns",
  empty_summary: "it is empty",
  evidence_retrieved: "the best chunks that fit",
  evidence_over_budget: "no chunk found fits its reserve",
  summary_over_budget: "it does not fit its reserve",
  summary_unavailable_or_stale: "no summary covers the omitted turns",
  layer_disabled: "it is switched off",
  required_context_reserved: "the required context fits",
  summary_disabled: "summaries are switched off",
};

/** The reason of a drop, in words. */
const DROP_REASONS: Readonly<Record<Drop["reason"], string>> = {
  final_request_over_budget: "the finished request did not fit",
};

/** Declares the command. */
export const CONTEXT: Declare = (program, run) => {
  withReadOnly(withScope(storeCommand(program, "context", {
    summary: "Assemble the context for a question, and show its blocks",
    access: "write",
    example: "DIR/agent.db --tenant acme --session ticket-4711 where is order 7?",
    more: SHOWS_TEXT,
  })))
    .argument("<question...>", "the question; put `--` before it if it begins with a dash")
    .option("--budget <tokens>", "the most tokens that the request may have (3000)", wholeNumber(1))
    .option("--system <text>", "the system text", SYSTEM_DEFAULT)
    .action((store: string, words: readonly string[], options: ContextOptions) =>
      run((session) => showContext(session, store, words.join(" "), options))
    );
};

async function showContext(
  { screen, signal }: Session,
  store: string,
  question: string,
  options: ContextOptions,
): Promise<Answer> {
  using progress = new Progress(screen);
  await using memory = await openIndexed(store, options, progress);
  const budget = options.budget === undefined ? {} : { maxInputTokens: options.budget };
  const conversation = await requireConversation(memory, options, signal);
  const { snapshot, context, skipped } = await conversation.assemble(question, budget, {
    system: options.system,
    ...damagedOption(options),
    signal,
  });
  if (screen.json) {
    const { request, blocks, diagnostics } = context;
    const named = skipped.length === 0 ? {} : { skipped };
    await screen.value({ snapshot, request, blocks, diagnostics, ...named });
  } else await printContext(screen, context);
  return await reportSkipped(screen, skipped);
}

async function printContext(screen: Screen, { blocks, diagnostics }: AssembledContext): Promise<void> {
  const { estimate, inputAllowance, remainingTokens, baseRequestTokens } = diagnostics;
  for (const { kind, content } of blocks) {
    if (content === "") continue;
    await screen.line(kind, "bold");
    await screen.block(content);
  }
  await screen.line();
  const rows = blocks.map(({ kind, tokens, sources, content }, at) => [
    kind,
    grouped(tokens),
    grouped(diagnostics.blocks[at]!.inputDeltaTokens),
    content === "" ? "(empty)" : sourcesOf(kind, sources),
  ]);
  await screen.table(
    "Blocks",
    [{ head: "block" }, { head: "tokens", align: "right" }, { head: "adds", align: "right" }, {
      head: "source",
    }],
    [...rows, ["frame", "", grouped(baseRequestTokens), "the request around them"]],
  );
  await screen.table(
    "Outside the window",
    [{ head: "what" }, { head: "result" }, { head: "reason" }],
    leftOut(diagnostics),
  );
  await screen.line(
    `${grouped(estimate.estimatedTokens)} of ${counted(inputAllowance, "token")}, ${
      grouped(remainingTokens)
    } left.`,
    "bold",
  );
}

/** The most turns that are listed by id; JSON lists all. */
const NAMED_MAX = 4;

function sourcesOf(kind: string, sources: readonly SourceRef[]): string {
  const turns = [...new Set(sources.map(({ turnId }) => turnId))];
  if (turns.length === 0) return kind === "pinned" ? "pins" : "the question";
  if (turns.length <= NAMED_MAX) return `${counted(turns.length, "turn")}: ${turns.join(", ")}`;
  const named = kind === "window"
    ? `${turns[0]} to ${turns.at(-1)}`
    : `${turns.slice(0, NAMED_MAX).join(", ")}, …`;
  return `${counted(turns.length, "turn")}: ${named}`;
}

function leftOut(
  { layers, ...diagnostics }: AssembledContext["diagnostics"],
): readonly (readonly string[])[] {
  const why = (name: LayerName): string => {
    const reason = layers.find(({ layer }) => layer === name)?.reason;
    return reason === undefined ? "" : REASONS[reason];
  };
  const isCapped = layers.some(({ reason }) => reason === "messages_capped");
  const capped = isCapped ? layers.find(({ layer }) => layer === "CAP")!.changedTurnIds.length : 0;
  const chunks = diagnostics.retrievedChunkIds.length;
  const omitted = diagnostics.omittedTurnCount;
  return [
    [
      "older turns",
      `${grouped(omitted)} left out`,
      omitted === 0 ? "the window holds all turns" : why("WINDOW"),
    ],
    [
      "long messages",
      capped === 0 ? "none shortened" : `shortened in ${counted(capped, "turn")}`,
      why("CAP"),
    ],
    ["chunks of older turns", chunks === 0 ? "none shown" : `${grouped(chunks)} shown`, why("RETRIEVE")],
    ["summary of older turns", diagnostics.summaryUsed ? "shown" : "none shown", why("SUMMARIZE")],
    ...diagnostics.drops.map(({ kind, sourceId, reason }) => [kind, sourceId ?? "", DROP_REASONS[reason]]),
  ];
}

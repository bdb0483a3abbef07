/**
 * An incident of 320 turns in a context of 900 tokens and in one of 8 000: the cost and the source of each block, what was
 * left out, and why. Every run prints the same.
 *
 * `deno run --allow-read=.demo --allow-write=.demo examples/04_budgeted_context.ts`
 */
import {
  type Assembly,
  type Block,
  type Conversation,
  type Hit,
  openMemory,
  pin,
  type SourceRef,
  summaryFromHistory,
} from "../mod.ts";
import { demo, print } from "./demo.ts";
import { incidentTurns } from "./incident_history.ts";

const SCOPE = { tenantId: "northwind", sessionId: "incident-4417" } as const;
const TURNS = 320;
const SUMMARIZED_TURNS = 200;
const STARTED_MS = Date.parse("2026-05-14T09:30:00Z");
const QUESTION = "Who switched adaptive_batching on, and when did shard-19 fall behind after that?";
const SYSTEM =
  "You help the engineer on call. Answer from the data you are given, and name the turn you rely on.";

const WHY: Readonly<Record<string, string>> = {
  messages_capped: "longer than the cap: shortened to head and tail",
  recent_suffix_selected: "older than what fits the window",
  evidence_retrieved: "ranked below the chosen chunks, or did not fit",
  evidence_over_budget: "no chunk found fits the reserve",
  summary_over_budget: "the summary does not fit its reserve",
  summary_unavailable_or_stale: "no summary covers the omitted turns",
};

/** Stores the incident: its turns, a rule that every context carries, and a summary of its first part. */
async function record(conversation: Conversation, clock: { ms: number }): Promise<void> {
  let expectedRevision = await conversation.create();
  let number = 0;
  for (const texts of incidentTurns(TURNS)) {
    clock.ms += 45_000;
    const turnId = `t${++number}`; // short ids leave more of the budget for content
    const messages = texts.map((message, index) => ({ ...message, messageId: `${turnId}.${index}` }));
    const turn = { turnId, scope: SCOPE, messages };
    expectedRevision = await conversation.putTurn(turn, { operationId: turnId, expectedRevision });
  }
  const rule = pin({
    scope: SCOPE,
    key: "rule-failover",
    value: "Never fail a shard over while its standby is behind.",
    origin: "runbook R-12",
  });
  await conversation.putPin(rule, { expectedRevision: await conversation.revision() });
  const history = (await Array.fromAsync(conversation.turns())).slice(0, SUMMARIZED_TURNS);
  const summary = summaryFromHistory({
    scope: SCOPE,
    content:
      "Checkouts slow since 09:50. Slow disks, lock waits and client retries were ruled out one after the other.",
    history,
    policyVersion: "by-hand-1",
    createdAt: new Date(clock.ms),
  });
  await conversation.putSummary(await conversation.snapshot(), summary);
}

/** The sources of a block, in few words. */
function sourcesOf(block: Block, numbers: ReadonlyMap<string, number>): string {
  const turns = [...new Set(block.sources.map(({ turnId }) => numbers.get(turnId) ?? 0))];
  if (turns.length === 0) return block.kind === "system" || block.kind === "question" ? "the caller" : "-";
  const sorted = turns.toSorted((left, right) => left - right);
  const isRun = sorted.at(-1)! - sorted[0]! === sorted.length - 1 && sorted.length > 2;
  return isRun ? `turns ${sorted[0]} to ${sorted.at(-1)}` : `turns ${turns.join(", ")} (best first)`;
}

function blocksTable(
  { context }: Assembly,
  numbers: ReadonlyMap<string, number>,
): readonly (readonly string[])[] {
  const { blocks, diagnostics } = context;
  const rows = blocks.map((block, index) => {
    const adds = diagnostics.blocks[index]!.inputDeltaTokens;
    const pinned = block.kind === "pinned" ? "pin rule-failover" : sourcesOf(block, numbers);
    return [block.kind, String(block.tokens), String(adds), block.content === "" ? "(empty)" : pinned];
  });
  const { estimatedTokens } = diagnostics.estimate;
  const frame = ["frame of the request", "", String(diagnostics.baseRequestTokens), ""];
  return [...rows, frame, ["estimate", "", String(estimatedTokens), `${diagnostics.remainingTokens} left`]];
}

/** A position in the history as a key; `start` counts from the beginning of the message. */
function placeOf({ turnId, messageId, start }: SourceRef): string {
  return `${turnId} ${messageId} ${start}`;
}

/** Lists what is not in the context, with the reason that each layer reports. */
function leftOutTable({ context }: Assembly, found: readonly Hit[]): readonly (readonly string[])[] {
  const { layers, omittedTurnCount, blocks } = context.diagnostics;
  const reasons = new Map(layers.map((layer) => [layer.layer, layer]));
  const why = (layer: "CAP" | "RETRIEVE" | "WINDOW" | "SUMMARIZE"): string => {
    const reason = reasons.get(layer)?.reason ?? "";
    return WHY[reason] ?? reason;
  };
  const chosen = new Set(
    context.blocks.flatMap(({ kind, sources }) => kind === "retrieved" ? sources.map(placeOf) : []),
  );
  const passedOver = found.filter(({ source }) => !chosen.has(placeOf(source)));
  const shortened = reasons.get("CAP")?.changedTurnIds.length ?? 0;
  const rows = [
    ["older turns", String(omittedTurnCount), why("WINDOW")],
    ["parts of long messages", `${shortened} turns`, shortened === 0 ? "nothing was shortened" : why("CAP")],
    ["further hits of the question", `${passedOver.length} of ${found.length}`, why("RETRIEVE")],
  ];
  const summary = blocks.find(({ kind }) => kind === "summary");
  return summary?.included ? rows : [...rows, ["the summary", "1", why("SUMMARIZE")]];
}

function printTable(heads: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...rows.map((row) => row[column]!.length))
  );
  const line = (cells: readonly string[]): string =>
    cells.map((cell, column) =>
      /^-?\d+$/.test(cell) ? cell.padStart(widths[column]!) : cell.padEnd(widths[column]!)
    )
      .join("  ").trimEnd();
  print(`  ${line(heads)}`);
  print(`  ${widths.map((width) => "-".repeat(width)).join("  ")}`);
  for (const row of rows) print(`  ${line(row)}`);
  print();
}

await demo(async () => {
  const clock = { ms: STARTED_MS };
  await using memory = await openMemory(".demo/incident.db", { clock: () => clock.ms });
  const conversation = memory.conversation(SCOPE);
  await record(conversation, clock);
  const turns = await Array.fromAsync(conversation.turns());
  const numbers = new Map(turns.map(({ turnId }, index) => [turnId, index + 1]));
  const found = await conversation.search(QUESTION, { topK: 12 });
  print(`${turns.length} turns. Question: ${QUESTION}\n`);
  for (const maxInputTokens of [900, 8_000]) {
    const large = maxInputTokens > 1_000;
    const budget = {
      maxInputTokens,
      retrievalReserve: large ? 1_200 : 280,
      summaryReserve: large ? 400 : 80,
    };
    const assembly = await conversation.assemble(QUESTION, budget, {
      system: SYSTEM,
      retrieval: { topK: large ? 8 : 4 },
      ...(large ? { cap: { maxTokens: 120, headTokens: 70, tailTokens: 30 } } : {}),
    });
    print(`In ${maxInputTokens} tokens`);
    printTable(["block", "tokens", "adds", "source"], blocksTable(assembly, numbers));
    printTable(["left out", "how many", "why"], leftOutTable(assembly, found));
  }
  const best = found.slice(0, 3).map(({ source, content, score }) => [
    String(numbers.get(source.turnId)),
    score.total.toFixed(1),
    content.slice(0, 88),
  ]);
  printTable(["turn", "score", "best evidence"], best);
});

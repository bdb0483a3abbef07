/** `search`: shows the chunks of a conversation that best answer a query. */

import { type Answer, type Declare, type Session, storeCommand, wholeNumber, withScope } from "./command.ts";
import {
  type IndexedOptions,
  openIndexed,
  requireConversation,
  SHOWS_TEXT,
  withReadOnly,
} from "./indexed_reading.ts";
import { Progress } from "../terminal/progress.ts";
import { damagedOption, reportSkipped } from "./skipping.ts";

interface SearchOptions extends IndexedOptions {
  readonly top?: number;
}

/** Declares the command. */
export const SEARCH: Declare = (program, run) => {
  withReadOnly(withScope(storeCommand(program, "search", {
    summary: "Search a conversation",
    access: "write",
    example: "DIR/agent.db --tenant acme --session ticket-4711 where is order 7",
    more: SHOWS_TEXT,
  })))
    .argument("<query...>", "the query; put `--` before it if it begins with a dash")
    .option("--top <n>", "the most chunks to show (4)", wholeNumber(1))
    .action((store: string, words: readonly string[], options: SearchOptions) =>
      run((session) => search(session, store, words.join(" "), options))
    );
};

async function search(
  { screen, signal }: Session,
  store: string,
  query: string,
  options: SearchOptions,
): Promise<Answer> {
  using progress = new Progress(screen);
  await using memory = await openIndexed(store, options, progress);
  const conversation = await requireConversation(memory, options, signal);
  const hits = await conversation.search(query, {
    signal,
    ...damagedOption(options),
    ...options.top === undefined ? {} : { topK: options.top },
  });
  if (screen.json) {
    await screen.value(hits.skipped.length === 0 ? { hits } : { hits, skipped: hits.skipped });
    return await reportSkipped(screen, hits.skipped);
  }
  for (const [at, { source, content, score }] of hits.entries()) {
    await screen.line(`${at + 1}. turn ${source.turnId}, score ${digits(score.total)}`, "bold");
    await screen.line(
      `   message ${source.messageId}, characters ${source.start} to ${source.end}; ` +
        `words ${digits(score.lexical)}, neighbours ${digits(score.neighbours)}`,
    );
    await screen.block(content);
  }
  if (hits.length === 0) await screen.note("Nothing was found.");
  return await reportSkipped(screen, hits.skipped);
}

/** Scores in a small conversation can be tiny; significant digits keep them from looking like 0. */
function digits(score: number): string {
  return score === 0 ? "0" : score.toPrecision(3);
}

/** `search`: the pieces of a conversation that answer a query. */

import { type Answer, type Declare, type Session, storeCommand, wholeNumber, withScope } from "./command.ts";
import {
  type IndexedOptions,
  openIndexed,
  requireConversation,
  SHOWS_TEXT,
  withReadOnly,
} from "./indexed_reading.ts";
import { Progress } from "../terminal/progress.ts";
import { damagedOption, tellSkipped } from "./skipping.ts";

interface SearchOptions extends IndexedOptions {
  readonly top?: number;
}

/** Declares it. */
export const SEARCH: Declare = (program, run) => {
  withReadOnly(withScope(storeCommand(program, "search", {
    summary: "Search a conversation",
    access: "write",
    example: "DIR/agent.db --tenant orchard --session spring which pears",
    more: SHOWS_TEXT,
  })))
    .argument("<query...>", "what to look for; after `--` it may begin with a dash")
    .option("--top <n>", "how many pieces at most (4)", wholeNumber(1))
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
    return await tellSkipped(screen, hits.skipped);
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
  return await tellSkipped(screen, hits.skipped);
}

/** A score in a small conversation can be tiny, and is none the less. */
function digits(score: number): string {
  return score === 0 ? "0" : score.toPrecision(3);
}

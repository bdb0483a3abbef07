/** `search`: the pieces of a conversation that answer a query. */

import {
  type Declare,
  indexingShown,
  openStore,
  scopeOf,
  type ScopeOptions,
  type Session,
  storeCommand,
  wholeNumber,
  withScope,
} from "./command.ts";
import { Progress } from "./progress.ts";

interface SearchOptions extends ScopeOptions {
  readonly top?: number;
  readonly readOnly?: true;
}

/** What `--read-only` says, here and at `context`. */
export const READ_ONLY_TEXT =
  "do not complete the index: needs --allow-read alone, fails if it is incomplete";

/** Declares it. */
export const SEARCH: Declare = (program, run) => {
  withScope(storeCommand(program, "search", {
    summary: "Search a conversation",
    access: "write",
    example: "DIR/agent.db --tenant orchard --session spring which pears",
    more:
      "Shows text: that is what it is for. Indexes first what is not indexed yet, hence the permission to write.",
  }))
    .argument("<query...>", "what to look for; after `--` it may begin with a dash")
    .option("--top <n>", "how many pieces at most (4)", wholeNumber(1))
    .option("--read-only", READ_ONLY_TEXT)
    .action((store: string, words: readonly string[], options: SearchOptions) =>
      run((session) => search(session, store, words.join(" "), options))
    );
};

async function search(
  { screen, signal }: Session,
  store: string,
  query: string,
  options: SearchOptions,
): Promise<boolean> {
  using progress = new Progress(screen);
  const access = options.readOnly ? "read" : "write";
  await using memory = await openStore(store, options, access, indexingShown(progress));
  const conversation = memory.conversation(scopeOf(options));
  await conversation.revision({ signal }); // a name that was mistyped is told, instead of finding nothing
  const hits = await conversation.search(query, {
    signal,
    ...options.top === undefined ? {} : { topK: options.top },
  });
  if (screen.json) {
    await screen.value({ hits });
    return true;
  }
  for (const [at, { source, content, score }] of hits.entries()) {
    await screen.line(`${at + 1}. turn ${source.turnId}, score ${score.total.toFixed(2)}`, "bold");
    await screen.line(
      `   message ${source.messageId}, characters ${source.start} to ${source.end}; ` +
        `words ${score.lexical.toFixed(2)}, neighbours ${score.neighbours.toFixed(2)}`,
    );
    await screen.block(content);
  }
  if (hits.length === 0) await screen.note("Nothing was found.");
  return true;
}

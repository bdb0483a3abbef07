/** `tail`: shows the newest turns of a conversation. */

import type { TimedTurn } from "../../contracts/turn.ts";
import {
  type Declare,
  openStore,
  scopeOf,
  type ScopeOptions,
  type Session,
  storeCommand,
  wholeNumber,
  withScope,
} from "./command.ts";

const TURNS_DEFAULT = 10;

interface TailOptions extends ScopeOptions {
  readonly turns?: number;
  readonly showContent?: true;
}

/** Declares the command. */
export const TAIL: Declare = (program, run) => {
  withScope(storeCommand(program, "tail", {
    summary: "Show the newest turns of a conversation",
    access: "read",
    example: "DIR/agent.db --tenant acme --session ticket-4711",
    more: "Texts are shown only with --show-content; so is the content of turns in JSON.",
  }))
    .option("--turns <n>", `how many turns (${TURNS_DEFAULT})`, wholeNumber(1))
    .option("--show-content", "show what was said")
    .action((store: string, options: TailOptions) => run((session) => tail(session, store, options)));
};

async function tail({ screen, signal }: Session, store: string, options: TailOptions): Promise<boolean> {
  await using memory = await openStore(store, options, "read");
  const conversation = memory.conversation(scopeOf(options));
  const turns: TimedTurn[] = [];
  for await (const turn of conversation.turns({ last: options.turns ?? TURNS_DEFAULT, signal })) {
    turns.push(turn);
  }
  if (screen.json) {
    await screen.value({ turns: options.showContent ? turns : turns.map(outlineOf) });
    return true;
  }
  for (const turn of turns) {
    await screen.line(`turn ${turn.turnId}, revision ${turn.revision}, ${turn.timestamp}`, "bold");
    for (const { role, content, toolCalls = [] } of turn.messages) {
      const calls = toolCalls.length === 0 ? "" : `, ${toolCalls.length} tool calls`;
      await screen.line(`   ${role}, ${content.length} characters${calls}`);
      if (options.showContent && content !== "") await screen.block(content);
    }
  }
  if (turns.length === 0) await screen.note("There are no turns.");
  return true;
}

/** A turn without what was said. */
function outlineOf({ turnId, revision, timestamp, messages }: TimedTurn): unknown {
  return {
    ...{ turnId, revision, timestamp },
    messages: messages.map(({ messageId, role, content }) => ({
      messageId,
      role,
      characters: content.length,
    })),
  };
}

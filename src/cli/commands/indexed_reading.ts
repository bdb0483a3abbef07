/** Shared by `search` and `context`, which show text and complete the index before they read. */

import type { Command } from "commander";
import type { Conversation } from "../../conversations/conversation.ts";
import type { Memory } from "../../memory.ts";
import { indexingShown, openStore, scopeOf, type ScopeOptions } from "./command.ts";
import type { Progress } from "../terminal/progress.ts";
import { type SkippingOptions, withSkipDamaged } from "./skipping.ts";

/** Their options. */
export interface IndexedOptions extends ScopeOptions, SkippingOptions {
  readonly readOnly?: true;
}

/** A paragraph in the help of both. */
export const SHOWS_TEXT = "Shows text. Indexes new turns first, which needs the permission to write.";

/** Declares `--read-only` and `--skip-damaged`. */
export function withReadOnly(command: Command): Command {
  return withSkipDamaged(command).option(
    "--read-only",
    "do not complete the index: needs --allow-read alone, and fails if the index is incomplete",
  );
}

/** Opens a store, and shows the progress of indexing. */
export function openIndexed(store: string, options: IndexedOptions, progress: Progress): Promise<Memory> {
  return openStore(store, options, options.readOnly ? "read" : "write", indexingShown(progress));
}

/** The conversation; throws `MISSING` if it does not exist, so that a mistyped name is noticed. */
export async function requireConversation(
  memory: Memory,
  options: IndexedOptions,
  signal: AbortSignal,
): Promise<Conversation> {
  const conversation = memory.conversation(scopeOf(options));
  await conversation.revision({ signal });
  return conversation;
}

/** `delete`: shows what a deletion would erase. With `--yes`, deletes permanently and prints the receipt. */

import type { DeleteTarget, Receipt } from "../../contracts/options/receipt.ts";
import type { Conversation } from "../../conversations/conversation.ts";
import { ConflictError } from "../../errors.ts";
import {
  countedAll,
  type Declare,
  openStore,
  scopeOf,
  type ScopeOptions,
  type Session,
  storeCommand,
  wholeNumber,
  withScope,
} from "./command.ts";
import { usageError } from "../terminal/failure.ts";
import type { Screen } from "../terminal/screen.ts";

interface DeleteOptions extends ScopeOptions {
  readonly turn?: string;
  readonly pin?: string;
  readonly revision?: number;
  readonly scrub?: true;
  readonly yes?: true;
}

/** Declares the command. */
export const DELETE: Declare = (program, run) => {
  withScope(storeCommand(program, "delete", {
    summary: "Delete a conversation, turn or pin permanently",
    access: "write",
    example: "DIR/agent.db --tenant acme --session ticket-4711 --turn turn-7 --yes",
    more:
      "Without --yes it only shows what it would delete; --allow-read is enough for that. With --yes it prints the " +
      "receipt as JSON: keep it for `verify`. The deleted name is permanently reserved: nothing can be stored under it " +
      "again. Exits with 1 if --scrub could not be completed: repeat it when no other process reads or writes.",
  }))
    .option("--turn <id>", "only this turn")
    .option("--pin <key>", "only this pin")
    .option("--revision <n>", "only if the conversation still has this revision", wholeNumber(0))
    .option("--scrub", "then remove its bytes from the files")
    .option("--yes", "delete; without it, only show what would be deleted")
    .action((store: string, options: DeleteOptions) =>
      run((session) => options.yes ? erase(session, store, options) : show(session, store, options))
    );
};

function targetOf({ turn, pin }: DeleteOptions): Omit<DeleteTarget, "expectedRevision"> {
  if (turn !== undefined && pin !== undefined) throw usageError("Pass --turn or --pin, not both");
  if (turn !== undefined) return { kind: "turn", key: turn };
  return pin === undefined ? { kind: "scope" } : { kind: "pin", key: pin };
}

/** The counts that a deletion would erase. */
interface Plan {
  readonly revision: number;
  readonly erases: { readonly turns: number; readonly pins: number; readonly summaries: number };
}

async function show({ screen, signal }: Session, store: string, options: DeleteOptions): Promise<boolean> {
  const target = targetOf(options);
  await using memory = await openStore(store, options, "read");
  const plan = await planOf(memory.conversation(scopeOf(options)), target, signal);
  if (options.revision !== undefined && options.revision !== plan.revision) {
    throw new ConflictError("REVISION", `Expected revision ${options.revision}, found ${plan.revision}`, {
      currentRevision: plan.revision,
    });
  }
  if (screen.json) {
    await screen.value({ done: false, ...target, ...plan });
    return true;
  }
  const nothing = Object.values(plan.erases).every((count) => count === 0);
  await screen.line(`Would delete permanently: ${countedAll(plan.erases)}, and everything derived from it.`);
  if (nothing && target.kind !== "scope") {
    await screen.line(
      `There is no active ${target.kind} of that name. If it was deleted before, deleting it again prints the same ` +
        "receipt; otherwise its name is permanently reserved.",
    );
  }
  await screen.line(`Nothing was done. To do it, add: --revision ${plan.revision} --yes`, "bold");
  return true;
}

async function planOf(
  conversation: Conversation,
  target: Omit<DeleteTarget, "expectedRevision">,
  signal: AbortSignal,
): Promise<Plan> {
  const snapshot = await conversation.snapshot({ signal });
  const { revision, turnCount, pins, summary } = snapshot;
  if (target.kind === "scope") {
    return { revision, erases: { turns: turnCount, pins: pins.length, summaries: summary === null ? 0 : 1 } };
  }
  if (target.kind === "pin") {
    const found = pins.filter(({ key }) => key === target.key).length;
    return { revision, erases: { turns: 0, pins: found, summaries: 0 } };
  }
  let found = 0;
  for await (const { turnId } of conversation.turns({ snapshot, signal })) if (turnId === target.key) found++;
  const citing = pins.filter(({ source }) => source?.turnId === target.key).length;
  const covered = summary?.coveredTurnIds.includes(target.key!) ? 1 : 0;
  return { revision, erases: { turns: found, pins: citing, summaries: covered } };
}

async function erase({ screen, signal }: Session, store: string, options: DeleteOptions): Promise<boolean> {
  const target = targetOf(options);
  await using memory = await openStore(store, options, "write");
  const conversation = memory.conversation(scopeOf(options));
  const expectedRevision = options.revision ?? await currentRevision(conversation, signal);
  const receipt = await conversation.delete({ ...target, expectedRevision }, {
    scrub: options.scrub === true,
    signal,
  });
  screen.completed("The deletion is complete: repeat the command for its receipt.");
  await screen.value(receipt);
  const isScrubbed = receipt.scrubbed || options.scrub !== true;
  if (!screen.json) await noteReceipt(screen, receipt);
  if (!isScrubbed) signal.throwIfAborted();
  return isScrubbed;
}

async function noteReceipt(screen: Screen, { already, at, erased, scrubbed }: Receipt): Promise<void> {
  const { turns, pins, summaries } = erased;
  await screen.note(
    already
      ? `It was deleted before, at ${at}.`
      : `Deleted permanently: ${countedAll({ turns, pins, summaries })}. Keep the receipt.`,
  );
  if (!scrubbed) await screen.note("Its bytes may remain in the files until `prune`.");
}

/** The scope's revision. A deleted scope has none; 0 stands for it, since its deletion can be repeated for the receipt. */
async function currentRevision(conversation: Conversation, signal: AbortSignal): Promise<number> {
  try {
    return await conversation.revision({ signal });
  } catch (error) {
    if (error instanceof ConflictError && error.reason === "DELETED") return 0;
    throw error;
  }
}

/** `delete`: shows what a deletion would erase; with `--yes` deletes for ever and prints the receipt. */

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
import { wrongWords } from "../terminal/failure.ts";
import type { Screen } from "../terminal/screen.ts";

interface DeleteOptions extends ScopeOptions {
  readonly turn?: string;
  readonly pin?: string;
  readonly revision?: number;
  readonly scrub?: true;
  readonly yes?: true;
}

/** Declares it. */
export const DELETE: Declare = (program, run) => {
  withScope(storeCommand(program, "delete", {
    summary: "Delete a conversation, turn or pin for ever",
    access: "write",
    example: "DIR/agent.db --tenant orchard --session spring --turn turn-7 --yes",
    more:
      "Without --yes it only shows what would go; --allow-read is enough for that. With --yes the receipt is " +
      "printed as JSON: keep it, `verify` takes it. What was deleted can never be stored again under that name. Exits " +
      "with 1 if it was to be scrubbed and could not be: repeat it once nobody else reads or writes.",
  }))
    .option("--turn <id>", "only this turn")
    .option("--pin <key>", "only this pin")
    .option("--revision <n>", "only if the conversation has this revision still", wholeNumber(0))
    .option("--scrub", "remove its bytes from the files right afterwards")
    .option("--yes", "do it")
    .action((store: string, options: DeleteOptions) =>
      run((session) => options.yes ? erase(session, store, options) : show(session, store, options))
    );
};

function targetOf({ turn, pin }: DeleteOptions): Omit<DeleteTarget, "expectedRevision"> {
  if (turn !== undefined && pin !== undefined) throw wrongWords("Give --turn or --pin, not both");
  if (turn !== undefined) return { kind: "turn", key: turn };
  return pin === undefined ? { kind: "scope" } : { kind: "pin", key: pin };
}

/** What would go, as counts. */
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
  await screen.line(`Would delete for ever: ${countedAll(plan.erases)}, and what derives from it.`);
  if (nothing && target.kind !== "scope") {
    await screen.line(
      `There is no active ${target.kind} by that name. If it was deleted before, deleting it gives that receipt; ` +
        "if not, the name becomes unusable all the same.",
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
  screen.done("The deletion was done: repeat the command for its receipt.");
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
      ? `It had been deleted at ${at}.`
      : `Deleted for ever: ${countedAll({ turns, pins, summaries })}. Keep the receipt.`,
  );
  if (!scrubbed) await screen.note("Bytes may remain in the files until `prune`.");
}

/** A scope that was deleted has no revision; its deletion can be repeated all the same, and gives the same receipt. */
async function currentRevision(conversation: Conversation, signal: AbortSignal): Promise<number> {
  try {
    return await conversation.revision({ signal });
  } catch (error) {
    if (error instanceof ConflictError && error.reason === "DELETED") return 0;
    throw error;
  }
}

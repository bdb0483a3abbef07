/** `erase`: shows how much there is of a tenant or a person. With `--yes`, erases it and prints the receipt. */

import type { EraseTarget } from "../../contracts/options/receipt.ts";
import type { Memory } from "../../memory.ts";
import {
  countedAll,
  type Declare,
  openStore,
  type Session,
  storeCommand,
  type StoreOptions,
} from "./command.ts";
import { sessionsOf } from "./session_pages.ts";

interface EraseOptions extends StoreOptions {
  readonly tenant: string;
  readonly subject?: string;
  readonly scrub?: true;
  readonly yes?: true;
}

/** Declares the command. */
export const ERASE: Declare = (program, run) => {
  storeCommand(program, "erase", {
    summary: "Erase everything of a tenant, or of one person in it",
    access: "write",
    example: "DIR/agent.db --tenant acme --subject gwen@example.org --scrub --yes",
    more:
      "Without --yes it only shows the sessions that it would erase; --allow-read is enough for that. Records of the " +
      "tenant or person go too. With --yes it prints the receipt as JSON: keep it for `verify`. What is stored " +
      "afterwards is not touched. Exits with 1 if --scrub could not be completed.",
  })
    .requiredOption("--tenant <id>", "the tenant")
    .option("--subject <name>", "only what is of this person")
    .option("--scrub", "then remove the bytes from the files")
    .option("--yes", "erase; without it, only show what would be erased")
    .action((store: string, options: EraseOptions) =>
      run((session) => options.yes ? erase(session, store, options) : show(session, store, options))
    );
};

function targetOf({ tenant, subject }: EraseOptions): EraseTarget {
  return { tenantId: tenant, ...subject === undefined ? {} : { subject } };
}

async function show({ screen, signal }: Session, store: string, options: EraseOptions): Promise<boolean> {
  await using memory = await openStore(store, options, "read");
  const erases = await countSessions(memory, targetOf(options), signal);
  if (screen.json) {
    await screen.value({ done: false, erases });
    return true;
  }
  const found = erases.sessions === 0
    ? "no sessions, and what there is of records"
    : `${countedAll(erases)}, all that lies under them, and records`;
  await screen.line(`Would erase: ${found}.`);
  await screen.line("Nothing was done. To do it, add: --yes", "bold");
  return true;
}

async function countSessions(
  memory: Memory,
  { tenantId, subject }: EraseTarget,
  signal: AbortSignal,
): Promise<{ readonly sessions: number; readonly turns: number }> {
  let [sessions, turns] = [0, 0];
  const options = { ...subject === undefined ? {} : { subject }, signal };
  for await (const session of sessionsOf(memory, tenantId, options)) {
    sessions += 1;
    turns += session.turns;
  }
  return { sessions, turns };
}

async function erase({ screen, signal }: Session, store: string, options: EraseOptions): Promise<boolean> {
  await using memory = await openStore(store, options, "write");
  const receipt = await memory.erase(targetOf(options), { scrub: options.scrub === true, signal });
  screen.completed("The erasure is complete: repeat the command, which then erases what was stored since.");
  await screen.value(receipt);
  const { sessions = 0, records = 0, turns, pins, journals } = receipt.erased;
  const isScrubbed = receipt.scrubbed || options.scrub !== true;
  if (!screen.json) {
    await screen.note(
      `Erased: ${countedAll({ sessions, records, turns, pins, journals })}. Keep the receipt.`,
    );
    if (!receipt.scrubbed) await screen.note("The bytes may remain in the files until `prune`.");
  }
  if (!isScrubbed) signal.throwIfAborted();
  return isScrubbed;
}

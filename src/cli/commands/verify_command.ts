/** `verify`: proves a deletion again by its receipt. */

import type { Receipt, ReceiptReport, ReceiptSubject } from "../../contracts/options/receipt.ts";
import {
  countedAll,
  type Declare,
  openStore,
  type Session,
  storeCommand,
  type StoreOptions,
} from "./command.ts";
import { validatingFile, wrongWords } from "../terminal/failure.ts";
import { readJson } from "./file_access.ts";

interface VerifyOptions extends StoreOptions {
  readonly tenant?: string;
  readonly session?: string;
  readonly key?: string;
}

/** Declares it. */
export const VERIFY: Declare = (program, run) => {
  storeCommand(program, "verify", {
    summary: "Prove a deletion by the receipt that it gave",
    access: "read",
    example: "DIR/agent.db DIR/receipt.json --tenant orchard --session spring",
    more:
      "With --tenant it also verifies whose deletion it was, as far as the names are given. Exits with 1 if the receipt " +
      "does not hold.",
  })
    .argument("<receipt>", "the file that holds what `delete` printed; - for standard input")
    .option("--tenant <id>", "whose conversation it must be about")
    .option("--session <id>", "which conversation")
    .option("--key <text>", "which turn or pin of it")
    .action((store: string, receipt: string, options: VerifyOptions) =>
      run((session) => verify(session, store, receipt, options))
    );
};

const ASKED: readonly (readonly [field: keyof ReceiptReport, question: string])[] = [
  ["lineage", "the receipt is of this store's ledger"],
  ["authentic", "no field of it was changed"],
  ["about", "it is about what was named"],
  ["chain", "the ledger's chain is unbroken"],
  ["event", "the deletion stands where the receipt says"],
  ["applied", "it was carried out"],
];

async function verify(
  { screen, signal }: Session,
  store: string,
  path: string,
  options: VerifyOptions,
): Promise<boolean> {
  const subject = subjectOf(options);
  const receipt = await readJson(path, "receipt", signal);
  await using memory = await openStore(store, options, "read");
  const report = await validatingFile(() => memory.verifyReceipt(receipt as Receipt, subject));
  if (screen.json) {
    await screen.value(report);
    return report.valid;
  }
  // What is asked of the receipt of another store has no answer in this one.
  for (const [field, question] of report.lineage ? ASKED : ASKED.slice(0, 1)) {
    if (report[field] === null) continue;
    await screen.line(`${report[field] === true ? "yes" : "no "}  ${question}`);
  }
  if (report.lineage) {
    const remains = countedAll(report.remains);
    const rest = remains === "nothing" ? "" : `: ${remains}`;
    await screen.line(`${rest === "" ? "yes" : "no "}  nothing of it remains${rest}`);
  }
  await screen.line(
    report.valid ? "The receipt holds." : "The receipt does not hold.",
    report.valid ? "green" : "red",
  );
  return report.valid;
}

function subjectOf({ tenant, session, key }: VerifyOptions): ReceiptSubject | undefined {
  if (tenant !== undefined && (key === undefined || session !== undefined)) {
    return { tenantId: tenant, sessionId: session, key };
  }
  if (tenant === undefined && session === undefined && key === undefined) return undefined;
  throw wrongWords("Give --tenant with --session, and both with --key");
}

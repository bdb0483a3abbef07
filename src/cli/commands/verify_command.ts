/** `verify`: verifies a deletion by its receipt. */

import type { Receipt, ReceiptReport, ReceiptSubject } from "../../contracts/options/receipt.ts";
import {
  countedAll,
  type Declare,
  openStore,
  type Session,
  storeCommand,
  type StoreOptions,
} from "./command.ts";
import { usageError, validatingFile } from "../terminal/failure.ts";
import { readJson } from "./file_access.ts";

interface VerifyOptions extends StoreOptions {
  readonly tenant?: string;
  readonly session?: string;
  readonly key?: string;
  readonly subject?: string;
}

/** Declares the command. */
export const VERIFY: Declare = (program, run) => {
  storeCommand(program, "verify", {
    summary: "Verify a deletion by its receipt",
    access: "read",
    example: "DIR/agent.db DIR/receipt.json --tenant acme --session ticket-4711",
    more:
      "With --tenant, --session and --key it also verifies what the deletion was about. Exits with 1 if the receipt is " +
      "not valid.",
  })
    .argument("<receipt>", "the file that holds what `delete` printed; - for standard input")
    .option("--tenant <id>", "the tenant that it must be about")
    .option("--session <id>", "the conversation")
    .option("--key <text>", "the turn or pin")
    .option("--subject <name>", "the person, of a receipt of `erase`")
    .action((store: string, receipt: string, options: VerifyOptions) =>
      run((session) => verify(session, store, receipt, options))
    );
};

const QUESTIONS: readonly (readonly [field: keyof ReceiptReport, question: string])[] = [
  ["lineage", "the receipt is from this store's ledger"],
  ["authentic", "no field of it was changed"],
  ["about", "it is about the named subject"],
  ["chain", "the ledger's chain is unbroken"],
  ["event", "the deletion is at the receipt's place in the ledger"],
  ["applied", "it was applied"],
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
  // This store can answer no further question about the receipt of another one.
  for (const [field, question] of report.lineage ? QUESTIONS : QUESTIONS.slice(0, 1)) {
    if (report[field] === null) continue;
    await screen.line(`${report[field] === true ? "yes" : "no "}  ${question}`);
  }
  if (report.lineage) {
    const remains = countedAll(report.remains);
    const rest = remains === "nothing" ? "" : `: ${remains}`;
    await screen.line(`${rest === "" ? "yes" : "no "}  nothing of it remains${rest}`);
  }
  await screen.line(
    report.valid ? "The receipt is valid." : "The receipt is not valid.",
    report.valid ? "green" : "red",
  );
  return report.valid;
}

function subjectOf({ tenant, session, key, subject }: VerifyOptions): ReceiptSubject | undefined {
  if (tenant !== undefined && (key === undefined || session !== undefined)) {
    return { tenantId: tenant, sessionId: session, key, subject };
  }
  if (tenant === undefined && [session, key, subject].every((each) => each === undefined)) return undefined;
  throw usageError("--session and --subject need --tenant, and --key needs --tenant and --session");
}

/** Failures of lines that cannot be imported. */

import { ContractError, type ErrorDetails } from "../../errors.ts";
import { CommandError } from "../terminal/failure.ts";

/** How many things were imported before an import ended, by the details of its error. */
export function importedCount({ imported = {} }: ErrorDetails): number {
  return Object.values(imported as Readonly<Record<string, number>>).reduce((sum, count) => sum + count, 0);
}

/** Runs an import: invalid lines are the file's fault (exit code 1), not a usage error. */
export async function validatingLines<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ContractError)) throw error;
    const { code, message, details } = error;
    throw new CommandError(code, message, { advice: adviceFor(error), details });
  }
}

function adviceFor({ field, details }: ContractError): string {
  if (field === "kind") {
    const what = importedCount(details) === 0 ? "Nothing was imported" : "The lines before it were imported";
    return `${what}; to import records of your own kinds, write a program: openMemory(path, { kinds }) and ` +
      "importLines(lines). A single conversation can be exported with --tenant and --session.";
  }
  if (field === "content") return "Nothing was imported; export the store again, without --no-content.";
  if (importedCount(details) === 0) return "Nothing was imported; correct the file and import it again.";
  // The change is found by the closing line only, and imported lines are not overwritten.
  if (field === "digest") {
    return "The changed lines were imported and stay: import the lines as they were exported into a new store.";
  }
  return "The lines before it were imported; correct the file and import it again.";
}

/** Refuses to restore from, or write to, a damaged file. */

import { because, IntegrityError } from "../../../errors.ts";
import { CheckCollector } from "../../../engine/check_collector.ts";
import { checkPagesOf } from "./check_copy.ts";
import { checkNothingBeforeFirst } from "./check_store.ts";
import type { Ledger } from "../database/ledger.ts";

/** Runs a check, and throws if it finds damage. */
export async function requireIntact(
  what: "backup" | "ledger",
  check: (collector: CheckCollector) => Promise<void>,
  { signal, onRows }: {
    readonly signal: AbortSignal | undefined;
    readonly onRows?: (rows: number) => void;
  },
): Promise<void> {
  const collector = new CheckCollector({ signal, onProgress: ({ rows }) => onRows?.(rows) });
  await check(collector);
  const { problems } = collector.report();
  if (problems.length === 0) return;
  throw new IntegrityError(`Cannot restore: the ${what} is damaged in ${problems[0]!.table}`, {
    details: because(what === "ledger" ? "damaged-ledger" : "damaged-backup", {
      problems: problems.length,
      table: problems[0]!.table,
    }),
  });
}

/**
 * Requires that a ledger's pages are intact: a write to damaged pages may destroy others.
 *
 * The chain is validated later, against the backup.
 */
export async function requireIntactLedger(ledger: Ledger, signal: AbortSignal | undefined): Promise<void> {
  await requireIntact("ledger", async (collector) => {
    await checkPagesOf(ledger, collector);
    checkNothingBeforeFirst(ledger, collector);
  }, { signal });
}

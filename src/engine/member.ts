import type { EventPlace, Operation, WriteTransaction } from "./operation.ts";

/** How a member of a write group ended, or that it has to run in a group of its own. */
export type Outcome =
  | { readonly kind: "done"; readonly value: unknown; readonly recorded: EventPlace | null }
  | { readonly kind: "failed"; readonly error: unknown }
  | { readonly kind: "alone" };

/** One queued write. */
export interface Member {
  readonly factory: (transaction: WriteTransaction) => Operation<unknown>;
  /** Whether it may record deletions. */
  readonly ledger: boolean;
  /** About how many bytes it writes. */
  readonly bytes: number;
  /** When a lock held by others is reported, on the monotonic clock. */
  readonly deadlineMs: number;
  /** Whether it has to run in a group of its own. */
  alone: boolean;
  /** How it ended, once its group was run. */
  outcome: Outcome | null;
  /** Settles the caller's promise. */
  readonly settle: (outcome: Outcome) => void;
}

/** What the members of a group are told when it did not go as they asked. */

import { MemoryError, StorageError } from "../errors.ts";
import type { Member } from "./member.ts";

/** Fails the members that had run; one whose deletion is recorded is told so, with its place: it is irrevocable. */
export function failRecorded(members: readonly Member[], error: unknown): void {
  for (const member of members) {
    if (member.outcome?.kind !== "done") continue;
    const { recorded } = member.outcome;
    if (recorded === null) member.outcome = { kind: "failed", error };
    else {member.outcome = {
        kind: "failed",
        error: withDetails(error, { recorded: { sequence: recorded.sequence, head: recorded.head } }),
      };}
  }
}

/** The error of a commit of which nobody knows whether it took effect. */
export function outcomeUnknown(error: unknown): unknown {
  return withDetails(error, { outcome: "unknown" });
}

/** The same storage error with more details; anything else becomes its cause. */
function withDetails(error: unknown, details: Record<string, unknown>): StorageError {
  if (error instanceof StorageError) {
    return new StorageError(error.code, error.message, {
      details: { ...error.details, ...details },
      cause: error,
    });
  }
  const known = error instanceof MemoryError ? error.details : {};
  return new StorageError("IO", "Cannot write: the commit failed", {
    details: { ...known, ...details },
    cause: error,
  });
}

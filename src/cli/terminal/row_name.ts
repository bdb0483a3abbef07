import type { DamagedRow } from "../../contracts/damaged.ts";

/** Describes a damaged row by its labels. */
export function nameOf({ table, tenantId, sessionId, turnId, kind, key, part, place }: DamagedRow): string {
  const scope = tenantId === undefined ? "" : ` of ${[tenantId, sessionId ?? kind].join("/")}`;
  if (turnId !== undefined) return `turn ${turnId}${scope}`;
  if (part !== undefined) {
    const journal = part === "" ? `the journal${scope}` : `journal ${part}${scope}`;
    return place === undefined ? journal : `entry ${place} of ${journal}`;
  }
  if (table === "scopes") return `conversation ${[tenantId, sessionId].join("/")}`;
  if (table === "summaries") return `summary${scope}`;
  if (key !== undefined) return `${table === "pins" ? "pin" : "record"} ${key}${scope}`;
  return `a row of ${table}${scope}`;
}

import type { DamagedRow } from "../../contracts/damaged.ts";

/** Describes a damaged row by its labels. */
export function nameOf({ table, tenantId, sessionId, turnId, kind, key }: DamagedRow): string {
  const scope = tenantId === undefined ? "" : ` of ${[tenantId, sessionId ?? kind].join("/")}`;
  if (turnId !== undefined) return `turn ${turnId}${scope}`;
  if (table === "scopes") return `conversation ${[tenantId, sessionId].join("/")}`;
  if (table === "summaries") return `summary${scope}`;
  if (key !== undefined) return `${table === "pins" ? "pin" : "record"} ${key}${scope}`;
  return `a row of ${table}${scope}`;
}

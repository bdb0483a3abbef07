/** Validates the arguments of the calls on a tenant's sessions. */

import {
  readFields,
  requireBoolean,
  requireDamaged,
  requireInteger,
  requireSignal,
  requireSubject,
  requireText,
  requireTitle,
} from "../contracts/arguments.ts";
import type { Damaged } from "../contracts/damaged.ts";
import { toMetadata } from "../contracts/message.ts";
import { hashOfSubject } from "../tables/subjects.ts";
import { ContractError } from "../errors.ts";
import { OPERATION_ID_CODE_POINTS_MAX, SESSIONS_DEFAULT, SESSIONS_MAX } from "../limits.ts";
import type { DescriptionChanges } from "./describe_session.ts";

/** A list, validated. */
export interface ValidatedList {
  readonly tenantId: string;
  readonly order: "recent" | "id";
  /** The hash of the subject; null for any. */
  readonly subject: Uint8Array | null;
  /** Where the page begins. */
  readonly from: { readonly recent: number; readonly row: number; readonly sessionId: string };
  readonly limit: number;
  readonly damaged: Damaged;
  readonly signal: AbortSignal | undefined;
}

/** Validates what `sessions` takes. */
export function validateList(hashKey: Uint8Array, tenant: unknown, options: unknown): ValidatedList {
  const tenantId = requireText("tenantId", tenant, Number.MAX_SAFE_INTEGER);
  const given = readFields("options", options, ["order", "subject", "after", "limit", "damaged", "signal"]);
  const order = requireOrder(given.order);
  return {
    tenantId,
    order,
    subject: given.subject === undefined
      ? null
      : hashOfSubject(hashKey, tenantId, requireSubject(given.subject)),
    from: readCursor(given.after, order),
    limit: given.limit === undefined
      ? SESSIONS_DEFAULT
      : requireInteger("limit", given.limit, 1, SESSIONS_MAX),
    damaged: requireDamaged(given.damaged),
    signal: requireSignal(given.signal),
  };
}

function requireOrder(value: unknown): "recent" | "id" {
  if (value === undefined || value === "recent" || value === "id") return value ?? "recent";
  throw new ContractError("order", 'Expected order to be "recent" or "id"');
}

const BEGINNING: ValidatedList["from"] = {
  recent: Number.MAX_SAFE_INTEGER,
  row: Number.MAX_SAFE_INTEGER,
  sessionId: "",
};

function readCursor(after: unknown, order: "recent" | "id"): ValidatedList["from"] {
  if (after === undefined) return BEGINNING;
  const text = typeof after === "string" && after.isWellFormed() && !after.includes("\0") ? after : "";
  if (order === "id" && text.startsWith("id:")) return { ...BEGINNING, sessionId: text.slice(3) };
  const [, recent, row] = /^recent:([0-9]{1,15}):([0-9]{1,15})$/.exec(text) ?? [];
  if (order === "recent" && row !== undefined) {
    return { ...BEGINNING, recent: Number(recent), row: Number(row) };
  }
  throw new ContractError("after", "Expected after to be the next of an earlier page in the same order");
}

/** Validates what `describe` changes. */
export function validateChanges(value: unknown): DescriptionChanges {
  const { title, metadata, subject } = readFields("changes", value, ["title", "metadata", "subject"]);
  return {
    ...title === undefined ? {} : { title: title === null ? null : requireTitle(title) },
    ...metadata === undefined ? {} : { metadata: metadata === null ? null : toMetadata(metadata) },
    ...subject === undefined ? {} : { subject: subject === null ? null : requireSubject(subject) },
  };
}

/** An erasure, validated. */
export interface ValidatedErase {
  readonly tenantId: string;
  readonly subject: string | null;
  readonly operationId: string | null;
  readonly scrub: boolean;
  readonly signal: AbortSignal | undefined;
}

/** Validates what `erase` takes. */
export function validateErase(target: unknown, options: unknown): ValidatedErase {
  const { tenantId, subject } = readFields("target", target, ["tenantId", "subject"]);
  const { operationId, scrub, signal } = readFields("options", options, ["operationId", "scrub", "signal"]);
  return {
    tenantId: requireText("tenantId", tenantId, Number.MAX_SAFE_INTEGER),
    subject: subject === undefined ? null : requireSubject(subject),
    operationId: operationId === undefined
      ? null
      : requireText("operationId", operationId, OPERATION_ID_CODE_POINTS_MAX),
    scrub: scrub === undefined ? false : requireBoolean("scrub", scrub),
    signal: requireSignal(signal),
  };
}

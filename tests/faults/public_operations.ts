/** Every operation of the matrices, and the parts of the public interface that they leave out. */

import { Conversation, Journal, KindRecords, Memory, Records } from "../../mod.ts";
import { CONVERSATION_OPERATIONS } from "./conversation_operations.ts";
import { INDEX_OPERATIONS } from "./index_operations.ts";
import { JOURNAL_OPERATIONS } from "./journal_operations.ts";
import { LINE_OPERATIONS } from "./line_operations.ts";
import { MEDIA_OPERATIONS } from "./media_operations.ts";
import { RECORD_OPERATIONS } from "./record_operations.ts";
import { SESSION_OPERATIONS } from "./session_operations.ts";
import { STORE_OPERATIONS } from "./store_operations.ts";
import { TRANSACTION_OPERATIONS } from "./transaction_operations.ts";
import type { StruckOperation } from "./struck_operation.ts";

/** All lists; see `struck_operation.ts` for how to add to them. */
export const PUBLIC_OPERATIONS: readonly StruckOperation[] = [
  ...RECORD_OPERATIONS,
  ...CONVERSATION_OPERATIONS,
  ...INDEX_OPERATIONS,
  ...JOURNAL_OPERATIONS,
  ...MEDIA_OPERATIONS,
  ...STORE_OPERATIONS,
  ...LINE_OPERATIONS,
  ...TRANSACTION_OPERATIONS,
  ...SESSION_OPERATIONS,
];

/** The methods of the classes through which a store is reached. */
export function publicMethods(): readonly string[] {
  return [Memory, Records, KindRecords, Conversation, Journal].flatMap(({ name, prototype }) =>
    Object.getOwnPropertyNames(prototype)
      .filter((method) => method !== "constructor")
      .map((method) => `${name}.${method}`)
  );
}

/** Methods that need no row, and why. */
export const WITHOUT_ROW: Readonly<Record<string, string>> = {
  "Memory.conversation": "touches nothing",
  "Memory.journal": "touches nothing",
  "Records.of": "touches nothing",
  "Memory.check": "only reads, and reports damage instead of throwing",
  "Memory.verifyReceipt": "only reads",
};

/** Functions of the module that write to a store and are struck by a matrix of their own. */
export const STRUCK_ELSEWHERE: Readonly<Record<string, string>> = {
  openMemory: "opening_test.ts",
  restoreMemory: "restore_test.ts",
};

/** Functions of the module that touch no store. */
export const PURE: ReadonlySet<string> = new Set([
  "assembleContext",
  "defaultTokenCounter",
  "defineKind",
  "frozenSummary",
  "pin",
  "summaryFromHistory",
  "turn",
]);

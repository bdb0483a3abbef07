/** Lists every public operation on a store. A test compares the list with the methods of the classes. */

import { CONVERSATION_OPERATIONS } from "./conversation_operations.ts";
import { JOURNAL_OPERATIONS } from "./journal_operations.ts";
import type { GrowthOperation } from "./operation.ts";
import { RECORD_OPERATIONS } from "./record_operations.ts";
import { STORE_OPERATIONS } from "./store_operations.ts";

/** All operations. */
export const PUBLIC_OPERATIONS: readonly GrowthOperation[] = [
  ...RECORD_OPERATIONS,
  ...CONVERSATION_OPERATIONS,
  ...JOURNAL_OPERATIONS,
  ...STORE_OPERATIONS,
];

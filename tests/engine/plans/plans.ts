/** How SQLite runs each statement of the source: which index it uses, and which columns bind it. */

import { CONVERSATION_PLANS } from "./conversation_plans.ts";
import { COPY_PLANS } from "./copy_plans.ts";
import { DELETION_PLANS } from "./deletion_plans.ts";
import { ENGINE_PLANS } from "./engine_plans.ts";
import { INDEX_PLANS } from "./index_plans.ts";
import { JOURNAL_PLANS } from "./journal_plans.ts";
import { MEDIA_PLANS } from "./media_plans.ts";
import { MEND_PLANS } from "./mend_plans.ts";
import { RECORD_PLANS } from "./record_plans.ts";
import { SESSION_PLANS } from "./session_plans.ts";
import { TABLE_PLANS } from "./table_plans.ts";

/** By file and statement: the steps as in EXPLAIN QUERY PLAN, and a reason if a step is not a search. */
export type Plans = Readonly<
  Record<string, Readonly<Record<string, string | { readonly plan: string; readonly because: string }>>>
>;

/** All lists. */
export const PLANS: Plans = {
  ...CONVERSATION_PLANS,
  ...COPY_PLANS,
  ...DELETION_PLANS,
  ...ENGINE_PLANS,
  ...INDEX_PLANS,
  ...JOURNAL_PLANS,
  ...MEDIA_PLANS,
  ...MEND_PLANS,
  ...RECORD_PLANS,
  ...SESSION_PLANS,
  ...TABLE_PLANS,
};

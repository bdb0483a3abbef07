/** The deliberate breaks. A break whose text is not found any more is stale: bring it to where its guarantee lies now. */

import { COMMAND_BREAKS } from "./breaks/commands.ts";
import { DELETION_BREAKS } from "./breaks/deletions.ts";
import { FILE_BREAKS } from "./breaks/files.ts";
import { GROUP_BREAKS } from "./breaks/groups.ts";
import { MEDIA_BREAKS } from "./breaks/media.ts";
import { CONTEXT_BREAKS } from "./breaks/contexts.ts";
import { JOURNAL_BREAKS } from "./breaks/journals.ts";
import { KIND_BREAKS } from "./breaks/kinds.ts";
import { LINES_BREAKS } from "./breaks/lines.ts";
import { NAMED_BREAKS } from "./breaks/named.ts";
import { COMPARISON_BREAKS, EXPIRY_BREAKS, TENANT_BREAKS } from "./breaks/records.ts";
import { RESTORE_BREAKS } from "./breaks/restores.ts";
import { ROUND_BREAKS } from "./breaks/rounds.ts";
import { SEARCH_BREAKS } from "./breaks/searches.ts";
import { SESSION_BREAKS } from "./breaks/sessions.ts";
import { TIME_BREAKS } from "./breaks/times.ts";
import { TRANSACTION_BREAKS } from "./breaks/transactions.ts";
import { DAMAGE_BREAKS, LIMIT_BREAKS } from "./breaks/values.ts";
import type { Mutant } from "./mutant.ts";

/** All breaks, those that the reference page names first. */
export const MUTANTS: readonly Mutant[] = [
  ...NAMED_BREAKS,
  ...EXPIRY_BREAKS,
  ...COMPARISON_BREAKS,
  ...TENANT_BREAKS,
  ...KIND_BREAKS,
  ...LIMIT_BREAKS,
  ...DAMAGE_BREAKS,
  ...GROUP_BREAKS,
  ...DELETION_BREAKS,
  ...FILE_BREAKS,
  ...RESTORE_BREAKS,
  ...TIME_BREAKS,
  ...ROUND_BREAKS,
  ...SEARCH_BREAKS,
  ...LINES_BREAKS,
  ...CONTEXT_BREAKS,
  ...JOURNAL_BREAKS,
  ...MEDIA_BREAKS,
  ...COMMAND_BREAKS,
  ...TRANSACTION_BREAKS,
  ...SESSION_BREAKS,
];

/** How many rows each table of conversations has. */

import {
  COVERED_TURNS,
  FLOORS,
  MESSAGE_IDS,
  OPERATIONS,
  PINS,
  REPLAYS,
  SCOPES,
  SUMMARIES,
  TURNS,
} from "../../tables/schema/main_tables.ts";
import type { StoreUnderTest } from "../kit/store_under_test.ts";

const TABLES = [SCOPES, TURNS, MESSAGE_IDS, PINS, SUMMARIES, COVERED_TURNS, REPLAYS, OPERATIONS, FLOORS];

/** Counts them. */
export async function rowsByTable(store: StoreUnderTest): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of TABLES) counts[table.name] = await store.count(table);
  return counts;
}

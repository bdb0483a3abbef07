/** What several processes work on at once. */

import { defineKind, type RecordKind } from "@holdfast/memory";
import { z } from "zod";

/** One whole number, without a deadline. */
export const COUNTER: RecordKind = defineKind("counter", z.strictObject({ n: z.int() }), { ttlMax: null });

/** The one record that is incremented. */
export const VISITS = { tenantId: "orchard", kind: "counter", key: "visits" } as const;

/** The one conversation that is appended to. */
export const THREAD = { tenantId: "orchard", sessionId: "thread" } as const;

/** What `check` takes and finds. */

/**
 * What `check` takes.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type CheckOptions, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const parts = new Set<string>();
 * const options: CheckOptions = { onProgress: ({ part }) => parts.add(part) };
 * assert.equal((await memory.check(options)).ok, true);
 * assert(parts.size > 0);
 * ```
 */
export interface CheckOptions {
  /** Cancels the check between two batches. */
  readonly signal?: AbortSignal | undefined;
  /** Told how far it is. */
  readonly onProgress?: ((progress: CheckProgress) => void) | undefined;
}

/**
 * How far a check is.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type CheckProgress, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const told: CheckProgress[] = [];
 * await memory.check({ onProgress: (progress) => told.push(progress) });
 * assert(told.some(({ part, rows }) => part === "turns" && rows === 1));
 * ```
 */
export interface CheckProgress {
  /** What is being looked through: a table, or `pages`. */
  readonly part: string;
  /** Rows of it that were looked at. */
  readonly rows: number;
}

/**
 * Something that is damaged.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { DatabaseSync } from "node:sqlite";
 * import { type CheckProblem, openMemory } from "@holdfast/memory";
 *
 * const directory = await Deno.makeTempDir();
 * await using memory = await openMemory(`${directory}/agent.db`);
 * const fact = { schema: 1, text: "The dog is Rex.", source: "chat-7", reviewed: true } as const;
 * await memory.records.put({ tenantId: "orchard", kind: "fact", key: "dog" }, fact, { expectedRevision: null, ttl: 3_600 });
 * using database = new DatabaseSync(`${directory}/agent.db`);
 * database.exec("UPDATE records SET body = replace(body, 'Rex', 'Max')"); // somebody else's hand
 * const problems: readonly CheckProblem[] = (await memory.check()).problems;
 * assert.deepEqual(problems.map(({ database, table }) => [database, table]), [["main", "records"]]);
 * ```
 */
export interface CheckProblem {
  /** Which file. */
  readonly database: "main" | "ledger";
  /** Which table, or `pages`. */
  readonly table: string;
  /** Which row, by its labels (never its text); null where no single row is meant. */
  readonly row: string | null;
  /** What is wrong, without content. */
  readonly problem: string;
}

/**
 * A record whose value does not fit its kind any more, such as one stored before the kind got a further field. It is
 * intact: backups and restores take it along, and a put replaces it.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { defineKind, type Misfit, openMemory } from "@holdfast/memory";
 * import { z } from "zod";
 *
 * const path = `${await Deno.makeTempDir()}/agent.db`;
 * const identity = { tenantId: "orchard", kind: "note", key: "pears" };
 * const before = defineKind("note", z.strictObject({ text: z.string() }));
 * const after = defineKind("note", z.strictObject({ text: z.string(), author: z.string() }));
 * {
 *   await using memory = await openMemory(path, { kinds: [before] });
 *   await memory.records.put(identity, { text: "Grafted." }, { expectedRevision: null, ttl: 3_600 });
 * }
 * await using memory = await openMemory(path, { kinds: [after] });
 * const { ok, misfits } = await memory.check();
 * const expected: readonly Misfit[] = [{ row: "orchard/note/pears", field: "value.author" }];
 * assert.deepEqual([ok, misfits], [true, expected]);
 * ```
 */
export interface Misfit {
  /** Which record, by its labels: tenant, kind and key. */
  readonly row: string;
  /** What of it does not fit: a name that the schema declares, or `value`. */
  readonly field: string;
}

/**
 * What a check found.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { type CheckReport, openMemory } from "@holdfast/memory";
 *
 * await using memory = await openMemory(":memory:");
 * const conversation = memory.conversation({ tenantId: "orchard", sessionId: "spring" });
 * await conversation.append([{ role: "user", content: "The pears were grafted in March." }]);
 * const report: CheckReport = await memory.check();
 * assert.deepEqual([report.ok, report.problems, report.rows.turns], [true, [], 1]);
 * ```
 */
export interface CheckReport {
  /** Whether nothing is damaged. */
  readonly ok: boolean;
  /** What is damaged; at most 1 000 problems are listed. */
  readonly problems: readonly CheckProblem[];
  /** Records that are intact and do not fit their kind any more; at most 1 000 are listed. */
  readonly misfits: readonly Misfit[];
  /** Rows looked at, by table. */
  readonly rows: Readonly<Record<string, number>>;
}

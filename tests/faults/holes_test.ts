/** The matrices are generated from the statements that the operations run. This finds statements that none of them runs. */

import assert from "node:assert/strict";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { expandDescriptors, findRowWrites, readDescriptorStatements } from "../kit/source_statements.ts";
import { OPENINGS } from "./openings.ts";
import { makeShelf, traceOf } from "./restoring.ts";
import { PUBLIC_OPERATIONS } from "./public_operations.ts";
import { endingOf, imageOf, StruckStore } from "./struck_store.ts";

/** Statements that no operation with a row runs, and why. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  "tables/schema/dialects.ts INSERT INTO floors …": "a copy of a store with floors: tests/restore/",
  "index/check_index.ts": "check() reports damage instead of throwing",
  "engines/sqlite/read/check_store.ts": "likewise",
  "deletion/verify_receipt.ts": "only verifyReceipt() reads it",
  "deletion/erase_owned.ts COUNT_DRAINING": "likewise",
  "deletion/erase_owned.ts COUNT_SCOPES_OF_TENANT": "likewise",
  "deletion/erase_owned.ts COUNT_RECORDS_OF_TENANT": "likewise",
  "deletion/erase_owned.ts COUNT_SCOPES_OF_SUBJECT": "likewise",
  "deletion/erase_owned.ts COUNT_RECORDS_OF_SUBJECT": "likewise",
  "deletion/erase_owned.ts SELECT_NEXT_TENANT_OF_SCOPES":
    "an erasure of a tenant that another process recorded: tests/sessions/pending_test.ts",
  "tables/schema/dialects.ts INSERT INTO draining_scopes …":
    "a copy of a store that is being erased: tests/sessions/pending_test.ts",
  "search/search_cache.ts": "only read, of terms so common that their postings are not: tests/index/",
  "search/index_query.ts SELECT_HEAD": "only read, where expired content could not be erased",
  "tables/draining_turns.ts":
    "a turn with more words than a matrix can strike: tests/index/long_turns_test.ts",
  "tables/schema/dialects.ts rewrite draining_turns": "likewise",
  "conversations/mend_scopes.ts": "a work file: tests/restore/mended_backups_test.ts",
  "conversations/mend_strays.ts SELECT_STRAY_TURNS": "likewise",
  "records/mend_records.ts DELETE_OPERATION": "likewise",
  "journals/mend_journals.ts": "likewise",
  "media/mend_media.ts DELETE_UNCITED": "likewise",
  "tables/journals.ts SELECT_JOURNAL_BY_ROW": "check() reports damage instead of throwing",
  "lines/read_scope.ts SELECT_EXPIRED_TURNS": "only read, where expired content could not be erased",
  "engines/sqlite/database/applied_events.ts SELECT_EVENT": "only verifyReceipt() reads it",
  "engines/sqlite/database/applied_events.ts SELECT_HEAD":
    "only read, for lines of this very store: tests/lines/",
  "tables/operation_ids.ts DELETE_OLDEST_OPERATIONS": "a scope that remembers too many operations",
  "engines/sqlite/database/database.ts GET_SCHEMA_COOKIE":
    "a file whose creation was cut off: tests/powerloss/",
  "engines/sqlite/database/connection.ts SAVEPOINT_MEMBER": "several members: groups_test.ts",
  "engines/sqlite/database/connection.ts RELEASE_MEMBER": "several members: groups_test.ts",
  "engines/sqlite/database/connection.ts ROLLBACK_TO_MEMBER": "several members: groups_test.ts",
};

function onOneLine(sql: string): string {
  return sql.replace(/\s+/g, " ").trim();
}

/** Every file of the source that holds statements. */
function sources(folder: URL): readonly URL[] {
  return [...Deno.readDirSync(folder)].flatMap(({ name, isDirectory }) =>
    isDirectory ? sources(new URL(`${name}/`, folder)) : [new URL(name, folder)]
  );
}

const SOURCE = new URL("../../src/", import.meta.url);

/** Every statement that is a constant, by the file and its name. */
function readConstants(): ReadonlyMap<string, string> {
  const constants = new Map(
    readDescriptorStatements().map(({ file, name, sql }) => [`${file} ${name}`, onOneLine(sql)]),
  );
  for (const file of sources(SOURCE)) {
    const path = file.pathname.slice(SOURCE.pathname.length);
    const text = expandDescriptors(Deno.readTextFileSync(file));
    for (const [, name, sql] of text.matchAll(/const ([A-Z_]+) =\s*[`"]([A-Z]+ [^`"]+)[`"];/g)) {
      constants.set(`${path} ${name}`, onOneLine(sql!));
    }
    for (const { name, sql } of findRowWrites(path, text)) constants.set(`${path} ${name}`, onOneLine(sql));
  }
  return constants;
}

async function collectStatements(): Promise<ReadonlySet<string>> {
  const met = new Set<string>();
  const collect = (store: StruckStore): void => {
    for (const { sql } of store.driver.stopTrace()) if (sql !== null) met.add(onOneLine(sql));
  };
  for (const { prepare, run, laterMs } of PUBLIC_OPERATIONS) {
    await using store = await StruckStore.make(await imageOf(prepare));
    await using memory = await store.open(5_000, laterMs);
    store.driver.startTrace();
    await endingOf(run(memory, undefined));
    collect(store);
  }
  for (const { image, acceptClock } of OPENINGS) {
    await using store = await StruckStore.make(await image());
    store.driver.startTrace();
    await using _memory = await store.open(5_000, acceptClock ? -600_000 : 0, acceptClock);
    collect(store);
  }
  for (const { sql } of await traceOf(await makeShelf())) if (sql !== null) met.add(onOneLine(sql));
  return met;
}

Deno.test("Every statement in the source fails in some matrix, or is listed here with the reason", async () => {
  const met = await collectStatements();
  const constants = readConstants();
  assert(constants.size > 150, `${constants.size} statements: the sources have other places now`);
  const holes = [...constants].filter(([, sql]) => !met.has(sql)).map(([name]) => name);
  const known = new Set(Object.keys(ELSEWHERE));
  const unknown = holes.filter((name) => !known.has(name) && !known.has(name.split(" ")[0]!));
  assert.deepEqual(unknown, [], "no operation of public_operations.ts or openings.ts runs these");
  const needless = [...known].filter((name) => !holes.some((hole) => hole.startsWith(name)));
  assert.deepEqual(needless, [], "these fail in a matrix after all");
});

testThatNothingIsLeftOpen();

/** `--skip-damaged`: the rest of the work is done, skipped rows are listed, and the exit code is 3. */

import assert from "node:assert/strict";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { openBeside } from "../kit/test_store.ts";
import { assertRefused, holdfast, printed, value } from "./collected.ts";
import { StoredFile } from "./stored.ts";

const SCOPE = ["--tenant", "acme", "--session", "ticket-7"];
const ROW = { table: "turns", tenantId: "acme", sessionId: "ticket-7", turnId: "turn-2" };

/** A store with one damaged turn. */
async function makeDamaged(): Promise<StoredFile> {
  const store = await StoredFile.make();
  store.damaged = true;
  using connection = openBeside(store.path);
  connection.prepare("UPDATE turns SET payload = replace(payload, 'lamps', 'desks') WHERE turn_id = 'turn-2'")
    .run([]);
  return store;
}

function wordsOn(store: StoredFile): readonly (readonly [name: string, words: readonly string[]])[] {
  return [
    ["export", ["export", store.path, store.at("out.jsonl"), "--show-content"]],
    ["backup", ["backup", store.path, store.at("out.backup")]],
    ["search", ["search", store.path, ...SCOPE, "orders"]],
    ["context", ["context", store.path, ...SCOPE, "which lamps?"]],
  ];
}

Deno.test("Every command with --skip-damaged goes on without a damaged turn, names it and exits with 3 (BAD-01)", async () => {
  await using store = await makeDamaged();
  for (const [name, words] of wordsOn(store)) {
    const { code, errors } = await holdfast(...words, "--skip-damaged");
    assert.deepEqual([name, code], [name, 3]);
    const summary = name === "backup" ? "  summary of acme/ticket-7\n" : "";
    const rows = name === "backup" ? "2 rows" : "1 row";
    assert.equal(
      errors,
      `Left out ${rows}, damaged or citing a damaged row:\n  turn turn-2 of acme/ticket-7\n${summary}`,
    );
  }
  const report = await value("import", store.at("new.db"), store.at("out.jsonl"));
  assert.equal(report.skipped, 1);
});

Deno.test("With --json one value lists what was left out (BAD-01)", async () => {
  await using store = await makeDamaged();
  for (const [name, words] of wordsOn(store)) {
    const { code, output, errors } = await holdfast(...words, "--skip-damaged", "--json");
    assert.deepEqual([name, code, errors], [name, 3, ""]);
    const cited = name === "backup" ? [{ ...ROW, table: "summaries", turnId: undefined }] : [];
    assert.equal(JSON.stringify(JSON.parse(output).skipped), JSON.stringify([ROW, ...cited]));
  }
});

Deno.test("Without --skip-damaged the error names conversation and turn, and says how to continue (BAD-01)", async () => {
  await using store = await makeDamaged();
  for (const [, words] of wordsOn(store)) {
    const says = /INTEGRITY: .*\(turn turn-2 of acme\/ticket-7\)\. Run `check`.*--skip-damaged/;
    const { code, errors } = await holdfast(...words);
    assert.equal(code, 1);
    assert.match(errors, says);
  }
});

Deno.test("--skip-damaged on an intact store changes nothing, and it excludes --only-ledger", async () => {
  await using store = await StoredFile.make();
  for (const [, words] of wordsOn(store)) await printed(...words, "--skip-damaged");
  const words = ["backup", store.path, store.at("ledger.copy"), "--only-ledger", "--skip-damaged"];
  await assertRefused(words, { code: 2, says: /--only-ledger and --skip-damaged exclude each other/ });
});

testThatNothingIsLeftOpen();

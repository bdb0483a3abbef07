/** Every command does what it says, as text and as JSON, when its output is piped. */

import assert from "node:assert/strict";
import { z } from "zod";
import { defineKind, openMemory } from "../../mod.ts";
import { nodeSqlite } from "../../src/engines/sqlite/drivers/node_sqlite.ts";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import { FaultyDriver } from "../kit/faulty_driver.ts";
import { PARTS } from "../../src/testing/kit/message_parts.ts";
import { assertRefused, holdfast, printed, value } from "./collected.ts";
import { DRIVES, POISONED_NAME, POISONED_TEXT } from "./poison.ts";
import { IN_SCOPE, SCOPE, SECRET, StoredFile } from "./stored.ts";

async function assertIntact({ path }: StoredFile): Promise<void> {
  assert.match(await printed("check", path), /^Nothing is damaged: \d+ rows checked\.\n$/);
}

Deno.test("inspect shows tenants, conversations, sizes, the next expiry and deletions, and no text", async () => {
  await using store = await StoredFile.make();
  const output = await printed("inspect", store.path);
  assert.match(output, /^acme +1 +\d+ +20\d\d-/m);
  assert.match(output, /^acme +ticket-7 +2 +1 +\d+ +\d+ +never$/m);
  assert.match(output, /^1 record, 1 conversation, 2 turns, .*; next expiry 20\d\d-.*\.$/m);
  assert.match(output, /^Deletions: 0 deletions recorded, 0 pending\.$/m);
  const detailed = await printed("inspect", store.path, ...IN_SCOPE);
  assert.match(detailed, /^turn turn-2, revision 1, \d+ bytes$/m);
  for (const shown of [output, detailed, JSON.stringify(await value("inspect", store.path, ...IN_SCOPE))]) {
    assert(!shown.includes("door code") && !shown.includes("refunded"));
  }
});

Deno.test("inspect --show-content shows records, turns, summaries and pins", async () => {
  await using store = await StoredFile.make();
  const output = await printed("inspect", store.path, "--show-content");
  for (const text of [SECRET, "Prefers lists.", "Lamps were refunded.", "Answer in one sentence."]) {
    assert(output.includes(text), text);
  }
  assert.match(output, /^ {2}\| The lamps, in March\.$/m);
  const { items } = await value("inspect", store.path, "--show-content");
  assert.deepEqual(items.map(({ type }: { type: string }) => type), [
    ...["record", "scope", "turn", "turn", "summary", "pin"],
  ]);
});

Deno.test("inspect --show-content shows tool calls with their arguments and results", async () => {
  await using store = await StoredFile.make(async (memory) => {
    const conversation = memory.conversation(SCOPE);
    const toolCalls = [{ id: "c1", name: "look_up", arguments: '{"item":"lamp"}' }];
    await conversation.create();
    await conversation.append([
      { role: "assistant", content: "", toolCalls },
      { role: "tool", content: "Refunded in March.", toolCallId: "c1" },
    ]);
  });
  const output = await printed("inspect", store.path, "--show-content");
  assert.match(output, /^ {2}\| call c1: look_up \{"item":"lamp"\}$/m);
  assert.match(output, /^ {2}tool answers call c1:\n {2}\| Refunded in March\.$/m);
});

Deno.test("inspect --show-content shows parts, names, failures, metadata and arguments that are no JSON (MSG-01, MSG-08)", async () => {
  await using store = await StoredFile.make(async (memory) => {
    const toolCalls = [{ id: "c1", name: "run", arguments: '{"cmd":"echo ' }];
    await memory.conversation(SCOPE).append([
      { role: "user", name: "zoe", content: PARTS, metadata: { client: "web" } },
      { role: "assistant", content: null, toolCalls },
      { role: "tool", toolCallId: "c1", content: "No such file.", isError: true },
    ], { metadata: { step: 7 } });
  });
  const output = await printed("inspect", store.path, "--show-content");
  const shown = output.slice(output.indexOf("turn turn-")).split("\n").filter((line) =>
    line.startsWith("  ")
  );
  assert.deepEqual(shown, [
    '  | metadata {"step":7}',
    "  user zoe:",
    "  | reasoning: Let me look.",
    "  | Here",
    "  | image/png a.png: https://example.com/a.png",
    "  | it is.",
    '  | data weather: {"celsius":-3.5,"none":null}',
    "  | opaque anthropic: null",
    '  | metadata {"client":"web"}',
    "  assistant:",
    '  | call c1: run {"cmd":"echo ',
    "  tool answers call c1, which failed:",
    "  | No such file.",
  ]);
});

Deno.test("inspect shows one tenant or one conversation, and writes nothing", async () => {
  await using store = await StoredFile.make(async (memory) => {
    await memory.conversation(SCOPE).create();
    await memory.conversation({ ...SCOPE, sessionId: "ticket-8" }).create();
    await memory.conversation({ tenantId: "globex", sessionId: "ticket-7" }).create();
  });
  const before = await Deno.readFile(store.path);
  assert.equal((await value("inspect", store.path)).scopes.length, 3);
  assert.equal((await value("inspect", store.path, "--tenant", "acme")).scopes.length, 2);
  assert.equal((await value("inspect", store.path, ...IN_SCOPE)).scopes.length, 1);
  assert.match(await printed("inspect", store.path, "--tenant", "umbrella"), /^Nothing has that name/);
  assert.doesNotMatch(await printed("inspect", store.path, "--tenant", "acme"), /Nothing/);
  assert.deepEqual(await Deno.readFile(store.path), before);
});

Deno.test("search shows the chunks that answer, best first", async () => {
  await using store = await StoredFile.make();
  assert.match(
    await printed("search", store.path, ...IN_SCOPE, "lamps", "March"),
    /^1\. turn turn-2, score \d/,
  );
  const { hits } = await value("search", store.path, ...IN_SCOPE, "--top", "1", "lamps");
  assert.deepEqual(hits.map(({ content }: { content: string }) => content), ["The lamps, in March."]);
  const nothing = await holdfast("search", store.path, ...IN_SCOPE, "submarine");
  assert.deepEqual(nothing, { code: 0, output: "", errors: "Nothing was found.\n" });
  await assertIntact(store);
});

Deno.test("RET-01 a query is plain words and never a syntax error, whatever it contains", async () => {
  await using store = await StoredFile.make();
  const queries = [
    ...[
      "what's the pump plan?",
      "pump-north",
      "depot:safe",
      'say "hi',
      "(lamp",
      "pump AND",
      "AND",
      "NEAR(",
      "*",
    ],
    ...["^pump", "-pump", "C++", "100%", "x:y", '""', "'", ";", "5 ".repeat(5_000), "\0", "a\x1b[2J"],
  ];
  for (const query of queries) {
    const { code, errors } = await holdfast("search", store.path, ...IN_SCOPE, "--", query);
    assert.equal(code, 0, query);
    assert.match(errors, /^(Nothing was found\.\n)?$/);
  }
  const lone = await holdfast("search", store.path, ...IN_SCOPE, "--", "\ud800");
  assert.equal(lone.code, 2);
  assert.match(lone.errors, /^holdfast: CONTRACT: Expected query to be well-formed text\. /);
});

Deno.test("search --read-only says that the index is not complete, and works once it is", async () => {
  await using store = await StoredFile.make();
  const words = ["search", store.path, ...IN_SCOPE, "--read-only", "lamps"];
  const { code, errors } = await holdfast(...words);
  assert.equal(code, 1);
  assert.match(errors, /^holdfast: CONFLICT NOT_READY: .*--read-only once/);
  await printed("search", store.path, ...IN_SCOPE, "lamps");
  assert.match(await printed(...words), /turn-2/);
});

Deno.test("context shows the blocks with tokens and sources, and what was left out", async () => {
  await using store = await StoredFile.make();
  const output = await printed("context", store.path, ...IN_SCOPE, "When", "were", "they", "refunded?");
  assert.match(output, /^question\n {2}\| When were they refunded\?$/m);
  assert.match(output, /^question +\d+ +\d+ +the question$/m);
  assert.match(output, /^pinned +\d+ +\d+ +pins$/m);
  assert.match(output, /^window +\d+ +\d+ +2 turns: turn-1, turn-2$/m);
  assert.match(output, /^older turns +0 left out +the window holds all turns$/m);
  assert.match(output, /^chunks of older turns +none shown +no turn is older than the window$/m);
  assert.match(output, /^\d+ of 3,000 tokens, 2,\d+ left\.$/m);
  const { blocks, request, diagnostics } = await value("context", store.path, ...IN_SCOPE, "refunded?");
  assert.equal(blocks.length, 6);
  assert.equal(request.messages.at(-1).content, "refunded?");
  assert.equal(diagnostics.inputAllowance, 3_000);
});

Deno.test("context names the first and the last turn of a long window, and all its turns in JSON", async () => {
  await using store = await StoredFile.make(async (memory) => {
    const conversation = memory.conversation(SCOPE);
    await conversation.create();
    for (let turn = 1; turn <= 9; turn++) {
      await conversation.putTurn({
        turnId: `turn-${turn}`,
        scope: SCOPE,
        messages: [{ messageId: `m-${turn}`, role: "user", content: "Lamps." }],
      }, { operationId: `put-${turn}`, expectedRevision: await conversation.revision() });
    }
  });
  const words = ["context", store.path, ...IN_SCOPE, "Which orders?"];
  assert.match(await printed(...words), /^window .* 9 turns: turn-1 to turn-9$/m);
  assert.equal((await value(...words)).diagnostics.keptTurnIds.length, 9);
});

Deno.test("search shows the significant digits of a tiny score", async () => {
  await using store = await StoredFile.make(async (memory) => {
    const content = `${"lamps ".repeat(3)}${"desks ".repeat(60)}`;
    for (let turn = 0; turn < 40; turn++) {
      await memory.conversation(SCOPE).append([{ role: "user", content }]);
    }
  });
  const output = await printed("search", store.path, ...IN_SCOPE, "lamps");
  const { hits } = await value("search", store.path, ...IN_SCOPE, "lamps");
  const shown = output.match(/score (\S+)$/m)![1];
  assert(Math.abs(Number(shown) / hits[0].score.total - 1) < 0.01, shown);
});

Deno.test("context says by how much a budget is too small", async () => {
  await using store = await StoredFile.make();
  const { code, errors } = await holdfast(
    "context",
    store.path,
    ...IN_SCOPE,
    "--budget",
    "400",
    "x ".repeat(600),
  );
  assert.equal(code, 1);
  assert.match(
    errors,
    /^holdfast: REQUIRED_CONTEXT_TOO_LARGE: .* Raise --budget.* \d+ tokens are needed, \d+ allowed\.\n$/,
  );
});

Deno.test("prune reports what had expired, and scrubs", async () => {
  const HOUR_MS = 3_600_000;
  const thenMs = Date.now() - HOUR_MS;
  await using store = await StoredFile.make(async (memory) => {
    const expiresAt = new Date(thenMs + HOUR_MS / 2);
    await memory.conversation(SCOPE).append([{ role: "user", content: "Gone by now." }], { expiresAt });
  }, { clock: () => thenMs });
  assert.match(
    await printed("prune", store.path),
    /^Erased what had expired: 1 turn\.\nScrubbed: \d+ tables/,
  );
  const { scrub } = await value("prune", store.path);
  assert.equal(scrub.complete, true);
  await assertIntact(store);
});

Deno.test("delete does nothing without --yes, then deletes, and its receipt verifies", async () => {
  await using store = await StoredFile.make();
  const words = ["delete", store.path, ...IN_SCOPE, "--turn", "turn-1"];
  const plan = await printed(...words);
  assert.match(plan, /^Would delete permanently: 1 turn, 1 summary, and everything derived from it\.$/m);
  const [, revision] = /add: (--revision \d+) --yes$/m.exec(plan)!;
  assert.deepEqual((await value(...words)).erases, { turns: 1, pins: 0, summaries: 1 });
  const { code, output, errors } = await holdfast(...words, ...revision!.split(" "), "--yes", "--scrub");
  assert.equal(code, 0);
  assert.equal(errors, "Deleted permanently: 1 turn, 1 summary. Keep the receipt.\n");
  assert.equal(JSON.parse(output).scrubbed, true);
  await Deno.writeTextFile(store.at("receipt.json"), output);
  assert.match(await printed("verify", store.path, store.at("receipt.json")), /^The receipt is valid\.$/m);
  assert.equal((await value("verify", store.path, store.at("receipt.json"))).valid, true);
  await assertIntact(store);
});

Deno.test("delete without --yes counts what deleting a pin, a turn or a conversation would erase", async () => {
  await using store = await StoredFile.make();
  const erases = async (...words: readonly string[]): Promise<unknown> =>
    (await value("delete", store.path, ...IN_SCOPE, ...words)).erases;
  assert.deepEqual(await erases("--pin", "rule"), { turns: 0, pins: 1, summaries: 0 });
  assert.deepEqual(await erases("--pin", "none"), { turns: 0, pins: 0, summaries: 0 });
  assert.deepEqual(await erases("--turn", "turn-2"), { turns: 1, pins: 0, summaries: 1 });
  assert.deepEqual(await erases(), { turns: 2, pins: 1, summaries: 1 });
});

Deno.test("delete without --yes refuses an old revision, as it does with --yes", async () => {
  await using store = await StoredFile.make();
  const words = ["delete", store.path, ...IN_SCOPE, "--turn", "turn-1"];
  const { revision } = await value(...words);
  assert.equal((await value(...words, "--revision", `${revision}`)).done, false);
  const says = /CONFLICT REVISION: Expected revision 1, found \d+\. .*look again/;
  await assertRefused([...words, "--revision", "1"], { code: 1, says });
});

Deno.test("delete without --yes says what deleting a missing name would do", async () => {
  await using store = await StoredFile.make();
  const words = ["delete", store.path, ...IN_SCOPE, "--turn", "turn-1"];
  await value(...words, "--yes");
  assert.match(
    await printed(...words),
    /^There is no active turn of that name\. If it was deleted before, .* receipt;/m,
  );
  assert.equal((await value(...words, "--yes")).already, true);
});

Deno.test("delete of a conversation can be repeated and prints the first receipt again", async () => {
  await using store = await StoredFile.make();
  const words = ["delete", store.path, ...IN_SCOPE, "--yes"];
  const first = await value(...words);
  const again = await holdfast(...words);
  const repeated = JSON.parse(again.output);
  assert.deepEqual(repeated, { ...first, already: true, mac: repeated.mac });
  assert.match(again.errors, /^It was deleted before, at /);
  const { code, errors } = await holdfast("delete", store.path, ...IN_SCOPE);
  assert.equal(code, 1);
  assert.match(errors, /^holdfast: CONFLICT DELETED: /);
  await assertIntact(store);
});

Deno.test("delete with an old revision is refused and deletes nothing", async () => {
  await using store = await StoredFile.make();
  const { code, errors } = await holdfast("delete", store.path, ...IN_SCOPE, "--revision", "1", "--yes");
  assert.equal(code, 1);
  assert.match(errors, /^holdfast: CONFLICT REVISION: .*look again/);
  assert.equal((await value("inspect", store.path)).scopes[0].turns, 2);
});

Deno.test("verify verifies the subject of a deletion, and refuses a changed receipt (RCP-01)", async () => {
  await using store = await StoredFile.make();
  const receipt = await value("delete", store.path, ...IN_SCOPE, "--pin", "rule", "--yes");
  await Deno.writeTextFile(store.at("receipt"), JSON.stringify(receipt));
  const words = ["verify", store.path, store.at("receipt")];
  assert.match(
    await printed(...words, ...IN_SCOPE, "--key", "rule"),
    /^yes +it is about the named subject$/m,
  );
  const other = await holdfast(...words, ...IN_SCOPE, "--key", "another");
  assert.match(other.output, /^no +it is about the named subject$/m);
  await Deno.writeTextFile(store.at("receipt"), JSON.stringify({ ...receipt, scrubbed: true }));
  const changed = await holdfast(...words);
  assert.match(changed.output, /^no +no field of it was changed$/m);
  assert.deepEqual([other.code, changed.code], [1, 1]);
  await assertRefused([...words, "--key", "rule"], {
    code: 2,
    says: /--session and --subject need --tenant/,
  });
});

Deno.test("A receipt of another deletion is not valid, with exit code 1", async () => {
  await using store = await StoredFile.make();
  const receipt = await value("delete", store.path, ...IN_SCOPE, "--pin", "rule", "--yes");
  await Deno.writeTextFile(store.at("receipt.json"), JSON.stringify({ ...receipt, head: "0".repeat(64) }));
  const { code, output } = await holdfast("verify", store.path, store.at("receipt.json"));
  assert.equal(code, 1);
  assert.match(output, /^no +the deletion is at the receipt's place in the ledger$/m);
});

Deno.test("Of another store's receipt, verify says only that it is one", async () => {
  await using store = await StoredFile.make();
  const receipt = await value("delete", store.path, ...IN_SCOPE, "--pin", "rule", "--yes");
  await Deno.writeTextFile(store.at("receipt"), JSON.stringify({ ...receipt, lineage: "0".repeat(32) }));
  const { code, output } = await holdfast("verify", store.path, store.at("receipt"));
  assert.equal(code, 1);
  assert.equal(output, "no   the receipt is from this store's ledger\nThe receipt is not valid.\n");
});

Deno.test("backup prints a watermark; restore accepts it, brings nothing back, and names the replaced store", async () => {
  await using store = await StoredFile.make();
  const backup = await value("backup", store.path, store.at("monday.backup"));
  assert.equal(backup.of, "store");
  await Deno.writeTextFile(store.at("watermark.json"), JSON.stringify(backup));
  await value("delete", store.path, ...IN_SCOPE, "--turn", "turn-1", "--yes");
  const words = [
    ...["restore", store.at("monday.backup"), store.at("restored.db")],
    ...["--ledger", `${store.path}.deletions`, "--watermark", store.at("watermark.json")],
  ];
  const before = await Deno.readFile(`${store.path}.deletions`);
  const plan = await printed(...words);
  assert.match(plan, /^Would apply 1 deletion that .*agent\.db\.deletions has recorded since the backup\.$/m);
  assert.match(plan, /^Would fence off every other store of the ledger/m);
  assert.match(plan, /^Nothing was done\. To do it, add: --yes$/m);
  assert.deepEqual(await Deno.readFile(`${store.path}.deletions`), before);
  assert(!store.names().some((name) => /^(restored|monday\.backup-)/.test(name)));
  const output = await printed(...words, "--yes");
  assert.match(output, /^Restored to .*restored\.db, generation 1\.$/m);
  assert.match(output, /^Erased what was deleted after the backup: 1 turn\.$/m);
  assert.match(output, /^Fenced off; remove it: .*agent\.db$/m);
  assert.match(output, /^From now on, pass its ledger: --ledger /m);
  const restored = ["--ledger", `${store.path}.deletions`];
  assert.match(await printed("check", store.at("restored.db"), ...restored), /^Nothing is damaged/);
  const { code, errors } = await holdfast("inspect", store.path);
  assert.equal(code, 1);
  assert.match(errors, /^holdfast: REPLACED: /);
});

Deno.test("backup --only-ledger copies the ledger, and a backup's text is a watermark too", async () => {
  await using store = await StoredFile.make();
  assert.match(
    await printed("backup", store.path, store.at("ledger"), "--only-ledger"),
    /^Copied the ledger to /,
  );
  const watermark = (await printed("backup", store.path, store.at("copy"))).split("\n")[2]!;
  const done = await value(
    ...["restore", store.at("copy"), store.at("restored.db"), "--ledger", store.at("restored.db.deletions")],
    ...["--ledger-export", store.at("ledger"), "--watermark", watermark, "--yes"],
  );
  assert.equal(done.done, true);
});

Deno.test("restore --ledger-lost creates a new ledger", async () => {
  await using store = await StoredFile.make();
  await value("backup", store.path, store.at("copy"));
  const done = await value(
    ...["restore", store.at("copy"), store.at("restored.db"), "--ledger", store.at("restored.db.deletions")],
    ...["--ledger-lost", "--yes"],
  );
  assert.equal(done.ledgerLost, true);
  assert.match(await printed("check", store.at("restored.db")), /^Nothing is damaged/);
});

Deno.test("CLI-05 import stores what export wrote, equal to the byte", async () => {
  await using store = await StoredFile.make(async ({ records }) => {
    const fact = { schema: 1, text: "l\0r \x1b[2J \ud83d\ude00", source: "\u009b", reviewed: false } as const;
    await records.put({ tenantId: "acme", kind: "fact", key: "odd" }, fact, {
      expectedRevision: null,
      ttl: 3_600,
    });
  });
  await printed("export", store.path, store.at("all.jsonl"), "--show-content");
  const output = await printed("import", store.at("new.db"), store.at("all.jsonl"));
  assert.match(output, /^Created a new store: /);
  assert.match(output, /^records +1 +0 +0 +0 +0$/m);
  const again = await value("import", store.at("new.db"), store.at("all.jsonl"));
  assert.deepEqual([again.isNew, again.unchanged.records], [false, 1]);
  const lines = async (path: string): Promise<readonly string[]> =>
    (await printed("export", path, "--show-content")).split("\n").slice(1, -2);
  assert.deepEqual(await lines(store.at("new.db")), await lines(store.path));
  const [record] = (await value("inspect", store.at("new.db"), "--show-content")).items;
  assert.equal(record.value.text, "l\0r \x1b[2J \ud83d\ude00");
});

for (
  const [what, from, to] of [
    ["a revision beyond what JSON numbers hold", '"revision":1,', '"revision":9007199254740993,'],
    ["a lone surrogate", "Prefers lists.", "\\ud83d"],
  ] as const
) {
  Deno.test(`CLI-05 import refuses ${what}, and says in which line`, async () => {
    await using store = await StoredFile.make();
    const lines = await printed("export", store.path, "--show-content");
    await Deno.writeTextFile(store.at("odd.jsonl"), lines.replace(from, to));
    const { code, output, errors } = await holdfast("import", store.at("new.db"), store.at("odd.jsonl"));
    assert.deepEqual([code, output], [1, ""]);
    assert.match(
      errors,
      /^holdfast: CONTRACT: Line 2: [^\n]+ Nothing was imported; correct the file [^\n]+\n$/,
    );
    assert(!store.names().some((name) => name.startsWith("new.db")));
  });
}

const REFUSED_LINES: readonly (readonly [what: string, lines: (exported: string) => string])[] = [
  ["nothing", () => ""],
  ["no JSON", () => "not JSON\n"],
  ["no export", () => '{"a":1}\n'],
  ["a header alone", (exported) => exported.slice(0, exported.indexOf("\n") + 1)],
  ["a record of an unknown kind", (exported) => exported.replace('"kind":"fact"', '"kind":"note"')],
];

for (const [what, linesOf] of REFUSED_LINES) {
  Deno.test(`import of ${what} makes no store`, async () => {
    await using store = await StoredFile.make();
    await Deno.writeTextFile(
      store.at("lines"),
      linesOf(await printed("export", store.path, "--show-content")),
    );
    const before = store.names();
    await assertRefused(["import", store.at("new.db"), store.at("lines")], {
      code: 1,
      says: what === "a record of an unknown kind"
        ? /CONTRACT: [^\n]+ Nothing was imported; to import records of your own kinds, write a program/
        : /CONTRACT: [^\n]+ Nothing was imported; correct the file and import it again\./,
    });
    assert.deepEqual(store.names(), before);
  });
}

for (const suffix of ["", ".deletions"]) {
  Deno.test(`LCK-01 import refuses to read the store's own file agent.db${suffix} as lines`, async () => {
    await using store = await StoredFile.make();
    const { code, errors } = await holdfast("import", store.path, `${store.path}${suffix}`);
    assert.equal(code, 2);
    assert.match(errors, /The lines are the store itself/);
  });
}

Deno.test("import reports the new store, and the imported lines, even if a later line is wrong", async () => {
  await using store = await StoredFile.make();
  const lines = await printed("export", store.path, "--show-content");
  await Deno.writeTextFile(store.at("lines"), lines.replace('"type":"pin"', '"type":"pen"'));
  const { code, output, errors } = await holdfast("import", store.at("new.db"), store.at("lines"));
  assert.deepEqual([code, output], [1, `Created a new store: ${store.at("new.db")}\n`]);
  assert.match(
    errors,
    /^holdfast: CONTRACT: Line \d: [^\n]+ The lines before it were imported; correct the file /,
  );
  assert.equal((await value("inspect", store.at("new.db"))).scopes[0].turns, 2);
  await Deno.writeTextFile(store.at("lines"), lines);
  assert.equal((await value("import", store.at("new.db"), store.at("lines"))).imported.pins, 1);
});

Deno.test("import says that a changed line was imported and stays", async () => {
  await using store = await StoredFile.make();
  const lines = await printed("export", store.path, "--show-content");
  await Deno.writeTextFile(store.at("lines"), lines.replace("Prefers lists.", "Prefers tables."));
  const { code, errors } = await holdfast("import", store.at("new.db"), store.at("lines"));
  assert.equal(code, 1);
  assert.match(
    errors,
    /changed\. The changed lines were imported and stay: import the lines [^\n]+ a new store\.\n$/,
  );
  await Deno.writeTextFile(store.at("lines"), lines);
  assert.equal((await value("import", store.at("new.db"), store.at("lines"))).conflicting.records, 1);
  assert.equal((await value("import", store.at("other.db"), store.at("lines"))).imported.records, 1);
});

Deno.test("export writes a private file and never overwrites one, and notes that it holds text (EXP-01)", async () => {
  await using store = await StoredFile.make();
  const { code, output, errors } = await holdfast("export", store.path, store.at("out"));
  assert.deepEqual([code, output], [0, `Wrote 8 lines to ${store.at("out")}.\n`]);
  assert.match(errors, /^The lines hold stored values and texts: [^\n]+\n$/);
  if (Deno.build.os !== "windows") assert.equal((await Deno.stat(store.at("out"))).mode! & 0o777, 0o600);
  await assertRefused(["export", store.path, store.at("out")], {
    code: 1,
    says: /^holdfast: EXISTS: [^\n]+ out already exists\. /,
  });
  const outcome = await value("import", store.at("new.db"), store.at("out"));
  assert.equal(outcome.imported.turns, 2);
  const piped = await holdfast("export", store.path);
  assert(piped.output.includes("door code") && piped.errors === errors);
  const asJson = await holdfast("export", store.path, store.at("json"), ...IN_SCOPE, "--json");
  assert.equal(JSON.parse(asJson.output).lines, 7);
  assert.deepEqual(Object.keys(JSON.parse(asJson.errors)), ["note"]);
});

Deno.test("export --no-content says in its first line that it is no backup, and its import is refused (EXP-01)", async () => {
  await using store = await StoredFile.make();
  const lines = await printed("export", store.path, "--no-content");
  assert(!lines.includes("door code"));
  assert.match(lines, /^\{"type":"header",[^\n]*"content":false,"note":"Not a backup: [^\n]+\n/);
  await printed("export", store.path, store.at("outline"), "--no-content");
  const before = store.names();
  await assertRefused(["import", store.at("new.db"), store.at("outline")], {
    code: 1,
    says:
      /CONTRACT: .*without content, and are no backup.* Nothing was imported; export .* without --no-content\./,
  });
  assert.deepEqual(store.names(), before);
  await assertRefused(["export", store.path, "--no-content", "--show-content"], { code: 2, says: /either/ });
});

Deno.test("search and context report a missing conversation", async () => {
  await using store = await StoredFile.make();
  for (const command of ["search", "context"]) {
    const { code, errors } = await holdfast(
      ...[command, store.path, "pump", "--tenant", "acme", "--session", "ticket-9"],
    );
    assert.equal(code, 1);
    assert.match(errors, /^holdfast: CONFLICT MISSING: .*inspect/);
  }
});

Deno.test("An export that is refused leaves no file", async () => {
  await using store = await StoredFile.make();
  const { code, errors } = await holdfast(
    ...["export", store.path, store.at("out"), "--tenant", "acme", "--session", "ticket-9"],
  );
  assert.equal(code, 1);
  assert.match(errors, /^holdfast: CONFLICT MISSING: .*inspect/);
  assert.deepEqual(store.names().filter((name) => name.startsWith("out")), []);
});

Deno.test("demo prints the worked example and leaves nothing", async () => {
  await using store = await StoredFile.make();
  const before = store.names();
  assert.equal(
    await printed("demo", store.directory),
    "resumed step: 1\nstale write: rejected\nother tenant: None\nat expiry: None\nexpired rows purged: 1\n" +
      "checkpoint forgotten: True\nremaining rows: 0\n",
  );
  assert.deepEqual(await value("demo", store.directory), {
    "resumed step": 1,
    "stale write": "rejected",
    "other tenant": null,
    "at expiry": null,
    "expired rows purged": 1,
    "checkpoint forgotten": true,
    "remaining rows": 0,
  });
  assert.deepEqual(store.names(), before);
});

Deno.test("Records of kinds that the command does not know are shown, checked, exported and backed up", async () => {
  const note = defineKind("note", z.strictObject({ text: z.string() }), { ttlMax: null });
  await using store = await StoredFile.make(async ({ records }) => {
    await records.put({ tenantId: "acme", kind: "note", key: "one" }, { text: "Refund in March." }, {
      expectedRevision: null,
      ttl: null,
    });
  }, { kinds: [note] });
  assert.match(
    await printed("inspect", store.path, "--show-content"),
    /^record acme \/ note \/ one, .*never expires$/m,
  );
  await assertIntact(store);
  await printed("backup", store.path, store.at("copy"));
  await printed("export", store.path, store.at("lines"), "--show-content");
  const { code, errors } = await holdfast("import", store.at("new.db"), store.at("lines"));
  assert.equal(code, 1);
  assert.match(errors, /^holdfast: CONTRACT: Line 2: /);
});

Deno.test("A pending deletion is counted, its target is left out, and prune completes it as advised", async () => {
  await using store = await StoredFile.make();
  {
    const driver = new FaultyDriver(nodeSqlite);
    await using memory = await openMemory(store.path, { driver });
    const conversation = memory.conversation(SCOPE);
    const expectedRevision = await conversation.revision();
    driver.fail({ database: "main", sql: "COMMIT", effect: "before", code: RESULT.IOERR });
    await assert.rejects(conversation.delete({ kind: "scope", expectedRevision }), { code: "IO" });
  }
  const { scopes, pending, watermark } = await value("inspect", store.path);
  assert.deepEqual([scopes, pending, watermark], [[], 1, null]);
  assert.match(await printed("inspect", store.path), /^Deletions: 1 pending\.$/m);
  const { code, errors } = await holdfast("delete", store.path, ...IN_SCOPE);
  assert.equal(code, 1);
  assert.match(errors, /^holdfast: READONLY: [^\n]*Run `prune` on the store once, with --allow-write/);
  await printed("prune", store.path);
  assert.equal((await value("inspect", store.path)).pending, 0);
  await assertIntact(store);
});

Deno.test("CLI-01 no command prints stored names and texts in a form that drives a terminal", async () => {
  const scope = { tenantId: POISONED_NAME, sessionId: POISONED_NAME };
  await using store = await StoredFile.make(async (memory) => {
    await memory.conversation(scope).append([{ role: "user", content: POISONED_TEXT }]);
    const fact = { schema: 1, text: POISONED_TEXT.slice(0, 200), source: "x", reviewed: false } as const;
    await memory.records.put({ tenantId: "acme", kind: "fact", key: "k" }, fact, {
      expectedRevision: null,
      ttl: 60,
    });
  });
  const named = ["--tenant", POISONED_NAME, "--session", POISONED_NAME];
  const commands = [
    ["inspect", store.path],
    ["inspect", store.path, "--show-content"],
    ["search", store.path, ...named, "text"],
    ["context", store.path, ...named, "text"],
    ["delete", store.path, ...named],
  ];
  for (const words of commands) {
    const { code, output } = await holdfast(...words);
    assert.equal(code, 0);
    assert.doesNotMatch(output, DRIVES);
    assert.doesNotMatch(output, /^holdfast: faked/m);
    assert.doesNotMatch((await holdfast(...words, "--json")).output, DRIVES);
  }
  const { items } = await value("inspect", store.path, "--show-content");
  assert.equal(items[2].turn.messages[0].content, POISONED_TEXT);
});

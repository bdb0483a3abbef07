/** A store that cannot be used is reported in one line with advice and exit code 1, and nothing changes. */

import assert from "node:assert/strict";
import { openBeside } from "../kit/test_store.ts";
import { assertOneLine, assertRefused, holdfast, value } from "./collected.ts";
import { IN_SCOPE, StoredFile } from "./stored.ts";

const HAS_MODES = Deno.build.os !== "windows";

/** Every command that opens an existing store. */
const OPENING: readonly (readonly [name: string, ...more: readonly string[]])[] = [
  ["inspect"],
  ["search", ...IN_SCOPE, "lamps"],
  ["context", ...IN_SCOPE, "lamps?"],
  ["check"],
  ["prune"],
  ["delete", ...IN_SCOPE],
  ["delete", ...IN_SCOPE, "--yes"],
  ["sessions", "--tenant", "acme"],
  ["tail", ...IN_SCOPE],
  ["erase", "--tenant", "acme"],
  ["erase", "--tenant", "acme", "--yes"],
  ["verify"],
  ["backup"],
  ["export"],
  ["import"],
];

/** The arguments of a command on a store, with the further files that it takes. */
function wordsOn(store: StoredFile, [name, ...more]: (typeof OPENING)[number]): readonly string[] {
  if (name === "verify") return [name, store.path, store.at("receipt.json")];
  if (name === "backup") return [name, store.path, store.at("copy")];
  if (name === "import") return [name, store.path, store.at("lines.jsonl")];
  return [name, store.path, ...more];
}

const SPOILED: readonly (readonly [what: string, spoil: (store: StoredFile) => void, says: RegExp])[] = [
  [
    "is no database",
    (store) => Deno.writeTextFileSync(store.path, "not a database"),
    /CORRUPT: .*not a SQLite database/,
  ],
  [
    "is empty",
    (store) => Deno.truncateSync(store.path),
    /READONLY: .* does not exist|RESTORE: .*restore a backup/,
  ],
  [
    "lost its ledger",
    (store) => Deno.removeSync(`${store.path}.deletions`),
    /INTEGRITY: .*ledger is missing.*restore/,
  ],
  ["was cut off", (store) => Deno.truncateSync(store.path, 20_000), /CORRUPT: /],
  [
    "is a directory",
    (store) => {
      Deno.removeSync(store.path);
      Deno.mkdirSync(store.path);
    },
    /UNSAFE: .*regular file/,
  ],
];

for (const [what, spoil, says] of SPOILED) {
  Deno.test(`Every command refuses a store that ${what} in one line, and changes nothing`, async () => {
    await using store = await StoredFile.make();
    store.damaged = true;
    const receipt = { lineage: "0".repeat(32), sequence: 1, head: "0".repeat(64), kind: "turn" };
    Deno.writeTextFileSync(store.at("receipt.json"), JSON.stringify(receipt));
    Deno.writeTextFileSync(store.at("lines.jsonl"), "{}\n");
    spoil(store);
    const before = store.names();
    for (const command of OPENING) {
      const { code, output, errors } = await holdfast(...wordsOn(store, command));
      assert.deepEqual([code, output], [1, ""], command[0]);
      assertOneLine(errors);
      assert.match(errors, says);
    }
    const mainOrLess = (name: string): boolean => !name.endsWith("-wal") && !name.endsWith("-shm");
    assert.deepEqual(store.names().filter(mainOrLess), before);
  });
}

Deno.test("check lists damaged rows and exits with 1; the rest of the store can be read", async () => {
  await using store = await StoredFile.make();
  store.damaged = true;
  {
    using connection = openBeside(store.path);
    connection.prepare(
      "UPDATE turns SET payload = replace(payload, 'lamps', 'desks') WHERE turn_id = 'turn-2'",
    )
      .run([]);
  }
  const { code, output, errors } = await holdfast("check", store.path);
  assert.deepEqual([code, errors], [1, ""]);
  assert.match(output, /^main +turns +\S+.* checksum/m);
  const asJson = await holdfast("check", store.path, "--json");
  assert.equal(asJson.code, 1);
  assert.equal(JSON.parse(asJson.output).ok, false);
  const exported = await holdfast("export", store.path, store.at("out"), "--show-content");
  assert.equal(exported.code, 1);
  assertOneLine(exported.errors);
  assert.match(exported.errors, /INTEGRITY: .*Run `check`/);
  assert(!store.names().includes("out"));
  const backup = await holdfast("backup", store.path, store.at("copy"));
  assert.deepEqual([backup.code, store.names().includes("copy")], [1, false]);
  assert.equal((await value("inspect", store.path)).tenants[0].records, 1);
});

Deno.test({
  name: "A store that others can read is refused, with advice",
  ignore: !HAS_MODES,
  async fn(): Promise<void> {
    await using store = await StoredFile.make();
    Deno.chmodSync(store.path, 0o644);
    await assertRefused(["inspect", store.path], { code: 1, says: /UNSAFE: .*mode must be 0600/ });
    Deno.chmodSync(store.path, 0o600);
  },
});

Deno.test("verify refuses anything that is no receipt", async () => {
  await using store = await StoredFile.make();
  for (const text of ["", "no JSON", "{}", "[1]", "\xff", "9".repeat(70_000)]) {
    Deno.writeTextFileSync(store.at("receipt.json"), text);
    await assertRefused(["verify", store.path, store.at("receipt.json")], { code: 1, says: /CONTRACT: / });
  }
});

Deno.test("restore refuses an invalid watermark, one of another store, and a name that is taken", async () => {
  await using store = await StoredFile.make();
  await value("backup", store.path, store.at("copy"));
  const words = [
    "restore",
    store.at("copy"),
    store.at("new.db"),
    "--ledger",
    `${store.path}.deletions`,
    "--yes",
  ];
  const other = JSON.stringify({ lineage: "0".repeat(32), sequence: 0, head: "0".repeat(64) });
  await assertRefused([...words, "--watermark", "{}"], { code: 1, says: /CONTRACT: .*watermark/ });
  await assertRefused([...words, "--watermark", other], { code: 1, says: /INTEGRITY: .*different stores/ });
  await assertRefused([...words.with(2, store.path), "--watermark", other], { code: 1, says: /EXISTS: / });
  assert(!store.names().includes("new.db"));
});

Deno.test("import reports lines that were cut off", async () => {
  await using store = await StoredFile.make();
  const { output } = await holdfast("export", store.path, "--show-content");
  Deno.writeTextFileSync(store.at("cut.jsonl"), output.slice(0, output.lastIndexOf('{"type":"end"')));
  const { code, errors } = await holdfast("import", store.at("new.db"), store.at("cut.jsonl"));
  assert.equal(code, 1);
  assertOneLine(errors);
  assert.match(errors, /^holdfast: CONTRACT: .*The lines before it were imported/);
});

Deno.test("restore without --yes refuses what it would refuse with it, and changes nothing", async () => {
  await using store = await StoredFile.make();
  await using other = await StoredFile.make();
  const { watermark } = await value("backup", store.path, store.at("copy"));
  await value("backup", store.path, store.at("ledger-copy"), "--only-ledger");
  const { watermark: another } = await value("backup", other.path, other.at("copy"));
  await value("delete", store.path, ...IN_SCOPE, "--turn", "turn-1", "--yes");
  const later = await value("inspect", store.path);
  Deno.writeTextFileSync(store.at("receipt.json"), "{}");
  Deno.chmodSync(store.at("receipt.json"), 0o600);
  const ledger = ["--ledger", `${store.path}.deletions`];
  const held = [...ledger, "--watermark", JSON.stringify(watermark)];
  const copied = ["--ledger", store.at("new.db.deletions"), "--ledger-export", store.at("ledger-copy")];
  const plans: readonly (readonly [words: readonly string[], says: RegExp])[] = [
    [[store.at("receipt.json"), ...held], /CORRUPT: /],
    [[other.at("copy"), ...held], /INTEGRITY: .*different stores/],
    [[store.at("copy"), ...ledger, "--watermark", JSON.stringify(another)], /INTEGRITY: .*different stores/],
    [[store.at("copy"), ...ledger, "--ledger-lost"], /EXISTS: /],
    [[store.at("copy"), "--ledger", store.at("copy"), "--watermark", JSON.stringify(watermark)], /: /],
    [[store.at("copy"), ...copied, "--watermark", JSON.stringify(later.watermark)], /INTEGRITY: .*older/],
  ];
  const files = (): readonly string[] => store.names().filter((name) => !/-(wal|shm)$/.test(name));
  const before = files();
  for (const [[backup, ...more], says] of plans) {
    await assertRefused(["restore", backup!, store.at("new.db"), ...more], { code: 1, says });
  }
  const good = ["restore", store.at("copy"), store.at("new.db")];
  assert.equal((await value(...good, ...held)).deletions, 1);
  const lagging = [...copied, "--watermark", JSON.stringify(watermark)];
  assert.equal((await value(...good, ...lagging)).deletions, 0);
  const lost = ["--ledger", store.at("new.db.deletions"), "--ledger-lost"];
  assert.equal((await value(...good, ...lost)).deletions, 0);
  assert.deepEqual(files(), before);
  assert.equal((await value(...good, ...held, "--yes")).erased.turns, 1);
});

Deno.test("restore without --yes validates the lineage of a closed store, and leaves no file next to it", async () => {
  await using store = await StoredFile.make();
  await using other = await StoredFile.make();
  const { watermark } = await value("inspect", store.path);
  Deno.copyFileSync(store.path, store.at("closed"));
  Deno.copyFileSync(other.path, store.at("foreign"));
  const held = ["--ledger", `${store.path}.deletions`, "--watermark", JSON.stringify(watermark)];
  const plan = await value("restore", store.at("closed"), store.at("new.db"), ...held);
  assert.equal(plan.deletions, null);
  const words = ["restore", store.at("foreign"), store.at("new.db"), ...held];
  await assertRefused(words, { code: 1, says: /INTEGRITY: .*different stores/ });
  const { watermark: another } = await value("inspect", other.path);
  const own = ["restore", store.at("closed"), store.at("new.db"), ...held];
  const later = { ...watermark, sequence: watermark.sequence + 7 };
  await assertRefused(own.with(-1, JSON.stringify(another)), {
    code: 1,
    says: /INTEGRITY: .*different stores/,
  });
  await assertRefused(own.with(-1, JSON.stringify(later)), { code: 1, says: /INTEGRITY: .*older/ });
  assert.deepEqual(store.names().filter((name) => /^(closed|foreign|new)/.test(name)), ["closed", "foreign"]);
});

/** The advice for a store that cannot be used follows from the cause, and helps. */

import assert from "node:assert/strict";
import { openMemory } from "../../mod.ts";
import { assertRefused, holdfast, printed, value } from "./collected.ts";
import { IN_SCOPE, StoredFile } from "./stored.ts";

const HAS_MODES = Deno.build.os !== "windows";

/** How a store is spoiled, the command that finds it, and what it prints: code, cause and advice. */
type Case = readonly [
  what: string,
  spoil: (store: StoredFile) => void | Promise<void>,
  words: (store: StoredFile) => readonly string[],
  says: RegExp,
];

const ledgerOf = ({ path }: StoredFile): string => `${path}.deletions`;
const inspecting = ({ path }: StoredFile): readonly string[] => ["inspect", path];
const checking = ({ path }: StoredFile): readonly string[] => ["check", path];
const writing = ({ path }: StoredFile): readonly string[] => ["prune", path];

async function backUp(store: StoredFile): Promise<void> {
  await printed("backup", store.path, store.at("copy"));
  await Deno.writeTextFile(store.at("watermark"), await printed("inspect", store.path, "--json"));
}

function restoring(store: StoredFile, backup: string, ledger: string): readonly string[] {
  const named = ["--ledger", ledger, "--watermark", store.at("watermark"), "--yes"];
  return ["restore", backup, store.at("new.db"), ...named];
}

const CASES: readonly Case[] = [
  [
    "a text file that is checked",
    ({ path }) => Deno.writeTextFileSync(path, "not a database"),
    checking,
    /CORRUPT: .*not a SQLite database\. Check the path; if it was a store, restore a backup/,
  ],
  [
    "damage met by check",
    ({ path }) => Deno.truncateSync(path, 20_000),
    checking,
    /CORRUPT: .* Restore a backup \(`restore --help`\)\.$/m,
  ],
  [
    "damage met by another command",
    ({ path }) => Deno.truncateSync(path, 20_000),
    inspecting,
    /CORRUPT: .* Run `check` to list the damage/,
  ],
  [
    "a ledger that is missing",
    (store) => Deno.removeSync(ledgerOf(store)),
    inspecting,
    /INTEGRITY: .*its ledger is missing\. If it is elsewhere, as after a restore, pass --ledger FILE;/,
  ],
  [
    "a ledger that is missing though its sidecars are left",
    (store) => {
      Deno.removeSync(ledgerOf(store));
      for (const suffix of ["-wal", "-shm"]) {
        Deno.writeTextFileSync(ledgerOf(store) + suffix, "", { mode: 0o600 });
      }
    },
    inspecting,
    /INTEGRITY: .*its ledger is missing\. /,
  ],
  [
    "a store whose file is gone empty",
    ({ path }) => Deno.truncateSync(path),
    inspecting,
    /RESTORE: .*its file is missing but its ledger exists.* Put the store's file back, or restore/,
  ],
  [
    "the ledger in place of the store",
    () => {},
    (store) => ["inspect", ledgerOf(store)],
    /UNSAFE: .*the store is a deletion ledger\. Name the store's own file/,
  ],
  [
    "the store in place of the ledger",
    () => {},
    ({ path }) => {
      Deno.copyFileSync(path, `${path}2`);
      return ["inspect", path, "--ledger", `${path}2`];
    },
    /UNSAFE: .*the ledger is a store\. Pass the store's ledger with --ledger/,
  ],
  [
    "a backup that is inspected",
    backUp,
    (store) => ["inspect", store.at("copy")],
    /RESTORE: .*is a backup; restore it\. A backup cannot be opened in place/,
  ],
  [
    "another store's ledger",
    async (store) => {
      await using _other = await openMemory(store.at("other.db"));
    },
    (store) => [...inspecting(store), "--ledger", store.at("other.db.deletions")],
    /INTEGRITY: .*belongs to another store\. Pass the store's own ledger with --ledger FILE/,
  ],
  [
    "a ledger from before a deletion",
    async (store) => {
      const words = ["delete", store.path, ...IN_SCOPE, "--turn", "turn-1", "--yes", "--scrub"];
      await Deno.copyFile(ledgerOf(store), store.at("old"));
      assert.equal((await holdfast(...words)).code, 0);
      await Deno.rename(store.at("old"), ledgerOf(store));
    },
    inspecting,
    /INTEGRITY: .*lacks deletions.* Put the newest ledger in its place/,
  ],
  [
    "a damaged backup",
    async (store) => {
      await backUp(store);
      Deno.truncateSync(store.at("copy"), 20_000);
    },
    (store) => restoring(store, store.at("copy"), ledgerOf(store)),
    /(CORRUPT|INTEGRITY): .* Use another backup/,
  ],
  [
    "a ledger older than the watermark",
    async (store) => {
      await backUp(store);
      await Deno.copyFile(ledgerOf(store), store.at("old"));
      assert.equal(
        (await holdfast("delete", store.path, ...IN_SCOPE, "--turn", "turn-1", "--yes")).code,
        0,
      );
      await Deno.writeTextFile(store.at("watermark"), await printed("inspect", store.path, "--json"));
    },
    (store) => restoring(store, store.at("copy"), store.at("old")),
    /INTEGRITY: .*older than the watermark\. Name the newest ledger/,
  ],
];

for (const [what, spoil, words, says] of CASES) {
  Deno.test(`The advice about ${what} follows from the cause`, async () => {
    await using store = await StoredFile.make();
    store.damaged = true;
    await spoil(store);
    await assertRefused(words(store), { code: 1, says });
  });
}

const MODES: readonly Case[] = [
  [
    "a store that may only be read",
    ({ path }) => Deno.chmodSync(path, 0o400),
    writing,
    /READONLY: .*must be 0600\. Run chmod 600 on/,
  ],
  [
    "a store that others can read",
    ({ path }) => Deno.chmodSync(path, 0o644),
    inspecting,
    /UNSAFE: .*must be 0600\. Run chmod 600 on/,
  ],
  [
    "a directory that others can write",
    ({ directory }) => Deno.chmodSync(directory, 0o777),
    inspecting,
    /UNSAFE: .*sticky bit\. Run chmod go-w on the directory/,
  ],
];

for (const [what, spoil, words, says] of MODES) {
  Deno.test({
    name: `The advice about ${what} follows from the cause`,
    ignore: !HAS_MODES,
    async fn(): Promise<void> {
      await using store = await StoredFile.make();
      await spoil(store);
      await assertRefused(words(store), { code: 1, says });
      Deno.chmodSync(store.path, 0o600);
      Deno.chmodSync(store.directory, 0o700);
    },
  });
}

Deno.test("A missing conversation is reported in the terms of the command", async () => {
  await using store = await StoredFile.make();
  const named = ["--tenant", "globex", "--session", "ticket-7"];
  for (
    const words of [
      ["search", store.path, ...named, "lamps"],
      ["context", store.path, ...named, "lamps?"],
      ["delete", store.path, ...named],
      ["delete", store.path, ...named, "--yes"],
    ]
  ) {
    await assertRefused(words, {
      code: 1,
      says: /CONFLICT MISSING: There is no such conversation\. Run `inspect`/,
    });
  }
  assert.equal((await value("inspect", store.path)).scopes.length, 1);
});

Deno.test("An empty file is no store, and no command turns it into one", async () => {
  await using store = await StoredFile.make();
  await Deno.writeTextFile(store.at("empty.db"), "", { mode: 0o600 });
  const before = store.names();
  for (const name of ["prune", "check"]) {
    await assertRefused([name, store.at("empty.db")], { code: 1, says: /NOT_FOUND: .*the file is empty\./ });
  }
  assert.deepEqual(store.names(), before);
});

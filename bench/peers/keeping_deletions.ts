/** Checks what a deletion leaves: a proof, backups that bring the turn back, and bytes in files. */

import { DatabaseSync } from "node:sqlite";
import { type Conversation, openMemory, restoreMemory } from "../../mod.ts";
import { FullText } from "./full_text.ts";
import { JsonLines } from "./json_lines.ts";
import type { Keeping } from "./keeping.ts";
import {
  fillLines,
  inDirectory,
  KEY,
  METADATA,
  SCOPE,
  SECRET,
  TEXTS,
  THREAD,
  TURNS,
  withKeyValue,
  withSaver,
} from "./trying.ts";

/** Whether any file of a directory contains the secret. */
function isLeft(directory: string): boolean {
  const secret = new TextEncoder().encode(SECRET);
  return [...Deno.readDirSync(directory)].some(({ name }) => {
    const bytes = Deno.readFileSync(`${directory}/${name}`);
    for (let at = bytes.indexOf(secret[0]!); at >= 0; at = bytes.indexOf(secret[0]!, at + 1)) {
      if (secret.every((byte, index) => bytes[at + index] === byte)) return true;
    }
    return false;
  });
}

/** Copies the files of a directory to another one, as a backup of a closed store. */
function copyAll(from: string, to: string): void {
  Deno.mkdirSync(to, { recursive: true });
  for (const { name, isFile } of Deno.readDirSync(from)) {
    if (isFile) Deno.copyFileSync(`${from}/${name}`, `${to}/${name}`);
  }
}

async function fill(conversation: Conversation): Promise<string> {
  const ids: string[] = [];
  for (const content of TEXTS) ids.push((await conversation.append([{ role: "user", content }])).turnId);
  return ids[7]!;
}

function deleteTurn(path: string): { readonly changes: number | bigint } {
  using database = new DatabaseSync(path);
  database.exec("BEGIN IMMEDIATE");
  database.prepare("INSERT INTO words (words, rowid, content) VALUES ('delete', 8, ?)").run(SECRET);
  const { changes } = database.prepare("DELETE FROM turns WHERE id = 8").run();
  database.exec("COMMIT");
  return { changes };
}

function countTurns(path: string): number {
  using database = new DatabaseSync(path);
  return database.prepare("SELECT id FROM turns WHERE content = ?").all(SECRET).length;
}

function fillFullText(path: string): string {
  using fullText = new FullText(`${path}/fts.db`);
  fullText.add(TEXTS);
  return `${path}/fts.db`;
}

/** Whether two deletions of one thing returned the same value, which then proves the first. */
function isProof(first: unknown, second: unknown): boolean {
  return first !== undefined && JSON.stringify(first) === JSON.stringify(second);
}

/** See the module's documentation. */
export const PROOF: Keeping = {
  what: "a deletion returns a proof, and later the same one again",
  published: {
    Holdfast: true,
    "Deno KV": false,
    "JSON lines": false,
    "SQLite FTS5": false,
    MemorySaver: false,
  },
  checks: {
    Holdfast: async () => {
      await using memory = await openMemory(":memory:");
      const conversation = memory.conversation(SCOPE);
      const target = {
        kind: "turn",
        key: await fill(conversation),
        expectedRevision: await conversation.revision(),
      } as const;
      const { already: _, mac: _mac, ...first } = await conversation.delete(target);
      const { already, mac, ...second } = await conversation.delete(target);
      const { valid } = await memory.verifyReceipt({ already, mac, ...second });
      return valid && isProof(first, second);
    },
    "Deno KV": () =>
      inDirectory((path) =>
        withKeyValue(path, async (kv) => {
          await kv.atomic().set(KEY, SECRET).commit();
          return isProof(await kv.delete(KEY), await kv.delete(KEY));
        })
      ),
    "JSON lines": () =>
      inDirectory((path) => {
        using lines = new JsonLines(`${path}/turns.jsonl`);
        fillLines(lines);
        return isProof(lines.remove("turn-7"), lines.remove("turn-7"));
      }),
    "SQLite FTS5": () =>
      inDirectory((path) => {
        const file = fillFullText(path);
        using database = new DatabaseSync(file);
        const statement = database.prepare("DELETE FROM turns WHERE id = 8");
        return Promise.resolve(isProof(statement.run(), statement.run()));
      }),
    MemorySaver: () =>
      withSaver(async (saver, { emptyCheckpoint }) => {
        await saver.put(THREAD, emptyCheckpoint(), METADATA);
        return isProof(await saver.deleteThread("run-a"), await saver.deleteThread("run-a"));
      }),
  },
};

/** See the module's documentation. */
export const BACKUP: Keeping = {
  what: "an older backup, put back, does not bring back what was deleted",
  published: {
    Holdfast: true,
    "Deno KV": false,
    "JSON lines": false,
    "SQLite FTS5": false,
    MemorySaver: null,
  },
  checks: {
    Holdfast: () =>
      inDirectory(async (path) => {
        const memory = await openMemory(`${path}/ours.db`);
        const conversation = memory.conversation(SCOPE);
        const key = await fill(conversation);
        await memory.backup(`${path}/backup`);
        await conversation.delete({ kind: "turn", key, expectedRevision: await conversation.revision() });
        const options = {
          deletionPath: `${path}/ours.db.deletions`,
          watermark: await memory.deletionWatermark(),
        };
        await memory.close();
        await using restored = await restoreMemory(`${path}/backup`, `${path}/new.db`, options);
        const turns = await Array.fromAsync(restored.conversation(SCOPE).turns());
        return turns.length === TURNS - 1 && !turns.some(({ turnId }) => turnId === key);
      }),
    "Deno KV": () =>
      inDirectory(async (path) => {
        const set = await withKeyValue(path, (kv) => kv.atomic().set(KEY, SECRET).commit());
        if (set === undefined) return undefined;
        copyAll(path, `${path}/backup`);
        await withKeyValue(path, (kv) => kv.delete(KEY));
        return await withKeyValue(`${path}/backup`, async (kv) => (await kv.get(KEY)).value === null);
      }),
    "JSON lines": () =>
      inDirectory((path) => {
        using lines = new JsonLines(`${path}/turns.jsonl`);
        fillLines(lines);
        copyAll(path, `${path}/backup`);
        lines.remove("turn-7");
        using back = new JsonLines(`${path}/backup/turns.jsonl`);
        return !back.last(TURNS).some(({ turnId }) => turnId === "turn-7");
      }),
    "SQLite FTS5": () =>
      inDirectory((path) => {
        const file = fillFullText(path);
        copyAll(path, `${path}/backup`);
        deleteTurn(file);
        return Promise.resolve(countTurns(`${path}/backup/fts.db`) === 0);
      }),
  },
};

/** See the module's documentation. */
export const BYTES: Keeping = {
  what: "no byte of what was deleted is left in its files",
  published: {
    Holdfast: true,
    "Deno KV": false,
    "JSON lines": true,
    "SQLite FTS5": false,
    MemorySaver: null,
  },
  checks: {
    Holdfast: () =>
      inDirectory(async (path) => {
        await using memory = await openMemory(`${path}/ours.db`);
        const conversation = memory.conversation(SCOPE);
        const key = await fill(conversation);
        await conversation.search("pallet"); // the index has it, too
        const expectedRevision = await conversation.revision();
        const { scrubbed } = await conversation.delete({ kind: "turn", key, expectedRevision }, {
          scrub: true,
        });
        return scrubbed && !isLeft(path);
      }),
    "Deno KV": () =>
      inDirectory(async (path) => {
        const deleted = await withKeyValue(path, async (kv) => {
          for (const [index, text] of TEXTS.entries()) {
            await kv.atomic().set(["acme", `turn-${index}`], text).commit();
          }
          await kv.delete(KEY);
          return (await kv.get(KEY)).value === null;
        });
        return deleted && !isLeft(path);
      }),
    "JSON lines": () =>
      inDirectory((path) => {
        using lines = new JsonLines(`${path}/turns.jsonl`);
        fillLines(lines);
        lines.remove("turn-7");
        return !isLeft(path);
      }),
    "SQLite FTS5": () =>
      inDirectory((path) => {
        const file = fillFullText(path);
        deleteTurn(file);
        return Promise.resolve(countTurns(file) === 0 && !isLeft(path));
      }),
  },
};

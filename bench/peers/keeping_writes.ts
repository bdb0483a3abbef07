/** Checks whether conflicting writes are refused. */

import { openMemory } from "../../mod.ts";
import { JsonLines } from "./json_lines.ts";
import type { Keeping } from "./keeping.ts";
import {
  fillLines,
  inDirectory,
  KEY,
  METADATA,
  RUN,
  SCOPE,
  SECRET,
  START,
  THREAD,
  TURNS,
  withKeyValue,
  withSaver,
} from "./trying.ts";

async function isRefused(call: () => unknown): Promise<boolean> {
  try {
    await call();
    return false;
  } catch {
    return true;
  }
}

/** See the module's documentation. */
export const LOST_UPDATE: Keeping = {
  what: "an update of what has changed since is refused",
  published: {
    Holdfast: true,
    "Deno KV": true,
    "JSON lines": false,
    "SQLite FTS5": null,
    MemorySaver: false,
  },
  checks: {
    Holdfast: async () => {
      await using memory = await openMemory(":memory:");
      const revision = await memory.records.put(RUN, START, { expectedRevision: null, ttl: 60 });
      await memory.records.put(RUN, { ...START, step: 1 }, { expectedRevision: revision, ttl: 60 });
      return await isRefused(() =>
        memory.records.put(RUN, { ...START, step: 2 }, { expectedRevision: revision, ttl: 60 })
      );
    },
    "Deno KV": () =>
      inDirectory((path) =>
        withKeyValue(path, async (kv) => {
          const { versionstamp } = await kv.get(KEY);
          await kv.atomic().check({ key: KEY, versionstamp }).set(KEY, 1).commit();
          return !(await kv.atomic().check({ key: KEY, versionstamp }).set(KEY, 2).commit()).ok;
        })
      ),
    "JSON lines": () =>
      inDirectory(async (path) => {
        using lines = new JsonLines(`${path}/turns.jsonl`);
        fillLines(lines);
        const [mine, theirs] = [lines.last(TURNS), lines.last(TURNS)];
        lines.write(theirs.slice(1).map((line) => JSON.stringify(line)));
        return await isRefused(() => lines.write(mine.slice(2).map((line) => JSON.stringify(line))));
      }),
    MemorySaver: () =>
      withSaver(async (saver, { emptyCheckpoint }) => {
        const from = await saver.put(THREAD, emptyCheckpoint(), METADATA);
        await saver.put(from, emptyCheckpoint(), METADATA);
        return await isRefused(() => saver.put(from, emptyCheckpoint(), METADATA));
      }),
  },
};

/** See the module's documentation. */
export const DOUBLED_ID: Keeping = {
  what: "a second turn under an id that is taken is refused",
  published: {
    Holdfast: true,
    "Deno KV": true,
    "JSON lines": false,
    "SQLite FTS5": null,
    MemorySaver: false,
  },
  checks: {
    Holdfast: async () => {
      await using memory = await openMemory(":memory:");
      const conversation = memory.conversation(SCOPE);
      const messages = [{ messageId: "message-1", role: "user", content: SECRET }] as const;
      const turn = { turnId: "turn-7", scope: SCOPE, messages, revision: 1 };
      const expectedRevision = await conversation.putTurn(turn, {
        operationId: "one",
        expectedRevision: await conversation.create(),
      });
      return await isRefused(() => conversation.putTurn(turn, { operationId: "two", expectedRevision }));
    },
    "Deno KV": () =>
      inDirectory((path) =>
        withKeyValue(path, async (kv) => {
          await kv.atomic().check({ key: KEY, versionstamp: null }).set(KEY, 1).commit();
          return !(await kv.atomic().check({ key: KEY, versionstamp: null }).set(KEY, 2).commit()).ok;
        })
      ),
    "JSON lines": () =>
      inDirectory(async (path) => {
        using lines = new JsonLines(`${path}/turns.jsonl`);
        fillLines(lines);
        return await isRefused(() => lines.append({ turnId: "turn-7", role: "user", content: SECRET }));
      }),
    MemorySaver: () =>
      withSaver(async (saver, { emptyCheckpoint }) => {
        const checkpoint = emptyCheckpoint();
        await saver.put(THREAD, checkpoint, METADATA);
        return await isRefused(() => saver.put(THREAD, { ...checkpoint, v: 2 }, METADATA));
      }),
  },
};

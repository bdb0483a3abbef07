/**
 * Goal: the time that opening a store adds to opening the same two files with the driver alone, with the same settings,
 * and reading one row. Non-goal: recovery after a crash; the store was closed. Seed 4.
 */
import { DatabaseSync } from "node:sqlite";
import { openMemory, turn } from "../mod.ts";
import { Directory } from "./directories.ts";
import { type Question, timeInTurn } from "./measure.ts";

const SETTINGS = [
  "PRAGMA busy_timeout = 0",
  "PRAGMA journal_mode = WAL",
  "PRAGMA synchronous = FULL",
  "PRAGMA secure_delete = ON",
  "PRAGMA temp_store = MEMORY",
  "PRAGMA trusted_schema = OFF",
  "PRAGMA foreign_keys = OFF",
  "PRAGMA cell_size_check = ON",
  "PRAGMA fullfsync = ON",
  "PRAGMA checkpoint_fullfsync = ON",
];

async function prepare(path: string, turns: number, events: number): Promise<void> {
  await using memory = await openMemory(path, {
    limits: { turnsPerScope: turns, bytesPerScope: 1_000_000_000 },
  });
  const scope = { tenantId: "acme", sessionId: "ticket-4711" };
  const conversation = memory.conversation(scope);
  let revision = await conversation.create();
  for (let first = 0; first < turns; first += 64) {
    const count = Math.min(64, turns - first);
    await Promise.all(Array.from({ length: count }, (_, offset) => {
      const number = first + offset;
      const messages = [{
        messageId: `m${number}`,
        role: "user" as const,
        content: `Item ${number} was counted.`,
      }];
      const value = turn({ turnId: `t${number}`, scope, messages, timestamp: "2026-03-01T09:00:00Z" });
      return conversation.putTurn(value, { operationId: `o${number}`, expectedRevision: revision++ });
    }));
  }
  const identity = (number: number) => ({ tenantId: "acme", kind: "fact", key: `k-${number}` }) as const;
  for (let number = 0; number < events; number++) {
    await memory.records.forget(identity(number), null, { revoke: true });
  }
}

/** Opens both files with the driver, and reads one row of each. */
function openByHand(path: string): number {
  let read = 0;
  for (
    const [file, sql] of [[path, "SELECT revision FROM scopes"], [
      `${path}.deletions`,
      "SELECT count FROM meta",
    ]]
  ) {
    const database = new DatabaseSync(file!);
    for (const setting of SETTINGS) database.prepare(setting).get();
    read += Object.values(database.prepare(sql!).get()!)[0] as number;
    database.close();
  }
  return read;
}

/** The row of opening a store. */
export const openStore: Question = {
  name: "open a store of 10 000 turns and 1 000 events",
  floor: "the same two files with the driver, same settings, one row",
  target: 1.6,
  run: async (size) => {
    const [rounds, turns, events] = size === "full" ? [41, 10_000, 1_000] : [2, 100, 10];
    using directory = new Directory();
    const path = `${directory.path}/ours.db`;
    await prepare(path, turns, events);
    let checksum = 0;
    const pairs = await timeInTurn({ rounds, warm: 5 }, () => checksum += openByHand(path), async () => {
      const memory = await openMemory(path);
      checksum += await memory.conversation({ tenantId: "acme", sessionId: "ticket-4711" }).revision();
      await memory.close();
    });
    return { ...pairs, unit: "us", checksum: checksum >>> 0 };
  },
};

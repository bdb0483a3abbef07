/** One Worker of a crew: appends turns to a session of its own and deletes some, or opens and closes the store. */

import { type Memory, openMemory } from "@holdfast/memory";
import { oldLibrary } from "../contention/old_library.ts";
import { Seeded } from "../model/records/seeded.ts";
import { type CrewCall, type CrewTask, say, TENANT } from "./crew.ts";

const CALLS_MAX = 100_000;
const BUSY_TIMEOUT_MS = 60_000;

const scope = globalThis as unknown as {
  onmessage: (message: { readonly data: CrewTask }) => Promise<void>;
  postMessage(message: "called" | "failed"): void;
};

function open({ path, old }: CrewTask): Promise<Memory> {
  return openMemory(path, { busyTimeoutMs: BUSY_TIMEOUT_MS, driver: old ? oldLibrary : undefined });
}

async function write(memory: Memory, session: string, seeded: Seeded): Promise<void> {
  const conversation = memory.conversation({ tenantId: TENANT, sessionId: session });
  const turns: { readonly turnId: string; readonly mark: string }[] = [];
  let revision = 0;
  const tell = async (call: CrewCall, make: () => Promise<number>): Promise<void> => {
    say({ type: "intent", session, call });
    revision = await make();
    say({ type: "ack", session });
    scope.postMessage("called");
  };
  for (let index = 0; index < CALLS_MAX; index++) {
    if (turns.length > 2 && seeded.chance(0.2)) {
      const [turn] = turns.splice(seeded.integer(0, turns.length - 1), 1);
      await tell({ op: "delete", mark: turn!.mark }, async () => {
        await conversation.delete({ kind: "turn", key: turn!.turnId, expectedRevision: revision });
        return await conversation.revision();
      });
      continue;
    }
    const mark = `m${index}`;
    await tell({ op: "append", mark }, async () => {
      const appended = await conversation.append([{ role: "user", content: mark }]);
      turns.push({ turnId: appended.turnId, mark });
      return appended.revision;
    });
  }
}

async function reopen(task: CrewTask): Promise<void> {
  for (let time = 0; time < CALLS_MAX; time++) {
    await using memory = await open(task);
    await memory.records.list(TENANT);
  }
}

scope.onmessage = async ({ data: task }): Promise<void> => {
  try {
    if (task.session === null) {
      await reopen(task);
      return;
    }
    await using memory = await open(task);
    await write(memory, task.session, new Seeded(task.seed));
  } catch (error) {
    const { message, stack = "" } = error as Error;
    say({ type: "error", message, stack });
    scope.postMessage("failed");
  }
};

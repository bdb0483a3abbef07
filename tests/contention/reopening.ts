/** Writes that go on after errors, and openings without end: what a supervised harness does to its store. */

import { type Memory, type MemoryOptions, openMemory } from "@holdfast/memory";
import { oldLibrary } from "./old_library.ts";
import type { Reopened, Task } from "./task.ts";

const BUSY_TIMEOUT_MS = 60_000;
const OPENINGS_MAX = 1_000;
const TENANT = "orchard";

type Reopening = Task & { readonly do: "reopen" };
type Writing = Task & { readonly do: "write turns" };

function open({ path, old }: Reopening | Writing, options: MemoryOptions = {}): Promise<Memory> {
  const driver = old ? oldLibrary : undefined;
  return openMemory(path, { busyTimeoutMs: BUSY_TIMEOUT_MS, driver, ...options });
}

/** Counts errors by their codes. */
class Errors {
  readonly counts: Record<string, number> = {};

  async note(call: () => Promise<void>): Promise<void> {
    try {
      await call();
    } catch (error) {
      const { code, message } = error as Error & { code?: string };
      const name = code ?? message;
      this.counts[name] = (this.counts[name] ?? 0) + 1;
    }
  }
}

/** Appends each turn once, and opens the store again after some turns, and after each error. */
export async function writeTurns(task: Writing): Promise<Reopened> {
  const errors = new Errors();
  const acknowledged: string[] = [];
  let index = 0;
  for (let opening = 0; index < task.count && opening < OPENINGS_MAX; opening++) {
    await errors.note(async () => {
      const memory = await open(task);
      try {
        const conversation = memory.conversation({ tenantId: TENANT, sessionId: task.session });
        const end = Math.min(task.count, index + task.perOpening);
        while (index < end) {
          const content = `${task.session}-${index++}`;
          await conversation.append([{ role: "user", content }]);
          acknowledged.push(content);
        }
      } finally {
        await memory.close();
      }
    });
  }
  return { acknowledged, errors: errors.counts };
}

/** Opens, lists and closes so many times. */
export async function reopen(task: Reopening): Promise<Reopened> {
  const errors = new Errors();
  for (let time = 0; time < task.times; time++) {
    await errors.note(async () => {
      await using memory = await open(task, { deletionPath: task.deletionPath });
      await memory.records.list(TENANT);
    });
  }
  return { acknowledged: [], errors: errors.counts };
}

/** The texts of a session's turns. */
export async function textsOf(memory: Memory, sessionId: string): Promise<ReadonlySet<string>> {
  const texts = new Set<string>();
  for await (const { messages } of memory.conversation({ tenantId: TENANT, sessionId }).turns()) {
    texts.add(messages[0]!.content ?? "");
  }
  return texts;
}

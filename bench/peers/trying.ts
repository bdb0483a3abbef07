/** Fixtures of the checks: some turns, one of them a secret, and the peers, which are opened and closed again. */

import { Directory } from "../directories.ts";
import type { JsonLines } from "./json_lines.ts";
import { type KeyValue, openKeyValue } from "./key_value.ts";
import { type Configuration, loadSaver, type Saver, type SaverModule } from "./saver.ts";

export const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" };
export const RUN = { tenantId: "acme", kind: "checkpoint", key: "run-a" } as const;
export const START = { schema: 1, step: 0, items: [] } as const;
export const KEY = ["acme", "turn-7"];
export const SECRET = "The code of the door is 4711-quixotic.";
export const TURNS = 300;

export const TEXTS = Array.from(
  { length: TURNS },
  (_, index) => index === 7 ? SECRET : `The pallet ${index} stands.`,
);

/** Runs a function with a temporary directory. */
export async function inDirectory<T>(use: (path: string) => Promise<T> | T): Promise<T> {
  using directory = new Directory();
  return await use(directory.path);
}

export async function withKeyValue<T>(
  path: string,
  use: (kv: KeyValue) => Promise<T>,
): Promise<T | undefined> {
  const kv = await openKeyValue(`${path}/kv.db`);
  if (kv === null) return undefined;
  try {
    return await use(kv);
  } finally {
    kv.close();
  }
}

export async function withSaver<T>(
  use: (saver: Saver, module: SaverModule) => Promise<T>,
): Promise<T | undefined> {
  const module = await loadSaver();
  return module === null ? undefined : await use(new module.MemorySaver(), module);
}

export function fillLines(lines: JsonLines): void {
  lines.write(
    TEXTS.map((content, index) => JSON.stringify({ turnId: `turn-${index}`, role: "user", content })),
  );
}

export const THREAD: Configuration = { configurable: { thread_id: "run-a", checkpoint_ns: "" } };
export const METADATA = { source: "loop", step: 0, parents: {} };

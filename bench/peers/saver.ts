/** Beside LangGraph's saver that keeps checkpoints in memory, and nothing is durable: for scale. */

import { openMemory } from "../../mod.ts";
import { inTurn, type PeerQuestion, perCall } from "./peer.ts";

/** Not seen by what checks types or caches modules: it is loaded by who measures, and by nobody else. */
const PACKAGE = "npm:@langchain/langgraph-checkpoint@1.2.2";

/** What names a thread, and a checkpoint of it. */
export interface Configuration {
  readonly configurable: {
    readonly thread_id: string;
    readonly checkpoint_ns?: string;
    readonly checkpoint_id?: string;
  };
}

/** What is used of the saver. */
export interface Saver {
  put(config: Configuration, checkpoint: object, metadata: object): Promise<Configuration>;
  deleteThread(threadId: string): Promise<void>;
  getTuple(
    config: Configuration,
  ): Promise<{ checkpoint: { channel_values: { state: typeof STATE } } } | undefined>;
}

/** What is used of its package. */
export interface SaverModule {
  readonly MemorySaver: new () => Saver;
  emptyCheckpoint(): object;
}

const CALLS = 20;
const STATE = { schema: 1 as const, step: 0, items: ["water the pears", "count the pallets"] };
const RUN = { tenantId: "orchard", kind: "checkpoint", key: "run-a" } as const;
const PEER = "LangGraph MemorySaver";

/** Loads the package; null where it cannot be had. */
export async function loadSaver(): Promise<SaverModule | null> {
  try {
    return await import(PACKAGE) as SaverModule;
  } catch {
    return null;
  }
}

const MISSING = `${PACKAGE} cannot be loaded here`;

/** See the module's documentation. */
export const SAVER: readonly PeerQuestion[] = [
  {
    work: "one checkpoint put",
    ours: '`records.put` in `":memory:"`',
    peer: PEER,
    terms: "neither is durable; the saver serializes into a map, and finds no lost update",
    run: async (size) => {
      const module = await loadSaver();
      if (module === null) return MISSING;
      const saver = new module.MemorySaver();
      await using memory = await openMemory(":memory:");
      let revision: number | null = null;
      let config: Configuration = { configurable: { thread_id: RUN.key, checkpoint_ns: "" } };
      const times = await inTurn(size, async () => {
        for (let call = 0; call < CALLS; call++) {
          const checkpoint = { ...module.emptyCheckpoint(), channel_values: { state: STATE } };
          config = await saver.put(config, checkpoint, { source: "loop", step: call, parents: {} });
        }
      }, async () => {
        for (let step = 0; step < CALLS; step++) {
          revision = await memory.records.put(RUN, { ...STATE, step: step % 2 }, {
            expectedRevision: revision,
            ttl: 86_400,
          });
        }
      });
      const kept = (await saver.getTuple(config))!.checkpoint.channel_values.state.items.length;
      return { ...perCall(times, CALLS), checksum: revision! + kept };
    },
  },
  {
    work: "the newest checkpoint read",
    ours: '`records.get` in `":memory:"`',
    peer: PEER,
    terms: "one checkpoint in either",
    run: async (size) => {
      const module = await loadSaver();
      if (module === null) return MISSING;
      const saver = new module.MemorySaver();
      await using memory = await openMemory(":memory:");
      await memory.records.put(RUN, STATE, { expectedRevision: null, ttl: 86_400 });
      const thread: Configuration = { configurable: { thread_id: RUN.key, checkpoint_ns: "" } };
      const checkpoint = { ...module.emptyCheckpoint(), channel_values: { state: STATE } };
      await saver.put(thread, checkpoint, { source: "loop", step: 0, parents: {} });
      let checksum = 0;
      const times = await inTurn(size, async () => {
        for (let call = 0; call < CALLS; call++) {
          checksum += (await saver.getTuple(thread))!.checkpoint.channel_values.state.items.length;
        }
      }, async () => {
        for (let call = 0; call < CALLS; call++) {
          checksum += (await memory.records.get(RUN))!.value.items.length;
        }
      });
      return { ...perCall(times, CALLS), checksum };
    },
  },
];

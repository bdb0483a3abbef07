/** The operations on sessions, what is said of them, and whose they are, that matrices strike. */

import type { Memory } from "@holdfast/memory";
import { ORCHARD } from "../conversations/samples.ts";
import { factAt } from "../../src/testing/records/record_samples.ts";
import { prepareTalk, talkOf } from "./conversation_operations.ts";
import type { StruckOperation } from "./struck_operation.ts";

const { tenantId } = ORCHARD;
const GWEN = "gwen@example.org";
const HERS = { tenantId, sessionId: "hers" };

/** A conversation, records, and a session and a record of one person. */
async function prepareHers(memory: Memory): Promise<void> {
  await prepareTalk(memory);
  const hers = memory.conversation(HERS);
  await hers.append([{ messageId: "h1", role: "user", content: "I live in Cardiff." }], {
    operationId: "hers",
    subject: GWEN,
  });
  await hers.describe({ title: "Cardiff" });
  await memory.records.label(factAt("other"), GWEN);
}

/** See the module's documentation. */
export const SESSION_OPERATIONS: readonly StruckOperation[] = [
  {
    name: "a first append with a subject",
    calls: "Conversation.append",
    prepare: prepareTalk,
    run: (memory, signal) =>
      memory.conversation(HERS).append([{ messageId: "h1", role: "user", content: "Hello." }], {
        operationId: "hers",
        subject: GWEN,
        signal,
      }),
  },
  {
    name: "the list of sessions",
    calls: "Memory.sessions",
    prepare: prepareHers,
    run: (memory, signal) => memory.sessions(tenantId, { limit: 1, signal }),
  },
  {
    name: "the list of sessions by id",
    calls: "Memory.sessions",
    prepare: prepareHers,
    run: (memory, signal) => memory.sessions(tenantId, { order: "id", signal }),
  },
  {
    name: "the list of one person's sessions",
    calls: "Memory.sessions",
    prepare: prepareHers,
    run: (memory, signal) => memory.sessions(tenantId, { subject: GWEN, signal }),
  },
  {
    name: "a description",
    calls: "Conversation.describe",
    prepare: prepareHers,
    run: (memory, signal) => talkOf(memory).describe({ title: "pears", metadata: { dry: true } }, { signal }),
  },
  {
    name: "a description that is read",
    calls: "Conversation.describe",
    prepare: prepareHers,
    run: (memory, signal) => memory.conversation(HERS).describe({}, { signal }),
  },
  {
    name: "a description that is removed, and its subject",
    calls: "Conversation.describe",
    steps: true,
    prepare: prepareHers,
    run: (memory, signal) => memory.conversation(HERS).describe({ title: null, subject: null }, { signal }),
  },
  {
    name: "a session that becomes another person's",
    calls: "Conversation.describe",
    steps: true,
    prepare: prepareHers,
    run: (memory, signal) => memory.conversation(HERS).describe({ subject: "owen" }, { signal }),
  },
  {
    name: "a record that becomes another person's",
    calls: "Records.label",
    steps: true,
    prepare: prepareHers,
    run: ({ records }, signal) => records.label(factAt("other"), "owen", { signal }),
  },
  {
    name: "the erasure of a person",
    calls: "Memory.erase",
    steps: true,
    rests: true,
    prepare: prepareHers,
    run: (memory, signal) => memory.erase({ tenantId, subject: GWEN }, { operationId: "erase", signal }),
  },
  {
    name: "the erasure of a tenant",
    calls: "Memory.erase",
    steps: true,
    rests: true,
    prepare: prepareHers,
    run: (memory, signal) => memory.erase({ tenantId }, { operationId: "erase", signal }),
  },
];

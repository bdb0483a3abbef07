/** What the tests of sessions talk about. */

import type { Conversation, Memory, SessionsOptions, StoreOptions } from "../../../mod.ts";
import { defineKind } from "../../../mod.ts";
import type { MutableClock } from "../kit/mutable_clock.ts";

/** A tenant with several sessions. */
export const ACME = "acme";

/** People. */
export const GWEN = "gwen@example.org";
export const OWEN = "owen@example.org";

/** A kind without deadline. */
const NOTE = defineKind("note", {
  "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value: value as string }) },
});

/** Options with a clock, and the kind. */
export function optionsWith(clock: MutableClock): StoreOptions {
  return { clock: clock.now, kinds: [NOTE] };
}

/** A session of the tenant. */
export function chat(memory: Memory, sessionId: string, tenantId: string = ACME): Conversation {
  return memory.conversation({ tenantId, sessionId });
}

/** Appends one message; what it says is the session's id unless it is given. */
export async function say(
  memory: Memory,
  sessionId: string,
  { content = sessionId, subject, tenantId = ACME }: {
    readonly content?: string;
    readonly subject?: string;
    readonly tenantId?: string;
  } = {},
): Promise<void> {
  const options = subject === undefined ? {} : { subject };
  await chat(memory, sessionId, tenantId).append([{ role: "user", content }], options);
}

/** The ids of a page of the tenant's sessions. */
export async function idsOf(memory: Memory, options: SessionsOptions = {}): Promise<readonly string[]> {
  return (await memory.sessions(ACME, options)).items.map(({ sessionId }) => sessionId);
}

/** Puts a note, whose key is also what it says. */
export async function note(memory: Memory, key: string, subject?: string, tenantId = ACME): Promise<void> {
  const options = { expectedRevision: null, ...subject === undefined ? {} : { subject } };
  await memory.records.of(NOTE).put({ tenantId, key }, key, options);
}

/** The keys of the tenant's notes. */
export async function notesOf(memory: Memory, tenantId = ACME): Promise<readonly string[]> {
  return (await memory.records.of(NOTE).list(tenantId)).items.map(({ key }) => key);
}

/** What the tests of conversations talk about, and short ways to say it. */

import { createHash } from "node:crypto";
import type {
  Conversation,
  Memory,
  PinInput,
  Scope,
  Snapshot,
  SourceRef,
  StoreOptions,
  Summary,
  TimedTurn,
  TurnInput,
  TurnsOptions,
} from "../../../mod.ts";
import { summaryFromHistory } from "../../../mod.ts";
import { MutableClock } from "./mutable_clock.ts";

export const ORCHARD: Scope = { tenantId: "orchard", sessionId: "spring" };
export const HARBOUR: Scope = { tenantId: "harbour", sessionId: "spring" };

/** The second at which tests begin: 2027-01-15T08:00:00Z. */
export const NOON = 1_800_000_000;

/** A clock that stands at {@linkcode NOON}. */
export function clockAtNoon(): MutableClock {
  return new MutableClock(NOON);
}

/** Options with a clock that stands at {@linkcode NOON}. */
export function atNoon(): StoreOptions {
  return { clock: clockAtNoon().now };
}

/** RFC 3339 text, some seconds after {@linkcode NOON}. */
export function after(seconds: number): string {
  return new Date((NOON + seconds) * 1_000).toISOString();
}

/** A turn of one message; its content is its id unless it is given. */
export function turnOf(turnId: string, content: string = turnId, rest: Partial<TurnInput> = {}): TurnInput {
  const messages = [{ messageId: `${turnId}-message`, role: "user" as const, content }];
  return { turnId, scope: ORCHARD, messages, ...rest };
}

/** A pin; its value is its key unless it is given. */
export function pinOf(key: string, value: string = key, rest: Partial<PinInput> = {}): PinInput {
  return { scope: ORCHARD, key, value, origin: "test", ...rest };
}

/** The whole first message of a turn as a source. */
export function sourceOf(turn: TimedTurn): SourceRef {
  const [message] = turn.messages;
  const messageHash = createHash("sha256").update(message!.content).digest("hex");
  return {
    scope: turn.scope,
    turnId: turn.turnId,
    messageId: message!.messageId,
    revision: turn.revision,
    start: 0,
    end: [...message!.content].length,
    messageHash,
  };
}

/** A summary of turns as they are. */
export function summaryOf(
  history: readonly TimedTurn[],
  content = "what was said",
  rest: { readonly createdAt?: string; readonly expiresAt?: string } = {},
): Summary {
  const scope = history[0]?.scope ?? ORCHARD;
  return summaryFromHistory({
    scope,
    content,
    history,
    policyVersion: "test-1",
    createdAt: after(0),
    ...rest,
  });
}

/** All turns that a conversation gives. */
export function readTurns(
  conversation: Conversation,
  snapshot?: Snapshot,
  options?: TurnsOptions,
): Promise<TimedTurn[]> {
  return Array.fromAsync(conversation.turns({ snapshot, ...options }));
}

/** Their ids. */
export async function readIds(
  conversation: Conversation,
  snapshot?: Snapshot,
  options?: TurnsOptions,
): Promise<string[]> {
  return (await readTurns(conversation, snapshot, options)).map((turn) => turn.turnId);
}

/** A conversation with turns of these ids; its scope's revision is their number. */
export async function talk(
  memory: Memory,
  turnIds: readonly string[],
  scope: Scope = ORCHARD,
): Promise<Conversation> {
  const conversation = memory.conversation(scope);
  let expectedRevision = await conversation.create();
  for (const turnId of turnIds) {
    const turn = turnOf(turnId, turnId, { scope });
    expectedRevision = await conversation.putTurn(turn, { operationId: `put ${turnId}`, expectedRevision });
  }
  return conversation;
}

/** Puts a revision of a turn. */
export async function revise(
  conversation: Conversation,
  turn: TurnInput,
  expiresAt?: string | null,
): Promise<number> {
  return await conversation.putTurn(turn, {
    operationId: `revise ${turn.turnId} ${turn.revision}`,
    expectedRevision: await conversation.revision(),
    expiresAt,
  });
}

/** Puts a pin at whatever revision the scope has. */
export async function pinUp(conversation: Conversation, pin: PinInput): Promise<number> {
  return await conversation.putPin(pin, { expectedRevision: await conversation.revision() });
}

/** Deletes at whatever revision the scope has. */
export async function erase(
  conversation: Conversation,
  kind: "scope" | "turn" | "pin",
  key?: string,
): ReturnType<Conversation["delete"]> {
  return await conversation.delete({ kind, key, expectedRevision: await conversation.revision() });
}

/**
 * Derives from a conversation's first turn: a pin `derived` that cites it, a summary of all turns, and a replay
 * `answer`. The scope's revision moves by two.
 */
export async function derive(conversation: Conversation): Promise<Snapshot> {
  const turns = await readTurns(conversation);
  const source = sourceOf(turns[0]!);
  await pinUp(
    conversation,
    pinOf("derived", turns[0]!.messages[0]!.content, { scope: source.scope, source }),
  );
  await conversation.putSummary(await conversation.snapshot(), summaryOf(turns));
  const snapshot = await conversation.snapshot();
  await conversation.cachePut(snapshot, "answer", { text: turns[0]!.messages[0]!.content });
  return snapshot;
}

/** Content of every type for the stores of export and import tests. */

import assert from "node:assert/strict";
import {
  defineKind,
  type Memory,
  type Message,
  type RecordKind,
  type Scope,
  summaryFromHistory,
  type TimedTurn,
} from "../../../mod.ts";
import { after, readTurns, sourceOf } from "../kit/conversation_samples.ts";
import { acceptAll } from "../records/record_samples.ts";

/** A kind that accepts any JSON, names in any script, and records without a deadline. */
export const NOTE: RecordKind = defineKind("note", acceptAll(), {
  ttlMax: null,
  identifiers: "text",
  maxBytes: 100_000,
});

/** The content of one scope. */
interface ScopeFilling {
  readonly scope: Scope;
  readonly turns: readonly TurnFilling[];
  /** Which turn each pin cites, if any; counted from the end where there are fewer. */
  readonly pins: readonly {
    readonly value: string;
    readonly cites: number | null;
    readonly lives: number | null;
  }[];
  /** How many of the first turns the summary covers; null for none. */
  readonly covers: number | null;
}

interface TurnFilling {
  readonly text: string;
  readonly call: boolean;
  readonly revisions: number;
  /** Seconds; null for ever. */
  readonly lives: number | null;
  readonly zone: string;
}

/** The content of a store. */
interface Filling {
  readonly scopes: readonly ScopeFilling[];
  readonly notes: readonly {
    readonly tenantId: string;
    readonly key: string;
    readonly value: unknown;
    readonly ttl: number | null;
    readonly maxAge: number | null;
  }[];
}

/** Fills a store. */
export async function fill(memory: Memory, { scopes, notes }: Filling): Promise<void> {
  for (const { tenantId, key, value, ttl, maxAge } of notes) {
    const identity = { tenantId, kind: "note", key };
    await memory.records.put(identity, value, {
      expectedRevision: null,
      ttl,
      ...(maxAge === null ? {} : { maxAge }),
    });
  }
  for (const filling of scopes) await fillScope(memory, filling);
}

async function fillScope(memory: Memory, { scope, turns, pins, covers }: ScopeFilling): Promise<void> {
  const conversation = memory.conversation(scope);
  let revision = await conversation.create();
  for (const [index, turn] of turns.entries()) {
    for (let own = 1; own <= turn.revisions; own++) {
      revision = await conversation.putTurn({
        turnId: nameOf(turn.text, index),
        scope,
        messages: messagesOf(turn, index, own),
        revision: own,
        timestamp: turn.zone,
      }, {
        operationId: `${index} ${own}`,
        expectedRevision: revision,
        ...(turn.lives === null ? {} : { expiresAt: after(turn.lives) }),
      });
    }
  }
  const history = await readTurns(conversation);
  for (const [index, { value, cites, lives }] of pins.entries()) {
    const turn = cites === null ? undefined : history.at(-1 - cites);
    revision = await conversation.putPin({
      scope,
      key: nameOf(value, index),
      value,
      origin: "test",
      ...(lives === null ? {} : { expiresAt: after(lives) }),
      ...(turn === undefined ? {} : { source: sourceOf(turn) }),
    }, { expectedRevision: revision });
  }
  if (covers !== null) await summarize(memory, scope, history.slice(0, covers));
}

/** A valid name from any text: characters that names refuse are removed. */
function nameOf(text: string, index: number): string {
  return `${text.replaceAll("\0", "")}${index}`;
}

function messagesOf({ text, call }: TurnFilling, index: number, own: number): readonly Message[] {
  const said: Message = { messageId: `m${index}`, role: "user", content: `${text} as of ${own}` };
  if (!call) return [said];
  const callId = `c${index}`;
  return [
    said,
    {
      messageId: `m${index}-call`,
      role: "assistant",
      content: "",
      toolCalls: [{ id: callId, name: "look", arguments: `{ "q":  ${JSON.stringify(text)}, "n": 1.50 }` }],
    },
    { messageId: `m${index}-result`, role: "tool", content: text, toolCallId: callId },
  ];
}

async function summarize(memory: Memory, scope: Scope, history: readonly TimedTurn[]): Promise<void> {
  const conversation = memory.conversation(scope);
  const summary = summaryFromHistory({
    scope,
    content: "what was said",
    history,
    policyVersion: "test-1",
    createdAt: after(0),
    expiresAt: after(1_800),
  });
  await conversation.putSummary(await conversation.snapshot(), summary);
}

/** A whole export with content. */
export function exported(memory: Memory, scope?: Scope): Promise<string[]> {
  return Array.fromAsync(
    memory.exportLines({ includeContent: true, ...(scope === undefined ? {} : { scope }) }),
  );
}

/** The lines of an export between its header and its closing line. */
export function held(lines: readonly string[]): string {
  return lines.slice(1, -1).join("");
}

/** A fixed filling with one item of every type. */
export const ONE_OF_EACH: Filling = {
  scopes: [
    {
      scope: { tenantId: "orchard", sessionId: "spring" },
      turns: [
        { text: "pears", call: false, revisions: 2, lives: null, zone: "2026-03-01T09:00:00Z" },
        { text: "plums", call: true, revisions: 1, lives: 3_600, zone: "2026-03-01T09:00:00+05:30" },
      ],
      pins: [
        { value: "grafted", cites: 1, lives: null },
        { value: "brief", cites: null, lives: 60 },
      ],
      covers: 2,
    },
    {
      scope: { tenantId: "harbour", sessionId: "spring" },
      turns: [{ text: "boats", call: false, revisions: 1, lives: null, zone: "2026-03-01T09:00:00Z" }],
      pins: [],
      covers: null,
    },
  ],
  notes: [
    { tenantId: "orchard", key: "a", value: { kept: "for ever" }, ttl: null, maxAge: null },
    { tenantId: "orchard", key: "b", value: [1, "two", 3.5, null], ttl: 60, maxAge: 1_000 },
  ],
};

/** The number of lines of each type that {@linkcode ONE_OF_EACH} makes. */
export const ALL_OF_EACH = {
  records: 2,
  scopes: 2,
  turns: 3,
  pins: 2,
  summaries: 1,
  journals: 0,
  entries: 0,
} as const;

/** No lines. */
export const NONE = {
  records: 0,
  scopes: 0,
  turns: 0,
  pins: 0,
  summaries: 0,
  journals: 0,
  entries: 0,
} as const;

/** The error of an import with an invalid line: its number, the field, and a message without content. */
export function refusedAt(line: number, field: string): (error: unknown) => true {
  return (error) => {
    const { code, message, details, ...rest } = error as {
      code: string;
      field: string;
      message: string;
      details: Record<string, unknown>;
    };
    assert.deepEqual({ code, field: rest.field, line: details.line }, { code: "CONTRACT", field, line });
    assert(message.startsWith(`Line ${line}: `), message);
    return true;
  };
}

/** Reads the test set: conversations of one assistant over weeks, and questions whose evidence is known. */

import type { Message } from "../../mod.ts";

/** A turn of the set. */
export interface SetTurn {
  readonly id: string;
  /** The time of the turn. */
  readonly at: string;
  readonly messages: readonly Message[];
  /** Its messages before it was edited; null if it was not. */
  readonly before: readonly Message[] | null;
}

/** A question of the set. */
export interface SetQuestion {
  /** The kind of difficulty. */
  readonly kind: string;
  readonly question: string;
  /** The turns that answer it. */
  readonly evidence: readonly string[];
}

/** One conversation and its questions. */
export interface SetConversation {
  readonly name: string;
  /** Oldest first. */
  readonly turns: readonly SetTurn[];
  readonly questions: readonly SetQuestion[];
}

/** The part of the set that is used: `small` only shows that the program still runs. */
export type SetSize = "small" | "full";

const NAMES = ["home", "work"];

/** The number of turns and questions of a conversation in the small size. */
const SMALL_TURNS = 30;
const SMALL_QUESTIONS = 12;

/**
 * Reads the set. A line of `<name>.turns.jsonl` is `{ id, at, messages, was? }`, where a message is `[role, text]`, or
 * `["call", tool, arguments]` for a call whose result is the `["tool", text]` that follows; `was` is what an edited turn
 * said first. A line of `<name>.questions.jsonl` is a question.
 */
export function readSet(size: SetSize): readonly SetConversation[] {
  return NAMES.map((name) => {
    const turns = linesOf<TurnLine>(`${name}.turns.jsonl`).map(toSetTurn);
    const questions = linesOf<SetQuestion>(`${name}.questions.jsonl`);
    requireEvidence(turns, questions);
    if (size === "full") return { name, turns, questions };
    const some = turns.slice(0, SMALL_TURNS);
    const ids = new Set(some.map(({ id }) => id));
    const answered = questions.filter(({ evidence }) => evidence.every((id) => ids.has(id)));
    return { name, turns: some, questions: answered.slice(0, SMALL_QUESTIONS) };
  });
}

function requireEvidence(turns: readonly SetTurn[], questions: readonly SetQuestion[]): void {
  const ids = new Set(turns.map(({ id }) => id));
  for (const { question, evidence } of questions) {
    if (evidence.length > 0 && evidence.every((id) => ids.has(id))) continue;
    throw new Error(`The evidence of "${question}" is not in the set`);
  }
}

type MessageLine =
  | readonly [role: "user" | "assistant" | "tool", text: string]
  | readonly [
    role: "call",
    tool: string,
    arguments: string,
  ];

interface TurnLine {
  readonly id: string;
  readonly at: string;
  readonly messages: readonly MessageLine[];
  readonly was?: readonly MessageLine[];
}

function linesOf<Line>(file: string): Line[] {
  const text = Deno.readTextFileSync(new URL(`set/${file}`, import.meta.url));
  return text.trimEnd().split("\n").map((line): Line => JSON.parse(line));
}

function toSetTurn({ id, at, messages, was }: TurnLine): SetTurn {
  return { id, at, messages: toMessages(id, messages), before: was ? toMessages(id, was) : null };
}

function toMessages(turnId: string, lines: readonly MessageLine[]): readonly Message[] {
  return lines.map((line, index) => ({ messageId: `${turnId}.${index}`, ...toMessage(line, index) }));
}

function toMessage(line: MessageLine, index: number): Omit<Message, "messageId"> {
  switch (line[0]) {
    case "call":
      return {
        role: "assistant",
        content: "",
        toolCalls: [{ id: `call-${index}`, name: line[1], arguments: line[2] }],
      };
    case "tool":
      return { role: "tool", content: line[1], toolCallId: `call-${index - 1}` };
    default:
      return { role: line[0], content: line[1] };
  }
}

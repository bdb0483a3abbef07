/** The conversations that index and context rows use: some words are rare in them, others are in most turns. */

import { type Budget, type Conversation, type Memory, openMemory } from "../mod.ts";
import { seeded } from "./measure.ts";
import { TextWriter } from "./texts.ts";

/** Limits that allow any number of turns. */
export const LIMITS = { turnsPerScope: 1_000_000, bytesPerScope: 1_000_000_000 };

const SCOPE = { tenantId: "acme", sessionId: "ticket-4711" };
const RARE = ["quixotic", "zephyr", "xylophone"];
const COMMON = ["pump", "valve", "north"];

/** The number of turns that have each rare word, however long the conversation is. */
const RARE_TURNS = 12;

/** Words that are each in this percentage of the turns, evenly spread, so that their share is the same in any history. */
const SPREAD: readonly { readonly percent: number; readonly words: readonly string[] }[] = [
  { percent: 1, words: ["gasket", "flange", "dynamo"] },
  { percent: 5, words: ["hopper", "sluice", "girder"] },
  { percent: 20, words: ["ladder", "winch", "trolley"] },
];

/** Questions of equally frequent words, with the share of turns that have each of them. */
export const QUESTIONS: readonly { readonly share: string; readonly question: string }[] = [
  ...SPREAD.map(({ percent, words }) => ({ share: `${percent} %`, question: questionOf(words) })),
  { share: "most", question: questionOf(COMMON) },
];

/** A question whose rarest words are equally frequent in any conversation, and whose others are in most turns. */
export const QUESTION = questionOf([...RARE, ...COMMON]);

/** A question of two words that are in most turns. */
export const FREQUENT_QUESTION = questionOf(COMMON.slice(0, 2));

function questionOf(words: readonly string[]): string {
  return `Where is the ${words.join(" ")}?`;
}

/** A budget of 8 000 tokens, a quarter of them for evidence. */
export const BUDGET: Budget = {
  maxInputTokens: 8_000,
  contextWindow: 128_000,
  maxOutputTokens: 1_000,
  retrievalReserve: 2_000,
};

export const SYSTEM = "Answer from the data.";

/** Yields the texts of a conversation of `count` turns with 500 characters each. */
export function* historyTexts(count: number): Generator<string, void, undefined> {
  const writer = new TextWriter(11);
  const random = seeded(12);
  const apart = Math.max(1, Math.floor(count / RARE_TURNS));
  for (let index = 0; index < count; index++) {
    const rare = RARE.filter((_, word) => index % apart === Math.floor((apart * (word + 1)) / 5));
    // Each part has some of the common words, because a turn is indexed in chunks.
    const parts = Array.from({ length: 3 }, () => {
      return `${COMMON.filter(() => random() < 0.9).join(" ")} ${writer.english(140)}`;
    });
    const text = [...rare, ...spreadAt(index), ...parts].join(" ");
    yield `${text} ${writer.english(Math.max(20, 500 - text.length))}`;
  }
}

/** Returns the evenly spread words that a turn has. */
function spreadAt(index: number): readonly string[] {
  return SPREAD.flatMap(({ percent, words }) => {
    const apart = 100 / percent;
    return words.filter((_, word) => index % apart === Math.floor((apart * word) / words.length));
  });
}

/** Appends texts as turns, alternating user and assistant. */
export async function appendAll(conversation: Conversation, texts: Iterable<string>): Promise<void> {
  const appended: Promise<unknown>[] = [];
  let position = 0;
  for (const content of texts) {
    const role = position++ % 2 === 0 ? "user" : "assistant";
    appended.push(conversation.append([{ role, content }]));
    if (appended.length === 64) await Promise.all(appended.splice(0));
  }
  await Promise.all(appended);
}

/** Opens a store with a conversation of `count` turns and a complete index. */
export async function openHistory(
  path: string,
  count: number,
): Promise<{ memory: Memory; conversation: Conversation }> {
  const memory = await openMemory(path, { limits: LIMITS });
  const conversation = memory.conversation(SCOPE);
  await appendAll(conversation, historyTexts(count));
  await conversation.search("pump");
  return { memory, conversation };
}

/** Returns the conversation of a store that {@linkcode openHistory} created. */
export function historyOf(memory: Memory): Conversation {
  return memory.conversation(SCOPE);
}

/** Conversations that rows about index and contexts ask: some words are rare in them, others in most turns. */

import { type Budget, type Conversation, type Memory, openMemory } from "../mod.ts";
import { seeded } from "./measure.ts";
import { TextWriter } from "./texts.ts";

/** Any number of turns may be put. */
export const LIMITS = { turnsPerScope: 1_000_000, bytesPerScope: 1_000_000_000 };

const SCOPE = { tenantId: "orchard", sessionId: "spring" };
const RARE = ["quixotic", "zephyr", "xylophone"];
const COMMON = ["pump", "valve", "north"];

/** Turns that have each rare word, however long the conversation is. */
const RARE_TURNS = 12;

/** Words that stand in as many of a hundred turns each, at even distances, so that their share is the same in any history. */
const SPREAD: readonly { readonly percent: number; readonly words: readonly string[] }[] = [
  { percent: 1, words: ["gasket", "flange", "dynamo"] },
  { percent: 5, words: ["hopper", "sluice", "girder"] },
  { percent: 20, words: ["ladder", "winch", "trolley"] },
];

/** Questions of words that are equally frequent, by how many of a hundred turns have each of them. */
export const QUESTIONS: readonly { readonly share: string; readonly question: string }[] = [
  ...SPREAD.map(({ percent, words }) => ({ share: `${percent} %`, question: asking(words) })),
  { share: "most", question: asking(COMMON) },
];

/** What is asked: its rarest words occur equally often in any conversation, and its others in most turns. */
export const QUESTION = asking([...RARE, ...COMMON]);

/** What two words of those that are in most turns ask. */
export const FREQUENT_QUESTION = asking(COMMON.slice(0, 2));

function asking(words: readonly string[]): string {
  return `Where is the ${words.join(" ")}?`;
}

/** Some 8 000 tokens, a quarter of them for evidence. */
export const BUDGET: Budget = {
  maxInputTokens: 8_000,
  contextWindow: 128_000,
  maxOutputTokens: 1_000,
  retrievalReserve: 2_000,
};

export const SYSTEM = "Answer from the data.";

/** The texts of a conversation of `count` turns, of 500 characters. */
export function* historyTexts(count: number): Generator<string, void, undefined> {
  const writer = new TextWriter(11);
  const random = seeded(12);
  const apart = Math.max(1, Math.floor(count / RARE_TURNS));
  for (let index = 0; index < count; index++) {
    const rare = RARE.filter((_, word) => index % apart === Math.floor((apart * (word + 1)) / 5));
    // Some of the common words in each part of the text, since a turn is indexed in parts.
    const parts = Array.from({ length: 3 }, () => {
      return `${COMMON.filter(() => random() < 0.9).join(" ")} ${writer.english(140)}`;
    });
    const text = [...rare, ...spreadAt(index), ...parts].join(" ");
    yield `${text} ${writer.english(Math.max(20, 500 - text.length))}`;
  }
}

/** Those of the evenly spread words that a turn has. */
function spreadAt(index: number): readonly string[] {
  return SPREAD.flatMap(({ percent, words }) => {
    const apart = 100 / percent;
    return words.filter((_, word) => index % apart === Math.floor((apart * word) / words.length));
  });
}

/** Appends texts as turns, user and assistant in turn. */
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

/** Opens a store with a conversation of `count` turns in it, its index ready. */
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

/** The conversation of a store that {@linkcode openHistory} made. */
export function historyOf(memory: Memory): Conversation {
  return memory.conversation(SCOPE);
}

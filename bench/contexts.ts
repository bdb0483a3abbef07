/**
 * Goal: whether an assembly costs the same however long the conversation is, what it costs compared with the one exact
 * count that every assembly needs, and what a search costs compared with one without an index. Non-goal: the quality of
 * the evidence, and the first assembly, which counts and indexes. Seeds 11 and 12.
 */
import { type Conversation, defaultTokenCounter } from "../mod.ts";
import { Directory } from "./directories.ts";
import { BUDGET, historyTexts, openHistory, QUESTION, QUESTIONS, SYSTEM } from "./history.ts";
import { type Answer, type Effort, type Question, type Size, timeInTurn } from "./measure.ts";

const COUNTS = { full: { small: 1_000, large: 10_000 }, small: { small: 60, large: 120 } } as const;

const effortFor = (size: Size): Effort =>
  size === "full" ? { rounds: 15, repetitions: 8, warm: 1 } : { rounds: 2, repetitions: 2, warm: 1 };

/** The row of assemblies as the history grows. */
export const assembleGrowth: Question = {
  name: "assemble to 8 000 tokens at 10 000 turns, warm",
  floor: "the same at 1 000 turns",
  target: 1.5,
  run: (size) =>
    compareWithSmaller(size, async (conversation) => {
      const { context } = await conversation.assemble(QUESTION, BUDGET, { system: SYSTEM });
      return context.diagnostics.estimate.serializedTokens;
    }),
};

/** Measures a call on a large history and, as the floor, on a small one; the call returns its result as a number. */
async function compareWithSmaller(
  size: Size,
  call: (conversation: Conversation) => Promise<number>,
): Promise<Answer> {
  using directory = new Directory();
  const small = await openHistory(`${directory.path}/small.db`, COUNTS[size].small);
  await using _ = small.memory;
  const large = await openHistory(`${directory.path}/large.db`, COUNTS[size].large);
  await using __ = large.memory;
  let checksum = 0;
  const pairs = await timeInTurn(
    effortFor(size),
    async () => checksum += await call(small.conversation),
    async () => checksum += await call(large.conversation),
  );
  return { ...pairs, unit: "us", checksum };
}

/** The row of an assembly compared with the one exact count that it needs. */
export const assembleBesideCount: Question = {
  name: "assemble to 8 000 tokens at 10 000 turns",
  floor: "one exact token count of the request it returns",
  target: 6,
  run: async (size) => {
    using directory = new Directory();
    const { memory, conversation } = await openHistory(`${directory.path}/ours.db`, COUNTS[size].large);
    await using _ = memory;
    const counter = await defaultTokenCounter();
    const assemble = async () => (await conversation.assemble(QUESTION, BUDGET, { system: SYSTEM })).context;
    const request = JSON.stringify((await assemble()).request);
    let checksum = 0;
    const pairs = await timeInTurn(effortFor(size), () => {
      checksum += counter.countText(request);
    }, async () => {
      checksum += (await assemble()).diagnostics.estimate.serializedTokens;
    });
    return { ...pairs, unit: "us", checksum };
  },
};

/** Creates a row of searches as the history grows, for words that are in the same share of its turns. */
function searchGrowth(share: string): Question {
  const { question } = QUESTIONS.find((each) => each.share === share)!;
  return {
    name: `search for words in ${share === "most" ? "most turns" : `${share} of the turns`}, at 10 000 turns`,
    floor: "the same at 1 000 turns",
    target: null,
    run: (size) =>
      compareWithSmaller(size, async (conversation) => {
        const found = await conversation.search(question);
        return found.reduce((characters, { content }) => characters + content.length, 0);
      }),
  };
}

/** The row of searches for words that are each in one of twenty turns. */
export const fewTurnsSearchGrowth: Question = searchGrowth("5 %");

/** The row of searches for words that nearly all turns have. */
export const mostTurnsSearchGrowth: Question = searchGrowth("most");

/** The row of a search compared with a program that keeps all texts in memory and has no index. */
export const searchBesideScan: Question = {
  name: "search at 10 000 turns",
  floor: "BM25+ by hand over all words in memory, split before, no index",
  target: 0.5,
  run: async (size) => {
    using directory = new Directory();
    const { memory, conversation } = await openHistory(`${directory.path}/ours.db`, COUNTS[size].large);
    await using _ = memory;
    const texts = Array.from(historyTexts(COUNTS[size].large), wordsOf);
    let checksum = 0;
    const pairs = await timeInTurn(effortFor(size), () => {
      checksum += scan(texts, wordsOf(QUESTION), 10).length;
    }, async () => {
      checksum += (await conversation.search(QUESTION, { topK: 10 })).length;
    });
    return { ...pairs, unit: "us", checksum };
  },
};

const WORD = /[a-z0-9]+/g;

function wordsOf(text: string): readonly string[] {
  return text.toLowerCase().match(WORD) ?? [];
}

/** Ranks texts for a question by their words alone: BM25+ with the usual parameters. */
function scan(
  texts: readonly (readonly string[])[],
  question: readonly string[],
  topK: number,
): readonly number[] {
  const asked = new Map([...new Set(question)].map((word, position) => [word, position]));
  const found = new Array<number>(asked.size).fill(0);
  let totalLength = 0;
  const documents = texts.map((words) => {
    totalLength += words.length;
    const frequencies = new Array<number>(asked.size).fill(0);
    for (const word of words) {
      const position = asked.get(word);
      if (position !== undefined) frequencies[position]!++;
    }
    for (const [position, frequency] of frequencies.entries()) if (frequency > 0) found[position]!++;
    return { length: words.length, frequencies };
  });
  const weights = found.map((count) => count === 0 ? 0 : Math.log((texts.length + 1) / count));
  const scores = documents.map(({ length, frequencies }) => {
    const norm = 1.2 * (0.25 + (0.75 * length * texts.length) / totalLength);
    return frequencies.reduce((sum, frequency, position) => {
      return frequency === 0 ? sum : sum + weights[position]! * (1 + (frequency * 2.2) / (norm + frequency));
    }, 0);
  });
  return scores.map((_, document) => document).sort((left, right) => scores[right]! - scores[left]!).slice(
    0,
    topK,
  );
}

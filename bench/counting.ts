/**
 * Goal: whether counting tokens stays linear on the worst text that was found, and as fast after many words as before.
 * Non-goal: the tokenizer's own speed on ordinary text. Seeds 15, 16 and 17.
 */
import { defaultTokenCounter } from "../mod.ts";
import { runProgram } from "./children.ts";
import { measureInTurn, type Question, timeInTurn } from "./measure.ts";
import type { Counted } from "./programs/count_after_words.ts";
import { TextWriter } from "./texts.ts";

/** The row of the worst text. */
export const worstCount: Question = {
  name: "counting a million characters of the worst text",
  floor: "counting a million characters of ordinary text",
  target: 20,
  run: async (size) => {
    const [rounds, characters] = size === "full" ? [5, 1_000_000] : [2, 4_000];
    const counter = await defaultTokenCounter();
    const ordinary = new TextWriter(15).english(characters);
    const writer = new TextWriter(16);
    let worst = "";
    let checksum = 0;
    const pairs = await timeInTurn(
      { rounds, ready: () => worst = writer.scrambled(WORST_ALPHABET, characters) }, // the tokenizer caches merges
      () => checksum += counter.countText(ordinary),
      () => checksum += counter.countText(worst),
    );
    return { ...pairs, unit: "us", checksum };
  },
};

/** Thai took the longest per character of Latin, Chinese, Thai, accented letters, punctuation and base64. */
const WORST_ALPHABET = "กขคงจชซญดตถทนบปผพฟมยรลวสหอะาิีุู";

/** The row of a process that has counted many different words. */
export const countAfterWords: Question = {
  name: "counting Arabic after 100 000 words without sense",
  floor: "counting it in a process that has counted nothing else",
  target: 2,
  run: async (size) => {
    const [rounds, words, repeats] = size === "full" ? [5, 100_000, 20_000] : [1, 400, 100];
    let checksum = 0;
    const countAfter = async (wordsBefore: number): Promise<number> => {
      const args = [wordsBefore, repeats].map(String);
      const { us, tokens } = JSON.parse(await runProgram("count_after_words.ts", args)) as Counted;
      checksum += tokens;
      return us;
    };
    const pairs = await measureInTurn({ rounds }, () => countAfter(0), () => countAfter(words));
    return { ...pairs, unit: "us", checksum };
  },
};

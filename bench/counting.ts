/**
 * Goal: whether counting tokens stays linear on the worst text that could be found, and as fast after many words as
 * before. Non-goal: the tokenizer's own speed on ordinary text. Seeds 15, 16 and 17.
 */
import { defaultTokenCounter } from "../mod.ts";
import { type Question, timeUs } from "./measure.ts";
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
    const floorUs: number[] = [];
    const oursUs: number[] = [];
    let checksum = 0;
    for (let round = 0; round < rounds; round++) {
      const worst = writer.scrambled(WORST_ALPHABET, characters); // another each time: merges are remembered
      floorUs.push(await timeUs(() => checksum += counter.countText(ordinary)));
      oursUs.push(await timeUs(() => checksum += counter.countText(worst)));
    }
    return { floorUs, oursUs, checksum };
  },
};

/** Thai: of Latin, Chinese, Thai, accented letters, punctuation and base64 it took the longest for each character. */
const WORST_ALPHABET = "กขคงจชซญดตถทนบปผพฟมยรลวสหอะาิีุู";

const LATIN = "abcdefghijklmnopqrstuvwxyz";

/** The row of a process that has counted many different words. */
export const countAfterWords: Question = {
  name: "counting Arabic after 100 000 words of eight letters without sense",
  floor: "counting it in a new process",
  target: 2,
  run: async (size) => {
    const [rounds, words, repeats] = size === "full" ? [7, 100_000, 20_000] : [2, 400, 100];
    const counter = await defaultTokenCounter();
    const arabic = "\u202eمرحبا ".repeat(repeats);
    let checksum = counter.countText(arabic); // warms up the code
    const floorUs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      floorUs.push(await timeUs(() => checksum += counter.countText(arabic)));
    }
    const writer = new TextWriter(17);
    for (let word = 0; word < words; word++) checksum += counter.countText(writer.scrambled(LATIN, 8));
    const oursUs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      oursUs.push(await timeUs(() => checksum += counter.countText(arabic)));
    }
    return { floorUs, oursUs, checksum };
  },
};

/**
 * Generates the texts of index and context rows from a seed. Their word frequencies follow Zipf's law, so that they have
 * about as many terms and postings as real texts: English manual pages have 57 postings per 500 characters, Chinese ones
 * 202 per 200.
 */
import { seeded } from "./measure.ts";

const SYLLABLES = "ba den ka lor mi nes po rin sa tel vo wen".split(" ");
const FUNCTION_WORDS = "the of and to in is it for on with as at by be are this that from or an".split(" ");

/** The number of words of the language, without its function words. */
const ENGLISH_WORDS = 12_000;

const FIRST_IDEOGRAPH = 0x4e00;
const CHINESE_WORDS = 1_000;
/** The number of characters with which words begin and end. */
const IDEOGRAPHS = { first: 700, second: 500 };
/** The number of words with a single character, which are the most frequent ones. */
const SHORT_WORDS = 60;

/** Generates texts, which are the same for the same seed. */
export class TextWriter {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  /** Returns text that is like ordinary English for an index and a tokenizer, with about `characters` characters. */
  english(characters: number): string {
    const words: string[] = [];
    for (let length = 0; length < characters; length += words.at(-1)!.length + 1) {
      words.push(
        this.#random() < 0.45
          ? FUNCTION_WORDS[this.#rank(FUNCTION_WORDS.length)]!
          : wordOf(this.#rank(ENGLISH_WORDS)),
      );
    }
    return `${words.join(" ").slice(0, characters - 1).trimEnd()}.`;
  }

  /** Returns text like ordinary Chinese: words of one or two characters, many of them repeated, and some commas. */
  chinese(characters: number): string {
    const words: string[] = [];
    for (let length = 0; length < characters; length += words.at(-1)!.length) {
      const chance = this.#random();
      if (chance < 0.14) words.push("，");
      else if (chance < 0.4 && words.length > 0) {
        words.push(words[Math.floor(this.#random() * words.length)]!);
      } else words.push(chineseWord(this.#rank(CHINESE_WORDS)));
    }
    return words.join("").slice(0, characters);
  }

  /** Returns names and numbers as in logs, each of which is indexed whole and by its parts. */
  identifiers(characters: number): string {
    const words: string[] = [];
    for (let length = 0; length < characters; length += words.at(-1)!.length + 1) {
      const number = Math.floor(this.#random() * 1_000);
      const word = wordOf(this.#rank(ENGLISH_WORDS));
      words.push(this.#random() < 0.2 ? word : `${word}-${number}`);
    }
    return words.join(" ").slice(0, characters);
  }

  /** Returns random letters without a break, which cost a tokenizer the most. */
  scrambled(alphabet: string, characters: number): string {
    const letters = [...alphabet];
    let text = "";
    while (text.length < characters) text += letters[Math.floor(this.#random() * letters.length)];
    return text;
  }

  /** Returns a random rank below `count`; higher ranks are less likely. */
  #rank(count: number): number {
    return Math.floor(Math.exp(this.#random() * Math.log(count + 1))) - 1;
  }
}

function wordOf(rank: number): string {
  let word = "";
  for (let left = rank + 1; left > 0; left = Math.floor(left / SYLLABLES.length)) {
    word += SYLLABLES[left % SYLLABLES.length];
  }
  return word;
}

function chineseWord(rank: number): string {
  const first = FIRST_IDEOGRAPH + rank % IDEOGRAPHS.first;
  if (rank < SHORT_WORDS) return String.fromCodePoint(first);
  return String.fromCodePoint(first, FIRST_IDEOGRAPH + (rank * 31) % IDEOGRAPHS.second);
}

/**
 * Texts that rows about index and contexts are made of: seeded, and no one's words. Their words are as unequal as those
 * of real texts (Zipf's law), so that postings and terms come to what real texts have: English manual pages gave 57
 * postings for 500 characters, Chinese ones 202 for 200.
 */
import { seeded } from "./measure.ts";

const SYLLABLES = "ba den ka lor mi nes po rin sa tel vo wen".split(" ");
const FUNCTION_WORDS = "the of and to in is it for on with as at by be are this that from or an".split(" ");

/** Words that the language has beside its function words. */
const ENGLISH_WORDS = 12_000;

const FIRST_IDEOGRAPH = 0x4e00;
const CHINESE_WORDS = 1_000;
/** Characters that words begin and end with. */
const IDEOGRAPHS = { first: 700, second: 500 };
/** The most frequent words have one character. */
const SHORT_WORDS = 60;

/** Writes texts, the same ones for the same seed. */
export class TextWriter {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = seeded(seed);
  }

  /** Ordinary English, as far as an index and a tokenizer can tell: about `characters` long. */
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

  /** Ordinary Chinese, likewise: words of one or two characters, many of which come back, and a comma now and then. */
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

  /** Names and numbers such as logs have: each is indexed whole and by its parts. */
  identifiers(characters: number): string {
    const words: string[] = [];
    for (let length = 0; length < characters; length += words.at(-1)!.length + 1) {
      const number = Math.floor(this.#random() * 1_000);
      const word = wordOf(this.#rank(ENGLISH_WORDS));
      words.push(this.#random() < 0.2 ? word : `${word}-${number}`);
    }
    return words.join(" ").slice(0, characters);
  }

  /** Unbroken letters without any sense, which a tokenizer has the most work with. */
  scrambled(alphabet: string, characters: number): string {
    const letters = [...alphabet];
    let text = "";
    while (text.length < characters) text += letters[Math.floor(this.#random() * letters.length)];
    return text;
  }

  /** A rank below `count`: the chance of each falls as its rank rises. */
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

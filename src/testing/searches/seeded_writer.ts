/** Texts of the tests' conversations, from a seed. */

const WORDS =
  ("pump valve shard-19 north wall failed noon kiln depot error retry monitor green blue relay copper " +
    "ledger harbour orchard spring timeout deploy rollback").split(" ");
const COMMON = "the was of in on at it and".split(" ");

/** Writes texts from a seed: common words are in most of them, and other words are rarer the later they are listed. */
export class Writer {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a whole number from 0 to below `below`. */
  next(below: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * below);
  }

  /** Returns a text with this number of words. */
  text(words: number): string {
    const text: string[] = [];
    for (let count = 0; count < words; count++) {
      const rank = Math.min(this.next(WORDS.length), this.next(WORDS.length), this.next(WORDS.length));
      text.push(this.next(2) === 0 ? COMMON[this.next(COMMON.length)]! : WORDS[rank]!);
    }
    return text.join(" ");
  }
}

/** Counts a number of random words, and then measures the time to count some Arabic. Seed 17. */
import { defaultTokenCounter } from "../../mod.ts";
import { median, timeUs } from "../measure.ts";
import { TextWriter } from "../texts.ts";

/** The output of the program. */
export interface Counted {
  /** The median of some calls, in microseconds. */
  readonly us: number;
  /** The tokens of all texts. */
  readonly tokens: number;
}

const LATIN = "abcdefghijklmnopqrstuvwxyz";
const LETTERS = 8;
const TIMES = 7;

async function count(words: number, repeats: number): Promise<Counted> {
  const counter = await defaultTokenCounter();
  const arabic = "\u202eمرحبا ".repeat(repeats);
  const writer = new TextWriter(17);
  let tokens = 0;
  for (let word = 0; word < words; word++) tokens += counter.countText(writer.scrambled(LATIN, LETTERS));
  const took: number[] = [];
  for (let time = -2; time < TIMES; time++) { // the first two warm up the code
    const us = await timeUs(() => tokens += counter.countText(arabic));
    if (time >= 0) took.push(us);
  }
  return { us: median(took), tokens };
}

if (import.meta.main) {
  const [words, repeats] = Deno.args.map(Number);
  const counted = await count(words!, repeats!);
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(counted)));
}

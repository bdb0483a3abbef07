import assert from "node:assert/strict";
import {
  type Counts,
  examine,
  flipBit,
  layCopy,
  makeSample,
  noCounts,
  type Outcome,
  type Sample,
  seededNumbers,
} from "./damage.ts";
import { Scratch } from "./scratch.ts";

const SEED = 20_260_914;

/** The copies are written to a file system in memory if there is one: this tests reading, not the disk. */
const MEMORY = "/dev/shm";
const IN_MEMORY = isDirectory(MEMORY);
const IS_LONG = Deno.env.get("HOLDFAST_LONG") !== undefined;

/** Each copy takes about 11 ms, so the gate runs few of them and the long run many. */
const FLIPS = IS_LONG ? 10_000 : 300;

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

/** Damaged copies, each with the place where it is damaged. */
type Copies = Iterable<readonly [place: string, main: Uint8Array, ledger: Uint8Array]>;

/** Damages one copy after another and counts the outcomes; a failure says which one it was. */
async function damageEach(
  name: string,
  copies: (sample: Sample) => Copies,
): Promise<Counts> {
  using scratch = new Scratch(IN_MEMORY ? MEMORY : undefined);
  const path = scratch.at("agent.db");
  const sample = await makeSample(path);
  const counts = noCounts();
  for (const [place, main, ledger] of copies(sample)) {
    layCopy(path, main, ledger);
    try {
      counts[await examine(path, sample)]++;
    } catch (cause) {
      throw new Error(`${name}: ${place}, seed ${SEED}`, { cause });
    }
  }
  print(name, counts);
  return counts;
}

function print(name: string, counts: Counts): void {
  const parts = Object.entries(counts).map(([outcome, count]) => `${count} ${outcome}`);
  Deno.stdout.writeSync(new TextEncoder().encode(`${name}: ${parts.join("; ")}\n`));
}

function sumOf(counts: Counts, ...outcomes: readonly Outcome[]): number {
  return outcomes.reduce((sum, outcome) => sum + counts[outcome], 0);
}

Deno.test("the sample opens undamaged, and holds what the campaigns look for", async () => {
  using scratch = new Scratch(IN_MEMORY ? MEMORY : undefined);
  const sample = await makeSample(scratch.at("agent.db"));
  layCopy(scratch.at("agent.db"), sample.main, sample.ledger);
  assert.equal(await examine(scratch.at("agent.db"), sample), "correct");
  assert.equal(sample.stored.length, 23);
});

Deno.test(`${FLIPS} single bit flips: a typed error, correct data, or an absence that check() reports`, async () => {
  const next = seededNumbers(SEED);
  const counts = await damageEach(`${FLIPS} bit flips`, function* ({ main, ledger }): Copies {
    const mainBits = main.length * 8;
    for (let flip = 0; flip < FLIPS; flip++) {
      const bit = next(mainBits + ledger.length * 8);
      if (bit < mainBits) yield [`bit ${bit} of main`, flipBit(main, bit), ledger];
      else yield [`bit ${bit - mainBits} of the ledger`, main, flipBit(ledger, bit - mainBits)];
    }
  });
  assert(sumOf(counts, "refused", "told", "absent, reported", "correct, reported") > FLIPS / 10);
});

const HEADER_BITS = 800;

/**
 * Each bit of a header in the long run; else every seventh, which hits nearly each byte, and not always the same bit.
 */
const HEADER_STEP = IS_LONG ? 1 : 7;

Deno.test("bit flips in the first hundred bytes of either file are refused, reported, or harmless", async () => {
  const counts = await damageEach("bit flips in headers", function* ({ main, ledger }): Copies {
    for (let bit = 0; bit < HEADER_BITS; bit += HEADER_STEP) {
      yield [`bit ${bit} of main`, flipBit(main, bit), ledger];
      yield [`bit ${bit} of the ledger`, main, flipBit(ledger, bit)];
    }
  });
  assert(counts.refused > counts.told);
});

Deno.test("a file truncated anywhere is refused, or what is missing is reported", async () => {
  const counts = await damageEach("cuts", function* ({ main, ledger }): Copies {
    for (const cut of cutsOf(main)) yield [`main cut to ${cut} bytes`, main.slice(0, cut), ledger];
    for (const cut of cutsOf(ledger)) yield [`the ledger cut to ${cut} bytes`, main, ledger.slice(0, cut)];
  });
  assert.equal(counts.correct, 0);
});

/** One byte before, at, and after each page's beginning, and half a page on; not the whole file. */
function* cutsOf(bytes: Uint8Array): Generator<number> {
  for (let page = 0; page < bytes.length; page += 4_096) {
    for (const cut of [page - 1, page, page + 1, page + 2_048]) {
      if (cut >= 0 && cut < bytes.length) yield cut;
    }
  }
}

Deno.test("a page that holds another page's bytes, zeros, or noise is refused or reported", async () => {
  const next = seededNumbers(SEED);
  const counts = await damageEach("pages", function* ({ main, ledger }): Copies {
    for (let page = 0; page < main.length; page += 4_096) {
      const [zeros, noise, other] = [main.slice(), main.slice(), main.slice()];
      zeros.fill(0, page, page + 4_096);
      for (let offset = 0; offset < 4_096; offset++) noise[page + offset] = next(256);
      const from = next(main.length / 4_096) * 4_096;
      other.set(main.subarray(from, from + 4_096), page);
      yield [`zeros at ${page}`, zeros, ledger];
      yield [`noise at ${page}`, noise, ledger];
      if (from !== page) yield [`the page from ${from} at ${page}`, other, ledger];
    }
  });
  assert(sumOf(counts, "refused", "told") > counts.correct);
});

Deno.test("a file with garbage after its end is correct or refused", async () => {
  const garbage = new Uint8Array(5_000).fill(0xa5);
  const counts = await damageEach("garbage at the end", function* ({ main, ledger }): Copies {
    yield ["main", new Uint8Array([...main, ...garbage]), ledger];
    yield ["the ledger", main, new Uint8Array([...ledger, ...garbage])];
  });
  assert.equal(sumOf(counts, "absent, reported"), 0);
});

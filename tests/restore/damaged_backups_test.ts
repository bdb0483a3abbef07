/** Restores from copies of a backup, or with copies of a ledger, that are damaged in one place each. */

import assert from "node:assert/strict";
import { flipBit, seededNumbers } from "../files/damage.ts";
import { Scratch } from "../files/scratch.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { type Files, layOut, makeRestorable, type Outcome, restoreThere } from "./restorable.ts";

const SEED = 20_261_129;
const PAGE = 4_096;

/** This tests reading, not the disk. */
const MEMORY = isDirectory("/dev/shm") ? "/dev/shm" : undefined;
const IS_LONG = Deno.env.get("HOLDFAST_LONG") !== undefined;

/** Each takes about 25 ms. */
const FLIPS = IS_LONG ? 4_000 : 100;

/** Which pages are damaged and where files are cut: everywhere in the long run. */
const STEP = IS_LONG ? 1 : 6;

const ROLES = ["agent.backup", "agent.db.deletions"] as const;

function isDirectory(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}

type Copies = Iterable<readonly [place: string, changed: Partial<Files>]>;

async function restoreEach(
  name: string,
  copies: (files: Files) => Copies,
): Promise<Record<Outcome, number>> {
  using scratch = new Scratch(MEMORY);
  const sample = await makeRestorable();
  const counts = { refused: 0, restored: 0 };
  for (const [place, changed] of copies(sample.files)) {
    layOut(scratch.path, { ...sample.files, ...changed });
    try {
      counts[await restoreThere(scratch.path, sample)]++;
    } catch (cause) {
      throw new Error(`${name}: ${place}, seed ${SEED}`, { cause });
    }
  }
  Deno.stdout.writeSync(
    new TextEncoder().encode(`${name}: ${counts.refused} refused; ${counts.restored} restored\n`),
  );
  return counts;
}

Deno.test("the sample restores undamaged", async () => {
  const counts = await restoreEach("undamaged", () => [["nowhere", {}]]);
  assert.deepEqual(counts, { refused: 0, restored: 1 });
});

for (const role of ROLES) {
  Deno.test(`BAK-06 ${FLIPS} bit flips in ${role}: refused with nothing changed, or restored as stored`, async () => {
    const next = seededNumbers(SEED);
    const counts = await restoreEach(`${FLIPS} bit flips in ${role}`, function* (files): Copies {
      for (let flip = 0; flip < FLIPS; flip++) {
        const bit = next(files[role].length * 8);
        yield [`bit ${bit}`, { [role]: flipBit(files[role], bit) }];
      }
    });
    assert(counts.refused > FLIPS / 50);
  });

  Deno.test(`BAK-06 ${role} cut anywhere, or with garbage after its end, is refused or restored as stored`, async () => {
    const counts = await restoreEach(`cuts of ${role}`, function* (files): Copies {
      const bytes = files[role];
      for (let page = 0; page < bytes.length; page += PAGE * (role === "agent.backup" ? STEP : 1)) {
        for (const cut of [page, page + 1, page + 2_048]) {
          yield [`cut to ${cut} bytes`, { [role]: bytes.slice(0, cut) }];
        }
      }
      yield ["garbage", { [role]: new Uint8Array([...bytes, ...new Uint8Array(5_000).fill(0xa5)]) }];
    });
    assert(counts.restored <= 1, "only garbage after the end can be harmless");
  });

  Deno.test(`BAK-06 a page of ${role} that holds another page's bytes, zeros, or noise is refused`, async () => {
    const next = seededNumbers(SEED);
    const counts = await restoreEach(`pages of ${role}`, function* (files): Copies {
      const bytes = files[role];
      for (let page = 0; page < bytes.length; page += PAGE * (role === "agent.backup" ? STEP : 1)) {
        const [zeros, noise, other] = [bytes.slice(), bytes.slice(), bytes.slice()];
        zeros.fill(0, page, page + PAGE);
        for (let offset = 0; offset < PAGE; offset++) noise[page + offset] = next(256);
        const from = next(bytes.length / PAGE) * PAGE;
        other.set(bytes.subarray(from, from + PAGE), page);
        yield [`zeros at ${page}`, { [role]: zeros }];
        yield [`noise at ${page}`, { [role]: noise }];
        if (from !== page) yield [`the page from ${from} at ${page}`, { [role]: other }];
      }
    });
    assert(counts.refused > counts.restored);
  });
}

testThatNothingIsLeftOpen();

import assert from "node:assert/strict";
import fc from "fast-check";
import { Capper } from "../../src/context/capper.ts";
import { CountMemory } from "../../src/context/counting/count_memory.ts";
import { defaultTokenCounter } from "../../src/context/counting/default_counter.ts";
import { PartCounter } from "../../src/context/counting/part_counter.ts";
import { draftOf } from "../../src/context/rendering.ts";
import { RequestMeter } from "../../src/context/request_meter.ts";
import type { TokenCounter } from "../../src/context/counting/token_counter.ts";
import { planWindow } from "../../src/context/window_planner.ts";
import { windowDraft, WindowTurns } from "../../src/context/window_turns.ts";
import type { TimedTurn } from "../../src/contracts/turn.ts";
import { Pace } from "../../src/pace.ts";
import { conversation } from "../search/conversation.ts";
import { STUB4 } from "./golden.ts";

const O200K = await defaultTokenCounter();
const DRAFTS = { system: draftOf("Use the data.") };
const QUESTION = "Which pump?";

/** Counters whose count never falls when text is put in front, but may rise unevenly. */
const COUNTERS: readonly TokenCounter[] = [
  O200K,
  STUB4,
  { name: "units", version: "1", countText: (text) => text.length },
  { name: "superlinear", version: "1", countText: (text) => Math.ceil(text.length ** 1.3 / 10) },
  { name: "sublinear", version: "1", countText: (text) => Math.ceil(Math.sqrt(text.length) * 8) },
  { name: "lumpy", version: "1", countText: (text) => Math.floor(text.length / 150) * 40 },
  { name: "constant", version: "1", countText: () => 7 },
];

interface Rig {
  readonly turns: WindowTurns;
  readonly meter: RequestMeter;
  /** Returns the number of turns that were read. */
  readonly reached: () => number;
}

function rig(history: readonly TimedTurn[], counter: TokenCounter, memory = new CountMemory()): Rig {
  let reached = 0;
  const source = {
    count: history.length,
    *newestFirst(): Generator<TimedTurn, void, undefined> {
      for (const turn of history.toReversed()) {
        reached++;
        yield turn;
      }
    },
  };
  const parts = new PartCounter(counter, memory);
  const calibration = { calibrationFactor: 1.07, adapterOverheadTokens: 3 };
  return {
    turns: new WindowTurns(source, new Capper(null, parts, memory), new Pace()),
    meter: new RequestMeter({ counter: parts, calibration, tools: [] }),
    reached: () => reached,
  };
}

function planned({ turns, meter }: Rig, estimateMax: number, from = 0): Promise<number> {
  return planWindow({
    turns,
    meter,
    pace: new Pace(),
    question: QUESTION,
    drafts: DRAFTS,
    estimateMax,
    from,
  });
}

/** Plans as the reference does: adds one turn and counts the whole request, until it does not fit. */
async function walked({ turns, meter }: Rig, estimateMax: number): Promise<number> {
  for (let size = 0;; size++) {
    if (await turns.at(size) === null) return size;
    const drafts = { ...DRAFTS, window: windowDraft(turns.newest(size + 1)) };
    if (meter.estimated(drafts, QUESTION) > estimateMax) return size;
  }
}

const TEXT = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom("", "ok", "the pump failed ".repeat(20)),
);

for (const counter of COUNTERS) {
  Deno.test(`planWindow() plans the same window as the reference, counted by ${counter.name}`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(TEXT, { maxLength: 30 }), fc.nat(1_500), async (texts, room) => {
        const history = conversation(texts);
        const required = rig([], counter).meter.estimated(DRAFTS, QUESTION);
        const quick = await planned(rig(history, counter), required + room);
        assert.equal(quick, await walked(rig(history, counter), required + room));
      }),
      { seed: 31, numRuns: 120 },
    );
  });
}

const LONG = conversation(
  Array.from({ length: 400 }, (_, index) => `pump ${index} failed at the north wall again`),
);

Deno.test("planWindow() reads no further than the first turn that does not fit", async () => {
  const setup = rig(LONG, O200K);
  const size = await planned(setup, 1_000);
  assert.ok(size > 20 && size < 60);
  assert.ok(setup.reached() <= size + 2);
});

Deno.test("planWindow() finds the boundary with two or three counts of the request", async () => {
  let long = 0;
  const spy = {
    ...STUB4,
    countText: (text: string) => (text.length > 2_000 && long++, STUB4.countText(text)),
  };
  const size = await planned(rig(LONG, spy), 2_000);
  assert.ok(size > 20);
  assert.ok(long <= 3, `${long} counts`);
});

Deno.test("planWindow() grows a window from its current size, and never over a barrier", async () => {
  const setup = rig(LONG, O200K);
  const options = { ...setup, pace: new Pace(), question: QUESTION, drafts: DRAFTS, estimateMax: 1_000 };
  const free = await planWindow({ ...options, from: 5 });
  assert.equal(free, await planned(rig(LONG, O200K), 1_000));
  const barred = await planWindow({ ...options, from: 5, isBarrier: (_, distance) => distance === 9 });
  assert.equal(barred, 9);
});

Deno.test("planWindow() returns 0 if no turn fits, and all turns if all fit", async () => {
  const history = conversation(["one", "two", "three"]);
  assert.equal(await planned(rig(history, O200K), 0), 0);
  assert.equal(await planned(rig(history, O200K), 100_000), 3);
  assert.equal(await planned(rig([], O200K), 100_000), 0);
});

Deno.test("planWindow() reads turns from an asynchronous source, which close() closes", async () => {
  let closed = false;
  const source = {
    count: 400,
    async *newestFirst(): AsyncGenerator<TimedTurn, void, undefined> {
      try {
        for (const turn of LONG.toReversed()) yield await Promise.resolve(turn);
      } finally {
        closed = true;
      }
    },
  };
  const { meter } = rig([], O200K);
  const turns = new WindowTurns(source, new Capper(null, meter.counter, new CountMemory()), new Pace());
  const size = await planned({ turns, meter, reached: () => 0 }, 1_000);
  assert.equal(size, await planned(rig(LONG, O200K), 1_000));
  await turns.close();
  assert.ok(closed);
});

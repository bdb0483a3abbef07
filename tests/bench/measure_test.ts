/** What a row says is worked out from its rounds: the validated ratio, its spread, and the mean that leaves nothing out. */

import assert from "node:assert/strict";
import {
  type Answer,
  comparable,
  compare,
  measureInTurn,
  percentile,
  type Question,
  type Round,
} from "../../bench/measure.ts";
import { format, headOf, measureLine } from "../../bench/table.ts";

const even = (...numbers: number[]): Round[] => numbers.map((number) => ({ median: number, mean: number }));

function questionOf(answer: Partial<Answer>, target: number | null = 2): Question {
  const whole = { floor: even(100, 200), ours: even(150, 300), unit: "us" as const, checksum: 7, ...answer };
  return { name: "some row", floor: "some floor", target, run: () => Promise.resolve(whole) };
}

Deno.test("The validated ratio is the median of paired rounds", () => {
  assert.equal(compare({ floor: even(100, 200, 400), ours: even(100, 300, 2_000) }).ratio, 1.5);
});

Deno.test("The mean ratio has what medians of rounds leave out", () => {
  const floor: Round[] = [{ median: 100, mean: 100 }, { median: 100, mean: 100 }];
  const ours: Round[] = [{ median: 150, mean: 150 }, { median: 150, mean: 450 }];
  const { ratio, meanRatio } = compare({ floor, ours });
  assert.deepEqual([ratio, meanRatio], [1.5, 3]);
});

Deno.test("The spread leaves out one of eleven rounds at either end, and none of few", () => {
  const eleven = [11, 2, 3, 4, 5, 6, 7, 8, 9, 10, 1];
  assert.deepEqual([percentile(eleven, 10), percentile(eleven, 90)], [2, 10]);
  assert.deepEqual([percentile([3, 1, 2], 10), percentile([3, 1, 2], 90)], [1, 3]);
});

Deno.test("Both are measured in turn, after warm rounds that are not counted", async () => {
  const calls: string[] = [];
  const told = (who: string) => (repetition: number): Promise<number> => {
    calls.push(`${who}${repetition}`);
    return Promise.resolve(repetition);
  };
  const pairs = await measureInTurn({ rounds: 2, repetitions: 2, warm: 1 }, told("floor"), told("ours"));
  assert.deepEqual(calls.slice(0, 4), ["floor0", "ours0", "floor1", "ours1"]);
  assert.deepEqual(pairs.floor, [{ median: 2.5, mean: 2.5 }, { median: 4.5, mean: 4.5 }]);
  assert.deepEqual(pairs.ours, pairs.floor);
});

Deno.test("A row that meets its target holds, and one that does not misses", async () => {
  assert.match(format(await measureLine(questionOf({}), "full")), / holds /);
  assert.match(format(await measureLine(questionOf({}, 1.4), "full")), / misses /);
});

Deno.test("The small size validates nothing, and says so in its head", async () => {
  const line = await measureLine(questionOf({}), "small");
  assert.equal("holds" in line && line.holds, null);
  assert.match(headOf("small"), /small size.*validates nothing/);
  assert.doesNotMatch(headOf("full"), /small/);
});

Deno.test("A row without a target is only shown", async () => {
  const line = await measureLine(questionOf({}, null), "full");
  assert.equal("holds" in line && line.holds, null);
  assert.doesNotMatch(format(line), /holds|misses/);
});

Deno.test("What is not comparable gives its reason, to people and to machines", async () => {
  const fast = comparable({ floor: even(9, 9), ours: even(9, 9) });
  const line = await measureLine(questionOf(fast), "full");
  const reason = "the floor's durable commit took less than 80 µs";
  assert(format(line).includes(`not comparable: ${reason}`));
  assert.equal("notComparable" in line && line.notComparable, reason);
});

Deno.test("A row that fails is told with its error's message and cause", async () => {
  const run = (): Promise<never> => Promise.reject(new Error("No room", { cause: new Error("disk full") }));
  const line = await measureLine({ ...questionOf({}), run }, "full");
  assert.deepEqual(line, { row: "some row", floor: "some floor", failed: "No room: disk full" });
  assert.match(format(line), /^some row +failed: No room: disk full$/);
});

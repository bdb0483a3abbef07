/** Tests of the figures of a row: the validated ratio, its spread, and the ratio of the means. */

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

Deno.test("The ratio of the means includes outliers that medians of rounds leave out", () => {
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

Deno.test("Both are measured in turn, after warm-up rounds that are not counted", async () => {
  const calls: string[] = [];
  const recorded = (side: string) => (repetition: number): Promise<number> => {
    calls.push(`${side}${repetition}`);
    return Promise.resolve(repetition);
  };
  const pairs = await measureInTurn(
    { rounds: 2, repetitions: 2, warm: 1 },
    recorded("floor"),
    recorded("ours"),
  );
  assert.deepEqual(calls.slice(0, 4), ["floor0", "ours0", "floor1", "ours1"]);
  assert.deepEqual(pairs.floor, [{ median: 2.5, mean: 2.5 }, { median: 4.5, mean: 4.5 }]);
  assert.deepEqual(pairs.ours, pairs.floor);
});

Deno.test("A row that meets its target holds, and one that does not misses", async () => {
  assert.match(format(await measureLine(questionOf({}), "full")), / holds /);
  assert.match(format(await measureLine(questionOf({}, 1.4), "full")), / misses /);
});

Deno.test("The small size validates nothing, and the head of the table says so", async () => {
  const line = await measureLine(questionOf({}), "small");
  assert.equal("holds" in line && line.holds, null);
  assert.match(headOf("small"), /small size.*validates nothing/);
  assert.doesNotMatch(headOf("full"), /small/);
});

Deno.test("A row without a target neither holds nor misses", async () => {
  const line = await measureLine(questionOf({}, null), "full");
  assert.equal("holds" in line && line.holds, null);
  assert.doesNotMatch(format(line), /holds|misses/);
});

Deno.test("A row that is not comparable has a reason, as text and as JSON", async () => {
  const fast = comparable({ floor: even(9, 9), ours: even(9, 9) });
  const line = await measureLine(questionOf(fast), "full");
  const reason = "the floor's durable commit took less than 80 µs";
  assert(format(line).includes(`not comparable: ${reason}`));
  assert.equal("notComparable" in line && line.notComparable, reason);
});

Deno.test("A row that fails has the message of its error and of the cause", async () => {
  const run = (): Promise<never> => Promise.reject(new Error("No room", { cause: new Error("disk full") }));
  const line = await measureLine({ ...questionOf({}), run }, "full");
  assert.deepEqual(line, { row: "some row", floor: "some floor", failed: "No room: disk full" });
  assert.match(format(line), /^some row +failed: No room: disk full$/);
});

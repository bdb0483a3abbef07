import assert from "node:assert/strict";
import { EffectiveTime } from "../../src/engine/effective_time.ts";
import { MutableClock } from "../../src/testing/kit/mutable_clock.ts";

Deno.test("EffectiveTime follows a clock that goes forward", () => {
  const clock = new MutableClock(1);
  const time = new EffectiveTime(clock.now);
  for (const ms of [1_000, 1_001, 5_000]) {
    clock.ms = ms;
    assert.deepEqual(time.read(), { effectiveMs: ms, behindMs: 0 });
  }
});

Deno.test("EffectiveTime stays at the highest time seen when the clock steps back, and says how far", () => {
  const clock = new MutableClock(5);
  const time = new EffectiveTime(clock.now);
  time.read();
  clock.ms = 4_000;
  assert.deepEqual(time.read(), { effectiveMs: 5_000, behindMs: 1_000 });
  clock.ms = 5_001;
  assert.deepEqual(time.read(), { effectiveMs: 5_001, behindMs: 0 });
});

Deno.test("EffectiveTime takes over a higher mark of its epoch, and no lower one", () => {
  const clock = new MutableClock(1);
  const time = new EffectiveTime(clock.now);
  time.observe(9_000, 0);
  assert.deepEqual(time.read(), { effectiveMs: 9_000, behindMs: 8_000 });
  time.observe(2_000, 0);
  assert.deepEqual(time.read(), { effectiveMs: 9_000, behindMs: 8_000 });
  time.observe(10_000, 0);
  assert.equal(time.read().effectiveMs, 10_000);
});

Deno.test("EffectiveTime takes over a lower mark with a new epoch: it was lowered deliberately", () => {
  const clock = new MutableClock(1);
  const time = new EffectiveTime(clock.now);
  time.observe(9_000, 0);
  time.observe(2_000, 1);
  assert.deepEqual(time.read(), { effectiveMs: 2_000, behindMs: 1_000 });
});

Deno.test("EffectiveTime floors fractions of a millisecond", () => {
  const time = new EffectiveTime(() => 1_234.9);
  assert.deepEqual(time.read(), { effectiveMs: 1_234, behindMs: 0 });
});

Deno.test("EffectiveTime accepts times from 0 to the end of Date, and nothing else", () => {
  assert.equal(new EffectiveTime(() => 0).read().effectiveMs, 0);
  assert.equal(new EffectiveTime(() => 8_640_000_000_000_000).read().effectiveMs, 8_640_000_000_000_000);
  for (const told of [-1, NaN, Infinity, 8_640_000_000_000_001, "0", 0n, null, undefined, new Date(0)]) {
    const time = new EffectiveTime(() => told as number);
    assert.throws(() => time.read(), { code: "CONTRACT", field: "clock" });
  }
});

Deno.test("EffectiveTime keeps what a clock threw as the cause", () => {
  const thrown = new Error("the clock broke");
  const time = new EffectiveTime(() => {
    throw thrown;
  });
  assert.throws(() => time.read(), { code: "CONTRACT", field: "clock", cause: thrown });
});

Deno.test("EffectiveTime keeps nothing of a broken clock", () => {
  const clock = new MutableClock(5);
  const time = new EffectiveTime(clock.now);
  time.read();
  clock.ms = NaN;
  assert.throws(() => time.read());
  clock.ms = 6_000;
  assert.deepEqual(time.read(), { effectiveMs: 6_000, behindMs: 0 });
});

/** Giving way lets in what comes from outside, so that a cancellation is seen between two pieces of work. */

import assert from "node:assert/strict";
import { WORK_MS, yieldIfBusy, yieldToEventLoop } from "../src/clock.ts";
import { StoppedStopwatch } from "./kit/stopped_stopwatch.ts";

/** Between immediates alone it is some twenty. */
const SIGNAL_TURNS_MAX = 5;

Deno.test({
  name: "A signal is seen within a few turns of the event loop, however busy the process is",
  ignore: Deno.build.os === "windows",
  async fn(): Promise<void> {
    const { success, stdout } = await new Deno.Command(Deno.execPath(), {
      args: [
        "run",
        "--allow-all",
        "--no-check",
        "--no-lock",
        new URL("busy_process.ts", import.meta.url).href,
      ],
      stdout: "piped",
    }).output();
    assert(success);
    const turns = JSON.parse(new TextDecoder().decode(stdout)) as number[];
    // Most of them: the system itself may deliver one late.
    const median = turns.toSorted((a, b) => a - b)[Math.floor(turns.length / 2)]!;
    assert(median <= SIGNAL_TURNS_MAX, `seen after ${turns.join(", ")} turns`);
  },
});

/** Some ten times what it takes, and a third of what it takes where sockets have to wait until nothing is ready. */
const ANSWER_TURNS_MAX = 40;

Deno.test("A server answers while work gives way again and again", async () => {
  const ended = new AbortController();
  const { promise: port, resolve: listening } = Promise.withResolvers<number>();
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", signal: ended.signal, onListen: (at) => listening(at.port) },
    () => new Response("answered"),
  );
  const address = `http://127.0.0.1:${await port}/`;
  await (await fetch(address)).text();
  let answer = "";
  const asked = fetch(address).then(async (response) => answer = await response.text());
  let turns = 0;
  while (answer === "" && turns < 1_000) {
    for (let work = 0; work < 1_000_000; work++) Math.sqrt(work);
    await yieldToEventLoop();
    turns++;
  }
  await asked;
  ended.abort();
  await server.finished;
  assert.equal(answer, "answered");
  assert(turns <= ANSWER_TURNS_MAX, `${turns} turns of the loop until a request was answered`);
});

Deno.test("Work in short pieces gives way once a while, and not after each", async () => {
  using stopwatch = new StoppedStopwatch();
  await yieldToEventLoop();
  let hadTurn = false;
  setImmediate(() => hadTurn = true);
  for (let pieces = 0; pieces < 100; pieces++) await yieldIfBusy();
  assert.equal(hadTurn, false);
  stopwatch.ms += WORK_MS;
  await yieldIfBusy();
  assert.equal(hadTurn, true);
});

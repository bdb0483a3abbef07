/** Giving way lets in what comes from outside, so that a cancellation is seen between two pieces of work. */

import assert from "node:assert/strict";

/** Between immediates alone it is some twenty. */
const TURNS_MAX = 5;

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
    assert(median <= TURNS_MAX, `seen after ${turns.join(", ")} turns`);
  },
});

import assert from "node:assert/strict";
import type { Member } from "../../src/engine/member.ts";
import { WriteQueue } from "../../src/engine/write_queue.ts";
import type { Operation } from "../../src/engine/operation.ts";
import { StorageError } from "../../src/errors.ts";
import { GROUP_BYTES_MAX, GROUP_MEMBERS_MAX } from "../../src/limits.ts";
import { SkippedPauses } from "../kit/skipped_pauses.ts";
import { StoppedStopwatch } from "../kit/stopped_stopwatch.ts";

const BUSY = new StorageError("BUSY", "held");

/** How a group ends: its members settle with their results, or a lock was held. */
type Ending = "done" | "busy";

/** A queue whose groups are recorded instead of run; a member is recognized by its result. */
class RecordingQueue {
  readonly queue: WriteQueue;
  readonly groups: string[][] = [];
  readonly endings: Ending[] = [];
  readonly alone: string[] = [];
  /** Called before each group. */
  beforeGroup: () => void = () => {};

  constructor(busyTimeoutMs = 60_000) {
    this.queue = new WriteQueue((members) => this.#run(members), busyTimeoutMs, () => {});
  }

  add(
    name: string,
    options: { ledger?: boolean; bytes?: number; needs?: Promise<void>; signal?: AbortSignal } = {},
  ): Promise<string> {
    const { ledger = false, bytes = 0, needs, signal } = options;
    return this.queue.add(() => giving(name), { ledger, bytes, needs: [needs], signal });
  }

  #run(members: readonly Member[]): StorageError | null {
    this.beforeGroup();
    const names = members.map((member) => nameOf(member));
    this.groups.push(names);
    if (this.endings.shift() === "busy") return BUSY;
    const several = members.length > 1;
    for (const [index, member] of members.entries()) {
      const name = names[index]!;
      member.outcome = several && this.alone.includes(name)
        ? { kind: "alone" }
        : { kind: "done", value: name, recorded: null };
    }
    return null;
  }
}

// deno-lint-ignore require-yield
function* giving(name: string): Operation<string> {
  return name;
}

function nameOf(member: Member): string {
  return member.factory(undefined as never).next(undefined).value as string;
}

Deno.test("WriteQueue runs calls of one turn of the event loop as one group, in order, and answers each", async () => {
  const recording = new RecordingQueue();
  assert.deepEqual(await Promise.all(["a", "b", "c"].map((name) => recording.add(name))), ["a", "b", "c"]);
  assert.deepEqual(recording.groups, [["a", "b", "c"]]);
});

Deno.test("WriteQueue lets calls that are ready at the same time join, though each comes from a task of its own", async () => {
  const recording = new RecordingQueue();
  const answers: Promise<string>[] = [];
  setImmediate(() => answers.push(recording.add("b")));
  setImmediate(() => answers.push(recording.add("c")));
  answers.push(recording.add("a"));
  await Promise.resolve().then(() => answers.push(recording.add("in a microtask")));
  await answers[0];
  assert.deepEqual(recording.groups, [["a", "in a microtask", "b", "c"]]);
  assert.equal((await Promise.all(answers)).length, 4);
});

Deno.test("WriteQueue takes at most 64 members into a group", async () => {
  const recording = new RecordingQueue();
  const names = Array.from({ length: 2 * GROUP_MEMBERS_MAX + 2 }, (_, index) => `m${index}`);
  assert.deepEqual(await Promise.all(names.map((name) => recording.add(name))), names);
  assert.deepEqual(recording.groups.map((group) => group.length), [64, 64, 2]);
  assert.deepEqual(recording.groups.flat(), names);
});

Deno.test("WriteQueue takes at most a mebibyte into a group, and a larger member by itself", async () => {
  const recording = new RecordingQueue();
  const third = Math.floor(GROUP_BYTES_MAX / 3);
  const sizes = [third, third, third, 2, GROUP_BYTES_MAX, 0, GROUP_BYTES_MAX + 1, 0];
  await Promise.all(sizes.map((bytes, index) => recording.add(`m${index}`, { bytes })));
  assert.deepEqual(recording.groups, [["m0", "m1", "m2"], ["m3"], ["m4", "m5"], ["m6"], ["m7"]]);
});

Deno.test("WriteQueue never mixes members that write the ledger with others, and keeps their order", async () => {
  const recording = new RecordingQueue();
  const calls = [["a", false], ["b", true], ["c", true], ["d", false], ["e", true]] as const;
  await Promise.all(calls.map(([name, ledger]) => recording.add(name, { ledger })));
  assert.deepEqual(recording.groups, [["a"], ["b", "c"], ["d"], ["e"]]);
});

Deno.test("WriteQueue reruns members that have to run alone, each alone, before later ones", async () => {
  const recording = new RecordingQueue();
  recording.alone.push("b", "c");
  const first = ["a", "b", "c"].map((name) => recording.add(name));
  await first[0];
  await Promise.all([...first, recording.add("d"), recording.add("e")]);
  assert.deepEqual(recording.groups, [["a", "b", "c"], ["b"], ["c"], ["d", "e"]]);
});

Deno.test("WriteQueue requeues a group that met a lock at the head, and runs it again with calls that came meanwhile", async () => {
  const recording = new RecordingQueue();
  recording.endings.push("busy", "busy");
  const answers = [recording.add("a"), recording.add("b")];
  await new Promise((resolve) => setImmediate(resolve));
  answers.push(recording.add("c"));
  assert.deepEqual(await Promise.all(answers), ["a", "b", "c"]);
  assert.deepEqual(recording.groups, [["a", "b"], ["a", "b", "c"], ["a", "b", "c"]]);
});

Deno.test("WriteQueue rejects a member at its deadline, not before its first try, with the last error", async () => {
  const recording = new RecordingQueue(0);
  recording.endings.push("busy");
  await assert.rejects(recording.add("a"), (error) => error === BUSY);
  assert.deepEqual(recording.groups, [["a"]]);
  assert.equal(await recording.add("b"), "b");
});

Deno.test("WriteQueue counts each member's deadline from its own call", async () => {
  using stopwatch = new StoppedStopwatch();
  const recording = new RecordingQueue(100);
  const rejected: string[] = [];
  const call = (name: string): Promise<unknown> => recording.add(name).catch(() => rejected.push(name));
  const busyAt = (ms: number): void => {
    recording.endings.push("busy");
    recording.beforeGroup = () => stopwatch.ms = 1_000_000 + ms;
  };
  busyAt(0);
  const early = call("early");
  await new Promise((resolve) => setImmediate(resolve));
  stopwatch.ms = 1_000_060;
  const late = call("late");
  busyAt(100);
  await early;
  assert.deepEqual(rejected, ["early"]);
  busyAt(160);
  await late;
  assert.deepEqual(rejected, ["early", "late"]);
});

Deno.test("WriteQueue withdraws a queued member whose signal aborts, also while it waits for a lock", async () => {
  const recording = new RecordingQueue();
  recording.endings.push("busy");
  const controller = new AbortController();
  const withdrawn = recording.add("a", { signal: controller.signal });
  const kept = recording.add("b");
  await new Promise((resolve) => setImmediate(resolve));
  controller.abort("gone");
  await assert.rejects(withdrawn, (reason) => reason === "gone");
  assert.equal(await kept, "b");
  assert.deepEqual(recording.groups, [["a", "b"], ["b"]]);
});

Deno.test("WriteQueue refuses a member whose signal was aborted before it came", async () => {
  const recording = new RecordingQueue();
  await assert.rejects(
    recording.add("a", { signal: AbortSignal.abort("gone") }),
    (reason) => reason === "gone",
  );
  assert.deepEqual(recording.groups, []);
});

Deno.test("WriteQueue.idle() resolves at once when nothing is queued, and else once everything is answered", async () => {
  const recording = new RecordingQueue();
  await recording.queue.idle();
  recording.endings.push("busy");
  const answered: string[] = [];
  void recording.add("a").then((name) => answered.push(name));
  void recording.add("b", { ledger: true }).then((name) => answered.push(name));
  await recording.queue.idle();
  assert.deepEqual(answered, ["a", "b"]);
});

Deno.test("WriteQueue lets timers run between the groups of a long queue", async () => {
  const recording = new RecordingQueue();
  const answers = Array.from({ length: 40 * GROUP_MEMBERS_MAX }, (_, index) => recording.add(`m${index}`));
  let timerAfterGroups = -1;
  setTimeout(() => {
    timerAfterGroups = recording.groups.length;
  }, 0);
  await Promise.all(answers);
  assert.equal(recording.groups.length, 40);
  assert(timerAfterGroups >= 0 && timerAfterGroups < 40, `the timer ran after ${timerAfterGroups} groups`);
});

Deno.test("WriteQueue pauses 2 ms after each 20 ms of uninterrupted writing, so that other processes can write", async () => {
  using stopwatch = new StoppedStopwatch();
  using pauses = new SkippedPauses();
  const recording = new RecordingQueue();
  recording.beforeGroup = () => stopwatch.ms += 10;
  await Promise.all(Array.from({ length: 5 * GROUP_MEMBERS_MAX }, (_, index) => recording.add(`m${index}`)));
  assert.equal(recording.groups.length, 5);
  assert.deepEqual(pauses.delays, [2, 2]);
});

Deno.test("WriteQueue does not pause a process that writes now and then", async () => {
  using stopwatch = new StoppedStopwatch();
  using pauses = new SkippedPauses();
  const recording = new RecordingQueue();
  recording.beforeGroup = () => stopwatch.ms += 10;
  for (let index = 0; index < 5; index++) {
    await recording.add(`m${index}`);
    stopwatch.ms += 3;
  }
  assert.deepEqual(pauses.delays, []);
});

Deno.test("A write whose code is still being loaded keeps its place, and no later write overtakes it", async () => {
  const recording = new RecordingQueue();
  const loading = Promise.withResolvers<void>();
  const first = recording.add("first", { ledger: true, needs: loading.promise });
  const second = recording.add("second");
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(recording.groups, []);
  loading.resolve();
  assert.deepEqual(await Promise.all([first, second]), ["first", "second"]);
  assert.deepEqual(recording.groups, [["first"], ["second"]]);
});

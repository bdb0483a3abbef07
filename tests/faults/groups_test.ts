import assert from "node:assert/strict";
import { RESULT } from "../../src/engines/sqlite/drivers/result_codes.ts";
import type { Memory } from "../../src/memory.ts";
import { factAt, factOf } from "../../src/testing/records/record_samples.ts";
import type { DriverCall } from "../kit/faulty_driver.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import type { StoreDump } from "../kit/store_dump.ts";
import { busyTimeoutFor, casesOf, describe, faultOf, type MatrixCase, struckCalls } from "./matrix.ts";
import {
  assertIsFirstError,
  type Ending,
  endingOf,
  imageOf,
  outcomeOf,
  type StoreImage,
  StruckStore,
} from "./struck_store.ts";

const CREATE = { expectedRevision: null, ttl: 60 };

/** One member of a group: its key, and its call. */
interface GroupMember {
  readonly key: string;
  readonly run: (memory: Memory) => Promise<unknown>;
  /** Why it fails when nothing else does. */
  readonly refusal?: string;
}

/** Calls made together. */
interface Group {
  readonly name: string;
  readonly prepare: (memory: Memory) => Promise<unknown>;
  readonly members: readonly GroupMember[];
}

function putting(key: string, expectedRevision: number | null, refusal?: string): GroupMember {
  const run = ({ records }: Memory): Promise<unknown> =>
    records.put(factAt(key), factOf(key), { expectedRevision, ttl: 60 });
  return refusal === undefined ? { key, run } : { key, run, refusal };
}

function forgetting(key: string, expected: number): GroupMember {
  return { key, run: ({ records }) => records.forget(factAt(key), expected) };
}

async function prepareFour({ records }: Memory): Promise<void> {
  for (const key of ["a", "b", "c", "d"]) await records.put(factAt(key), factOf("old"), CREATE);
}

const GROUPS: readonly Group[] = [
  {
    name: "four puts, one of which conflicts",
    prepare: prepareFour,
    members: [putting("a", 1), putting("e", null), putting("b", 9, "REVISION"), putting("c", 3)],
  },
  {
    name: "four forgets, one of which removes nothing",
    prepare: prepareFour,
    members: [forgetting("a", 1), forgetting("b", 9), forgetting("c", 3), forgetting("d", 4)],
  },
];

/** A member's own statements: if one of these fails, the others must not. */
const OWN = /^(SAVEPOINT|RELEASE|ROLLBACK TO)|\b(FROM|INTO) records\b|FROM deletions WHERE key_hash/;

async function traceOf({ members }: Group, image: StoreImage): Promise<readonly DriverCall[]> {
  await using store = await StruckStore.make(image);
  await using memory = await store.open(5_000);
  store.driver.startTrace();
  await Promise.allSettled(members.map((member) => member.run(memory)));
  return struckCalls(store.driver.stopTrace());
}

async function runStruck(
  group: Group,
  image: StoreImage,
  each: MatrixCase,
  trace: readonly DriverCall[],
): Promise<void> {
  await using store = await StruckStore.make(image);
  const before = store.committed();
  let endings: readonly Ending[];
  {
    await using memory = await store.open(busyTimeoutFor(each.way));
    store.driver.fail(faultOf(each, trace));
    endings = await Promise.all(group.members.map((member) => endingOf(member.run(memory))));
    assert.deepEqual(store.driver.struck[0], each.call, "the fault hit another call than intended");
    store.assertNoLockIsHeld();
    store.driver.heal();
  }
  const found = await store.reopenAndUse(({ records }) => records.put(factAt("z"), factOf("z"), CREATE));
  for (const [index, member] of group.members.entries()) {
    assertHolds(member, endings[index]!, { before, found, each });
  }
  assert.equal(
    found.main.meta![0]!.counter,
    Math.max(4, ...found.main.records!.map((row) => Number(row.revision))),
  );
  if (each.way.lasting) return;
  const hit = endings.filter((ending, index) => isHit(ending, group.members[index]!)).length;
  if (each.way.code === RESULT.BUSY) {
    assert(hit === 0 || isRecorded(endings), `a lock held once reached ${hit} callers`);
  } else if (OWN.test(each.call.sql!)) assert(hit <= 1, `a member's own fault reached ${hit} callers`);
}

function isHit(ending: Ending, { refusal }: GroupMember): boolean {
  if (ending.kind === "resolved") return false;
  return refusal === undefined || (ending.error as { reason?: string }).reason !== refusal;
}

function isRecorded(endings: readonly Ending[]): boolean {
  return endings.some((ending) => ending.kind === "rejected" && outcomeOf(ending.error) === "recorded");
}

function revisionOf(dump: StoreDump, key: string): unknown {
  return dump.main.records!.find((row) => row.key === key)?.revision ?? null;
}

/** The answer to a member must agree with what the store holds for its key. */
function assertHolds(
  member: GroupMember,
  ending: Ending,
  { before, found, each }: { before: StoreDump; found: StoreDump; each: MatrixCase },
): void {
  const [was, is] = [revisionOf(before, member.key), revisionOf(found, member.key)];
  if (ending.kind === "resolved") {
    const { value } = ending;
    return assert.equal(is, typeof value === "number" ? value : value === true ? null : was, member.key);
  }
  if (!isHit(ending, member)) return assert.equal(is, was, member.key);
  assertIsFirstError(ending.error, each.way.code);
  const outcome = outcomeOf(ending.error);
  if (outcome === "nothing") assert.equal(is, was, `${member.key}: nothing happened, it was told`);
  if (outcome === "recorded") assert.equal(is, null, `${member.key}: its deletion was recorded, it was told`);
}

for (const group of GROUPS) {
  Deno.test(`Whichever statement of a group of ${group.name} fails, each member reports its own outcome`, async () => {
    const image = await imageOf(group.prepare);
    const trace = await traceOf(group, image);
    assert(trace.length >= 16, "the trace is too short for a group");
    const failures: string[] = [];
    for (const each of casesOf(trace, group.name, 2)) {
      try {
        await runStruck(group, image, each, trace);
      } catch (error) {
        failures.push(
          `${describe(each)}\n    ${(error as Error).stack?.split("\n").slice(0, 12).join("\n    ")}`,
        );
      }
    }
    assert.equal(failures.length, 0, `${failures.length} cases:\n${failures.join("\n")}`);
  });
}

testThatNothingIsLeftOpen();

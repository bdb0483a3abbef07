import assert from "node:assert/strict";
import type { MemoryOptions } from "../../src/open.ts";
import { ContractError } from "../../src/errors.ts";
import { openMemory } from "../../src/open.ts";
import { testThatNothingIsLeftOpen } from "../kit/soundness.ts";
import { forEachRow } from "../../src/testing/kit/each_row.ts";
import { TemporaryDirectory } from "../kit/temporary_directory.ts";

/** Stands in whatever is handed in, and must not come back in an error. */
const MARKER = "MARKED-SECRET";

/** What stands for options, and is none; with the field that is named. */
const BAD_OPTIONS: readonly (readonly [string, unknown, string])[] = [
  ["null", null, "options"],
  ["a text", MARKER, "options"],
  ["a list", [MARKER], "options"],
  ["an unknown option", { [MARKER]: 1 }, "options"],
  ["a getter", Object.defineProperty({}, "clock", { get: () => MARKER }), "options.clock"],
  ["a clock that is no function", { clock: 5 }, "clock"],
  ["a clock that is null", { clock: null }, "clock"],
  ["an onEvent that is no function", { onEvent: MARKER }, "onEvent"],
  ["a driver that is no driver", { driver: {} }, "driver"],
  ["a driver that is null", { driver: null }, "driver"],
  ["kinds that are no list", { kinds: MARKER }, "kinds"],
  ["kinds that are no kinds", { kinds: [MARKER] }, "kinds"],
  ["readOnly as a text", { readOnly: "true" }, "readOnly"],
  ["readOnly as null", { readOnly: null }, "readOnly"],
  ["acceptClock as a number", { acceptClock: 1 }, "acceptClock"],
  ["a negative busyTimeoutMs", { busyTimeoutMs: -1 }, "busyTimeoutMs"],
  ["a busyTimeoutMs of NaN", { busyTimeoutMs: NaN }, "busyTimeoutMs"],
  ["a busyTimeoutMs of Infinity", { busyTimeoutMs: Infinity }, "busyTimeoutMs"],
  ["a busyTimeoutMs as a text", { busyTimeoutMs: "5" }, "busyTimeoutMs"],
  ["a busyTimeoutMs of more than an hour", { busyTimeoutMs: 3_600_001 }, "busyTimeoutMs"],
  ["a deletionPath that is a number", { deletionPath: 5 }, "deletionPath"],
  ["an empty deletionPath", { deletionPath: "" }, "deletionPath"],
];

Deno.test("openMemory() refuses options that are wrong, naming the field and not the value, and makes nothing", async () => {
  await using directory = await TemporaryDirectory.make();
  const path = directory.file("agent.db");
  await forEachRow(BAD_OPTIONS, async ([, options, field]) => {
    await assert.rejects(openMemory(path, options as MemoryOptions), (error) => {
      assert(error instanceof ContractError, String(error));
      assert.equal(error.field, field);
      assert.equal(JSON.stringify([error.message, error.details]).includes(MARKER), false);
      return true;
    });
  });
  assert.deepEqual([...Deno.readDirSync(directory.path)], []);
});

Deno.test("openMemory() refuses a path that is no path, naming it", async () => {
  const paths = [
    undefined,
    null,
    5,
    "",
    "a\0b",
    "dir/",
    "..",
    "\ud800",
    {},
    new URL("https://example.com/a.db"),
  ];
  await forEachRow(paths, async (path) => {
    await assert.rejects(openMemory(path as string), { name: "ContractError", field: "path" });
  });
});

Deno.test("A store in memory takes neither readOnly nor a deletionPath", async () => {
  await assert.rejects(openMemory(":memory:", { readOnly: true }), {
    name: "ContractError",
    field: "readOnly",
  });
  await assert.rejects(openMemory(":memory:", { deletionPath: "/stores/ledger" }), {
    name: "ContractError",
    field: "deletionPath",
  });
});

testThatNothingIsLeftOpen();

/** Tests that the report on growth measures every public operation, and that each operation does its work. */

import assert from "node:assert/strict";
import { drawGrowth, tabulate } from "../../bench/growth/pages.ts";
import { PUBLIC_OPERATIONS } from "../../bench/growth/public_operations.ts";
import { growsUnforeseen, measureGrowth, plansFor } from "../../bench/growth/report.ts";
import { Conversation, Journal, KindRecords, Memory, Records } from "../../mod.ts";

/** The exported functions that open a store. */
const FUNCTIONS = ["openMemory", "restoreMemory"];

Deno.test("Every public method has a row in the report on growth", () => {
  const methods = [Memory, Records, KindRecords, Conversation, Journal].flatMap(({ name, prototype }) =>
    Object.getOwnPropertyNames(prototype).filter((method) => method !== "constructor").map((method) =>
      `${name}.${method}`
    )
  );
  const measured = new Set(PUBLIC_OPERATIONS.map(({ calls }) => calls));
  assert.deepEqual([...measured].toSorted(), [...methods, ...FUNCTIONS].toSorted());
});

Deno.test("Every row has a unique name", () => {
  assert.equal(new Set(PUBLIC_OPERATIONS.map(({ name }) => name)).size, PUBLIC_OPERATIONS.length);
});

Deno.test("Every row does its work on every store, and is on the pages", async () => {
  const [plan] = plansFor("small");
  const report = await measureGrowth(plan!, PUBLIC_OPERATIONS, {
    size: "small",
    onDone: () => {},
    onFailed: (name, error) => assert.fail(`${name}: ${error}`),
  });
  const idle = report.filter(({ name, work }) => name !== "prune, nothing expired" && work.includes(0));
  assert.deepEqual(idle.map(({ name }) => name), []);
  const page = tabulate([{ plan: plan!, report }], new Date(0));
  const chart = drawGrowth({ plan: plan!, report });
  for (const { name } of PUBLIC_OPERATIONS) {
    assert(page.includes(`| \`${name}\``), name);
    assert(chart.includes(`>${name.replace("records.", "")}<`), name);
  }
});

Deno.test("A cost that grows without a reason is reported", () => {
  const growth = { name: "get", work: [1, 1] };
  assert.equal(growsUnforeseen({ ...growth, ratios: [1, 1.6], because: null }), true);
  assert.equal(growsUnforeseen({ ...growth, ratios: [1, 1.4], because: null }), false);
  assert.equal(growsUnforeseen({ ...growth, ratios: [1, 90], because: "returns each of them" }), false);
});

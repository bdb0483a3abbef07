/**
 * Two workers race for one checkpoint: both read revision 1, and both write. One wins; the other gets the conflict
 * `REVISION`, rereads and recomputes, so that no finished check is lost. Each opens the file for itself, as two processes
 * would.
 *
 * Run it with exactly the permissions it needs:
 * `deno run --allow-read=.demo --allow-write=.demo examples/05_two_workers.ts`
 */
import { ConflictError, type Memory, openMemory } from "../mod.ts";
import { demo, print } from "./demo.ts";

const RUN = { tenantId: "acme", kind: "checkpoint", key: "release-42" } as const;

async function addCheck({ records }: Memory, check: string): Promise<void> {
  for (;;) {
    const { value, revision } = (await records.get(RUN))!;
    await Promise.resolve(); // a real worker would call a model here, while the other one writes
    try {
      await records.put(RUN, { ...value, items: [...value.items, check] }, {
        expectedRevision: revision,
        ttl: 60,
      });
      return;
    } catch (error) {
      if (!(error instanceof ConflictError) || !error.retryable) throw error;
      print(`${check}: read revision ${revision}, but it is ${error.currentRevision} by now; again`);
    }
  }
}

await demo(async () => {
  await using first = await openMemory(".demo/agent.db");
  await using second = await openMemory(".demo/agent.db");
  await first.records.put(RUN, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 60 });
  await Promise.all([addCheck(first, "build"), addCheck(second, "lint")]);
  const found = (await first.records.get(RUN))!;
  print(`checks: ${found.value.items.toSorted().join(", ")}`);
  print(`revision: ${found.revision}`);

  // `update` is the same loop, written once.
  await Promise.all(
    ["test", "sign"].map((check, index) =>
      [first, second][index]!.records.update(
        RUN,
        (value) => ({ ...value, items: [...value.items, check] }),
        {
          ttl: 60,
        },
      )
    ),
  );
  print(`with update: ${(await second.records.get(RUN))!.value.items.toSorted().join(", ")}`);
  print(`revision: ${(await second.records.get(RUN))!.revision}`);
  print(`intact: ${(await first.check()).ok}`);
});

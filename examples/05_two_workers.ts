/**
 * Two workers race for one checkpoint: both read revision 1, both write what they made of it. One wins; the other is told
 * `REVISION`, reads again, and computes anew, so that neither basket is lost. Each has the file open for itself, as two
 * processes would.
 *
 * Run it with exactly the permissions it needs:
 * `deno run --allow-read=.demo --allow-write=.demo examples/05_two_workers.ts`
 */
import { ConflictError, type Memory, openMemory } from "../mod.ts";
import { demo, print } from "./demo.ts";

const RUN = { tenantId: "orchard", kind: "checkpoint", key: "harvest" } as const;

async function addBasket({ records }: Memory, basket: string): Promise<void> {
  for (;;) {
    const { value, revision } = (await records.get(RUN))!;
    await Promise.resolve(); // a model would be asked here: time enough for the other worker
    try {
      await records.put(RUN, { ...value, items: [...value.items, basket] }, {
        expectedRevision: revision,
        ttl: 60,
      });
      return;
    } catch (error) {
      if (!(error instanceof ConflictError) || !error.retryable) throw error;
      print(`${basket}: read revision ${revision}, but it is ${error.currentRevision} by now; again`);
    }
  }
}

await demo(async () => {
  await using first = await openMemory(".demo/agent.db");
  await using second = await openMemory(".demo/agent.db");
  await first.records.put(RUN, { schema: 1, step: 0, items: [] }, { expectedRevision: null, ttl: 60 });
  await Promise.all([addBasket(first, "pears"), addBasket(second, "plums")]);
  const found = (await first.records.get(RUN))!;
  print(`baskets: ${found.value.items.toSorted().join(", ")}`);
  print(`revision: ${found.revision}`);

  // `update` is the same loop, written once.
  await Promise.all(
    ["figs", "nuts"].map((basket, index) =>
      [first, second][index]!.records.update(
        RUN,
        (value) => ({ ...value, items: [...value.items, basket] }),
        {
          ttl: 60,
        },
      )
    ),
  );
  print(`with update: ${(await second.records.get(RUN))!.value.items.toSorted().join(", ")}`);
  print(`revision: ${(await second.records.get(RUN))!.revision}`);
  print(`sound: ${(await first.check()).ok}`);
});

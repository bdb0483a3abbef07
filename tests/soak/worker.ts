/** A process of the soak. */

import { serve } from "../contention/serve.ts";
import type { Job } from "./job.ts";
import { Soaking } from "./soaking.ts";

let soaking: Soaking;

async function perform(job: Job): Promise<unknown> {
  switch (job.do) {
    case "open":
      soaking = await Soaking.open(job.path, job.deletionPath, job.name);
      return null;
    case "work":
      return await soaking.work(job.seed, job.forMs, job.nextPath);
    case "verify":
      return await soaking.verify(job.nextPath);
    case "clear":
      return await soaking.clear();
    case "close":
      return await soaking.close();
  }
}

await serve(perform);

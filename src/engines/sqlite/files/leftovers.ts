/** Finds and removes what killed backups, exports and restores of a store left behind. */

import type { Leftover, SweptLeftovers } from "../../../contracts/options/leftovers_report.ts";
import { isDamage } from "../../../engine/check_collector.ts";
import { forgetIfPossible } from "./remembered_work.ts";
import type { Works } from "./works_list.ts";
import { findRestoring, removeWork, workStateOf } from "./work_file.ts";

/** Finds leftovers; changes nothing. */
export async function findLeftovers(works: Works): Promise<readonly Leftover[]> {
  return (await listWorks(works)).flatMap((path) => {
    const state = workStateOf(path);
    return state === "gone" ? [] : [{ path, state }];
  });
}

/** Removes leftovers that no process holds, and drops missing files from the list. */
export async function sweepLeftovers(works: Works): Promise<SweptLeftovers> {
  const removed: string[] = [];
  const kept: Leftover[] = [];
  for (const path of await listWorks(works)) {
    const found = workStateOf(path);
    const state = found === "left" ? removeWork(path) : found;
    if (state !== "gone") {
      kept.push({ path, state });
      continue;
    }
    if (found === "left") removed.push(path);
    await forgetIfPossible(works, path, () => workStateOf(path) === "gone");
  }
  return { removed, kept };
}

/** Lists the remembered work files, and those of restores in the store's directories. */
async function listWorks(works: Works): Promise<readonly string[]> {
  const restoring = await Promise.all(works.directories.map(findRestoring));
  return [...await listRemembered(works), ...restoring.flat()];
}

/**
 * Lists the remembered work files; none if the list is damaged. `check` reports that, and it must not prevent a
 * backup or a prune.
 */
async function listRemembered(works: Works): Promise<readonly string[]> {
  try {
    return await works.list();
  } catch (error) {
    if (!isDamage(error)) throw error;
    return [];
  }
}

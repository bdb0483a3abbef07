/** A tenant's sessions, page by page. */

import type { Session, SessionsOptions } from "../../contracts/options/session_options.ts";
import type { Memory } from "../../memory.ts";

/** Yields them all, in the order that the options say. */
export async function* sessionsOf(
  memory: Memory,
  tenant: string,
  options: SessionsOptions,
): AsyncGenerator<Session, void> {
  let page = await memory.sessions(tenant, options);
  yield* page.items;
  while (page.next !== null) {
    page = await memory.sessions(tenant, { ...options, after: page.next });
    yield* page.items;
  }
}

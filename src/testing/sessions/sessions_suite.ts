/** Sessions: their lists, what is said of them, and erasing everything of a tenant or a person. */

import type { Suite } from "../kit/suite.ts";
import { testErasure } from "./session_erasure.ts";
import { testSessionLists } from "./session_lists.ts";

export function testSessions(suite: Suite): void {
  testSessionLists(suite);
  testErasure(suite);
}

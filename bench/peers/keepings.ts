/** Lists the questions about what each store keeps, in the order of the table. */

import { openMemory } from "../../mod.ts";
import { FullText } from "./full_text.ts";
import type { Keeping } from "./keeping.ts";
import { BACKUP, BYTES, PROOF } from "./keeping_deletions.ts";
import { DOUBLED_ID, LOST_UPDATE } from "./keeping_writes.ts";
import { inDirectory, SCOPE } from "./trying.ts";

const CHINESE: Keeping = {
  what: "a word is found in a script without spaces",
  published: { Holdfast: true, "Deno KV": null, "JSON lines": null, "SQLite FTS5": false, MemorySaver: null },
  checks: {
    Holdfast: async () => {
      await using memory = await openMemory(":memory:");
      const conversation = memory.conversation(SCOPE);
      await conversation.append([{ role: "user", content: "果园里有两棵梨树。" }]);
      return (await conversation.search("梨树")).length === 1;
    },
    "SQLite FTS5": () =>
      inDirectory((path) => {
        using fullText = new FullText(`${path}/fts.db`);
        fullText.add(["果园里有两棵梨树。"]);
        return Promise.resolve(fullText.search("梨树") === 1);
      }),
  },
};

/** All questions. */
export const KEEPINGS: readonly Keeping[] = [LOST_UPDATE, DOUBLED_ID, PROOF, BACKUP, BYTES, CHINESE];

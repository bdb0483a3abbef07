/** Breaks of media. */

import type { Mutant } from "../mutant.ts";

const CONVERSATIONS = "tests/conversations/conversations_test.ts";

/** Where bytes are stored, how often, whose they are, and when they go. */
export const MEDIA_BREAKS: readonly Mutant[] = [
  {
    name: "media goes with the first turn that refers to it",
    file: "src/deletion/erase_media.ts",
    find: "lost.filter((_, index) => others[index] === undefined)",
    replace: "lost",
    test: CONVERSATIONS,
    promise: "Media goes with the last turn that refers to it, and is counted in the receipt [:memory:]",
    why: "another message would lose its picture",
  },
  {
    name: "a deleted turn leaves its media",
    file: "src/deletion/cascade.ts",
    find: "    eraseMediaOfTurn(change, turn.id),\n",
    replace: "",
    test: CONVERSATIONS,
    promise: "Media goes with the last turn that refers to it, and is counted in the receipt [:memory:]",
    why: "a deleted picture would stay in the file",
  },
  {
    name: "a deleted scope leaves its media",
    file: "src/deletion/cascade.ts",
    find: "    eraseMediaOfScope(change),\n",
    replace: "",
    test: CONVERSATIONS,
    promise: "Media of a deleted scope goes with it [:memory:]",
    why: "deleted pictures would stay in the file",
  },
  {
    name: "a revision forgets the media that it keeps",
    file: "src/media/turn_media.ts",
    find: "new Set(cited.map(({ ref }) => ref))",
    replace: "new Set()",
    test: CONVERSATIONS,
    promise: "A revision keeps the media that it still has, and loses the rest [:memory:]",
    why: "a revised message would lose its picture",
  },
  {
    name: "media of expired turns can be read",
    file: "src/tables/media.ts",
    find: "AND (turns.expires IS NULL OR turns.expires > $3) LIMIT 1",
    replace: "AND $3 > 0 LIMIT 1",
    test: "tests/conversations/expired_read_only_test.ts",
    promise: "media that nobody can read",
    why: "what has expired would still be given out",
  },
  {
    name: "media is not verified by its hash",
    file: "src/tables/media.ts",
    find: "return sha256Hex(whole) === ref ? whole : null;",
    replace: "return whole;",
    test: CONVERSATIONS,
    promise: "BAD-01 damaged media is an error that names a turn, and costs nothing else [:memory:]",
    why: "damaged bytes would be given out as if they were what was stored",
  },
  {
    name: "media does not count in what a scope may hold",
    file: "src/tables/scopes.ts",
    find: "return turnBytes + journalBytes + mediaBytes;",
    replace: "return turnBytes + journalBytes + 0 * mediaBytes;",
    test: CONVERSATIONS,
    promise: "Media counts in what a conversation may hold, and a turn has a bound of its own [:memory:]",
    why: "a tenant could fill the disk with pictures",
  },
  {
    name: "an export says a picture again for every turn",
    file: "src/lines/exported_media.ts",
    find: "for (const ref of refs) this.#exported.add(ref);",
    replace: "",
    test: CONVERSATIONS,
    promise: "Media is exported before the turn that has it, once, and imported with it [:memory:]",
    why: "an export would hold each picture as often as it was sent",
  },
  {
    name: "an import forgets the media of a turn that it refuses",
    file: "src/lines/import_lines.ts",
    find: 'if (item.type === "turn" && outcome === "imported") this.#media.release(item.media);',
    replace: 'if (item.type === "turn") this.#media.release(item.media);',
    test: CONVERSATIONS,
    promise: "An import takes media from a turn that it refuses, for another that has it as well [:memory:]",
    why: "another message with the same picture could not be imported",
  },
  {
    name: "an import does not verify media",
    file: "src/lines/held_media.ts",
    find: "{ ref, bytes });\n    if (whole === null) throw",
    replace: "{ ref, bytes }) ?? new Uint8Array(bytes);\n    if (whole === undefined) throw",
    test: CONVERSATIONS,
    promise: "Lines whose media is incomplete, in disorder or other bytes are refused [:memory:]",
    why: "changed bytes would be stored under the hash of others",
  },
];

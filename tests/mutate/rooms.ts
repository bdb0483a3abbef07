/** Which tests ought to notice a break, by the folder it is in. A folder that moves is moved here and nowhere else. */

/** A part of the source. */
export interface Room {
  /** Its folder, from the root; the longest that fits a file is the file's room. */
  readonly folder: string;
  /** What runs, the cheapest first, until a test fails: each a run of its own, paths below `tests/`. */
  readonly runs: readonly string[];
}

/** Every room of `src/`. */
export const ROOMS: readonly Room[] = [
  { folder: "src/canonical/", runs: ["canonical engine search index contracts records", "context lines"] },
  { folder: "src/contracts/", runs: ["contracts records", "context", "conversations", "conformance lines"] },
  { folder: "src/records/", runs: ["records", "conformance", "lines deletion", "model/records"] },
  { folder: "src/index/", runs: ["index search", "context", "deletion"] },
  { folder: "src/search/", runs: ["search", "index", "context"] },
  { folder: "src/context/", runs: ["context", "index"] },
  { folder: "src/deletion/", runs: ["deletion", "index", "conversations mutants/targets"] },
  { folder: "src/scopes/", runs: ["conversations", "index", "deletion lines"] },
  { folder: "src/tables/", runs: ["records conversations", "index", "deletion lines", "migration restore"] },
  { folder: "src/conversations/", runs: ["conversations", "index", "deletion lines", "mutants/targets"] },
  { folder: "src/journals/", runs: ["journals", "lines"] },
  { folder: "src/lines/", runs: ["lines", "mutants/targets"] },
  { folder: "src/platform/", runs: ["files"] },
  { folder: "src/engine/", runs: ["engine migration mutants/targets", "conformance", "deletion", "restore"] },
  {
    folder: "src/engines/sqlite/",
    runs: ["engine migration mutants/targets", "files", "conformance", "deletion", "restore"],
  },
  { folder: "src/cli/", runs: ["cli"] },
  {
    folder: "src/",
    runs: [
      "clock_test.ts late_module_test.ts engine mutants/targets",
      "conformance conversations",
      "lines deletion",
      "restore",
    ],
  },
];

/** Tests that read the source as text, and would notice any change of it whatever it does. */
export const BLIND: readonly string[] = [
  "tests/engine/statements_test.ts",
  "tests/mutants/mutants_test.ts",
  "tests/mutate/",
  "tests/tidy_test.ts",
];

/**
 * Files and folders that are left as they are: tables that were generated, since a wrong number in them is noticed by what
 * they were generated from; and the published suites, which are tests themselves.
 */
export const SPARED: readonly string[] = ["src/index/analysis/case_folding_table.ts", "src/testing/"];

/** The room of a file. */
export function roomOf(file: string, rooms: readonly Room[]): Room | undefined {
  const holding = rooms.filter(({ folder }) => file.startsWith(folder));
  return holding.toSorted((left, right) => right.folder.length - left.folder.length)[0];
}

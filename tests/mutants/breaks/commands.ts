/** Breaks of the command line. */

import type { Mutant } from "../mutant.ts";

const TESTS = "tests/cli";

/** Text that drives terminals, exit codes that lie, and unconfirmed deletions. */
export const COMMAND_BREAKS: readonly Mutant[] = [
  {
    name: "controls are shown as they are",
    file: "src/cli/terminal/harmless_text.ts",
    find: "[[\\p{C}\\p{Zl}",
    replace: "[[\\p{Zl}",
    test: `${TESTS}/harmless_text_test.ts`,
    promise: "CLI-01 text that would clear the screen",
    why: "stored text would drive the terminal",
  },
  {
    name: "JSON holds controls as they are",
    file: "src/cli/terminal/harmless_text.ts",
    find: "return escapeJson(JSON.stringify(value));",
    replace: "return JSON.stringify(value);",
    test: `${TESTS}/harmless_text_test.ts`,
    promise: "CLI-01 JSON says the same characters",
    why: "JSON shown at a terminal would drive it",
  },
  {
    name: "a cell is as wide as its characters are many",
    file: "src/cli/terminal/display_width.ts",
    find: "if (ASCII.test(text)) return text.length;",
    replace: "return text.length;",
    test: `${TESTS}/table_test.ts`,
    promise: "displayWidth() of 梨 is 2",
    why: "wide characters would break tables",
  },
  {
    name: "delete deletes without being told yes",
    file: "src/cli/commands/delete_command.ts",
    find: "options.yes ? erase",
    replace: "true ? erase",
    test: `${TESTS}/commands_test.ts`,
    promise: "delete does nothing without --yes",
    why: "a slip would delete for ever",
  },
  {
    name: "a command makes a store that is not there",
    file: "src/cli/commands/command.ts",
    find: 'const bytes = requireFile(path, "store", access === "read");',
    replace: "const bytes: number = 1;",
    test: `${TESTS}/words_test.ts`,
    promise: "`prune no-such-directory/agent.db` names the file",
    why: "a misspelled path would become an empty store",
  },
  {
    name: "damage exits like health",
    file: "src/cli/commands/check_command.ts",
    find: "return false;",
    replace: "return true;",
    test: `${TESTS}/refusals_test.ts`,
    promise: "check lists damaged rows and exits with 1",
    why: "a script would take a damaged store for a sound one",
  },
  {
    name: "an export that was refused leaves its beginning",
    file: "src/cli/commands/file_access.ts",
    find: "await this.#work[Symbol.asyncDispose]();",
    replace: "",
    test: `${TESTS}/commands_test.ts`,
    promise: "An export that is refused leaves no file",
    why: "half an export would pass for one",
  },
];

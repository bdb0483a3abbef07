/** The command line in a process of its own, whose terminal presses the interrupt key once it was shown something. */

import { runCommandLine } from "../../src/cli/command_line.ts";
import { Collected } from "./collected.ts";

/** A terminal for notes. */
class Interrupting extends Collected {
  readonly #shown: RegExp;
  #isPressed = false;

  constructor(shown: string) {
    super();
    this.#shown = new RegExp(shown);
  }

  override writeSync(bytes: Uint8Array): number {
    const written = super.writeSync(bytes);
    if (!this.#isPressed && this.#shown.test(this.text)) {
      this.#isPressed = true;
      Deno.kill(Deno.pid, "SIGINT");
    }
    return written;
  }

  override isTerminal(): boolean {
    return true;
  }
}

if (import.meta.main) {
  const [shown, ...words] = Deno.args;
  const errors = new Interrupting(shown!);
  const code = await runCommandLine(words, { output: Deno.stdout, errors });
  await Deno.stderr.write(new TextEncoder().encode(errors.text));
  Deno.exit(code);
}
